package access

import (
	"time"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/fault"
)

// Throttle slows down password guessing.
//
// Guesses are counted by address, by account and address, and by account
// alone. The last keeps a thousand addresses from sharing the work, and would
// let them lock the owner out: so it does not count for an address that the
// account has signed in from before.
type Throttle struct{ limiter *ratelimit.Limiter }

// NewThrottle returns a throttle that reads this clock.
func NewThrottle(now func() time.Time) *Throttle { return &Throttle{ratelimit.New(now)} }

func (t *Throttle) take(account, address string, knownHere bool) error {
	for _, b := range []struct {
		bucket string
		burst  int
		step   time.Duration
		skip   bool
	}{
		{"address " + address, 30, 2 * time.Second, false},
		{"both " + address + " " + account, 10, 30 * time.Second, false},
		{"account " + account, 50, time.Minute, knownHere},
	} {
		if b.skip {
			continue
		}
		if taken := t.limiter.Take(b.bucket, b.burst, b.step); taken.Wait > 0 {
			return fault.New(fault.KindRateLimited, "Too many sign-in attempts. Retry after the time in Retry-After.").RetryIn(taken.Wait)
		}
	}
	return nil
}
