package access

import (
	"time"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/fault"
)

// Throttle limits sign-in attempts.
//
// Attempts are counted by IP address, by account and address, and by account.
// The limit by account stops attacks from many addresses. It doesn't apply to an
// address that the account has signed in from before. Otherwise an attacker could
// lock the user out.
type Throttle struct{ limiter *ratelimit.Limiter }

// NewThrottle returns a throttle that uses this clock.
func NewThrottle(now func() time.Time) *Throttle { return &Throttle{ratelimit.New(now)} }

type bucket struct {
	name  string
	burst int
	step  time.Duration
	skip  bool
}

// check counts an attempt and returns an error if there were too many.
func (t *Throttle) check(account, address string, knownHere bool) error {
	return t.take([]bucket{
		{"address " + address, 30, 2 * time.Second, false},
		{"both " + address + " " + account, 10, 30 * time.Second, false},
		{"account " + account, 50, time.Minute, knownHere},
	})
}

// checkSecondStep counts an attempt after the password.
func (t *Throttle) checkSecondStep(userID, address string) error {
	return t.take([]bucket{{"second step " + address + " " + userID, 10, 30 * time.Second, false}})
}

func (t *Throttle) take(buckets []bucket) error {
	for _, b := range buckets {
		if b.skip {
			continue
		}
		if taken := t.limiter.Take(b.name, b.burst, b.step); taken.Wait > 0 {
			return fault.New(fault.KindRateLimited, "Too many sign-in attempts. Retry after the time in Retry-After.").RetryIn(taken.Wait)
		}
	}
	return nil
}
