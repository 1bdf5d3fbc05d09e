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
		for from, want := range map[string]int{
			"127.0.0.1:4711": 200, "[::1]:4711": 200, "[::ffff:127.0.0.1]:4711": 200, "10.0.0.7:4711": 404, "[2001:db8::1]:4711": 404, "": 404,
		} {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
			r.RemoteAddr = from
			newMetrics().handler().ServeHTTP(w, r)
			if w.Code != want || w.Body.Len() == 0 {
				t.Errorf("GET %s from %q returned %d with %d bytes, expected %d", path, from, w.Code, w.Body.Len(), want)
			}
		}
	}
}
