// Package ratelimit limits the rate of requests.
package ratelimit

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Limiter is a set of leaky buckets (GCRA).
type Limiter struct {
	now     func() time.Time
	mu      sync.Mutex
	buckets map[string]bucket
}

// bucket is the state of a bucket that is not full.
type bucket struct {
	full time.Time     // when it is full again
	debt time.Duration // how far full can be after now + capacity, because other nodes also took
	took int           // since the last Uses
	need int           // uses after which other nodes should know
	step time.Duration
}

// New returns a limiter with this clock.
func New(now func() time.Time) *Limiter { return &Limiter{now: now, buckets: map[string]bucket{}} }

// maxBuckets is the number of buckets after which buckets are deleted. Each
// request then looks at deletePerTake of them, so its cost is bounded.
const (
	maxBuckets    = 100_000
	deletePerTake = 16
)

// Result is the state of a bucket after a request.
type Result struct {
	Remaining int           // remaining requests
	Reset     time.Duration // until the bucket is full again
	Wait      time.Duration // until the next request is allowed; 0 if this one was allowed
}

// Take takes one request from a bucket. The bucket has room for burst requests
// and refills by one every step.
func (l *Limiter) Take(name string, burst int, step time.Duration) Result {
	now, capacity := l.now(), time.Duration(burst)*step
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[name]
	if b.full.Before(now) || b.full.Sub(now) > capacity+b.debt { // it can't be emptier than empty, so the clock was set back
		b = bucket{full: now}
	}
	after := b.full.Add(step)
	if after.Sub(now) > capacity {
		return Result{0, b.full.Sub(now), after.Sub(now) - capacity}
	}
	if len(l.buckets) >= maxBuckets {
		l.deleteSome(now)
	}
	b.full, b.took, b.need, b.step = after, b.took+1, max(1, burst/shareAfter), step
	l.buckets[name] = b
	return Result{int((capacity - after.Sub(now)) / step), after.Sub(now), 0}
}

// wideFactor is how many times the limit of an address applies to its IPv6 /48.
const wideFactor = 10

// TakeAddress takes one attempt of an address from the buckets of its networks. A provider
// assigns whole IPv6 networks, so that one person has all addresses of a /64. It has the limit
// of an address, and a /48 has ten times that.
func (l *Limiter) TakeAddress(name, address string, burst int, step time.Duration) Result {
	narrow, wide := Networks(address)
	if wide != "" {
		if taken := l.Take(name+" "+wide, burst*wideFactor, step/wideFactor); taken.Wait > 0 {
			return taken
		}
	}
	return l.Take(name+" "+narrow, burst, step)
}

// deleteSome deletes the full buckets of a random sample, because a missing bucket
// counts as full. If there is none, it deletes the fullest one, so that the number
// of buckets does not grow.
func (l *Limiter) deleteSome(now time.Time) {
	fullest, seen, deleted := "", 0, false
	for k, b := range l.buckets { // in random order
		if seen++; seen > deletePerTake {
			break
		}
		if b.full.Before(now) {
			delete(l.buckets, k)
			deleted = true
		} else if fullest == "" || b.full.Before(l.buckets[fullest].full) {
			fullest = k
		}
	}
	if !deleted {
		delete(l.buckets, fullest)
	}
}

// shareAfter is the part of a burst that other nodes don't know about.
const shareAfter = 40

// Use is what a node took from a bucket.
type Use struct {
	Bucket string
	Took   int
	Step   time.Duration
}

// Uses returns what was taken from the buckets since the last call, for the other nodes,
// at most a number of buckets. It leaves out buckets with little use, so a flood from many
// addresses stays in this node. The buckets are sorted.
func (l *Limiter) Uses(most int) (uses []Use) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, b := range l.buckets {
		switch {
		case b.full.Before(now):
			delete(l.buckets, name) // a missing bucket counts as full
		case b.took >= b.need && len(uses) < most:
			uses = append(uses, Use{name, b.took, b.step})
			b.took = 0
			l.buckets[name] = b
		}
	}
	slices.SortFunc(uses, func(a, b Use) int { return cmp.Compare(a.Bucket, b.Bucket) })
	return uses
}

// Adjust sets how long a bucket needs until it is full, with the uses of all nodes up to
// the last Uses of this one.
func (l *Limiter) Adjust(name string, untilFull time.Duration) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[name]
	if !ok {
		return
	}
	if full := now.Add(untilFull + time.Duration(b.took)*b.step); full.After(b.full) {
		b.full, b.debt = full, full.Sub(now)
		l.buckets[name] = b
	}
}

// Networks returns the buckets of an address: an IPv4 address has one of its own.
// An IPv6 address shares one with its /64, and a second one with its /48.
func Networks(address string) (narrow, wide string) {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address, ""
	}
	small, _ := ip.WithZone("").Prefix(64) // valid for every IPv6 address
	large, _ := ip.WithZone("").Prefix(48)
	return small.String(), large.String()
}
