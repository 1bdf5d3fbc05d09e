// Package ratelimit limits the rate of requests.
package ratelimit

import (
	"net/netip"
	"sync"
	"time"
)

// Limiter is a set of leaky buckets (GCRA). For each bucket, it stores the time
// when the bucket is full again.
type Limiter struct {
	now  func() time.Time
	mu   sync.Mutex
	full map[string]time.Time
}

// New returns a limiter with this clock.
func New(now func() time.Time) *Limiter { return &Limiter{now: now, full: map[string]time.Time{}} }

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
func (l *Limiter) Take(bucket string, burst int, step time.Duration) Result {
	now, capacity := l.now(), time.Duration(burst)*step
	l.mu.Lock()
	defer l.mu.Unlock()
	full := l.full[bucket]
	if full.Before(now) || full.Sub(now) > capacity { // it can't be emptier than empty, so the clock was set back
		full = now
	}
	after := full.Add(step)
	if after.Sub(now) > capacity {
		return Result{0, full.Sub(now), after.Sub(now) - capacity}
	}
	if len(l.full) >= maxBuckets {
		l.deleteSome(now)
	}
	l.full[bucket] = after
	return Result{int((capacity - after.Sub(now)) / step), after.Sub(now), 0}
}

// deleteSome deletes the full buckets of a random sample, because a missing bucket
// counts as full. If there is none, it deletes the fullest one, so that the number
// of buckets does not grow.
func (l *Limiter) deleteSome(now time.Time) {
	fullest, seen, deleted := "", 0, false
	for k, t := range l.full { // in random order
		if seen++; seen > deletePerTake {
			break
		}
		if t.Before(now) {
			delete(l.full, k)
			deleted = true
		} else if fullest == "" || t.Before(l.full[fullest]) {
			fullest = k
		}
	}
	if !deleted {
		delete(l.full, fullest)
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
