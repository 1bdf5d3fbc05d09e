package platform

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
	"slipway/internal/webhooks"
)

func TestWebhook(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var w webhooks.WebhookWithSecret
		res := s.Test.Post("/v1/webhooks", `{"url": "http://example.com/hook", "events": ["hull.*"], "description": "Website"}`, 201, &w)
		if !strings.HasPrefix(w.Secret, "whsec_") || w.Status != "enabled" || w.Health != "healthy" || w.Version != 1 || w.APIVersion == "" ||
			res.Header.Get("ETag") != `"1"` {
			t.Errorf(`got %s; want w.Secret to start with "whsec_", w.Status = "enabled", w.Health = "healthy", w.Version = 1, `+
				`w.APIVersion != "", res.Header.Get("ETag") = "1"`, assert.Show(w))
		}

		path := "/v1/webhooks/" + w.ID
		assert.Excludes(t, s.Test.Get(path, 200, nil).Bytes, "secret", "the secret is shown once")
		for _, row := range testkit.Rows[[]byte](s, `SELECT secrets FROM webhooks`) {
			if strings.Contains(string(row), strings.TrimPrefix(w.Secret, "whsec_")) {
				t.Error("the secret is stored in plain text")
			}
		}

		for _, tt := range []struct{ body, field, code string }{
			{`{"url": "ftp://example.com", "events": ["*"]}`, "url", "format"},
			{`{"url": "http://example.com", "events": []}`, "events", "too_few"},
			{`{"url": "http://example.com", "events": ["hull.sunk"]}`, "events[0]", "enum"},
			{`{"url": "http://me:secret@example.com", "events": ["*"]}`, "url", "format"},
		} {
			s.Test.Post("/v1/webhooks", tt.body, 422, nil).WantDetail(t, tt.field, tt.code, tt.body)
		}

		s.Live.Post("/v1/webhooks", `{"url": "http://example.com", "events": ["*"]}`, 422, nil).WantDetail(t, "url", "https")
		s.Test.With("If-Match", `"7"`).Patch(path, `{"events": ["*"]}`, 409, nil)
		s.Test.Patch(path, `{"url": "nonsense"}`, 422, nil)
		var changed webhooks.Webhook
		s.Test.Patch(path, `{"events": ["*"], "description": null, "status": "disabled"}`, 200, &changed)
		assert.Equal(t, changed.Version, 2)
		assert.Equal(t, changed.Description, nil)
		assert.Equal(t, changed.Events, []string{"*"})
		assert.Equal(t, changed.DisabledReason, new(webhooks.DisabledReason("requested")))

		var list struct{ Data []webhooks.Webhook }
		s.Test.Get("/v1/webhooks", 200, &list)
		assert.Len(t, list.Data, 1)
		s.Test.Delete(path, 204)
		s.Test.Get(path, 404, nil)
		s.Test.Get(path+"/deliveries", 404, nil)
	})
}

func TestRotateSecret(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		first := subscribe(s.Test, r, "location.created")
		s.RunRelay()
		var second webhooks.WebhookWithSecret
		s.Test.Post("/v1/webhooks/"+first.ID+"/rotate_secret", nil, 200, &second)
		s.Test.Location()
		if got := r.next(t); first.Secret == second.Secret || got.verify(first.Secret) != nil || got.verify(second.Secret) != nil {
			t.Errorf("got %v, want signatures by two different secrets", got.header)
		}

		s.Advance(7 * 24 * time.Hour)
		s.Test.Location()
		if got := r.next(t); got.verify(first.Secret) == nil || got.verify(second.Secret) != nil {
			t.Errorf("after the overlap: got %v, want a signature by the new secret only", got.header)
		}
		s.Test.Post("/v1/webhooks/"+first.ID+"/rotate_secret", `{"overlap_hours": 169}`, 422, nil)

		var third webhooks.WebhookWithSecret
		s.Test.Post("/v1/webhooks/"+first.ID+"/rotate_secret", `{"overlap_hours": 0}`, 200, &third)
		s.Test.Location()
		if got := r.next(t); got.verify(second.Secret) == nil || got.verify(third.Secret) != nil {
			t.Errorf("without overlap: got %v, want a signature by the new secret only", got.header)
		}
	})
}

func TestReplay(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created", "role.*")
		s.RunRelay()
		s.RunJobs()

		since := s.DB.Now().UTC().Add(-time.Second)
		s.Advance(time.Second)
		for range 3 {
			s.Test.Location()
		}
		s.Test.Role("hulls:read")

		first := map[string]bool{}
		for range 4 {
			first[r.next(t).eventID()] = true
		}
		s.Advance(time.Second) // events before now

		replay := func(body any, want int) {
			t.Helper()
			if res := s.Test.Post("/v1/webhooks/"+w.ID+"/replay", body, 202, nil); string(res.Bytes) != fmt.Sprintf("{\"count\":%d}\n", want) {
				t.Fatalf("got %s, want string(res.Bytes) = %q", res.Bytes, fmt.Sprintf("{\"count\":%d}\n", want))
			}
			again := map[string]bool{}
			for range want {
				again[r.next(t).eventID()] = true
			}
			for id := range again {
				if !first[id] || len(again) != want {
					t.Errorf("got %v replayed of %v, want %d", again, first, want)
				}
			}
		}

		replay(map[string]any{"since": since}, 4)
		replay(map[string]any{"since": since, "types": []string{"location.*"}}, 3)
		replay(map[string]any{"since": since, "until": s.DB.Now().UTC(), "types": []string{"role.created"}}, 1)
		replay(map[string]any{"event_ids": slices.Collect(maps.Keys(first))[:2]}, 2)
		for _, tt := range []struct {
			body        string
			status      int
			field, code string
		}{
			{`{}`, 400, "since", "required"},
			{`{"since": "2026-01-01T00:00:00Z", "event_ids": ["evt_x"]}`, 422, "event_ids", "exclusive"},
			{`{"since": "2026-01-01T00:00:00Z", "until": "2025-01-01T00:00:00Z"}`, 422, "until", "minimum"},
			{`{"since": "2026-01-01T00:00:00Z", "types": ["plane.*"]}`, 422, "types[0]", "enum"},
			{`{"event_ids": ["evt_00000000000000000000000000"]}`, 422, "event_ids[0]", "not_found"},
		} {
			s.Test.Post("/v1/webhooks/"+w.ID+"/replay", tt.body, tt.status, nil).WantDetail(t, tt.field, tt.code, tt.body)
		}

		r.wantNone(t)
	})
}

// A replay has no limit. If it is interrupted, it repeats no delivery.
func TestLongReplay(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created")
		env := testkit.Rows[auth.Env](s, `SELECT env FROM webhooks`)[0]
		const many = 1200
		s.Test.Location()
		s.Exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)
			INSERT INTO events (env, id, type, object_id, sequence, api_version, data, created_at)
			SELECT env, 'evt_' || CAST(10000 + n AS TEXT), type, object_id, sequence, api_version, data, created_at FROM {emitted}, n
			WHERE env = ? AND type = 'location.created'`, env)
		api := &webhooks.API{DB: s.DB, Kinds: app.Kinds()}
		job := webhooks.ReplayEvents{Env: env, WebhookID: w.ID, Replay: "rpl_1", From: "evt_1", To: "evt_2", Types: []string{"location.created"}}
		for range 2 { // the second time as after a crash
			if err := jobs.Run(t.Context(), api.ReplayEvents, job); err != nil {
				t.Fatal(err)
			}
		}
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM deliveries`)[0], many)
	})
}

func TestRetry(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		r.respondWith(status(500))
		w := subscribe(s.Test, r, "location.created")
		s.RunRelay()

		var d webhooks.Delivery
		s.Test.Post("/v1/webhooks/"+w.ID+"/test", nil, 202, &d)
		assert.Equal(t, d.EventType, "webhook.test")
		assert.Equal(t, d.Status, "pending")

		path := "/v1/webhooks/" + w.ID + "/deliveries/" + d.ID
		attempts := func(n int) {
			t.Helper()
			assert.Eventually(t, "attempted", func() bool {
				s.Test.Get(path, 200, &d)
				return len(d.Attempts) == n
			})
		}
		r.next(t)
		attempts(1)
		r.respondWith(nil)
		s.Test.Post(path+"/retry", nil, 202, nil)
		r.next(t)
		attempts(2)
		if d.Status != "succeeded" || d.Attempts[0].Error == nil || d.Attempts[1].Error != nil {
			t.Errorf(`got %s; want d.Status = "succeeded", d.Attempts[0].Error != nil, d.Attempts[1].Error = nil`, assert.Show(d))
		}

		s.Test.Post(path+"/retry", nil, 202, nil) // a successful delivery can be sent again
		r.next(t)
		attempts(3)
	})
}

// Events are listed in the order in which they became visible, not in the order
// in which their transactions began, so that a client that polls misses none.
func TestFeedOrder(t *testing.T) {
	s := testkit.OnPostgres(t)
	env := testkit.Rows[auth.Env](s, `SELECT env FROM dealerships WHERE name = 'Acme Marine' AND mode = 'test'`)[0]
	stop := s.RunRelay()
	begun, finish, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { // begins first and commits last
		_, err := db.Write(context.Background(), s.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
			err := events.Emit(ctx, tx.In(env), "role.created", "role_slow", events.Change{After: people.Role{ID: "role_slow", Scopes: []auth.Scope{}}})
			close(begun)
			<-finish
			return 0, err
		})
		ended <- err
	}()
	<-begun
	s.Test.Location()

	type list struct{ Data []events.Event }
	var seen list
	assert.Eventually(t, "visible", func() bool {
		s.Test.Get("/v1/events?limit=1&type=location.created", 200, &seen)
		return len(seen.Data) == 1
	})
	close(finish)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	var after list
	assert.Eventually(t, "also visible", func() bool {
		s.Test.Get("/v1/events?ending_before="+seen.Data[0].ID, 200, &after)
		return len(after.Data) == 1
	})
	assert.Equal(t, after.Data[0].Type, "role.created")
	stop()
}

func TestListEvents(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		location := s.Test.Location()
		s.Test.Patch("/v1/locations/"+location, `{"name": "Pier 3"}`, 200, nil)
		s.Test.Role("hulls:read")
		s.WaitForRelay()

		count := func(query string) int {
			var list struct{ Data []events.Event }
			s.Test.Get("/v1/events"+query, 200, &list)
			return len(list.Data)
		}
		all := count("?limit=100")

		for query, want := range map[string]int{
			"?type=location.*":                                      2,
			"?type=location.updated":                                1,
			"?type=*":                                               all,
			"?object_id=" + location:                                2,
			"?object_id=" + location + "&type=role.*":               0,
			"?created_after=2100-01-01T00:00:00Z":                   0,
			"?created_before=2000-01-01T00:00:00Z":                  0,
			"?ending_before=evt_00000000000000000000000000&limit=1": 1,
		} {
			if got := count(query); got != want {
				t.Errorf("%s: %d events, want %d", query, got, want)
			}
		}

		s.Test.Get("/v1/events?type=plane.*", 400, nil).WantDetail(t, "type", "enum")
	})
}

// Events, deliveries and attempts are stored for the documented time. For dead
// letters, it starts when they become dead. Deleting a webhook deletes its
// deliveries.
func TestRetention(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		r := newReceiver(t)
		w := subscribe(s.Test, r, "location.created")
		s.RunRelay()
		s.Test.Location()
		r.next(t)
		assert.Eventually(t, "recorded", func() bool { return len(deliveries(s.Test, w, "?status=succeeded")) == 1 })

		rows := func(table string) int64 { return testkit.Rows[int64](s, `SELECT COUNT(*) FROM `+table)[0] }
		api := &webhooks.API{DB: s.DB}
		purge := func() {
			t.Helper()
			if err := api.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s.Advance(30*24*time.Hour - time.Minute)
		if purge(); rows("deliveries") != 1 || rows("delivery_attempts") != 1 {
			t.Error("a delivery was purged too early")
		}

		s.Exec(`UPDATE deliveries SET status = 'dead', updated_at = ?`, s.DB.Now())
		s.Advance(2 * time.Minute)
		if purge(); rows("deliveries") != 1 {
			t.Error("a dead letter was purged too early")
		}
		s.Advance(3 * 24 * time.Hour)
		if purge(); len(testkit.Rows[string](s, `SELECT id FROM events WHERE type = 'location.created' AND id >= ?`,
			id.Floor("evt", time.Unix(0, 0)))) == 0 {
			t.Error("the event of a dead letter was purged too early")
		}

		s.Advance(30 * 24 * time.Hour)
		if purge(); rows("deliveries") != 0 || rows("delivery_attempts") != 0 ||
			len(testkit.Rows[string](s, `SELECT id FROM events WHERE type = 'location.created'`)) != 0 {
			t.Error("got rows after the retention period, want none")
		}
		s.Test.Location()
		r.next(t)
		assert.Eventually(t, "recorded", func() bool { return rows("delivery_attempts") == 1 })
		s.Test.Delete("/v1/webhooks/"+w.ID, 204)
		s.RunJobs()
		assert.Eventually(t, "deleted", func() bool { return rows("deliveries") == 0 && rows("delivery_attempts") == 0 })
	})
}
