package summaries

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

var summaries = db.Table[row]{Name: "daily_summaries", Noun: "daily summary"}

// find returns the row of a user, and whether there is one.
func find(ctx context.Context, tx *db.Tx, userID string) (row, bool, error) {
	r, err := summaries.FindForUpdate(ctx, tx, userID)
	if fault.KindOf(err) == fault.KindNotFound {
		return row{Env: tx.Env, ID: userID}, false, nil
	}
	return r, err == nil, err
}

// read is find without a lock.
func read(ctx context.Context, tx *db.Tx, userID string) (DailySummary, error) {
	r, err := summaries.Find(ctx, tx, userID)
	if fault.KindOf(err) == fault.KindNotFound {
		return DailySummary{UserID: userID, SendAt: defaultTime}, nil
	}
	return r.view(), err
}

// perRead is how many users due returns at most.
const perRead = 200

// due returns some users whose email is due, in the order of their IDs after one of them.
func due(ctx context.Context, tx *db.Tx, after string) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM daily_summaries WHERE env = ? AND id > ? AND next_at <= ? ORDER BY id LIMIT ?`,
		tx.Env, after, tx.Now, perRead)
}

// nextDue returns when the next email of the environment is due, or nil.
func nextDue(ctx context.Context, tx *db.Tx) (*time.Time, error) {
	first, err := db.All[time.Time](ctx, tx, `SELECT next_at FROM daily_summaries WHERE env = ? ORDER BY next_at LIMIT 1`, tx.Env)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	return &first[0], nil
}

// markAll adds the marks of environments that servers of the last release have not added.
func markAll(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `INSERT INTO waiting_work (env, kind, due_at)
		SELECT env, 'summaries', MIN(next_at) FROM daily_summaries WHERE env > 0 GROUP BY env ON CONFLICT (env, kind) DO NOTHING`)
}
