package access

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipway/internal/vocab/fault"
)

func TestThrottle(t *testing.T) {
	const ann, ben = "ann@example.com", "ben@example.com"
	// attempts are n sign-ins. The first allowed ones succeed, and the others must
	// wait. A * stands for something new each time.
	type attempts struct {
		after            time.Duration
		account, address string
		known            bool // the account has signed in from the address
		n, allowed       int
		wait             time.Duration
	}

	for name, steps := range map[string][]attempts{
		"one account from one address": {
			{0, ann, "a", false, 12, 10, 30 * time.Second},
			{0, ann, "a", true, 1, 0, 30 * time.Second}, // also applies to a known address
			{0, ben, "a", false, 1, 1, 0},
			{0, ann, "b", false, 1, 1, 0},
			{29 * time.Second, ann, "a", false, 1, 0, time.Second},
			{time.Second, ann, "a", false, 2, 1, 30 * time.Second},
			{5 * time.Minute, ann, "a", false, 11, 10, 30 * time.Second},
		},
		"many accounts from one address": {
			{0, "*", "a", false, 32, 30, 2 * time.Second},
			{0, ann, "a", true, 1, 0, 2 * time.Second},
			{0, ann, "b", false, 1, 1, 0},
			{2 * time.Second, "*", "a", false, 2, 1, 2 * time.Second},
			{time.Minute, "*", "a", false, 31, 30, 2 * time.Second},
		},
		"one account from many addresses": {
			{0, ann, "*", false, 52, 50, time.Minute},
			{0, ben, "*", false, 1, 1, 0},
			{0, ann, "home", true, 11, 10, 30 * time.Second}, // the user is not locked out, but limited
			{time.Minute, ann, "*", false, 2, 1, time.Minute},
		},
		"attempts from a known address do not count for others": {
			{0, ann, "home", true, 10, 10, 0},
			{0, ann, "*", false, 51, 50, time.Minute},
		},
		"one account from a /64": {
			{0, ann, "2001:db8:1:2::*", false, 12, 10, 30 * time.Second},
			{0, ann, "2001:db8:1:3::1", false, 1, 1, 0},
		},
		"many accounts from a /64": {
			{0, "*", "2001:db8:1:2::*", false, 32, 30, 2 * time.Second},
		},
		"one known account from a /48": {
			{0, ann, "2001:db8:1:*::1", true, 101, 100, 3 * time.Second},
		},
		"many accounts from a /48": {
			{0, "*", "2001:db8:1:*::1", false, 302, 300, 200 * time.Millisecond},
			{0, "*", "2001:db8:2::1", false, 1, 1, 0},
		},
	} {

		t.Run(name, func(t *testing.T) {
			now, count := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), 0
			throttle := NewThrottle(func() time.Time { return now })
			for i, g := range steps {
				now = now.Add(g.after)
				for n := range g.n {
					account, address := g.account, g.address
					if count++; account == "*" {
						account = fmt.Sprintf("%d@example.com", count)
					}
					address = strings.ReplaceAll(address, "*", fmt.Sprintf("%x", count))
					err := throttle.check(account, address, g.known)
					limited, ok := errors.AsType[*fault.Error](err)
					switch {
					case n < g.allowed && err != nil:
						t.Fatalf("step %d, attempt %d: got %v, want no error", i, n, err)
					case n >= g.allowed && (!ok || limited.Kind != fault.KindRateLimited || limited.RetryAfter != g.wait):
						t.Fatalf("step %d, attempt %d: got %+v, want a wait of %s", i, n, err, g.wait)
					}
				}
			}
		})
	}
}
