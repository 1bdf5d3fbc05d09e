package guides

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
)

// The dashboard and the alerts only use metrics that exist, and each metric is
// documented.
func TestMonitoringFiles(t *testing.T) {
	const collector = "http://127.0.0.1:1"
	text := scrape(t, testkit.OnSQLite(t).NodeWith(func(s *app.Settings) {
		s.OTLPEndpoint, s.BackupURL, s.BackupSchedule, s.BackupKeepDays = collector, t.TempDir(), "03:00", 30
	}))
	known := map[string]bool{ // only with a replica, an import or an outage, and of a server that runs
		"slipway_replica_reads_total": true, "slipway_import_rows_total": true, "slipway_provider_outage_seconds": true,
		"slipway_backup_copy_age_seconds": true,
	}
	for _, line := range strings.Split(text, "\n") {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ = strings.Cut(name, " ")
			known[name] = true
		}
	}
	metric := regexp.MustCompile(`\b(slipway|go|process)_[a-z_]+`)
	suffix := regexp.MustCompile(`_(bucket|count|sum)$`)
	for _, file := range []string{"grafana-dashboard.json", "alerts.yaml"} {
		content, err := os.ReadFile("../../deploy/monitoring/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range metric.FindAllString(string(content), -1) {
			if !known[name] && !known[suffix.ReplaceAllString(name, "")] {
				t.Errorf("%s uses %s, which is not a metric", file, name)
			}
		}
	}

	docs, err := os.ReadFile("../../docs/monitor.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range known {
		if strings.HasPrefix(name, "slipway_") && !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/monitor.md doesn't mention %s", name)
		}
	}
}

// scrape returns the metrics of a server after some work.
func scrape(t *testing.T, s *testkit.Server) string {
	t.Helper()
	s.Test.Location()
	w := httptest.NewRecorder()
	s.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}
