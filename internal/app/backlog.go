package app

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"slipway/internal/backups"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/providers"
	"slipway/internal/webhooks"
)

// backlog are the metrics of the work that waits. They are read from the database when
// the metrics are, so all servers of an installation report the same values.
type backlog struct{ app *App }

// readBacklogIn limits how long the metrics wait for the database.
const readBacklogIn = 2 * time.Second

var (
	databaseUp = prometheus.NewDesc("slipway_database_up", "1 if the server can read from the database.", nil, nil)
	jobCount   = prometheus.NewDesc("slipway_jobs", "Background jobs by lane and state.", []string{"lane", "state"}, nil)
	outageTime = prometheus.NewDesc("slipway_provider_outage_seconds",
		"How long a provider of email or text messages hasn't answered. Only providers that don't answer have it.", []string{"provider"}, nil)
	jobWait = prometheus.NewDesc("slipway_jobs_oldest_seconds",
		"How long the oldest job of a lane has waited although it could run.", []string{"lane"}, nil)
	eventCount     = prometheus.NewDesc("slipway_events_waiting", "Events that were not passed on to webhooks yet.", nil, nil)
	eventWait      = prometheus.NewDesc("slipway_events_oldest_seconds", "Age of the oldest event that was not passed on to webhooks yet.", nil, nil)
	deadLetters    = prometheus.NewDesc("slipway_dead_letters", "Webhook deliveries that failed and are not tried again.", nil, nil)
	walSize        = prometheus.NewDesc("slipway_sqlite_wal_bytes", "Size of the write-ahead log of SQLite.", nil, nil)
	eventTotal     = prometheus.NewDesc("slipway_events_total", "Events that this server emitted, by type.", []string{"type"}, nil)
	logDropped     = prometheus.NewDesc("slipway_request_log_dropped_total", "API requests that could not be stored in the request log.", nil, nil)
	backupHealthy  = prometheus.NewDesc("slipway_backup_healthy", "1 if the last backup and the last restore check succeeded and none is late.", nil, nil)
	copyAge        = prometheus.NewDesc("slipway_backup_copy_age_seconds", "Age of the newest copy of the changes of SQLite.", nil, nil)
	backupMissing  = prometheus.NewDesc("slipway_backup_missing_files", "Files that the last backup could not find.", nil, nil)
	backupComplete = prometheus.NewDesc("slipway_backup_complete_timestamp_seconds", "When the last complete backup was started.", nil, nil)
	backupChecked  = prometheus.NewDesc("slipway_backup_checked_timestamp_seconds", "When the last check that a backup can be restored was started, if it succeeded.", nil, nil)
	spanDropped    = prometheus.NewDesc("slipway_spans_dropped_total", "Spans of traces that could not be sent.", nil, nil)
)

// Describe lists the metrics.
func (b backlog) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		databaseUp, outageTime, jobCount, jobWait, eventCount, eventWait, deadLetters, walSize, eventTotal, logDropped, spanDropped,
		copyAge, backupHealthy, backupMissing, backupComplete, backupChecked,
	} {
		ch <- d
	}
}

// Collect reads the metrics.
func (b backlog) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readBacklogIn)
	defer cancel()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}

	counts := events.CountsOf(b.app.DB).Map()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		counter(eventTotal, counts[name], name)
	}
	if b.app.requests != nil {
		counter(logDropped, b.app.requests.Dropped())
	}
	if b.app.Tracer != nil {
		counter(spanDropped, b.app.Tracer.Dropped())
	}
	if info, err := os.Stat(b.app.settings.sqliteFile() + "-wal"); err == nil && b.app.DB.SQLite() {
		gauge(walSize, float64(info.Size()))
	}

	if age, ok := b.app.copyLag(); ok {
		gauge(copyAge, age.Seconds())
	}

	s, err := b.read(ctx)
	if err != nil {
		gauge(databaseUp, 0)
		return
	}
	gauge(databaseUp, 1)
	for _, o := range s.outages {
		gauge(outageTime, b.app.now().Sub(o.Since).Seconds(), o.Provider)
	}
	for _, lane := range s.lanes {
		for state, n := range lane.Jobs {
			gauge(jobCount, float64(n), lane.Name, state)
		}
		gauge(jobWait, lane.Waited.Seconds(), lane.Name)
	}
	gauge(eventCount, float64(s.relay.Events))
	gauge(eventWait, s.relay.Lag.Seconds())
	gauge(deadLetters, float64(s.relay.DeadLetters))
	if s.backups.Configured {
		collectBackups(s.backups, func(d *prometheus.Desc, value float64) { gauge(d, value) })
	}
}

// collectBackups passes on the metrics of backups.
func collectBackups(s backups.BackupStatus, gauge func(d *prometheus.Desc, value float64)) {
	healthy := 0.0
	if s.Healthy {
		healthy = 1
	}
	gauge(backupHealthy, healthy)
	missing := 0.0
	if s.LastBackup != nil {
		missing = float64(s.LastBackup.Missing)
	}
	gauge(backupMissing, missing)
	if s.LastComplete != nil {
		gauge(backupComplete, float64(s.LastComplete.StartedAt.Unix()))
	}
	if s.LastCheck != nil && s.LastCheck.State == backups.Complete {
		gauge(backupChecked, float64(s.LastCheck.StartedAt.Unix()))
	}
}

// pendingWork is the work that waits in the database.
type pendingWork struct {
	lanes   []jobs.LaneState
	relay   webhooks.Backlog
	outages []providers.Outage
	backups backups.BackupStatus
}

func (b backlog) read(ctx context.Context) (pendingWork, error) {
	if b.app.starting.Load() { // the tables might not exist
		return pendingWork{}, errStarting
	}
	return db.Read(ctx, b.app.DB, func(ctx context.Context, tx *db.Tx) (w pendingWork, err error) {
		if w.lanes, err = b.app.Jobs.Lanes(ctx, tx); err != nil {
			return w, err
		}
		if w.outages, err = providers.Outages(ctx, tx); err != nil {
			return w, err
		}
		if w.relay, err = webhooks.ReadBacklog(ctx, tx); err != nil {
			return w, err
		}
		w.backups, err = b.app.Backups.Status(ctx, tx)
		return w, err
	})
}

var errStarting = errors.New("the service is starting")
