package app

import (
	"context"
	"time"

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

// outsideMaintenance runs work until ctx ends. During maintenance, the context of work
// is canceled, and work starts again when the maintenance ends.
func (a *App) outsideMaintenance(ctx context.Context, work func(ctx context.Context)) {
	check := time.NewTicker(maintenanceEvery)
	defer check.Stop()
	for ctx.Err() == nil {
		a.checkMaintenance(ctx)
		if a.maintenance.Load() == nil {
			working, pause := context.WithCancel(ctx)
			done := make(chan struct{})
			go func() {
				defer close(done)
				work(working)
			}()
			for ctx.Err() == nil && a.maintenance.Load() == nil {
				a.awaitCheck(ctx, check)
			}
			pause()
			<-done
			continue
		}
		a.awaitCheck(ctx, check)
	}
}

func (a *App) awaitCheck(ctx context.Context, check *time.Ticker) {
	select {
	case <-ctx.Done():
	case <-check.C:
		a.checkMaintenance(ctx)
	}
}

// checkMaintenance reads whether the installation is in maintenance. If the database is
// unavailable, nothing changes.
func (a *App) checkMaintenance(ctx context.Context) {
	now, err := db.Read(ctx, a.DB, site.FindMaintenance)
	if err != nil {
		return
	}
	was := a.maintenance.Swap(now)
	switch {
	case was == nil && now != nil:
		a.log.Warn("maintenance started: writes are rejected and jobs pause", "message", now.Message)
	case was != nil && now == nil:
		a.log.Warn("maintenance ended")
	}
}
