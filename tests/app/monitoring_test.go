package app

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// scrape returns the metrics of a server after some work.
func scrape(t *testing.T, s *testkit.Server) string {
	t.Helper()
	s.Test.Location()
	w := httptest.NewRecorder()
	s.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		key := "7a1f0c1e-58f3-4a38-9a52-0d2f3c1b4e5f"
		for range 2 {
			s.Test.With("Idempotency-Key", key).Post("/v1/locations", map[string]any{"name": "Twice"}, 201, nil)
		}
		text := scrape(t, s)
		for _, want := range []string{
			`slipway_database_up 1`, `slipway_jobs{lane="default",state="available"} `, `slipway_jobs_oldest_seconds{lane="long"} 0`,
			`slipway_dead_letters 0`, `slipway_idempotent_replays_total 1`, `slipway_rate_limited_total{limit="address"} 0`,
			`slipway_events_total{type="location.created"} 2`, `slipway_request_log_dropped_total 0`,
			`slipway_request_duration_seconds_count{operation="createLocation",status="201"} 3`,
			`slipway_build_info{goversion="go`, `go_sql_open_connections{db_name="write"}`,
		} {
			assert.Contains(t, text, want)
		}
	})
}

// Events of PostgreSQL wait in the outbox, and those of SQLite in the feed.
func TestBacklogMetrics(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Post("/v1/webhooks", map[string]any{"url": "https://example.com/hook", "events": []string{"*"}}, 201, nil)
		s.Test.Location()
		s.Advance(90e9)
		text := scrape(t, s)
		assert.Excludes(t, text, "slipway_events_waiting 0\n")
		waited := regexp.MustCompile(`slipway_events_oldest_seconds (9[0-9]|1[0-9][0-9])`)
		assert.Equal(t, waited.MatchString(text), true, "the oldest event has waited for 90 seconds or more\n"+text)
	})
}

// The metrics follow the conventions of Prometheus.
func TestMetricsLint(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(scrape(t, testkit.OnSQLite(t)))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "slipway_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}
