package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"slipway/internal/platform/rest"
)

// The metrics of admission have a value for each class.
func TestLoadMetrics(t *testing.T) {
	m := newMetrics()
	m.registry.MustRegister(loads{rest.New(rest.Config{})})
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`slipway_requests_in_flight{class="writes"} 0`, `slipway_requests_waiting{class="heavy"} 0`,
		`slipway_requests_rejected_total{class="urgent"} 0`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("got no %s in %s", want, w.Body)
		}
	}
}

func TestTracesURL(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://localhost:4318":              "http://localhost:4318/v1/traces",
		"http://localhost:4318/":             "http://localhost:4318/v1/traces",
		"https://otel.example.com/in/traces": "https://otel.example.com/in/traces",
	} {
		if got := tracesURL(endpoint); got != want {
			t.Errorf("%s: got %s, want %s", endpoint, got, want)
		}
	}
}

// Tokens in a URL don't get into traces. The handler still sees the whole URL.
func TestTracesHideSecrets(t *testing.T) {
	var traced, handled string
	trace := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			traced = r.URL.String() + " " + r.RequestURI
			next.ServeHTTP(w, r)
		})
	}
	handler := hideURL(trace, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { handled = r.URL.String() }))
	const path = "/oauth/invitations/secret?token=secret"
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPut, path, nil))
	if strings.Contains(traced, "secret") || handled != path {
		t.Errorf("the trace has %q and the handler %q, want no secret in the trace and %q in the handler", traced, handled, path)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/goroutine"} {
		w := httptest.NewRecorder()
		newMetrics().handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("GET %s returned %d with %d bytes, expected 200 and a profile", path, w.Code, w.Body.Len())
		}
	}
}
