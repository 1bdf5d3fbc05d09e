package summaries

import (
	"context"

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

// due returns some users whose email is due.
func due(ctx context.Context, tx *db.Tx) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM daily_summaries WHERE env = ? AND next_at <= ? ORDER BY next_at, id LIMIT 200`, tx.Env, tx.Now)
}
