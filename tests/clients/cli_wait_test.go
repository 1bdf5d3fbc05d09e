package clients

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/cli"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// An import that runs in the background shows its progress until it is complete.
func TestWait(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		m := newMachine(t, s, s.Test.Key)
		file := filepath.Join(t.TempDir(), "boats.csv")
		write(t, file, s.Test.ImportFile().Bytes)
		m.session.Interactive = true
		r := m.run("hulls", "create-import", file, "--jq", ".state")
		assert.Equal(t, r.code, 0, r.err)
		assert.Equal(t, r.out, "completed\n", r.err)
		assert.Contains(t, r.err, "Importing [########################] 100%  1 created")
	})
}

// hook creates a webhook whose endpoint responds with a status, and counts its requests.
func hook(t *testing.T, s *testkit.Server) (id string, status *atomic.Int64, requests *atomic.Int64) {
	t.Helper()
	status, requests = &atomic.Int64{}, &atomic.Int64{}
	status.Store(200)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(endpoint.Close)
	var w struct{ ID string }
	s.Test.Post("/v1/webhooks", map[string]any{"url": endpoint.URL, "events": []string{"location.created"}}, 201, &w)
	return w.ID, status, requests
}

// A replay waits until each event was sent, even if the work starts later.
func TestWaitForReplay(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		id, _, requests := hook(t, s)
		for range 3 {
			s.Test.Location()
		}
		assert.Eventually(t, "three deliveries", func() bool { return requests.Load() == 3 })

		m := newMachine(t, s, s.Test.Key)
		m.session.Interactive = true
		begin := sync.OnceFunc(s.RunJobs)
		m.watch = func(text string) {
			if strings.Contains(text, "0 of 3 events") {
				begin()
			}
		}
		r := m.run("webhooks", "replay-events", id, "--since", "2026-01-01T00:00:00Z", "--jq", ".count")
		assert.Equal(t, r.code, 0, r.err)
		assert.Equal(t, r.out, "3\n", r.err)
		assert.Contains(t, r.err, "Replaying [------------------------]   0%  0 of 3 events")
		assert.Contains(t, r.err, "Replaying [########################] 100%  3 of 3 events")
		assert.Equal(t, requests.Load(), 6)

		m.session.Interactive, m.watch = false, nil
		assert.Equal(t, m.ok("webhooks", "replay-events", id, "--since", "2026-01-01T00:00:00Z", "--wait", "--jq", ".count"), "3")
		assert.Equal(t, requests.Load(), 9, "after --wait without a terminal")
	})
}

// A test event and a retry wait for their result. Dead letters are drained.
func TestWaitForDelivery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		s.RunJobs()
		id, status, requests := hook(t, s)
		m := newMachine(t, s, s.Test.Key)
		assert.Equal(t, m.ok("webhooks", "test", id, "--wait", "--jq", ".status"), "succeeded")

		status.Store(500)
		r := m.run("webhooks", "test", id, "--wait", "-o", "id")
		assert.Equal(t, r.code, cli.ExitFailed, r.err)
		assert.Contains(t, r.err, "the delivery failed. The attempts show why")
		status.Store(200)
		assert.Equal(t, m.ok("webhooks", "retry-delivery", id, strings.TrimSpace(r.out), "--wait", "--jq", ".status"), "succeeded")

		s.Exec(`UPDATE deliveries SET status = 'dead', due_at = NULL WHERE webhook_id = ?`, id)
		before := requests.Load()
		assert.Equal(t, m.ok("webhooks", "drain-dead-letters", id, "--action", "redeliver", "--wait", "--jq", ".count"), "2")
		assert.Equal(t, m.ok("webhooks", "list-dead-letters", id, "--jq", ".data | length"), "0")
		assert.Eventually(t, "both deliveries again", func() bool { return requests.Load() == before+2 })
	})
}

// A delivery that is being made has not been made: the replay goes on until the endpoint responds.
func TestWaitForSlowEndpoint(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		s.RunJobs()
		var arrived, answered atomic.Int64
		answer := make(chan struct{})
		release := sync.OnceFunc(func() { close(answer) })
		t.Cleanup(release)
		endpoint := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if arrived.Add(1) > 1 { // of the replay: slower than the command line asks for it
				time.AfterFunc(time.Second, release)
				<-answer
			}
			answered.Add(1)
		}))
		t.Cleanup(endpoint.Close)
		var w struct{ ID string }
		s.Test.Post("/v1/webhooks", map[string]any{"url": endpoint.URL, "events": []string{"location.created"}}, 201, &w)
		s.Test.Location()
		assert.Eventually(t, "the delivery", func() bool { return answered.Load() == 1 })

		m := newMachine(t, s, s.Test.Key)
		r := m.run("webhooks", "replay-events", w.ID, "--since", "2026-01-01T00:00:00Z", "--wait", "--jq", ".count")
		assert.Equal(t, r.code, 0, r.err)
		assert.Equal(t, answered.Load(), int64(2))
	})
}
