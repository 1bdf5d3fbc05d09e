package platform

import (
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/webhooks"
)

// Events in the preview show who caused them: a user, a key, or Slipway.
func TestActorsOfEvents(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		owen := s.Person("manager")
		hull := s.Test.Hull(s.Test.Location(), nil)
		owen.Patch("/v1/hulls/"+hull, `{"title": "One owner"}`, 200, nil)
		s.Test.Post("/v2-preview/events/trigger", `{"type": "deal.accepted"}`, 202, nil)
		s.WaitForRelay()

		var p page.Page[webhooks.EventWithActor]
		s.Test.Get("/v2-preview/events?object_id="+hull, 200, &p)
		assert.Len(t, p.Data, 2)
		assert.Equal(t, p.Data[0].Type, "hull.updated")
		assert.Equal(t, p.Data[0].Actor.ID, owen.ID)
		assert.Equal(t, p.Data[1].Actor.Type, "api_key")
		var e webhooks.EventWithActor
		s.Test.Get("/v2-preview/events/"+p.Data[0].ID, 200, &e)
		assert.Equal(t, e.Actor, p.Data[0].Actor)
		assert.Equal(t, e.Environment, auth.Test)

		s.Test.Get("/v2-preview/events?type=deal.accepted", 200, &p)
		assert.Len(t, p.Data, 1)
		s.As(s.Key(auth.HullsRead)).Get("/v2-preview/events", 403, nil)
		s.Other.Get("/v2-preview/events/"+e.ID, 404, nil)
	})
}
