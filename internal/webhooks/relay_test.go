package webhooks_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/events"
	"slipway/internal/platform/outbound"
	"slipway/internal/testkit"
	"slipway/internal/webhooks"
)

// An event goes from the change to its receiver: signed, once, and with the
// bytes that the API shows.
func TestDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "hull.*")
		other := newReceiver(t)
		subscribe(s.Test, other, "role.*", "location.created")
		subscribe(s.Rival, other, "*")
		s.Relaying()
		location := s.Test.Location()
		other.next(t)
		hull := s.Test.With("Idempotency-Key", "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10").Hull(location, nil)
		got := r.next(t)
		if err := got.verify(w.Secret); err != nil {
			t.Error(err)
		}
		var e struct {
			events.Event
			Data struct{ Object struct{ ID, Make string } } `json:"data"`
		}
		if err := json.Unmarshal(got.body, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type != "hull.created" || e.Sequence != 1 || e.Environment != "test" || e.Data.Object.ID != hull || e.ID != got.eventID() ||
			*e.Request.IdempotencyKey != "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10" || e.APIVersion != w.APIVersion {
			t.Errorf("%s", got.body)
		}
		if shown := s.Test.Get("/v1/events/"+e.ID, 200, nil); !bytes.Equal(bytes.TrimSpace(shown.Bytes), got.body) {
			t.Errorf("the API shows\n%s\nand delivers\n%s", shown.Bytes, got.body)
		}
		s.Test.Patch("/v1/hulls/"+hull, `{"title": "One owner"}`, 200, nil)
		if second := r.next(t); !strings.Contains(string(second.body), `"sequence":2`) || !strings.Contains(string(second.body), `"previous":{"title":null}`) {
			t.Errorf("%s", second.body)
		}
		until(t, "both recorded", func() bool { return len(deliveries(s.Test, w, "?status=succeeded")) == 2 })
		d := deliveries(s.Test, w, "")[1]
		if d.EventID != e.ID || d.AttemptCount != 1 || len(d.Attempts) != 1 || *d.Attempts[0].StatusCode != 200 || d.NextAttemptAt != nil || d.DeliveredAt == nil {
			t.Errorf("%+v", d)
		}
		r.quiet(t)
		other.quiet(t)
	})
}

// Attempts follow the schedule with the same bytes until the delivery is dead;
// drained, it starts anew.
func TestDeadLetter(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		r.answers(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "out of order", http.StatusBadGateway) })
		w := subscribe(s.Test, r, "location.created")
		s.Relaying()
		s.Test.Location()
		first := r.next(t)
		for n, wait := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 8 * time.Hour, 24 * time.Hour, 72 * time.Hour} {
			until(t, "attempt recorded", func() bool { return len(deliveries(s.Test, w, "")[0].Attempts) == n+1 })
			if d := deliveries(s.Test, w, "")[0]; d.Status != "pending" || d.NextAttemptAt.Sub(d.Attempts[0].At) < wait*9/10-time.Second || d.NextAttemptAt.Sub(d.Attempts[0].At) > wait*11/10+time.Second {
				t.Errorf("after %d attempts: %+v", n+1, d)
			}
			r.quiet(t)
			s.Advance(wait * 11 / 10)
			s.App.Relay.Wake()
			if again := r.next(t); !bytes.Equal(again.body, first.body) || again.eventID() != first.eventID() || again.verify(w.Secret) != nil {
				t.Errorf("another event: %s", again.body)
			}
		}
		var dead struct{ Data []webhooks.Delivery }
		until(t, "dead", func() bool {
			s.Test.Get("/v1/webhooks/"+w.ID+"/dead_letters", 200, &dead)
			return len(dead.Data) == 1
		})
		d := dead.Data[0]
		if len(d.Attempts) != 8 || *d.Attempts[7].StatusCode != 502 || *d.Attempts[7].Response != "out of order\n" || d.NextAttemptAt != nil {
			t.Errorf("%+v", d)
		}
		var hook webhooks.Webhook
		if s.Test.Get("/v1/webhooks/"+w.ID, 200, &hook); hook.Health != "failing" || hook.FailingSince == nil {
			t.Errorf("%+v", hook)
		}
		s.Working()
		r.answers(nil)
		drain := "/v1/webhooks/" + w.ID + "/dead_letters/drain"
		if res := s.Test.Post(drain, map[string]any{"action": "redeliver", "delivery_ids": []string{d.ID}}, 202, nil); string(res.Bytes) != `{"count":1}`+"\n" {
			t.Errorf("%s", res.Bytes)
		}
		if again := r.next(t); !bytes.Equal(again.body, first.body) {
			t.Errorf("%s", again.body)
		}
		until(t, "delivered", func() bool { return len(deliveries(s.Test, w, "?status=succeeded")) == 1 })
		s.Test.Get("/v1/webhooks/"+w.ID, 200, &hook)
		if d := deliveries(s.Test, w, "")[0]; hook.Health != "healthy" || len(d.Attempts) != 9 {
			t.Errorf("%+v, %+v", hook, d)
		}
		if f := s.Test.Post(drain, map[string]any{"action": "discard", "delivery_ids": []string{d.ID}}, 422, nil).Fault(t); !f.Blames("delivery_ids[0]", "not_found") {
			t.Errorf("%+v", f)
		}
	})
}

func TestReceiversWishes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Relaying()
		busy := newReceiver(t)
		busy.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1800")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		slow := subscribe(s.Test, busy, "location.created")
		gone := newReceiver(t)
		gone.answers(status(http.StatusGone))
		ended := subscribe(s.Test, gone, "location.created")
		watch := newReceiver(t)
		subscribe(s.Test, watch, "webhook.disabled")
		moved := newReceiver(t)
		moved.answers(func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, busy.URL, http.StatusFound) })
		away := subscribe(s.Test, moved, "location.created")
		s.Test.Location()

		if got := watch.next(t); !strings.Contains(string(got.body), ended.ID) || !strings.Contains(string(got.body), `"disabled_reason":"gone"`) {
			t.Errorf("%s", got.body)
		}
		until(t, "recorded", func() bool {
			return len(deliveries(s.Test, slow, "")[0].Attempts) == 1 && len(deliveries(s.Test, away, "")[0].Attempts) == 1
		})
		if d := deliveries(s.Test, slow, "")[0]; d.NextAttemptAt.Sub(d.Attempts[0].At) < 29*time.Minute {
			t.Errorf("too soon: %+v", d)
		}
		if d := deliveries(s.Test, away, "")[0]; *d.Attempts[0].StatusCode != 302 || !strings.Contains(*d.Attempts[0].Error, "not followed") {
			t.Errorf("%+v", d.Attempts[0])
		}
		if d := deliveries(s.Test, ended, "")[0]; d.Status != "dead" {
			t.Errorf("%+v", d)
		}
		s.Test.Post("/v1/webhooks/"+ended.ID+"/test", nil, 409, nil)
		s.Test.Post("/v1/webhooks/"+ended.ID+"/replay", `{"since": "2026-01-01T00:00:00Z"}`, 409, nil)
		var audit struct{ Data []struct{ Action string } }
		s.Test.Get("/v1/audit?target_id="+ended.ID, 200, &audit)
		if audit.Data[0].Action != "webhook.disabled" {
			t.Errorf("%+v", audit)
		}
	})
}

// Five days of nothing but failures disable a webhook; what happens afterwards
// is kept and can be replayed once it is enabled again.
func TestGivingUp(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Relaying()
		r := newReceiver(t)
		r.answers(status(500))
		w := subscribe(s.Test, r, "location.created")
		hook := func() (h webhooks.Webhook) {
			s.Test.Get("/v1/webhooks/"+w.ID, 200, &h)
			return h
		}
		s.Test.Location()
		r.next(t)
		until(t, "failing", func() bool { return hook().Health == "failing" })
		s.Advance(5*24*time.Hour - time.Minute)
		s.Test.Location()
		for range 2 { // the first one is due again, too
			r.next(t)
		}
		until(t, "recorded", func() bool {
			return !slices.ContainsFunc(deliveries(s.Test, w, ""), func(d webhooks.Delivery) bool { return int64(len(d.Attempts)) < d.AttemptCount })
		})
		if hook().Status != "enabled" {
			t.Fatal("disabled too soon")
		}
		s.Advance(2 * time.Minute)
		s.App.Relay.Wake()
		until(t, "disabled", func() bool { return hook().Status == "disabled" })
		if h := hook(); *h.DisabledReason != "failing" || h.Version != 2 {
			t.Errorf("%+v", h)
		}
		since := s.DB.Now().UTC()
		s.Test.Location()
		until(t, "in the feed", func() bool { return len(testkit.Rows[string](s, `SELECT id FROM outbox`)) == 0 })
		r.answers(nil)
		var h webhooks.Webhook
		s.Test.Patch("/v1/webhooks/"+w.ID, `{"status": "enabled"}`, 200, &h)
		if h.DisabledReason != nil || h.Health != "healthy" {
			t.Errorf("%+v", h)
		}
		s.Working()
		if res := s.Test.Post("/v1/webhooks/"+w.ID+"/replay", map[string]any{"since": since}, 202, nil); string(res.Bytes) != `{"count":1}`+"\n" {
			t.Errorf("%s", res.Bytes)
		}
		until(t, "replayed", func() bool {
			all := deliveries(s.Test, w, "?status=succeeded")
			return slices.ContainsFunc(all, func(d webhooks.Delivery) bool { return d.IsReplay })
		})
	})
}

// A webhook that hangs and one that fails hold up neither the third nor each
// other.
func TestLanes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Relaying()
		hangs, fails, works := newReceiver(t), newReceiver(t), newReceiver(t)
		release := make(chan struct{})
		hangs.answers(func(http.ResponseWriter, *http.Request) { <-release })
		fails.answers(status(500))
		for _, r := range []*receiver{hangs, fails, works} {
			subscribe(s.Test, r, "location.created")
		}
		seen := map[string]bool{}
		for range 60 {
			s.Test.Location()
		}
		for range 60 {
			seen[works.next(t).eventID()] = true
		}
		if len(seen) != 60 {
			t.Errorf("%d events", len(seen))
		}
		if held := len(hangs.got); held == 0 || held > 16 {
			t.Errorf("%d requests hang at once", held)
		}
		close(release)
		for range 60 {
			hangs.next(t)
		}
	})
}

// Two nodes share the work: every event arrives once, however they compete,
// also when the clock of one of them jumps an hour while an attempt runs.
func TestTwoNodes(t *testing.T) {
	s := testkit.OnPostgres(t)
	other := s.Node()
	r := newReceiver(t)
	subscribe(s.Test, r, "location.created")
	s.Relaying()
	other.Relaying()
	seen := map[string]int{}
	for i := range 200 {
		[]*testkit.Server{s, other}[i%2].As(s.Test.Key).Location()
	}
	for range 200 {
		seen[r.next(t).eventID()]++
	}
	if len(seen) != 200 {
		t.Errorf("%d different events in 200 requests", len(seen))
	}
	release := make(chan struct{})
	r.answers(func(http.ResponseWriter, *http.Request) { <-release })
	s.Test.Location()
	r.next(t)
	for range 3 {
		other.Advance(time.Hour)
		for _, node := range []*testkit.Server{s, other} {
			node.App.Relay.Wake()
			node.As(s.Test.Key).Post("/v1/roles", map[string]any{"name": node.URL + time.Now().String(), "scopes": []string{"hulls:read"}}, 201, nil)
		}
		until(t, "relayed", func() bool { return len(testkit.Rows[string](s, `SELECT id FROM outbox`)) == 0 })
	}
	r.quiet(t)
	close(release)
}

// On one node, too, a clock that jumps repeats nothing that is on its way.
func TestClockJump(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created")
		s.Relaying()
		release := make(chan struct{})
		r.answers(func(http.ResponseWriter, *http.Request) { <-release })
		s.Test.Location()
		r.next(t)
		s.Advance(time.Hour)
		s.App.Relay.Wake()
		s.Test.Role("hulls:read")
		until(t, "relayed", func() bool { return len(testkit.Rows[string](s, `SELECT id FROM outbox`)) == 0 })
		r.quiet(t)
		close(release)
		until(t, "delivered", func() bool { return len(deliveries(s.Test, w, "?status=succeeded")) == 1 })
		s.Advance(-2 * time.Hour) // and back: ids still rise, and new events still go out
		s.Test.Location()
		r.next(t)
		var list struct{ Data []events.Event }
		s.Test.Get("/v1/events?type=location.created&limit=2", 200, &list)
		if list.Data[0].ID < list.Data[1].ID || list.Data[0].CreatedAt.After(list.Data[1].CreatedAt) {
			t.Errorf("%+v", list.Data)
		}
	})
}

// What is attempted when the service stops is finished and written down.
func TestStopping(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created")
		stop := s.Relaying()
		release := make(chan struct{})
		r.answers(func(http.ResponseWriter, *http.Request) { <-release })
		s.Test.Location()
		r.next(t)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			stop()
		}()
		close(release)
		<-stopped
		if d := deliveries(s.Test, w, "")[0]; d.Status != "succeeded" {
			t.Errorf("%+v", d)
		}
	})
}

// An address inside our own network is not called, however it is written.
func TestPrivateAddresses(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.App.Relay.Client = outbound.New(webhooks.Timeout, false)
	r := newReceiver(t)
	w := subscribe(s.Test, r, "location.created")
	s.Relaying()
	s.Test.Location()
	until(t, "refused", func() bool {
		return len(deliveries(s.Test, w, "")) == 1 && len(deliveries(s.Test, w, "")[0].Attempts) == 1
	})
	if a := deliveries(s.Test, w, "")[0].Attempts[0]; a.StatusCode != nil || *a.Error != "the address is not a public one" {
		t.Errorf("%+v", a)
	}
	r.quiet(t)
}
