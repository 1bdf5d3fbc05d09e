// Package ratelimit counts requests against a rate.
package ratelimit

import (
	"sync"
	"time"
)

// Limiter is a set of leaky buckets (GCRA). A bucket is one number: the moment
// at which it will be full again.
type Limiter struct {
	now  func() time.Time
	mu   sync.Mutex
	full map[string]time.Time
}

// New returns a limiter that reads this clock.
func New(now func() time.Time) *Limiter { return &Limiter{now: now, full: map[string]time.Time{}} }

// maxBuckets is when buckets that are full again are thrown away.
const maxBuckets = 100_000

// Taken is what a bucket is like after a request.
type Taken struct {
	Left  int           // requests that may follow at once
	Reset time.Duration // until the bucket is full again
	Wait  time.Duration // until a request is let through; 0 if this one was
}

// Take takes a request from a bucket that holds burst of them and refills by
// one every step.
func (l *Limiter) Take(bucket string, burst int, step time.Duration) Taken {
	now, capacity := l.now(), time.Duration(burst)*step
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.full) > maxBuckets {
		for k, t := range l.full { // a full bucket is as good as none
			if t.Before(now) {
				delete(l.full, k)
			}
		}
	}
	full := l.full[bucket]
	if full.Before(now) || full.Sub(now) > capacity { // no bucket is emptier than empty: the clock was set back
		full = now
	}
	after := full.Add(step)
	if after.Sub(now) > capacity {
		return Taken{0, full.Sub(now), after.Sub(now) - capacity}
	}
	l.full[bucket] = after
	return Taken{int((capacity - after.Sub(now)) / step), after.Sub(now), 0}
}
