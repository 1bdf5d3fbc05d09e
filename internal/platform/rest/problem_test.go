package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
)

// secret is what must stay inside.
const secret = "password=hunter2"

// failures is a feature whose endpoints fail in every way there is.
type failures map[string]func(ctx context.Context) error

func (f failures) Mount(r *rest.Router) {
	for name, fail := range f {
		rest.Raw(r, "GET", 200, rest.Route{
			Path: "/" + name, ID: name, Needs: auth.AnyCredential,
			Summary: "Fail",
		}, func(ctx context.Context, _ *struct{}) (rest.None, error) { return rest.None{}, fail(ctx) })
	}
}

// open lets every caller in.
func open(log *bytes.Buffer) rest.Config {
	return rest.Config{
		Limits: ratelimit.DefaultLimits, Log: slog.New(slog.NewJSONHandler(log, nil)),
		Authenticate: func(context.Context, string) (auth.Principal, error) {
			return auth.Principal{Env: 1, Mode: auth.Live, OriginalID: "key_1"}, nil
		},
	}
}

func get(h http.Handler, method, path string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, nil)
	req.Header.Set("Authorization", "Bearer x")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

func TestEveryErrorHasTheEnvelope(t *testing.T) {
	const ours = "Something went wrong on our side. It is safe to try again with the same Idempotency-Key."
	type want struct {
		status     int
		code       string
		message    string
		details    []any
		retryAfter string
		logged     string // "" if it is the caller's own affair
	}
	none := []any{}
	give := func(err error) func(context.Context) error { return func(context.Context) error { return err } }
	cases := map[string]struct {
		fail func(ctx context.Context) error
		want want
	}{
		"bad":     {give(fault.BadRequest("Bad.")), want{400, "bad_request", "Bad.", none, "", ""}},
		"unknown": {give(fault.Unauthenticated("Who?")), want{401, "unauthenticated", "Who?", none, "", ""}},
		"no":      {give(fault.Forbidden("No.")), want{403, "forbidden", "No.", none, "", ""}},
		"missing": {give(fault.NotFound("hull", "h")), want{404, "not_found", "Hull h not found.", none, "", ""}},
		"method":  {give(fault.New(fault.KindMethodNotAllowed, "How?")), want{405, "bad_request", "How?", none, "", ""}},
		"conflict": {give(fault.Conflict("Taken.").Detail("status", "state", "is %s", "sold").RetryIn(time.Second)),
			want{409, "conflict", "Taken.", []any{map[string]any{"field": "status", "code": "state", "message": "is sold"}}, "1", ""}},
		"large": {give(fault.New(fault.KindTooLarge, "Large.")), want{413, "bad_request", "Large.", none, "", ""}},
		"kind":  {give(fault.New(fault.KindUnsupportedType, "XML?")), want{415, "bad_request", "XML?", none, "", ""}},
		"value": {give(fault.New(fault.KindUnprocessable, "Odd.")), want{422, "unprocessable", "Odd.", none, "", ""}},
		"limited": {give(fault.New(fault.KindRateLimited, "Slow.").RetryIn(1500 * time.Millisecond)),
			want{429, "rate_limited", "Slow.", none, "2", ""}},
		"away": {give(fault.Unavailable("Away.").RetryIn(45 * time.Second)), want{503, "unavailable", "Away.", none, "45", ""}},

		"caused":   {give(fault.Conflict("Taken.").WithCause(errors.New(secret))), want{409, "conflict", "Taken.", none, "", ""}},
		"wrapped":  {give(fmt.Errorf("%s: %w", secret, fault.NotFound("hull", "h"))), want{404, "not_found", "Hull h not found.", none, "", ""}},
		"error":    {give(errors.New(secret)), want{500, "server_error", ours, none, "", secret}},
		"panic":    {func(context.Context) error { panic(secret) }, want{500, "server_error", ours, none, "", secret}},
		"bounds":   {func(context.Context) error { return none[len(secret)].(error) }, want{500, "server_error", ours, none, "", "out of range"}},
		"canceled": {give(context.Canceled), want{500, "server_error", ours, none, "", "context canceled"}},
	}
	f := failures{}
	for name, c := range cases {
		f[name] = c.fail
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			r := rest.New(open(&log), f)
			res := get(r, http.MethodGet, "/v1/"+name)
			requestID := res.Header().Get("Request-Id")
			if !id.Valid("req", requestID) {
				t.Errorf("got Request-Id %q, want req_ and an id", requestID)
			}
			var body map[string]any
			if err := json.Unmarshal(res.Body.Bytes(), &body); err != nil {
				t.Fatalf("%v in %s", err, res.Body)
			}
			want := map[string]any{"error": map[string]any{
				"status": float64(c.want.status), "code": c.want.code, "message": c.want.message, "request_id": requestID, "details": c.want.details,
			}}
			diff := cmp.Diff(want, body)
			assert.Equal(t, diff, "")
			assert.Equal(t, res.Code, c.want.status)
			h := res.Header()
			for _, name := range []string{"Service-Version", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"} {
				if len(h[name]) != 1 || h[name][0] == "" {
					t.Errorf(`%s: got %q; want len(h[name]) = 1, h[name][0] != ""`, name, h[name])
				}
			}
			assert.Equal(t, h.Get("Content-Type"), "application/json")
			assert.Equal(t, h.Get("Retry-After"), c.want.retryAfter)
			if got := h.Get("WWW-Authenticate"); (got != "") != (c.want.status == 401) || !strings.HasPrefix(got+"Bearer", "Bearer") {
				t.Errorf("status %d: got WWW-Authenticate %q, want Bearer with 401 and nothing otherwise", c.want.status, got)
			}
			assert.Excludes(t, fmt.Sprint(res.Body, h), secret, "without the secret")
			if failed := strings.Count(log.String(), `"level":"ERROR"`); (failed > 0) != (c.want.status >= 500) ||
				!strings.Contains(log.String(), c.want.logged) {
				t.Errorf("status %d: got %d errors logged; want some only from 500 on, and %q:\n%s", c.want.status, failed, c.want.logged, log.String())
			}
			assert.Equal(t, get(r, http.MethodHead, "/v1/"+name).Code, c.want.status, "HEAD")
		})
	}
}

// In an outage, callers are asked to retry after 30 to 60 seconds, spread out.
func TestOutage(t *testing.T) {
	var log bytes.Buffer
	r := rest.New(open(&log), failures{"slow": func(context.Context) error { return fmt.Errorf("%s: %w", secret, context.DeadlineExceeded) }})
	waits := map[string]bool{}
	for range 50 {
		res := get(r, http.MethodGet, "/v1/slow")
		wait := res.Header().Get("Retry-After")
		if n, err := strconv.Atoi(wait); res.Code != 503 || err != nil || n < 30 || n > 60 || strings.Contains(res.Body.String(), secret) {
			t.Fatalf("got status %d, Retry-After %q, %s; want 503, 30 to 60 seconds, and a body without the secret", res.Code, wait, res.Body)
		}
		waits[wait] = true
	}
	if len(waits) < 5 {
		t.Errorf("50 callers return at %d moments, want len(waits) >= 5", len(waits))
	}
}

// A panic that net/http means to be one ends the connection and nothing else.
func TestAbortIsLeftToTheServer(t *testing.T) {
	var log bytes.Buffer
	r := rest.New(open(&log), failures{"abort": func(context.Context) error { panic(http.ErrAbortHandler) }})
	defer func() {
		if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // net/http's sentinel, never wrapped
			t.Errorf("got %v, want %v", p, http.ErrAbortHandler)
		}
	}()
	get(r, http.MethodGet, "/v1/abort")
}

// A client that hung up is not an error of the service.
func TestHangingUpIsNotLoggedAsAnError(t *testing.T) {
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	r := rest.New(open(&log), failures{"gone": func(ctx context.Context) error { cancel(); return ctx.Err() }})
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/gone", nil)
	req.Header.Set("Authorization", "Bearer x")
	r.ServeHTTP(httptest.NewRecorder(), req)
	assert.Excludes(t, log.String(), `"level":"ERROR"`)
}

// downloads is a response that is sent in parts.
type downloads func(w io.Writer) error

func (d downloads) Mount(r *rest.Router) {
	rest.Raw(r, "GET", 200, rest.Route{
		Path: "/download", ID: "download", Needs: auth.AnyCredential,
		Summary: "Download",
	}, func(context.Context, *struct{}) (*rest.Content, error) {
		return &rest.Content{Type: "text/plain", Stream: d}, nil
	})
}

// hungUp is the connection of a client that disconnected.
type hungUp struct{ *httptest.ResponseRecorder }

func (hungUp) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A download that fails is an error of the service, unless the client disconnected.
func TestInterruptedDownloads(t *testing.T) {
	hello := func(w io.Writer) error { _, err := w.Write([]byte("hello")); return err }
	broken := func(io.Writer) error { return errors.New("the database is gone") }
	for _, c := range []struct {
		name   string
		stream downloads
		to     http.ResponseWriter
		logged bool
	}{
		{"complete", hello, httptest.NewRecorder(), false},
		{"the client is gone", hello, hungUp{httptest.NewRecorder()}, false},
		{"the service fails", broken, httptest.NewRecorder(), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			r := rest.New(open(&log), c.stream)
			req := httptest.NewRequest(http.MethodGet, "/v1/download", nil)
			req.Header.Set("Authorization", "Bearer x")
			func() {
				defer func() { _ = recover() }() // it closes the connection
				r.ServeHTTP(c.to, req)
			}()
			assert.Equal(t, strings.Contains(log.String(), "response interrupted"), c.logged, log.String())
		})
	}
}

func TestOneLineIsLoggedForEveryRequest(t *testing.T) {
	var log bytes.Buffer
	type observed struct {
		operation string
		status    int
	}
	var seen []observed
	cfg := open(&log)
	cfg.Observe = func(h *rest.Handled) { seen = append(seen, observed{h.Operation, h.Status}) }
	r := rest.New(cfg, failures{"fine": func(context.Context) error { return nil }, "panic": func(context.Context) error { panic("x") }})
	req := httptest.NewRequest(http.MethodGet, "/v1/fine", nil)
	req.Header.Set("Authorization", "Bearer "+secret)
	req.Header.Set("X-Client-Request-Id", "theirs\xff"+strings.Repeat("x", 500))
	req.Header.Set("Request-Id", "req_theirs")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	if w.Header().Get("Request-Id") == "req_theirs" {
		t.Error("a caller chose our request id")
	}
	get(r, http.MethodGet, "/v1/panic")
	get(r, http.MethodGet, "/v1/nothing")
	if diff := cmp.Diff([]observed{{"fine", 200}, {"panic", 500}, {"", 404}}, seen, cmp.AllowUnexported(observed{})); diff != "" {
		t.Error(diff)
	}
	lines := 0
	for line := range strings.Lines(log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if entry["msg"] == "request" {
			lines++
		}
		if client, ok := entry["client_request_id"].(string); ok && len(client) > 210 {
			t.Errorf("got %d bytes of the caller's own id in the log, want at most 210", len(client))
		}
	}
	assert.Equal(t, lines, 3)
	assert.Excludes(t, log.String(), secret)
	assert.Equal(t, strings.Count(log.String(), `"client_request_id":"theirs`), 1)
}
