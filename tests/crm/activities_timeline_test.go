package crm

import (
	"testing"
	"time"

	"slipway/internal/activities"
	"slipway/internal/leads"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestTimeline(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		owen := s.Person("manager")
		hull := s.Test.Hull(s.Test.Location(), nil)
		owen.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 119900, "reason": "Season"}`, 200, nil)
		lead := s.Test.Lead(map[string]any{"hull_id": hull})
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", `{"channel": "sms", "from": "+14105550123", "body": "Hello?"}`, 201, nil)
		s.Advance(time.Hour)
		s.WaitForRelay()

		var p page.Page[activities.TimelineEntry]
		const path = "/v2-preview/timeline?object_id="
		owen.Get(path+hull, 200, &p)
		types := func() (all []string) {
			for _, e := range p.Data {
				all = append(all, e.Type)
			}
			return all
		}
		assert.Equal(t, types(), []string{"hull.price_changed", "hull.created"})
		assert.Equal(t, p.Data[0].Actor.Type, "user")
		assert.Equal(t, p.Data[0].Actor.ID, owen.ID)
		assert.Equal(t, p.Data[0].ObjectID, hull)
		assert.Equal(t, p.Data[0].Changes["price"], [2]any{map[string]any{"amount": 12490000.0, "currency": "USD"}, map[string]any{"amount": 11990000.0, "currency": "USD"}})
		assert.Equal(t, p.Data[1].Actor.Type, "api_key")
		assert.Equal(t, len(p.Data[1].Changes), 0)

		s.Test.Get(path+lead+"&limit=2", 200, &p)
		assert.Equal(t, types(), []string{"lead.consent_captured", "lead.message_received"})
		assert.Contains(t, string(p.Data[1].Object.Value), "Hello?")
		assert.Equal(t, p.HasMore, true)
		s.Test.Get(path+lead+"&starting_after="+*p.NextCursor, 200, &p)
		assert.Equal(t, types(), []string{"lead.created"})

		s.Advance(30 * 24 * time.Hour)
		stalled := leads.API{DB: s.DB}
		if err := jobs.Run(t.Context(), stalled.FindStalled, leads.FindStalled{}); err != nil {
			t.Fatal(err)
		}
		s.WaitForRelay()
		s.Test.Get(path+lead, 200, &p)
		assert.Equal(t, types()[0], "lead.stalled")
		assert.Equal(t, p.Data[0].Actor, auth.System)

		// Without an object, it has what the caller can read.
		s.As(s.Key(auth.LeadsRead)).Get("/v2-preview/timeline", 200, &p)
		for _, kind := range types() {
			assert.Excludes(t, kind, "hull.")
		}
		leadsOnly := s.As(s.Key(auth.LeadsRead))
		leadsOnly.Get(path+hull, 403, nil)
		leadsOnly.Get(path+lead, 200, nil)
		s.Live.Get(path+lead, 404, nil)
		s.Other.Get(path+hull, 404, nil)
		s.Test.Get(path+"usr_01jcqz8t5n8m2x4v6b7c9d0e1f", 400, nil).WantDetail(t, "object_id", "format")
	})
}
