package platform

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// locks is a feature with one write, which leaves a line in the audit log and
// then does what the test specifies.
type locks struct {
	db   *db.DB
	then func() error
}

type lock struct {
	Opened bool `json:"opened"`
}

func (l *locks) Mount(r *rest.Router) {
	rest.PostCreated(r, rest.Route{
		Path: "/locks", ID: "openLock", Needs: auth.AnyCredential,
		Summary: "Open",
	}, func(ctx context.Context, tx *db.Tx, _ *struct{}) (lock, error) {
		if err := audit.Record(ctx, tx, "lock.opened", "lock_1", nil); err != nil {
			return lock{}, err
		}
		return lock{true}, l.then()
	})
}

// opened counts the effects.
func (l *locks) opened(t *testing.T) int64 {
	t.Helper()
	n, err := db.Read(t.Context(), l.db, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.One[int64](ctx, tx, "SELECT COUNT(*) FROM audit_entries WHERE action = 'lock.opened'")
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// serve mounts the feature on the service's own database. Arrived gets a value
// for every request that has been let in.
func (l *locks) serve(t *testing.T, s *testkit.Server) (post func(key string) answer, arrived <-chan struct{}) {
	t.Helper()
	l.db = s.DB
	let := make(chan struct{}, 100)
	server := httptest.NewServer(rest.New(rest.Config{
		DB: s.DB, Limits: ratelimit.DefaultLimits, Box: s.Box, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return s.DB.Now() },
		Authenticate: func(context.Context, string) (auth.Principal, error) {
			let <- struct{}{}
			return auth.Principal{Env: 1, Mode: auth.Live, OriginalID: "key_1"}, nil
		},
	}, l))
	t.Cleanup(server.Close)
	return func(key string) answer {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/locks", nil)
		if err != nil {
			return answer{body: err.Error()}
		}
		req.Header.Set("Authorization", "Bearer x")
		req.Header.Set("Idempotency-Key", key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return answer{body: err.Error()}
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return answer{body: err.Error()}
		}
		return answer{res.StatusCode, string(body), res.Header.Get("Idempotent-Replayed") == "true", res.Header.Get("Retry-After")}
	}, let
}

type answer struct {
	status     int
	body       string
	replayed   bool
	retryAfter string
}

const someKey = "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10"

// However a write fails, it leaves nothing, not even its key: the same request
// can be sent again.
func TestFailedWriteLeavesNothing(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		l := &locks{}
		post, _ := l.serve(t, s)
		for name, then := range map[string]func() error{
			"an error": func() error { return errors.New("disk on fire") },
			"a panic":  func() error { panic("disk on fire") },
		} {
			l.then = then
			assert.Equal(t, post(someKey).status, 500, "after", name)
			assert.Equal(t, l.opened(t), 0, "after", name)
		}
		l.then = func() error { return nil }
		first, repeat := post(someKey), post(someKey)
		assert.Equal(t, first.status, 201)
		assert.Equal(t, first.replayed, false)
		assert.Equal(t, repeat.status, 201)
		assert.Equal(t, repeat.replayed, true)
		assert.Equal(t, repeat.body, first.body)
		assert.Equal(t, l.opened(t), 1)
	})
}

// A response that can't be stored under its key takes the write back: with one of them, a
// repeat would write again, or get the response of a write that never happened.
func TestKeyIsStoredWithTheWrite(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Exec(`CREATE TRIGGER no_keys BEFORE UPDATE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'no keys'); END`)
	c := s.Test.With("Idempotency-Key", someKey)
	count := func() int64 { return testkit.Rows[int64](s, `SELECT COUNT(*) FROM contacts`)[0] }
	before := count()
	c.Post("/v1/contacts", `{"last_name": "Bell", "email": "ann@example.com"}`, 500, nil)
	assert.Equal(t, count(), before, "contacts")

	s.Exec(`DROP TRIGGER no_keys`)
	c.Post("/v1/contacts", `{"last_name": "Bell", "email": "ann@example.com"}`, 201, nil)
	assert.Equal(t, count(), before+1, "contacts")
}

// A repeat that comes while the first is still at work waits and gets the
// first one's answer.
func TestRepeatWaitsForTheFirst(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		working, finish := make(chan struct{}), make(chan struct{})
		l := &locks{then: func() error { close(working); <-finish; return nil }} // closing twice would panic: it runs once
		post, arrived := l.serve(t, s)
		answers := make(chan answer, 2)
		go func() { answers <- post(someKey) }()
		first(t, arrived, answers)
		first(t, working, answers)
		go func() { answers <- post(someKey) }()
		first(t, arrived, answers)
		close(finish)
		a, b := <-answers, <-answers
		if a.status != 201 || b.status != 201 || a.body != b.body || a.replayed == b.replayed || l.opened(t) != 1 {
			t.Errorf("got %+v and %+v, opened %d times; want a.status = 201, b.status = 201, a.body = %q, a.replayed != %v, l.opened(t) = 1", a,
				b, l.opened(t), b.body, b.replayed)
		}
	})
}

// first waits for something that has to happen before any answer.
func first(t *testing.T, happens <-chan struct{}, answers <-chan answer) {
	t.Helper()
	select {
	case <-happens:
	case a := <-answers:
		t.Fatalf("answered too early: %+v", a)
	}
}

// After ten seconds the repeat fails with a Retry-After. On SQLite
// the first would have to hold the only writer for as long, which its own
// deadline forbids.
func TestRepeatGivesUp(t *testing.T) {
	t.Parallel()
	s := testkit.OnPostgres(t)
	working, finish := make(chan struct{}), make(chan struct{})
	l := &locks{then: func() error { close(working); <-finish; return nil }}
	post, _ := l.serve(t, s)
	answers, repeats := make(chan answer, 1), make(chan answer, 1)
	go func() { answers <- post(someKey) }()
	first(t, working, answers)
	go func() { repeats <- post(someKey) }()
	// The clock is moved again and again, because the test can't detect when the repeat has read it first.
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-tick.C:
			s.Advance(11 * time.Second)
		case a := <-repeats:
			assert.Equal(t, a.status, 409, "repeat")
			assert.Equal(t, a.retryAfter, "1", "repeat")
			waiting = false
		}
	}
	close(finish)
	a := <-answers
	assert.Equal(t, a.status, 201, "the first request")
	assert.Equal(t, l.opened(t), 1, "opened")
}
