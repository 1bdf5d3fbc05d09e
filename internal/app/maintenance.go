package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
)

// maintenanceEvery is how often a node checks for maintenance.
const maintenanceEvery = 500 * time.Millisecond

// underMaintenance returns the response to writes during maintenance, or nil.
func (a *App) underMaintenance() error {
	if m := a.maintenance.Load(); m != nil {
		return m.Fault()
	}
	return nil
}

// registerMaintenance adds the metric that shows when it is safe to work on the database.
func (a *App) registerMaintenance(r *prometheus.Registry) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "slipway_jobs_paused", Help: "1 if this server has paused its jobs because of maintenance.",
	}, func() float64 {
		if a.JobsPaused() {
			return 1
		}
		return 0
	}))
}

// JobsPaused reports whether maintenance has paused jobs and deliveries, and none is still running.
func (a *App) JobsPaused() bool { return a.paused.Load() }

// watchMaintenance checks for maintenance until ctx ends. It sends a value when the state
// changes.
func (a *App) watchMaintenance(ctx context.Context, changed chan<- struct{}) {
	tick := time.NewTicker(maintenanceEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if a.checkMaintenance(ctx) {
			select {
			case changed <- struct{}{}:
			default: // a value is already waiting
			}
		}
	}
}

// outsideMaintenance runs work until ctx ends. During maintenance, the context of work
// is canceled, and work starts again when the maintenance ends.
func (a *App) outsideMaintenance(ctx context.Context, work func(ctx context.Context)) {
	changed := make(chan struct{}, 1)
	go a.watchMaintenance(ctx, changed)

	for ctx.Err() == nil {
		if a.maintenance.Load() == nil {
			working, pause := context.WithCancel(ctx)
			done := make(chan struct{})
			go func() {
				defer close(done)
				work(working)
			}()
			for ctx.Err() == nil && a.maintenance.Load() == nil {
				await(ctx, changed)
			}
			pause()
			<-done
		}
		a.paused.Store(ctx.Err() == nil)
		for ctx.Err() == nil && a.maintenance.Load() != nil {
			await(ctx, changed)
		}
		a.paused.Store(false)
	}
}

func await(ctx context.Context, changed <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-changed:
	}
}

// checkMaintenance reads whether the installation is in maintenance, and reports whether
// that changed. If the database is unavailable, nothing changes.
func (a *App) checkMaintenance(ctx context.Context) (changed bool) {
	now, err := db.Read(ctx, a.DB, site.FindMaintenance)
	if err != nil {
		return false
	}
	was := a.maintenance.Swap(now)
	switch {
	case was == nil && now != nil:
		a.log.Warn("maintenance started: writes are rejected and jobs pause", "message", now.Message)
	case was != nil && now == nil:
		a.log.Warn("maintenance ended")
	}
	return (was == nil) != (now == nil)
}
