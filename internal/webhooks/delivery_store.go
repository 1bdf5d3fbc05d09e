package webhooks

import (
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
)

// keepFor is how long deliveries are kept, and dead letters from their death.
const keepFor = 30 * 24 * time.Hour

func findDelivery(ctx context.Context, tx *db.Tx, webhookID, deliveryID string) (Delivery, error) {
	d, err := db.One[Delivery](ctx, tx, `SELECT {cols} FROM deliveries WHERE env = ? AND id = ? AND webhook_id = ?`, tx.Env, deliveryID, webhookID)
	if db.IsNoRows(err) {
		return d, fault.NotFound("delivery", deliveryID)
	}
	if err != nil {
		return d, err
	}
	one := []Delivery{d}
	err = withAttempts(ctx, tx, one)
	return one[0], err
}

// lockDelivery keeps the relay off a delivery that is about to be changed.
func lockDelivery(ctx context.Context, tx *db.Tx, deliveryID string) error {
	return db.LockRow(ctx, tx, `SELECT id FROM deliveries WHERE env = ? AND id = ?`, tx.Env, deliveryID)
}

func listDeliveries(ctx context.Context, tx *db.Tx, q page.Query, w *db.Where) (page.Page[Delivery], error) {
	if err := q.Check("dlv"); err != nil {
		return page.Page[Delivery]{}, err
	}
	p, err := db.List[Delivery](ctx, tx, db.From("deliveries"), q, w)
	if err != nil {
		return p, err
	}
	return p, withAttempts(ctx, tx, p.Data)
}

// withAttempts fills in what was tried.
func withAttempts(ctx context.Context, tx *db.Tx, all []Delivery) error {
	var ids []string
	place := map[string]int{}
	for i := range all {
		all[i].Attempts, all[i].IsReplay = []DeliveryAttempt{}, all[i].Replay != ""
		ids, place[all[i].ID] = append(ids, all[i].ID), i
	}
	if len(ids) == 0 {
		return nil
	}
	marks, args := db.In(ids)
	attempts, err := db.All[DeliveryAttempt](ctx, tx, `SELECT {cols} FROM delivery_attempts WHERE env = ? AND delivery_id IN `+marks+` ORDER BY delivery_id, n`,
		append([]any{tx.Env}, args...)...)
	for _, a := range attempts {
		d := &all[place[a.DeliveryID]]
		d.Attempts = append(d.Attempts, a)
	}
	return err
}

// insertDeliveries adds deliveries. An index refuses to deliver an event twice
// for the same reason.
func insertDeliveries(ctx context.Context, tx *db.Tx, all []Delivery) error {
	return db.Insert(ctx, tx, "deliveries", all...)
}

func saveDelivery(ctx context.Context, tx *db.Tx, d *Delivery) error {
	d.UpdatedAt = tx.Now
	n, err := db.Update(ctx, tx, "deliveries", d, "env = ? AND id = ?", d.Env, d.ID)
	return db.Changed(n, err)
}

// lane is the queue of one webhook.
type lane struct {
	Env       auth.Env `db:"env"`
	WebhookID string   `db:"id"`
}

// dueLanes are the queues in which something is due.
func dueLanes(ctx context.Context, tx *db.Tx) ([]lane, error) {
	return db.All[lane](ctx, tx, `
		SELECT w.env, w.id FROM webhooks w
		WHERE w.status = 'enabled' AND EXISTS (SELECT 1 FROM deliveries d WHERE d.env = w.env AND d.webhook_id = w.id AND d.due_at <= ?)`, tx.Now)
}

// lease is a node's right to make an attempt, until then.
type lease struct {
	node       string
	now, until time.Time // by the clock that nodes share
	startBy    time.Time // by this node's
}

// claim takes the deliveries of a lane that are due, oldest first, for one
// attempt each. Those that this node is attempting are left out whatever the
// clock says of their lease.
func claim(ctx context.Context, tx *db.Tx, q lane, l lease, most int, sending map[string]bool) ([]Delivery, error) {
	due, err := db.Claim[Delivery](ctx, tx, `SELECT {cols} FROM deliveries WHERE env = ? AND webhook_id = ? AND due_at <= ?
		AND (lease_until IS NULL OR lease_until <= ?) ORDER BY due_at, id LIMIT ?`, q.Env, q.WebhookID, tx.Now, l.now, most)
	due = slices.DeleteFunc(due, func(d Delivery) bool { return sending[d.ID] })
	if err != nil || len(due) == 0 {
		return nil, err
	}
	var ids []string
	for i := range due {
		due[i].AttemptCount++
		ids = append(ids, due[i].ID)
	}
	marks, args := db.In(ids)
	_, err = db.Exec(ctx, tx, `UPDATE deliveries SET attempt_count = attempt_count + 1, lease_until = ?, lease_by = ? WHERE env = ? AND id IN `+marks,
		append([]any{l.until, l.node, q.Env}, args...)...)
	return due, err
}

// endLeases frees what a process that is no more had claimed. Only SQLite's one
// node can know that; on PostgreSQL leases run out.
func endLeases(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE deliveries SET lease_until = NULL, lease_by = NULL WHERE env IS NOT NULL AND lease_until IS NOT NULL`)
}

// forgetDeliveries removes some of the deliveries of a webhook that is gone.
func forgetDeliveries(ctx context.Context, tx *db.Tx, webhookID string) (int64, error) {
	ids, err := db.All[string](ctx, tx, `SELECT id FROM deliveries WHERE env = ? AND webhook_id = ? ORDER BY id LIMIT 1000`, tx.Env, webhookID)
	if err != nil {
		return 0, err
	}
	return removeDeliveries(ctx, tx, ids)
}

// purgeDeliveries removes some of the deliveries that are too old.
func purgeDeliveries(ctx context.Context, tx *db.Tx) (int64, error) {
	old := tx.Now.Add(-keepFor)
	ids, err := db.All[string](ctx, tx, `SELECT id FROM deliveries WHERE env = ? AND id < ? AND (status <> 'dead' OR updated_at < ?) ORDER BY id LIMIT 1000`,
		tx.Env, id.Floor("dlv", old), old)
	if err != nil {
		return 0, err
	}
	return removeDeliveries(ctx, tx, ids)
}

func removeDeliveries(ctx context.Context, tx *db.Tx, ids []string) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	marks, args := db.In(ids)
	if _, err := db.Exec(ctx, tx, `DELETE FROM delivery_attempts WHERE env = ? AND delivery_id IN `+marks, append([]any{tx.Env}, args...)...); err != nil {
		return 0, err
	}
	return db.Exec(ctx, tx, `DELETE FROM deliveries WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
}
