package backups

import (
	"context"
	"time"

	"slipway/internal/platform/db"
)

// Status returns the state of the backups.
func (a *API) Status(ctx context.Context, tx *db.Tx) (s BackupStatus, err error) {
	s = BackupStatus{Configured: a.Target != nil, Healthy: true}
	if !s.Configured {
		return s, nil
	}
	s.Target, s.Schedule, s.KeepDays = &a.TargetKind, &a.Plan.Schedule.text, int(a.Plan.Keep.Hours()/24)
	made, err := findHistory(ctx, tx, Backup)
	if err != nil {
		return s, err
	}
	checked, err := findHistory(ctx, tx, Check)
	if err != nil {
		return s, err
	}
	since, err := plannedSince(ctx, tx)
	s.LastBackup, s.LastComplete, s.LastCheck = made.last, made.complete, checked.last
	s.Healthy = ended(made.last, Complete) && ended(checked.last, Complete) && !a.Plan.late(made, since, tx.Now.In(time.Local))
	return s, err
}

// ended reports whether a run has a state, or has no result yet.
func ended(run *BackupRun, state BackupState) bool {
	return run == nil || run.State == Running || run.State == state
}
