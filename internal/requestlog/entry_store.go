package requestlog

import (
	"context"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
)

// keepFor is how long entries are kept.
const keepFor = 30 * 24 * time.Hour

var logs = db.Table[RequestLog]{Name: "request_logs", Prefix: "req", Noun: "request log"}

// Purge deletes old entries, and the oldest ones of environments with more than rows.
func Purge(ctx context.Context, d *db.DB, rows int) error {
	envs, err := audit.Environments(ctx, d, logs.Name)
	for _, env := range envs {
		if err != nil {
			return err
		}
		err = purge(auth.InEnv(ctx, env), d, rows)
	}
	return err
}

// purge deletes entries of an environment in parts, so that no one waits for it.
func purge(ctx context.Context, d *db.DB, rows int) error {
	for {
		n, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
			oldest := id.Floor(logs.Prefix, tx.Now.Add(-keepFor))
			first, err := db.All[string](ctx, tx, `SELECT id FROM request_logs WHERE env = ? ORDER BY id DESC LIMIT 1 OFFSET ?`,
				tx.Env, max(0, rows-1))
			if err != nil {
				return 0, err
			}
			if len(first) > 0 {
				oldest = max(oldest, first[0])
			}
			return db.Exec(ctx, tx, `
				DELETE FROM request_logs
				WHERE env = ? AND id IN (SELECT id FROM request_logs WHERE env = ? AND id < ? ORDER BY id LIMIT 1000)`,
				tx.Env, tx.Env, oldest)
		})
		if err != nil || n < 1000 {
			return err
		}
	}
}

func (f RequestLogFilter) where() *db.Where {
	w := &db.Where{}
	if f.Status != "" {
		from, to := statuses(f.Status)
		w.And("status BETWEEN ? AND ?", from, to)
	}
	w.AndIf(f.Method != "", "method = ?", f.Method)
	w.AndIf(f.Operation != "", "operation = ?", f.Operation)
	w.AndIf(f.ActorID != "", "actor_id = ?", f.ActorID)
	w.AndIf(f.ObjectID != "", "path LIKE ?", "%/"+f.ObjectID+"%")
	w.AndIf(f.IP != "", "ip = ?", f.IP)
	w.AndIf(!f.CreatedAfter.IsZero(), "id >= ?", id.Floor(logs.Prefix, f.CreatedAfter))
	w.AndIf(!f.CreatedBefore.IsZero(), "id < ?", id.Floor(logs.Prefix, f.CreatedBefore))
	return w
}

func insertAll(ctx context.Context, tx *db.Tx, entries []RequestLog) error {
	return db.Insert(ctx, tx, logs.Name, entries...)
}
