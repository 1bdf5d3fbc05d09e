package platform

import (
	"encoding/json"
	"testing"

	"slipway/internal/platform/events"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// A client of the first version doesn't see what later versions added to events, and
// doesn't receive new event types.
func TestEventsOfOlderVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		first := s.Test.With("Service-Version", version.Published[0].Date)
		hook, newest := newReceiver(t), newReceiver(t)
		first.Post("/v1/webhooks", map[string]any{"url": hook.URL, "events": []string{"*"}}, 201, nil)
		s.Test.Post("/v1/webhooks", map[string]any{"url": newest.URL, "events": []string{"deal.*"}}, 201, nil)
		s.RunRelay()
		deal := s.Test.Deal(nil)

		data := func(body []byte) (e events.Event, object map[string]any) {
			var d struct{ Object map[string]any }
			if err := json.Unmarshal(body, &e); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(e.Data.Value, &d); err != nil {
				t.Fatal(err)
			}
			return e, d.Object
		}
		has := func(object map[string]any) bool { _, ok := object["taxes"]; return ok }
		e, object := data(newest.next(t).body)
		if e.APIVersion != version.Latest() || !has(object) {
			t.Errorf("got version %s and %v, want the newest version with taxes", e.APIVersion, object)
		}
		for e.Type = ""; e.Type != "deal.opened"; {
			e, object = data(hook.next(t).body)
		}
		if e.APIVersion != version.Published[0].Date || has(object) || object["id"] != deal {
			t.Errorf("got version %s and %v, want the first version without taxes", e.APIVersion, object)
		}

		var list struct{ Data []json.RawMessage }
		first.Get("/v1/events?type=deal.opened", 200, &list)
		assert.Len(t, list.Data, 1)
		if e, object = data(list.Data[0]); e.APIVersion != version.Published[0].Date || has(object) {
			t.Errorf("got version %s and %v, want the first version without taxes", e.APIVersion, object)
		}

		s.Test.App(nil)
		assert.Eventually(t, "visible", func() bool { _, ok := typesIn(s.Test, "")["app.created"]; return ok })
		if _, ok := typesIn(first, "")["app.created"]; ok {
			t.Error("got app.created in the first version, want it only in the one that added it")
		}
		first.Get("/v1/events?type=app.created", 422, nil)
		first.Post("/v1/webhooks", map[string]any{"url": hook.URL, "events": []string{"app.created"}}, 422, nil)
	})
}
