package platform

import (
	"encoding/json"
	"net/http"
	"testing"

	"slipway/internal/platform/events"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/webhooks"
)

// business causes events of every kind: a hull, a contact, a lender's
// conditions and a user. It returns after all of them are listed.
func business(t *testing.T, s *testkit.Server) (conditions string) {
	t.Helper()
	deal := "/v1/deals/" + s.Test.AcceptedDeal(map[string]any{"deal_type": "finance"})
	var structure, funding struct{ ID string }
	s.Test.Post(deal+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240, "cash_down_cents": 1800000}`, 201, &structure)
	s.Test.Post(deal+"/finance_structures/"+structure.ID+"/select", nil, 200, nil)
	s.Test.Post(deal+"/fundings", `{"lender": "Bay Federal"}`, 201, &funding)
	s.Test.Post(deal+"/fundings/"+funding.ID+"/advance",
		`{"to": "conditional", "decision": {"conditions": "Spouse must cosign", "buy_rate_percent": "6.25"}}`, 200, nil)
	s.Test.Lead(nil)
	s.Test.User(nil)
	s.WaitForRelay()
	return "Spouse must cosign"
}

// typesIn lists the types of the events that a client can list.
func typesIn(c *testkit.Client, query string) map[string]events.Event {
	var list struct{ Data []events.Event }
	c.Get("/v1/events"+query, 200, &list)
	types := map[string]events.Event{}
	for _, e := range list.Data {
		types[e.Type] = e
	}
	return types
}

// completed counts the jobs of a kind that have run.
func completed(s *testkit.Server, kind string) int64 {
	return testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE kind = ? AND state = 'completed'`, kind)[0]
}

// A key with only the webhooks scope tries to read contacts, lenders'
// conditions and users: by list, by ID, by subscription and by replay.
func TestWebhooksScopeAloneReadsNoCustomerData(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		s.RunJobs()
		conditions := business(t, s)
		all := typesIn(s.Test, "?limit=100")
		for _, name := range []string{"contact.created", "funding.updated", "user.provisioned", "lead.created", "deal.opened", "hull.created"} {
			assert.Equal(t, all[name].Type, name, "events with every scope")
		}

		key := s.As(s.Key(auth.Webhooks))
		assert.Equal(t, len(typesIn(key, "?limit=100")), 0)
		assert.Equal(t, len(typesIn(key, "?limit=100&type=*")), 0)
		for name, scope := range map[string]string{
			"contact.created": "leads:read", "funding.updated": "deals:read", "user.provisioned": "admin", "deal.*": "deals:read",
		} {
			res := key.Get("/v1/events?type="+name, 403, nil)
			assert.Contains(t, res.Bytes, scope)
			res = key.Post("/v1/webhooks", map[string]any{"url": "http://example.com", "events": []string{"*", name}}, 403, nil)
			res.WantDetail(t, "events[1]", "scope")
			assert.Contains(t, res.Bytes, scope)
		}
		for _, e := range all {
			res := key.Get("/v1/events/"+e.ID, 404, nil)
			assert.Excludes(t, res.Bytes, conditions, e.Type)
		}

		r := newReceiver(t)
		w := subscribe(key, r, "*")
		assert.Equal(t, w.Scopes, []auth.Scope{auth.Webhooks})
		key.Post("/v1/webhooks/"+w.ID+"/replay", map[string]any{"event_ids": []string{all["funding.updated"].ID}}, 422, nil).
			WantDetail(t, "event_ids[0]", "not_found")
		key.Post("/v1/webhooks/"+w.ID+"/replay", map[string]any{"since": "2020-01-01T00:00:00Z", "types": []string{"funding.*"}}, 403, nil).
			WantDetail(t, "types[0]", "scope")
		res := key.Post("/v1/webhooks/"+w.ID+"/replay", `{"since": "2020-01-01T00:00:00Z"}`, 202, nil)
		assert.Equal(t, string(res.Bytes), "{\"count\":0}\n")
		s.Test.Contact(nil)
		key.Post("/v1/webhooks/"+w.ID+"/test", nil, 202, nil)
		assert.Contains(t, r.next(t).body, `"type":"webhook.test"`, "the first delivery")
		r.wantNone(t)
	})
}

// A key that can read hulls lists full pages of hull events, and its webhook
// receives them and nothing else.
func TestScopesFollowTheDataOfEvents(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		business(t, s)
		key := s.As(s.Key(auth.Webhooks, auth.HullsRead))
		location := s.Test.Location()
		for range 4 {
			s.Test.Hull(location, nil)
			s.Test.Contact(nil)
			s.Test.Contact(nil)
		}
		s.WaitForRelay()

		var list struct {
			Data    []events.Event
			HasMore bool `json:"has_more"`
		}
		key.Get("/v1/events?limit=5", 200, &list)
		assert.Len(t, list.Data, 5)
		assert.Equal(t, list.HasMore, true)
		for _, e := range list.Data {
			assert.Equal(t, e.Type == "hull.created" || e.Type == "location.created", true, e.Type, "is readable with hulls:read")
		}

		r := newReceiver(t)
		w := subscribe(key, r, "*")
		assert.Equal(t, w.Scopes, []auth.Scope{auth.HullsRead, auth.Webhooks})
		s.Test.Contact(nil)
		s.Test.User(nil)
		s.Test.Hull(location, nil)
		assert.Contains(t, r.next(t).body, `"type":"hull.created"`)
		r.wantNone(t)
	})
}

// A key with fewer scopes takes over a webhook of another key: it tries to
// change its URL, and to receive its dead letters at a new URL.
func TestWebhookTakenOverWithFewerScopes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		own := newReceiver(t)
		own.respondWith(status(http.StatusBadGateway))
		w := subscribe(s.Test, own, "contact.*")
		s.RunRelay()
		s.RunJobs()
		s.Test.Contact(nil)
		own.next(t)
		assert.Eventually(t, "attempted", func() bool {
			all := deliveries(s.Test, w, "")
			return len(all) == 1 && len(all[0].Attempts) == 1
		})

		thief, key := newReceiver(t), s.As(s.Key(auth.Webhooks, auth.HullsRead))
		path := "/v1/webhooks/" + w.ID
		res := key.Patch(path, map[string]any{"url": thief.URL}, 403, nil)
		res.WantDetail(t, "url", "scope")
		key.Patch(path, `{"events": ["contact.created"]}`, 403, nil).WantDetail(t, "events[0]", "scope")

		// The events of the webhook are now those of the new key, so it can also change the URL.
		var changed webhooks.Webhook
		key.Patch(path, `{"events": ["*"]}`, 200, &changed)
		assert.Equal(t, changed.Scopes, []auth.Scope{auth.HullsRead, auth.Webhooks})
		key.Patch(path, map[string]any{"url": thief.URL}, 200, nil)
		key.Post(path+"/deliveries/"+deliveries(s.Test, w, "")[0].ID+"/retry", nil, 202, nil)
		rejected := func() bool { return len(deliveries(s.Test, w, "?status=dead")) == 1 }
		assert.Eventually(t, "rejected", rejected)
		key.Post(path+"/dead_letters/drain", `{"action": "redeliver"}`, 202, nil)
		assert.Eventually(t, "drained", func() bool { return completed(s, "drain_dead_letters") == 1 })
		assert.Eventually(t, "rejected again", rejected)
		key.Post(path+"/test", nil, 202, nil)
		assert.Contains(t, thief.next(t).body, `"type":"webhook.test"`, "the first delivery")
		thief.wantNone(t)
	})
}

// The scopes of a webhook are checked again when a replay runs.
func TestReplayAfterScopesWereRemoved(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created")
		s.RunRelay()
		business(t, s)
		contact := typesIn(s.Test, "?type=contact.created")["contact.created"].ID
		s.Test.Post("/v1/webhooks/"+w.ID+"/replay", map[string]any{"event_ids": []string{contact}}, 202, nil)
		s.As(s.Key(auth.Webhooks, auth.HullsRead)).Patch("/v1/webhooks/"+w.ID, `{"events": ["location.created"]}`, 200, nil)
		s.RunJobs()
		assert.Eventually(t, "finished", func() bool { return completed(s, "replay_events") == 1 })
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM deliveries WHERE event_type = 'contact.created'`)[0], 0)
	})
}

// No event contains what a lender charges the dealership.
func TestEventsHaveNoBuyRate(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		business(t, s)
		e := typesIn(s.Test, "?type=funding.updated")["funding.updated"]
		var data struct {
			Object struct {
				Decision struct {
					Conditions string
					BuyRate    *string `json:"buy_rate_percent"`
				}
			}
		}
		if err := json.Unmarshal(e.Data.Value, &data); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, data.Object.Decision.Conditions, "Spouse must cosign")
		assert.Equal(t, data.Object.Decision.BuyRate, nil)
	})
}
