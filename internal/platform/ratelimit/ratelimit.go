// Package ratelimit limits the rate of requests.
package ratelimit

import (
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

// maxBuckets is the number of buckets after which full buckets are deleted.
const maxBuckets = 100_000

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
	if len(l.full) > maxBuckets {
		for k, t := range l.full { // a missing bucket counts as full
			if t.Before(now) {
				delete(l.full, k)
			}
		}
	}
	full := l.full[bucket]
	if full.Before(now) || full.Sub(now) > capacity { // it can't be emptier than empty, so the clock was set back
		full = now
	}
	after := full.Add(step)
	if after.Sub(now) > capacity {
		return Result{0, full.Sub(now), after.Sub(now) - capacity}
	}
	l.full[bucket] = after
	return Result{int((capacity - after.Sub(now)) / step), after.Sub(now), 0}
}
