package access

import (
	"time"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/fault"
)

// Throttle limits sign-in attempts.
//
// Attempts are counted by network, by account and network, and by account. A network
// is an IPv4 address, or the /64 and the /48 of an IPv6 address.
// The limit by account stops attacks from many addresses. It doesn't apply to an
// address that the account has signed in from before. Otherwise an attacker could
// lock the user out.
type Throttle struct{ limiter *ratelimit.Limiter }

// NewThrottle returns a throttle that uses this clock.
func NewThrottle(now func() time.Time) *Throttle { return &Throttle{ratelimit.New(now)} }

// check counts an attempt and returns an error if there were too many.
func (t *Throttle) check(account, address string, knownHere bool) error {
	if err := tooMany(t.limiter.TakeAddress("address", address, 30, 2*time.Second)); err != nil {
		return err
	}
	if err := tooMany(t.limiter.TakeAddress("both "+account, address, 10, 30*time.Second)); err != nil || knownHere {
		return err
	}
	return tooMany(t.limiter.Take("account "+account, 50, time.Minute))
}

// checkSecondStep counts an attempt after the password.
func (t *Throttle) checkSecondStep(userID, address string) error {
	return tooMany(t.limiter.TakeAddress("second step "+userID, address, 10, 30*time.Second))
}

func tooMany(taken ratelimit.Result) error {
	if taken.Wait == 0 {
		return nil
	}
	return fault.New(fault.KindRateLimited, "Too many sign-in attempts. Retry after the time in Retry-After.").RetryIn(taken.Wait)
}
