package slipway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// step answers one request of a scripted server.
type step func(w http.ResponseWriter, r *http.Request)

// received is a request that a scripted server received.
type received struct {
	method, url, key, body string
	header                 http.Header
}

// scripted is a client of a server that answers each request with the next step. The
// client doesn't wait. It records how long it would have waited.
type scripted struct {
	*Client
	mu       sync.Mutex
	requests []received
	waits    []time.Duration
}

func script(t *testing.T, steps ...step) *scripted { return scriptWith(t, nil, steps...) }

func scriptWith(t *testing.T, opts []Option, steps ...step) *scripted {
	t.Helper()
	s := &scripted{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, received{r.Method, r.URL.String(), r.Header.Get("Idempotency-Key"), string(body), r.Header})
		n := len(s.requests)
		s.mu.Unlock()
		if n > len(steps) {
			t.Errorf("got request %d, %s %s; want %d requests", n, r.Method, r.URL, len(steps))
			w.WriteHeader(http.StatusTeapot)
			return
		}
		steps[n-1](w, r)
	}))
	t.Cleanup(web.Close)
	transport := &http.Transport{DisableKeepAlives: true} // on a reused connection, it would retry by itself
	s.Client = New(web.URL+"/", "sk_test_1", append([]Option{WithHTTPClient(&http.Client{Transport: transport})}, opts...)...)
	s.retries.random = func() float64 { return 1 }
	s.retries.sleep = func(ctx context.Context, d time.Duration) error {
		s.waits = append(s.waits, d)
		return ctx.Err()
	}
	return s
}

// keys returns the idempotency keys that were sent, without repetitions.
func (s *scripted) keys() (keys []string) {
	for _, r := range s.requests {
		if !slices.Contains(keys, r.key) {
			keys = append(keys, r.key)
		}
	}
	return keys
}

func reply(status int, body string, header ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Request-Id", "req_1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// fails is an error in the format of the API.
func fails(status int, code string, header ...string) step {
	return reply(status, fmt.Sprintf(`{"error": {"status": %d, "code": %q, "message": "No.", "request_id": "req_1",
		"details": [{"field": "title", "code": "too_long", "message": "is too long"}]}}`, status, code), header...)
}

// drops closes the connection after the headers and a part of the body.
func drops(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, `{"id": "con_1"`)
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// vanishes closes the connection without a response.
func vanishes(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

var ok = reply(200, `{"id": "con_1"}`)

func equal[T any](t *testing.T, got, want T, what string) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func seconds(list ...float64) (out []time.Duration) {
	for _, s := range list {
		out = append(out, time.Duration(s*float64(time.Second)))
	}
	return out
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("got %q, want a text with %q", text, part)
	}
}
