package webhooks

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// where returns the conditions for the events of a time range.
func (j ReplayEvents) where() *db.Where {
	w := &db.Where{}
	w.And("env = ? AND id >= ? AND id < ?", j.Env, j.From, j.To)
	marks, args := db.In(j.Types)
	w.And("type IN "+marks, args...)
	return w
}

func countEvents(ctx context.Context, tx *db.Tx, j ReplayEvents) (int64, error) {
	w := j.where()
	return db.One[int64](ctx, tx, "SELECT COUNT(*) FROM events WHERE "+w.String(), w.Args...)
}

// nextEvents returns the next events of a replay.
func nextEvents(ctx context.Context, tx *db.Tx, j ReplayEvents, after string, limit int) ([]events.Event, error) {
	w := j.where().With("id > ?", after)
	return db.All[events.Event](ctx, tx, "SELECT {cols} FROM events WHERE "+w.String()+" ORDER BY id LIMIT ?", append(w.Args, limit)...)
}

// alreadyReplayed returns those of the events that have a delivery of this
// replay, because it was interrupted.
func alreadyReplayed(ctx context.Context, tx *db.Tx, j ReplayEvents, ids []string) ([]string, error) {
	marks, args := db.In(ids)
	return db.All[string](ctx, tx,
		`SELECT event_id FROM deliveries WHERE env = ? AND webhook_id = ? AND replay = ? AND event_id IN `+marks,
		append([]any{j.Env, j.WebhookID, j.Replay}, args...)...)
}

// where returns the conditions for the dead letters that existed when the drain
// was requested.
func (j DrainDeadLetters) where() *db.Where {
	w := &db.Where{}
	w.And("env = ? AND webhook_id = ? AND status = 'dead' AND updated_at <= ?", j.Env, j.WebhookID, j.Until)
	return w
}

func countDead(ctx context.Context, tx *db.Tx, j DrainDeadLetters) (int64, error) {
	if len(j.DeliveryIDs) > 0 {
		return int64(len(j.DeliveryIDs)), nil
	}
	w := j.where()
	return db.One[int64](ctx, tx, "SELECT COUNT(*) FROM deliveries WHERE "+w.String(), w.Args...)
}

// someDead returns some of the dead letters.
func someDead(ctx context.Context, tx *db.Tx, j DrainDeadLetters, limit int) ([]string, error) {
	w := j.where()
	return db.All[string](ctx, tx, "SELECT id FROM deliveries WHERE "+w.String()+" ORDER BY id LIMIT ?", append(w.Args, limit)...)
}

// deadAmong returns those of the deliveries that are dead.
func deadAmong(ctx context.Context, tx *db.Tx, j DrainDeadLetters, ids []string) ([]string, error) {
	marks, args := db.In(ids)
	w := j.where().With("id IN "+marks, args...)
	return db.All[string](ctx, tx, "SELECT id FROM deliveries WHERE "+w.String(), w.Args...)
}

// redeliver makes dead letters due again.
func redeliver(ctx context.Context, tx *db.Tx, j DrainDeadLetters, ids []string, at time.Time) error {
	marks, args := db.In(ids)
	_, err := db.Exec(ctx, tx, `UPDATE deliveries SET status = 'pending', tries = 0, first_attempt_at = NULL, due_at = ?, updated_at = ?
		WHERE env = ? AND status = 'dead' AND id IN `+marks, append([]any{at, tx.Now, j.Env}, args...)...)
	return err
}

// discard discards dead letters.
func discard(ctx context.Context, tx *db.Tx, j DrainDeadLetters, ids []string) error {
	marks, args := db.In(ids)
	_, err := db.Exec(ctx, tx, `UPDATE deliveries SET status = 'discarded', updated_at = ? WHERE env = ? AND status = 'dead' AND id IN `+marks,
		append([]any{tx.Now, j.Env}, args...)...)
	return err
}
