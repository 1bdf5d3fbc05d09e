// Package work finds the environments that have work in the background, without reading
// the others. They can be on several servers: see docs/scaling.md.
package work

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// Kind is a kind of work.
type Kind string

// The kinds of work.
const (
	Events    Kind = "events" // see events.Publish
	Photos    Kind = "photos"
	Summaries Kind = "summaries"
)

// Mark makes sure that the environment of the transaction is found when its work is due. It
// locks the mark until the transaction ends, so Settle sees the work or leaves the mark.
func Mark(ctx context.Context, tx *db.Tx, kind Kind, at time.Time) error {
	return db.Send(ctx, tx, `
		INSERT INTO waiting_work (env, kind, due_at) VALUES (?, ?, ?)
		ON CONFLICT (env, kind) DO UPDATE SET due_at = excluded.due_at WHERE waiting_work.due_at > excluded.due_at`, tx.Env, kind, at)
}

// MarkAgain sets the time of a mark, or adds it.
func MarkAgain(ctx context.Context, tx *db.Tx, kind Kind, at time.Time) error {
	return db.Send(ctx, tx, `
		INSERT INTO waiting_work (env, kind, due_at) VALUES (?, ?, ?)
		ON CONFLICT (env, kind) DO UPDATE SET due_at = excluded.due_at`, tx.Env, kind, at)
}

// MarkNew adds a mark if there is none. Unlike Mark, it doesn't lock an existing one, so it
// is only for work that the caller also does if the mark is removed at the same time.
func MarkNew(ctx context.Context, tx *db.Tx, kind Kind) error {
	return db.Send(ctx, tx, `INSERT INTO waiting_work (env, kind, due_at) VALUES (?, ?, ?) ON CONFLICT (env, kind) DO NOTHING`,
		tx.Env, kind, tx.Now)
}

// Due returns up to limit environments whose work is due, the longest-waiting first.
func Due(ctx context.Context, tx *db.Tx, kind Kind, limit int) ([]auth.Env, error) {
	return MarkedUntil(ctx, tx, kind, tx.Now, limit)
}

// MarkedUntil returns up to limit environments whose marks have this time or an earlier one.
func MarkedUntil(ctx context.Context, tx *db.Tx, kind Kind, at time.Time, limit int) ([]auth.Env, error) {
	return db.All[auth.Env](ctx, tx, `SELECT env FROM waiting_work WHERE kind = ? AND due_at <= ? ORDER BY due_at, env LIMIT ?`,
		kind, at, limit)
}

// Settle sets when the work of the environment is due again, or removes the mark if nothing
// remains. Next returns the time, or nil. It sees what other transactions have added, because
// they locked the mark until they ended. If one of them still runs, Settle leaves the mark.
func Settle(ctx context.Context, tx *db.Tx, kind Kind, next func(ctx context.Context, tx *db.Tx) (*time.Time, error)) error {
	locked, err := db.Claim[auth.Env](ctx, tx, `SELECT env FROM waiting_work WHERE env = ? AND kind = ?`, tx.Env, kind)
	if err != nil || len(locked) == 0 {
		return err
	}
	at, err := next(ctx, tx)
	if err != nil {
		return err
	}
	if at != nil {
		return MarkAgain(ctx, tx, kind, *at)
	}
	return db.Send(ctx, tx, `DELETE FROM waiting_work WHERE env = ? AND kind = ?`, tx.Env, kind)
}
