package webhooks

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// ranged is where a replay of a range of time looks.
func (j ReplayEvents) ranged() *db.Where {
	w := &db.Where{}
	w.And("env = ? AND id >= ? AND id < ?", j.Env, j.From, j.To)
	marks, args := db.In(j.Types)
	w.And("type IN "+marks, args...)
	return w
}

func countEvents(ctx context.Context, tx *db.Tx, j ReplayEvents) (int64, error) {
	w := j.ranged()
	return db.One[int64](ctx, tx, "SELECT COUNT(*) FROM events WHERE "+w.String(), w.Args...)
}

// nextEvents are the events that a replay comes to, after those it has done.
func nextEvents(ctx context.Context, tx *db.Tx, j ReplayEvents, after string, most int) ([]events.Event, error) {
	w := j.ranged().With("id > ?", after)
	return db.All[events.Event](ctx, tx, "SELECT {cols} FROM events WHERE "+w.String()+" ORDER BY id LIMIT ?", append(w.Args, most)...)
}

// replayed are those of the events that this replay has delivered before it was
// interrupted.
func replayed(ctx context.Context, tx *db.Tx, j ReplayEvents, ids []string) ([]string, error) {
	marks, args := db.In(ids)
	return db.All[string](ctx, tx, `SELECT event_id FROM deliveries WHERE env = ? AND webhook_id = ? AND replay = ? AND event_id IN `+marks,
		append([]any{j.Env, j.WebhookID, j.Replay}, args...)...)
}

// dead is where the dead letters are that a drain concerns, all of them if it
// names none.
func (j DrainDeadLetters) dead() *db.Where {
	w := &db.Where{}
	w.And("env = ? AND webhook_id = ? AND status = 'dead' AND updated_at <= ?", j.Env, j.WebhookID, j.Until)
	return w
}

func countDead(ctx context.Context, tx *db.Tx, j DrainDeadLetters) (int64, error) {
	if len(j.DeliveryIDs) > 0 {
		return int64(len(j.DeliveryIDs)), nil
	}
	w := j.dead()
	return db.One[int64](ctx, tx, "SELECT COUNT(*) FROM deliveries WHERE "+w.String(), w.Args...)
}

// someDead are some of the dead letters that a drain concerns.
func someDead(ctx context.Context, tx *db.Tx, j DrainDeadLetters, most int) ([]string, error) {
	w := j.dead()
	return db.All[string](ctx, tx, "SELECT id FROM deliveries WHERE "+w.String()+" ORDER BY id LIMIT ?", append(w.Args, most)...)
}

// deadAmong are those that are dead of the deliveries that were named.
func deadAmong(ctx context.Context, tx *db.Tx, j DrainDeadLetters, ids []string) ([]string, error) {
	marks, args := db.In(ids)
	w := j.dead().With("id IN "+marks, args...)
	return db.All[string](ctx, tx, "SELECT id FROM deliveries WHERE "+w.String(), w.Args...)
}

// revive makes dead letters due again.
func revive(ctx context.Context, tx *db.Tx, j DrainDeadLetters, ids []string, at time.Time) error {
	marks, args := db.In(ids)
	_, err := db.Exec(ctx, tx, `UPDATE deliveries SET status = 'pending', tries = 0, first_attempt_at = NULL, due_at = ?, updated_at = ?
		WHERE env = ? AND status = 'dead' AND id IN `+marks, append([]any{at, tx.Now, j.Env}, args...)...)
	return err
}

// discard gives dead letters up.
func discard(ctx context.Context, tx *db.Tx, j DrainDeadLetters, ids []string) error {
	marks, args := db.In(ids)
	_, err := db.Exec(ctx, tx, `UPDATE deliveries SET status = 'discarded', updated_at = ? WHERE env = ? AND status = 'dead' AND id IN `+marks,
		append([]any{tx.Now, j.Env}, args...)...)
	return err
}
