package backups

import (
	"context"
	"time"

	"slipway/internal/platform/db"
)

const prefix = "bak"

// keepRuns is how long the results are kept.
const keepRuns = 90 * 24 * time.Hour

// findHistory returns what is known about the runs of a kind.
func findHistory(ctx context.Context, tx *db.Tx, kind BackupKind) (h history, err error) {
	newest, err := db.All[BackupRun](ctx, tx, `SELECT {cols} FROM backup_runs WHERE kind = ? ORDER BY id DESC LIMIT 1`, kind)
	if err != nil {
		return h, err
	}
	complete, err := db.All[BackupRun](ctx, tx, `SELECT {cols} FROM backup_runs WHERE kind = ? AND state = ? ORDER BY id DESC LIMIT 1`, kind, Complete)
	if len(newest) > 0 {
		h.last = &newest[0]
	}
	if len(complete) > 0 {
		h.complete = &complete[0]
	}
	return h, err
}

// startRun adds a run if one is due. Nil if not.
func (a *API) startRun(ctx context.Context, kind BackupKind) (*BackupRun, error) {
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (*BackupRun, error) {
		if err := db.LockRow(ctx, tx, `SELECT id FROM backup_turns WHERE id = 1`); err != nil { // one server at a time
			return nil, err
		}
		runs, err := findHistory(ctx, tx, kind)
		if err != nil {
			return nil, err
		}
		made := runs
		if kind == Check {
			if made, err = findHistory(ctx, tx, Backup); err != nil {
				return nil, err
			}
		}
		if !a.Plan.due(kind, runs, made.complete, tx.Now.In(time.Local)) {
			return nil, nil //nolint:nilnil // nothing is due
		}
		if runs.last != nil && runs.last.State == Running { // it took too long
			if err := endRuns(ctx, tx, runs.last.Node); err != nil {
				return nil, err
			}
		}
		run := BackupRun{ID: tx.NewID(prefix), Kind: kind, State: Running, StartedAt: tx.Now, Node: a.node}
		if kind == Backup {
			run.Name = nameAt(tx.Now)
		} else {
			run.Name = made.complete.Name
		}
		return &run, db.Insert(ctx, tx, "backup_runs", run)
	})
}

// endRuns ends the runs of a node that has stopped.
func endRuns(ctx context.Context, tx *db.Tx, node string) error {
	_, err := db.Exec(ctx, tx, `UPDATE backup_runs SET state = ?, problem = ?, finished_at = ? WHERE node = ? AND state = ?`,
		Failed, Interrupted, tx.Now, node, Running)
	return err
}

// finishRun saves the result of a run, and deletes old ones.
func (a *API) finishRun(ctx context.Context, run BackupRun) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		_, err := db.Exec(ctx, tx, `UPDATE backup_runs SET state = ?, problem = ?, detail = ?, bytes = ?, files = ?, missing = ?, finished_at = ? WHERE id = ?`,
			run.State, run.Problem, run.Detail, run.Bytes, run.Files, run.Missing, tx.Now, run.ID)
		if err != nil {
			return 0, err
		}
		return db.Exec(ctx, tx, `DELETE FROM backup_runs WHERE started_at < ? AND id <> COALESCE(
			(SELECT MAX(id) FROM backup_runs WHERE kind = 'backup' AND state = 'complete'), '')`, tx.Now.Add(-keepRuns))
	})
	return err
}

// plannedSince returns when the installation first had a plan.
func plannedSince(ctx context.Context, tx *db.Tx) (time.Time, error) {
	since, err := db.All[time.Time](ctx, tx, `SELECT started_at FROM backup_runs ORDER BY id LIMIT 1`)
	if err != nil || len(since) == 0 {
		return tx.Now, err
	}
	return since[0], nil
}
