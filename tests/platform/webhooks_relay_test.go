package platform

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/events"
	"slipway/internal/platform/outbound"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/webhooks"
)

// An event is delivered once, with a signature and the same bytes as the API
// returns.
func TestDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "hull.*")
		other := newReceiver(t)
		subscribe(s.Test, other, "role.*", "location.created")
		subscribe(s.Other, other, "*")
		s.RunRelay()

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

		assert.Equal(t, e.Type, "hull.created")
		assert.Equal(t, e.Sequence, 1)
		assert.Equal(t, e.Environment, "test")
		assert.Equal(t, e.Data.Object.ID, hull)
		assert.Equal(t, e.ID, got.eventID())
		assert.Equal(t, e.Request.IdempotencyKey, new("7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10"))
		assert.Equal(t, e.APIVersion, w.APIVersion)
		assert.Equal(t, string(bytes.TrimSpace(s.Test.Get("/v1/events/"+e.ID, 200, nil).Bytes)), string(got.body), "the event in the API")
		s.Test.Patch("/v1/hulls/"+hull, `{"title": "One owner"}`, 200, nil)

		second := r.next(t)
		assert.Contains(t, second.body, `"sequence":2`)
		assert.Contains(t, second.body, `"previous":{"title":null}`)
		assert.Eventually(t, "both recorded", func() bool { return len(deliveries(s.Test, w, "?status=succeeded")) == 2 })

		d := deliveries(s.Test, w, "")[1]
		if d.EventID != e.ID || d.AttemptCount != 1 || len(d.Attempts) != 1 || *d.Attempts[0].StatusCode != 200 ||
			d.NextAttemptAt != nil || d.DeliveredAt == nil {
			t.Errorf("got %s; want d.EventID = %q, d.AttemptCount = 1, len(d.Attempts) = 1, d.Attempts[0].StatusCode = 200, "+
				"d.NextAttemptAt = nil, d.DeliveredAt != nil", assert.Show(d), e.ID)
		}
		r.wantNone(t)
		other.wantNone(t)
	})
}

// Attempts follow the schedule with the same bytes until the delivery is dead.
// Redelivering it starts the schedule again.
func TestDeadLetter(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		r.respondWith(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "out of order", http.StatusBadGateway) })
		w := subscribe(s.Test, r, "location.created")
		s.RunRelay()
		s.Test.Location()

		first := r.next(t)
		for n, wait := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 8 * time.Hour,
			24 * time.Hour, 72 * time.Hour} {
			assert.Eventually(t, "attempt recorded", func() bool { return len(deliveries(s.Test, w, "")[0].Attempts) == n+1 })
			if d := deliveries(s.Test, w, "")[0]; d.Status != "pending" || d.NextAttemptAt.Sub(d.Attempts[0].At) < wait*9/10-time.Second ||
				d.NextAttemptAt.Sub(d.Attempts[0].At) > wait*11/10+time.Second {
				t.Errorf(`after %d attempts: got %s; want d.Status = "pending", d.NextAttemptAt.Sub(d.Attempts[0].At) >= %v, `+
					`d.NextAttemptAt.Sub(d.Attempts[0].At) <= %v`, n+1, assert.Show(d), wait*9/10-time.Second, wait*11/10+time.Second)
			}
			r.wantNone(t)
			s.Advance(wait * 11 / 10)
			s.App.Relay.Wake()
			if again := r.next(t); !bytes.Equal(again.body, first.body) || again.eventID() != first.eventID() || again.verify(w.Secret) != nil {
				t.Errorf("got the event %s %s; want %s %s as the first, with a valid signature", again.eventID(),
					again.body, first.eventID(), first.body)
			}
		}

		var dead struct{ Data []webhooks.Delivery }
		assert.Eventually(t, "dead", func() bool {
			s.Test.Get("/v1/webhooks/"+w.ID+"/dead_letters", 200, &dead)
			return len(dead.Data) == 1
		})

		d := dead.Data[0]
		assert.Len(t, d.Attempts, 8)
		assert.Equal(t, d.Attempts[7].StatusCode, new(int64(502)))
		assert.Equal(t, d.Attempts[7].Response, new("out of order\n"))
		assert.Equal(t, d.NextAttemptAt, nil)

		var hook webhooks.Webhook
		if s.Test.Get("/v1/webhooks/"+w.ID, 200, &hook); hook.Health != "failing" || hook.FailingSince == nil {
			t.Errorf(`got %s; want hook.Health = "failing", hook.FailingSince != nil`, assert.Show(hook))
		}
		s.RunJobs()
		r.respondWith(nil)

		drain := "/v1/webhooks/" + w.ID + "/dead_letters/drain"
		assert.Equal(t, string(s.Test.Post(drain, map[string]any{"action": "redeliver", "delivery_ids": []string{d.ID}}, 202, nil).Bytes),
			`{"count":1}`+"\n")
		assert.Equal(t, string(r.next(t).body), string(first.body))
		assert.Eventually(t, "delivered", func() bool { return len(deliveries(s.Test, w, "?status=succeeded")) == 1 })
		s.Test.Get("/v1/webhooks/"+w.ID, 200, &hook)
		if d := deliveries(s.Test, w, "")[0]; hook.Health != "healthy" || len(d.Attempts) != 9 {
			t.Errorf(`got %s, %s; want hook.Health = "healthy", len(d.Attempts) = 9`, assert.Show(hook), assert.Show(d))
		}

		s.Test.Post(drain, map[string]any{"action": "discard", "delivery_ids": []string{d.ID}}, 422, nil).
			WantDetail(t, "delivery_ids[0]", "not_found")
	})
}

// A receiver can delay attempts with Retry-After and stop them with 410.
// Redirects are not followed.
func TestReceiverResponses(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		busy := newReceiver(t)
		busy.respondWith(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1800")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		slow := subscribe(s.Test, busy, "location.created")
		gone := newReceiver(t)
		gone.respondWith(status(http.StatusGone))
		ended := subscribe(s.Test, gone, "location.created")
		watch := newReceiver(t)
		subscribe(s.Test, watch, "webhook.disabled")
		moved := newReceiver(t)
		moved.respondWith(func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, busy.URL, http.StatusFound) })
		redirected := subscribe(s.Test, moved, "location.created")
		s.Test.Location()

		got := watch.next(t)
		assert.Contains(t, got.body, ended.ID)
		assert.Contains(t, got.body, `"disabled_reason":"gone"`)
		assert.Eventually(t, "recorded", func() bool {
			return len(deliveries(s.Test, slow, "")[0].Attempts) == 1 && len(deliveries(s.Test, redirected, "")[0].Attempts) == 1
		})
		if d := deliveries(s.Test, slow, "")[0]; d.NextAttemptAt.Sub(d.Attempts[0].At) < 29*time.Minute {
			t.Errorf("too soon: got %s, want d.NextAttemptAt.Sub(d.Attempts[0].At) >= 29*time.Minute", assert.Show(d))
		}
		d := deliveries(s.Test, redirected, "")[0]
		assert.Equal(t, d.Attempts[0].StatusCode, new(int64(302)))
		assert.Contains(t, *d.Attempts[0].Error, "not followed")
		assert.Equal(t, deliveries(s.Test, ended, "")[0].Status, "dead")
		s.Test.Post("/v1/webhooks/"+ended.ID+"/test", nil, 409, nil)
		s.Test.Post("/v1/webhooks/"+ended.ID+"/replay", `{"since": "2026-01-01T00:00:00Z"}`, 409, nil)
		var audit struct{ Data []struct{ Action string } }
		s.Test.Get("/v1/audit?target_id="+ended.ID, 200, &audit)
		assert.Equal(t, audit.Data[0].Action, "webhook.disabled")
	})
}

// After five days of failures, a webhook is disabled. Later events can be replayed
// when it is enabled again.
func TestDisableFailing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		r := newReceiver(t)
		r.respondWith(status(500))
		w := subscribe(s.Test, r, "location.created")
		hook := func() (h webhooks.Webhook) {
			s.Test.Get("/v1/webhooks/"+w.ID, 200, &h)
			return h
		}
		s.Test.Location()
		r.next(t)
		assert.Eventually(t, "failing", func() bool { return hook().Health == "failing" })
		s.Advance(5*24*time.Hour - time.Minute)
		s.Test.Location()
		for range 2 { // the first one is also due again
			r.next(t)
		}
		assert.Eventually(t, "recorded", func() bool {
			return !slices.ContainsFunc(deliveries(s.Test, w, ""), func(d webhooks.Delivery) bool { return int64(len(d.Attempts)) < d.AttemptCount })
		})
		if hook().Status != "enabled" {
			t.Fatal("disabled too soon")
		}

		s.Advance(2 * time.Minute)
		s.App.Relay.Wake()
		assert.Eventually(t, "disabled", func() bool { return hook().Status == "disabled" })
		if h := hook(); *h.DisabledReason != "failing" || h.Version != 2 {
			t.Errorf(`got %s; want h.DisabledReason = "failing", h.Version = 2`, assert.Show(h))
		}

		since := s.DB.Now().UTC()
		s.Test.Location()
		s.WaitForRelay()
		r.respondWith(nil)

		var h webhooks.Webhook
		s.Test.Patch("/v1/webhooks/"+w.ID, `{"status": "enabled"}`, 200, &h)
		assert.Equal(t, h.DisabledReason, nil)
		assert.Equal(t, h.Health, "healthy")
		s.RunJobs()
		assert.Equal(t, string(s.Test.Post("/v1/webhooks/"+w.ID+"/replay", map[string]any{"since": since}, 202, nil).Bytes), `{"count":1}`+"\n")
		assert.Eventually(t, "replayed", func() bool {
			all := deliveries(s.Test, w, "?status=succeeded")
			return slices.ContainsFunc(all, func(d webhooks.Delivery) bool { return d.IsReplay })
		})
	})
}

// A webhook that hangs and a webhook that fails don't delay other webhooks.
func TestLanes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		hangs, fails, works := newReceiver(t), newReceiver(t), newReceiver(t)
		release := make(chan struct{})
		hangs.respondWith(func(http.ResponseWriter, *http.Request) { <-release })
		fails.respondWith(status(500))
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
		assert.Equal(t, len(seen), 60)
		if held := len(hangs.got); held == 0 || held > 16 {
			t.Errorf("got %d requests that hang, want 1 to 16", held)
		}

		close(release)
		for range 60 {
			hangs.next(t)
		}
	})
}

// Two nodes deliver every event once, even if the clock of one node changes by an
// hour during an attempt.
func TestTwoNodes(t *testing.T) {
	s := testkit.OnPostgres(t)
	other := s.NodeWithClock()
	r := newReceiver(t)
	subscribe(s.Test, r, "location.created")
	s.RunRelay()
	other.RunRelay()

	seen := map[string]int{}
	for i := range 200 {
		[]*testkit.Server{s, other}[i%2].As(s.Test.Key).Location()
	}
	for range 200 {
		seen[r.next(t).eventID()]++
	}
	assert.Equal(t, len(seen), 200, "different events in 200 requests")

	release := make(chan struct{})
	r.respondWith(func(http.ResponseWriter, *http.Request) { <-release })
	s.Test.Location()
	r.next(t)
	for range 3 {
		other.Advance(time.Hour)
		for _, node := range []*testkit.Server{s, other} {
			node.App.Relay.Wake()
			node.As(s.Test.Key).Post("/v1/roles", map[string]any{"name": node.URL + time.Now().String(), "scopes": []string{"hulls:read"}}, 201, nil)
		}
		s.WaitForRelay()
	}

	r.wantNone(t)
	close(release)
}

// On one node, a clock change during an attempt doesn't repeat the attempt.
func TestClockJump(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created")
		s.RunRelay()
		release := make(chan struct{})
		r.respondWith(func(http.ResponseWriter, *http.Request) { <-release })
		s.Test.Location()
		r.next(t)
		s.Advance(time.Hour)
		s.App.Relay.Wake()
		s.Test.Role("hulls:read")
		s.WaitForRelay()
		r.wantNone(t)
		close(release)
		assert.Eventually(t, "delivered", func() bool { return len(deliveries(s.Test, w, "?status=succeeded")) == 1 })
		s.Advance(-2 * time.Hour) // IDs still increase, and new events are still delivered
		s.Test.Location()
		r.next(t)

		var list struct{ Data []events.Event }
		s.Test.Get("/v1/events?type=location.created&limit=2", 200, &list)
		if list.Data[0].ID < list.Data[1].ID || list.Data[0].CreatedAt.After(list.Data[1].CreatedAt) {
			t.Errorf("got %s, want the newest first", assert.Show(list.Data))
		}
	})
}

// When the service stops, running attempts finish and their results are saved.
func TestStop(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created")
		stop := s.RunRelay()
		release := make(chan struct{})
		r.respondWith(func(http.ResponseWriter, *http.Request) { <-release })
		s.Test.Location()
		r.next(t)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			stop()
		}()
		close(release)
		<-stopped
		assert.Equal(t, deliveries(s.Test, w, "")[0].Status, "succeeded")
	})
}

// Private addresses are not called.
func TestPrivateAddresses(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.App.Relay.Client = outbound.New(webhooks.Timeout, false)
	r := newReceiver(t)
	w := subscribe(s.Test, r, "location.created")
	s.RunRelay()
	s.Test.Location()
	assert.Eventually(t, "refused", func() bool {
		return len(deliveries(s.Test, w, "")) == 1 && len(deliveries(s.Test, w, "")[0].Attempts) == 1
	})
	a := deliveries(s.Test, w, "")[0].Attempts[0]
	assert.Equal(t, a.StatusCode, nil)
	assert.Equal(t, a.Error, new("could not connect to a public address of this host"))
	r.wantNone(t)
}

// Webhooks can't be used to scan a network: all hosts without a connection have
// the same error.
func TestUnreachableHostsLookTheSame(t *testing.T) {
	s := testkit.OnSQLite(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, url := range []string{closed.URL, "http://unknown.invalid/", "http://169.254.169.254/"} {
		s.Test.Post("/v1/webhooks", map[string]any{"url": url, "events": []string{"location.created"}}, 201, nil)
	}
	s.RunRelay()
	s.Test.Location()
	texts := func() []string {
		return testkit.Rows[string](s, `SELECT error FROM delivery_attempts WHERE error IS NOT NULL`)
	}
	assert.Eventually(t, "three attempts", func() bool { return len(texts()) >= 3 })
	for _, text := range texts() {
		assert.Equal(t, text, "could not connect to a public address of this host")
	}
}

// A webhook that fails is one line in the log, not one for each attempt.
func TestFailingWebhookIsLoggedOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var log logBuffer
		s.Relay.Log = slog.New(slog.NewTextHandler(&log, nil))
		s.RunRelay()
		r := newReceiver(t)
		r.respondWith(status(500))
		subscribe(s.Test, r, "location.created")
		for range 3 {
			s.Test.Location()
			r.next(t)
		}
		assert.Eventually(t, "the failure in the log", func() bool { return log.count("a webhook fails") > 0 })

		r.respondWith(nil)
		s.Test.Location()
		assert.Eventually(t, "the recovery in the log", func() bool { return log.count("a webhook works again") > 0 })
		assert.Equal(t, log.count("a webhook fails"), 1)
		assert.Equal(t, log.count("a webhook works again"), 1)
	})
}

// logBuffer is a log that several goroutines write.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) count(part string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.text.String(), part)
}
