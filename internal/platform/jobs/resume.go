package jobs

import (
	"context"

	"slipway/internal/platform/db"
)

// resumedAttempts limits how often a job that was running when the process ended runs
// again immediately. A job that kills the process would otherwise do so at each start.
// The others wait, as on PostgreSQL.
const resumedAttempts = 3

// OnRestart adds a function that ends what jobs had claimed when the process was
// killed, such as a lease. It runs on SQLite, once before the first job, because no
// other process can have claimed anything. On PostgreSQL, other servers run jobs too,
// so claims must expire before windDown is over.
func OnRestart(q *Queue, release db.Func[struct{}]) { q.release = append(q.release, release) }

// resume makes the jobs available that were running when the process was killed. Only
// SQLite has one process. On PostgreSQL, River runs a job again when it must have
// ended: see windDown.
func (q *Queue) resume(ctx context.Context) error {
	if q.resumed || !q.db.SQLite() { // after a pause for maintenance, jobs of this process can still be running
		return nil
	}
	_, err := db.Write(ctx, q.db, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		for _, release := range q.release {
			if out, err := release(ctx, tx); err != nil {
				return out, err
			}
		}
		_, err := db.Exec(ctx, tx, `UPDATE river_job SET state = 'available' WHERE state = 'running' AND attempt <= ? AND attempt < max_attempts`,
			resumedAttempts)
		return struct{}{}, err
	})
	q.resumed = err == nil
	return err
}
