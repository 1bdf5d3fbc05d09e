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
