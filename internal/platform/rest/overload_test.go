package rest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/platform/admission"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// slowReads is a feature with a read that takes until the test ends it, and an urgent
// operation.
type slowReads struct {
	end   chan struct{}
	works func(env auth.Env)
}

func (s slowReads) Mount(r *Router) {
	Raw(r, "GET", 200, Route{
		Path: "/slow", ID: "slow", Needs: auth.AnyCredential,
		Summary: "Wait",
	}, func(ctx context.Context, _ *struct{}) (string, error) {
		s.works(auth.From(ctx).Env)
		<-s.end
		return "done", nil
	})
	Raw(r, "POST", 200, Route{
		Path: "/keys/{key_id}/revoke", ID: "revoke", Needs: auth.AnyCredential,
		Summary: "Revoke",
		Urgent:  true,
	}, func(context.Context, *struct {
		KeyID string `path:"key_id"`
	}) (string, error) {
		return "revoked", nil
	})
}

// load returns the load of the reads.
func load(r *Router) admission.Load {
	for _, l := range r.Load() {
		if l.Class == admission.Reads {
			return l
		}
	}
	return admission.Load{}
}

// slowWrites is a feature with a write that takes until the test ends it, and one that comes
// first.
type slowWrites struct{ end chan struct{} }

func (s slowWrites) Mount(r *Router) {
	Raw(r, "POST", 200, Route{Path: "/slow", ID: "slow", Needs: auth.AnyCredential, Summary: "Wait", NoIfMatch: true},
		func(context.Context, *struct{}) (string, error) {
			<-s.end
			return "done", nil
		})
	Raw(r, "POST", 200, Route{Path: "/leads", ID: "lead", Needs: auth.AnyCredential, Summary: "Create", NoIfMatch: true, First: true},
		func(context.Context, *struct{}) (string, error) { return "created", nil })
}

// A flood of writes leaves room for leads and payments of the same dealership.
func TestLeadsComeFirst(t *testing.T) {
	feature := slowWrites{make(chan struct{})}
	r := New(Config{
		Log: slog.New(slog.DiscardHandler), Limits: ratelimit.Limits{Live: 1e6, Test: 1e6, Address: 1e6, Ceiling: 1e6},
		Places: admission.Limits{Places: 8},
		Authenticate: func(_ context.Context, token string) (auth.Principal, error) {
			return auth.Principal{Env: auth.Env(token[0]), Mode: auth.Live, OriginalID: token}, nil
		},
	}, feature)
	r.admission.Remember("Bearer a", 'a')
	send := func(path string) int {
		req := httptest.NewRequestWithContext(t.Context(), "POST", path, nil)
		req.Header.Set("Authorization", "Bearer a")
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		return w.Code
	}
	statuses := make(chan int, 4)
	for range 4 { // half of the places
		go func() { statuses <- send("/v1/slow") }()
	}
	inFlight := func() int {
		for _, l := range r.Load() {
			if l.Class == admission.Writes {
				return l.InFlight
			}
		}
		return 0
	}
	eventually(t, "the writes to work", func() bool { return inFlight() == 4 })
	assert.Equal(t, send("/v1/slow"), 429, "another write")
	assert.Equal(t, send("/v1/leads"), 200, "a lead")

	close(feature.end)
	for range 4 {
		assert.Equal(t, <-statuses, 200)
	}
}

// Requests wait if the server works on as many as it can, and are rejected if as many wait
// as can. Probes, revocations, hooks and other dealerships still get through.
func TestOverload(t *testing.T) {
	const places = 4 * admission.EmbeddedWorkers // one dealership gets half: as many wait as work
	var other atomic.Bool                        // the other dealership works
	feature := slowReads{make(chan struct{}), func(env auth.Env) {
		if env == 'b' {
			other.Store(true)
		}
	}}
	var log bytes.Buffer
	var lookups atomic.Int64
	r := New(Config{
		Log:    slog.New(slog.NewTextHandler(&log, nil)),
		Limits: ratelimit.Limits{Live: 1e6, Test: 1e6, Address: 1e6, Ceiling: 1e6}, Places: admission.Limits{Places: places},
		Authenticate: func(_ context.Context, token string) (auth.Principal, error) {
			lookups.Add(1)
			return auth.Principal{Env: auth.Env(token[0]), Mode: auth.Live, OriginalID: token}, nil
		},
	}, feature)
	r.HandleProbe("/readyz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	r.HandleHook("/hooks/x/{token}", 100, func(w http.ResponseWriter, _ *http.Request, _ []byte) error {
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
	send := func(method, path, token, body string) *http.Response {
		req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		return w.Result()
	}
	statuses := make(chan int, places)
	hold := func(token string) { go func() { statuses <- send("GET", "/v1/slow", token, "").StatusCode }() }
	r.admission.Remember("Bearer a", 'a') // as after a first request
	r.admission.Remember("Bearer b", 'b')

	for i := range admission.EmbeddedWorkers {
		hold("a")
		eventually(t, "the request to work", func() bool { return load(r).InFlight == i+1 })
	}
	for i := range admission.EmbeddedWorkers {
		hold("a")
		eventually(t, "the request to wait", func() bool { return load(r).Waiting == i+1 })
	}

	before := lookups.Load()
	start := time.Now()
	res := send("GET", "/v1/slow", "a", "")
	took, retry := time.Since(start), res.Header.Get("Retry-After")
	if res.StatusCode != 429 || retry == "" || took > 50*time.Millisecond || lookups.Load() != before {
		t.Errorf("got %d with Retry-After %q after %s and %d lookups, want 429 in 50 ms and no lookup", res.StatusCode, retry, took,
			lookups.Load()-before)
	}
	for _, name := range []string{
		"Request-Id", "Service-Version", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy",
	} {
		if len(res.Header[name]) == 0 {
			t.Errorf("got no %s in the rejection", name)
		}
	}
	if got := load(r); got.Rejected != 1 || strings.Contains(log.String(), "request failed") {
		t.Errorf("got %+v and the log %s, want one rejection that isn't logged as an error", got, &log)
	}

	for path, want := range map[string]int{"GET /readyz": 200, "POST /v1/keys/key_1/revoke": 200, "POST /hooks/x/1": 204} {
		method, path, _ := strings.Cut(path, " ")
		assert.Equal(t, send(method, path, "a", "x").StatusCode, want, path)
	}

	// Another dealership waits for two requests, not for all that arrived before it.
	hold("b")
	eventually(t, "another dealership to wait", func() bool { return load(r).Waiting == admission.EmbeddedWorkers+1 })
	feature.end <- struct{}{}
	feature.end <- struct{}{}
	eventually(t, "two turns", func() bool { return load(r).Waiting == admission.EmbeddedWorkers-1 })
	eventually(t, "the other dealership to work", other.Load)

	close(feature.end)
	for range 2*admission.EmbeddedWorkers + 1 {
		if got := <-statuses; got != 200 && got != 429 { // 429 if it waited for a second
			t.Errorf("got %d, want 200", got)
		}
	}
	if got := load(r); got.InFlight != 0 || got.Waiting != 0 {
		t.Errorf("got %+v at the end, want nothing", got)
	}
}

// Credentials that were never valid share the places of one caller.
func TestUnknownCredentialsSharePlaces(t *testing.T) {
	r := New(Config{Places: admission.Limits{Places: 8}})
	request := func(token string) *http.Request {
		req := httptest.NewRequest(http.MethodGet, "/v1/ping", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		return req
	}
	if a, b := r.callerOf(request("guess1")), r.callerOf(request("guess2")); a != b {
		t.Errorf("got the callers %d and %d, want the same", a, b)
	}
	r.admission.Remember("Bearer known", 7)
	if got := r.callerOf(request("known")); got != 7 {
		t.Errorf("got the caller %d, want the environment 7", got)
	}
}

func TestUrgentPaths(t *testing.T) {
	segments := []string{"", "v1", "api_keys", "{key_id}", "revoke"}
	for path, want := range map[string]bool{
		"/v1/api_keys/key_1/revoke": true, "/v1/api_keys/key_1/rotate": false, "/v1/api_keys/key_1": false,
		"/v1/api_keys/key_1/revoke/": false, "/v1/api_keys/key_1/revoke/x": false, "/v1/hulls/h/revoke": false, "": false,
	} {
		if got := matches(segments, path); got != want {
			t.Errorf("%s: got %t, want %t", path, got, want)
		}
	}
}

// eventually waits for a condition for up to 20 seconds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick, deadline := time.NewTicker(time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited 20 seconds for %s", what)
		}
	}
}
