package ratelimit

import "slipway/internal/vocab/auth"

// Limits are requests per second, in bursts of up to two seconds' worth.
type Limits struct {
	Live, Test float64
	Address    float64 // per address, for requests without a valid credential
	Ceiling    float64 // the highest limit a key can have
}

// DefaultLimits apply unless the settings change them.
var DefaultLimits = Limits{Live: 100, Test: 25, Address: 50, Ceiling: 10_000}

// BurstSeconds is how many seconds' worth of requests a burst can use.
const BurstSeconds = 2

// Of returns the limit of a caller.
func (l Limits) Of(p auth.Principal) float64 {
	switch {
	case p.Rate > 0:
		return min(p.Rate, l.Ceiling)
	case p.Mode == auth.Live || p.SessionID != "": // people work as fast in test
		return l.Live
	}
	return l.Test
}
