package rest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// clock is a clock that only moves when the test moves it.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

// sender calls a router from an address with a credential.
func sender(r http.Handler) func(addr, token, path string) *http.Response {
	return func(addr, token, path string) *http.Response {
		req := httptest.NewRequest(http.MethodGet, path, nil)
		req.RemoteAddr = addr
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		return w.Result()
	}
}

// pings is a feature with one endpoint.
type pings struct{}

func (pings) Mount(r *Router) {
	Raw(r, "GET", 200, Route{
		Path: "/ping", ID: "ping", Needs: auth.AnyCredential,
		Summary: "Answer",
	}, func(context.Context, *struct{}) (string, error) { return "pong", nil })
}

func testRouter(c *clock) *Router {
	who := map[string]auth.Principal{
		"live":    {Env: 1, Mode: auth.Live, OriginalID: "key_live"},
		"test":    {Env: 2, Mode: auth.Test, OriginalID: "key_test"},
		"rotated": {Env: 2, Mode: auth.Test, OriginalID: "key_test"},
		"slow":    {Env: 2, Mode: auth.Test, OriginalID: "key_slow", Rate: 1},
		"greedy":  {Env: 1, Mode: auth.Live, OriginalID: "key_greedy", Rate: 1e9},
	}
	return New(Config{
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return c.now },
		Limits: ratelimit.Limits{Live: 100, Test: 25, Address: 2, Ceiling: 500},
		Authenticate: func(_ context.Context, token string) (auth.Principal, error) {
			if token == "down" {
				return auth.Principal{}, fault.Unavailable("down").RetryIn(45 * time.Second)
			}
			if p, ok := who[token]; ok {
				return p, nil
			}
			return auth.Principal{}, fault.Unauthenticated("unknown")
		},
	}, pings{})
}

func TestLimitHeaders(t *testing.T) {
	c := newClock()
	send := sender(testRouter(c))
	for i, step := range []struct {
		after                    time.Duration
		addr, token, path        string
		status                   int
		limit, left, reset, wait string
	}{
		{0, "10.0.0.1:1", "live", "/v1/ping", 200, "200", "199", "1", ""},
		{0, "10.0.0.1:1", "test", "/v1/ping", 200, "50", "49", "1", ""},
		{0, "10.0.0.1:1", "greedy", "/v1/ping", 200, "1000", "999", "1", ""}, // the server's ceiling
		{0, "10.0.0.2:1", "rotated", "/v1/ping", 200, "50", "48", "1", ""},   // a rotated key shares its limit
		{0, "10.0.0.1:1", "slow", "/v1/ping", 200, "2", "1", "1", ""},
		{0, "10.0.0.1:1", "slow", "/v1/nothing", 404, "2", "0", "2", ""}, // a failure counts too
		{0, "10.0.0.1:1", "slow", "/v1/ping", 429, "2", "0", "2", "1"},
		{0, "10.0.0.1:1", "slow", "/v1/nothing", 429, "2", "0", "2", "1"}, // before the path is looked at
		{0, "10.0.0.1:1", "live", "/v1/ping", 200, "200", "198", "1", ""},
		{time.Second, "10.0.0.1:1", "slow", "/v1/ping", 200, "2", "0", "2", ""},
		{1500 * time.Millisecond, "10.0.0.1:1", "slow", "/v1/ping", 200, "2", "0", "2", ""}, // 1.5 - 1 = 0.5 left
		{0, "10.0.0.1:1", "slow", "/v1/ping", 429, "2", "0", "2", "1"},

		{0, "10.0.0.9:1", "bad", "/v1/ping", 401, "4", "3", "1", ""},
		{0, "10.0.0.9:2", "worse", "/v1/ping", 401, "4", "2", "1", ""}, // another port is the same address
		{0, "10.0.0.9:3", "", "/v1/ping", 401, "4", "1", "2", ""},
		{0, "10.0.0.9:3", "", "/elsewhere", 404, "4", "0", "2", ""},
		{0, "10.0.0.9:3", "bad", "/v1/ping", 429, "4", "0", "2", "1"},
		{0, "10.0.0.9:3", "", "/elsewhere", 429, "4", "0", "2", "1"},
		{0, "10.0.0.9:3", "down", "/v1/ping", 503, "4", "0", "2", "45"},     // an outage is a 503, not a 401
		{0, "10.0.0.9:3", "live", "/v1/ping", 200, "200", "199", "1", ""},   // a good credential is not held up
		{0, "10.0.0.8:3", "bad", "/v1/ping", 401, "4", "3", "1", ""},        // nor is another address
		{0, "[2001:db8::1]:443", "bad", "/v1/ping", 401, "4", "3", "1", ""}, // of either kind
		{0, "[2001:db8::2]:443", "bad", "/v1/ping", 401, "4", "2", "1", ""}, // a /64 has one limit
		{0, "[2001:db8:0:1::2]:443", "bad", "/v1/ping", 401, "4", "3", "1", ""},
		{500 * time.Millisecond, "10.0.0.9:4", "", "/v1/ping", 401, "4", "0", "2", ""},
	} {
		c.advance(step.after)
		res := send(step.addr, step.token, step.path)
		if res.StatusCode != step.status || res.Header.Get("Retry-After") != step.wait {
			t.Errorf("step %d: status %d, Retry-After %q, want %+v", i, res.StatusCode, res.Header.Get("Retry-After"), step)
		}
		for name, want := range map[string]string{
			"RateLimit-Limit": step.limit, "RateLimit-Remaining": step.left, "RateLimit-Reset": step.reset, "RateLimit-Policy": step.limit + ";w=2",
		} {
			if got := res.Header[name]; !slices.Equal(got, []string{want}) { // written as it is documented
				t.Errorf("step %d: %s %q, want %q", i, name, got, want)
			}
		}
	}
}

// An error that is no fault of the caller's must not be taken for a bad
// credential, whatever its address has used up.
func TestOutageIsNotA401(t *testing.T) {
	r := testRouter(newClock())
	r.Authenticate = func(context.Context, string) (auth.Principal, error) {
		return auth.Principal{}, errors.New("no such column")
	}
	send := sender(r)
	for range 10 {
		if res := send("10.0.0.1:1", "live", "/v1/ping"); res.StatusCode != http.StatusInternalServerError {
			t.Fatalf("status %d, want http.StatusInternalServerError", res.StatusCode)
		}
	}
}

// A flood of unknown callers does not fill the log: one line a second counts them.
func TestFloodIsHushed(t *testing.T) {
	c := newClock()
	var log bytes.Buffer
	cfg := testRouter(c).Config
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	send := sender(New(cfg, pings{}))
	for range 2 {
		for range 1000 {
			send("192.0.2.1:1234", "nonsense", "/v1/ping")
			send("192.0.2.1:1234", "", "/docs")
		}
		c.advance(time.Second)
	}
	send("192.0.2.1:1234", "live", "/v1/ping") // a caller with a key is logged as always
	lines := strings.Count(log.String(), "\n")
	if lines > 12 || !strings.Contains(log.String(), "suppressed=") || !strings.Contains(log.String(), "operation=ping") {
		t.Errorf("%d lines:\n%s; want lines <= 12, log.String() to contain \"suppressed=\", log.String() to contain \"operation=ping\"",
			lines, log.String())
	}
}
