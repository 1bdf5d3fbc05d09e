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

// keepFor is how long deliveries are stored. For dead letters, the time starts
// when they become dead.
const keepFor = 30 * 24 * time.Hour

var deliveries = db.Table[Delivery]{Name: "deliveries", Prefix: "dlv", Noun: "delivery"}

func findDelivery(ctx context.Context, tx *db.Tx, webhookID, deliveryID string) (Delivery, error) {
	d, err := db.One[Delivery](ctx, tx, `SELECT {cols} FROM deliveries WHERE env = ? AND id = ? AND webhook_id = ?`,
		tx.Env, deliveryID, webhookID)
	if db.IsNoRows(err) {
		return d, fault.NotFound("delivery", deliveryID)
	}
	if err != nil {
		return d, err
	}

	one := []Delivery{d}
	err = loadAttempts(ctx, tx, one)
	return one[0], err
}

// lockDelivery prevents the relay from claiming a delivery until the
// transaction ends.
func lockDelivery(ctx context.Context, tx *db.Tx, deliveryID string) error {
	return db.LockRow(ctx, tx, `SELECT id FROM deliveries WHERE env = ? AND id = ?`, tx.Env, deliveryID)
}

func listDeliveries(ctx context.Context, tx *db.Tx, q page.Query, filter *db.Where) (page.Page[Delivery], error) {
	p, err := deliveries.List(ctx, tx, q, filter)
	if err != nil {
		return p, err
	}

	err = loadAttempts(ctx, tx, p.Data)
	return p, err
}

// loadAttempts fills in the fields of deliveries that are not columns.
func loadAttempts(ctx context.Context, tx *db.Tx, all []Delivery) error {
	var ids []string
	index := map[string]int{}
	for i := range all {
		all[i].Attempts, all[i].IsReplay = []DeliveryAttempt{}, all[i].Replay != ""
		ids, index[all[i].ID] = append(ids, all[i].ID), i
	}
	if len(ids) == 0 {
		return nil
	}

	marks, args := db.In(ids)
	attempts, err := db.All[DeliveryAttempt](ctx, tx,
		`SELECT {cols} FROM delivery_attempts WHERE env = ? AND delivery_id IN `+marks+` ORDER BY delivery_id, n`,
		append([]any{tx.Env}, args...)...)
	for _, a := range attempts {
		d := &all[index[a.DeliveryID]]
		d.Attempts = append(d.Attempts, a)
	}
	return err
}

// insertDeliveries adds deliveries. A unique index prevents that an event is
// delivered to a webhook twice, except by a replay.
func insertDeliveries(ctx context.Context, tx *db.Tx, all []Delivery) error {
	return db.Insert(ctx, tx, deliveries.Name, all...)
}

func saveDelivery(ctx context.Context, tx *db.Tx, d *Delivery) error {
	d.UpdatedAt = tx.Now
	return db.Changed(db.Update(ctx, tx, deliveries.Name, d, "env = ? AND id = ?", d.Env, d.ID))
}

// laneKey identifies the queue of one webhook.
type laneKey struct {
	Env       auth.Env `db:"env"`
	WebhookID string   `db:"id"`
}

// dueLanes returns the webhooks that have a delivery that is due.
func dueLanes(ctx context.Context, tx *db.Tx) ([]laneKey, error) {
	return db.All[laneKey](ctx, tx, `
		SELECT w.env, w.id FROM webhooks w
		WHERE w.status = 'enabled' AND EXISTS (SELECT 1 FROM deliveries d WHERE d.env = w.env AND d.webhook_id = w.id AND d.due_at <= ?)`, tx.Now)
}

// lease allows a node to make an attempt until it expires.
type lease struct {
	node       string
	now, until time.Time // by the clock of the database, which all nodes share
	startBy    time.Time // by the clock of this node
}

// claimDue leases the deliveries of a lane that are due, oldest first, for one
// attempt each. It omits those that this node is attempting, even if their lease
// has expired.
func (t *turn) claimDue(ctx context.Context, tx *db.Tx, key laneKey, limit int) ([]Delivery, error) {
	l := t.lease
	due, err := db.Claim[Delivery](ctx, tx, `SELECT {cols} FROM deliveries WHERE env = ? AND webhook_id = ? AND due_at <= ?
		AND (lease_until IS NULL OR lease_until <= ?) ORDER BY due_at, id LIMIT ?`, key.Env, key.WebhookID, tx.Now, l.now, limit)
	due = slices.DeleteFunc(due, func(d Delivery) bool { return t.relay.sending[d.ID] })
	if err != nil || len(due) == 0 {
		return nil, err
	}

	var ids []string
	for i := range due {
		due[i].AttemptCount++
		ids = append(ids, due[i].ID)
	}
	marks, args := db.In(ids)
	_, err = db.Exec(ctx, tx,
		`UPDATE deliveries SET attempt_count = attempt_count + 1, lease_until = ?, lease_by = ? WHERE env = ? AND id IN `+marks,
		append([]any{l.until, l.node, key.Env}, args...)...)
	return due, err
}

// endLeases ends the leases of a process that has stopped. Only use it on
// SQLite, which has one node. On PostgreSQL, leases expire.
func endLeases(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE deliveries SET lease_until = NULL, lease_by = NULL WHERE env IS NOT NULL AND lease_until IS NOT NULL`)
}

// deleteSomeOf deletes up to 1,000 deliveries of a deleted webhook.
func deleteSomeOf(ctx context.Context, tx *db.Tx, webhookID string) (int64, error) {
	ids, err := db.All[string](ctx, tx, `SELECT id FROM deliveries WHERE env = ? AND webhook_id = ? ORDER BY id LIMIT 1000`, tx.Env, webhookID)
	if err != nil {
		return 0, err
	}
	return deleteDeliveries(ctx, tx, ids)
}

// purgeDeliveries deletes up to 1,000 deliveries that are too old.
func purgeDeliveries(ctx context.Context, tx *db.Tx) (int64, error) {
	old := tx.Now.Add(-keepFor)
	ids, err := db.All[string](ctx, tx,
		`SELECT id FROM deliveries WHERE env = ? AND id < ? AND (status <> 'dead' OR updated_at < ?) ORDER BY id LIMIT 1000`,
		tx.Env, id.Floor("dlv", old), old)
	if err != nil {
		return 0, err
	}
	return deleteDeliveries(ctx, tx, ids)
}

func deleteDeliveries(ctx context.Context, tx *db.Tx, ids []string) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	marks, args := db.In(ids)
	args = append([]any{tx.Env}, args...)
	if _, err := db.Exec(ctx, tx, `DELETE FROM delivery_attempts WHERE env = ? AND delivery_id IN `+marks, args...); err != nil {
		return 0, err
	}
	return db.Exec(ctx, tx, `DELETE FROM deliveries WHERE env = ? AND id IN `+marks, args...)
}

// deliveriesOf selects the deliveries of a webhook. Status and eventID can be "".
func deliveriesOf(webhookID string, status DeliveryStatus, eventID string) *db.Where {
	w := &db.Where{}
	w.And("webhook_id = ?", webhookID)
	w.AndIf(status != "", "status = ?", status)
	w.AndIf(eventID != "", "event_id = ?", eventID)
	return w
}
