package platform

import (
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The webhooks of a dismissed employee stop, also for deliveries that are due. Handed over,
// they go on.
func TestWebhooksOfSomeoneWhoLeft(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		ended, kept, heir := s.Person("owner"), s.Person("owner"), s.Person("owner")
		stops, goes, lot := newReceiver(t), newReceiver(t), s.Test.Location()
		gone := subscribe(ended.Client, stops, "hull.created")
		subscribe(kept.Client, goes, "hull.created")
		stops.respondWith(status(500))
		s.Test.Hull(lot, nil)
		stops.next(t)
		goes.next(t)

		s.Test.Post("/v1/users/"+ended.ID+"/deactivate", map[string]any{"mfa_token": s.Test.Proof()}, 200, nil)
		s.Test.Post("/v1/users/"+kept.ID+"/deactivate", map[string]any{
			"mfa_token": s.Test.Proof(), "hand_over": map[string]any{"user_id": heir.ID, "kinds": []string{"webhook"}},
		}, 200, nil)
		attempts := func() (n int) {
			for _, d := range deliveries(s.Test, gone, "") {
				n += len(d.Attempts)
			}
			return n
		}
		before := attempts()      // on a busy machine, there was a second one before the end
		s.Advance(24 * time.Hour) // the delivery that failed is due
		s.Test.Hull(lot, nil)
		goes.next(t)
		s.WaitForRelay()
		assert.Equal(t, attempts(), before)
	})
}
