package webhooks

import (
	"context"
	"math/rand/v2"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// record writes down how attempts went. A delivery whose lease has passed to
// another node is that one's to judge; the attempt is kept all the same.
func record(ctx context.Context, tx *db.Tx, node string, done []attempt) error {
	var made []DeliveryAttempt
	good, health := map[auth.Env][]string{}, map[lane]attempt{}
	for _, a := range done {
		if a.skipped {
			if err := giveBack(ctx, tx, node, a.Delivery); err != nil {
				return err
			}
			continue
		}
		made = append(made, a.made)
		health[lane{a.Env, a.WebhookID}] = a // the last one counts
		if a.delivered {
			good[a.Env] = append(good[a.Env], a.ID)
			continue
		}
		d := a.Delivery
		d.LeaseUntil, d.LeaseBy, d.UpdatedAt = nil, nil, tx.Now
		d.fail(tx.Now, a.retryAfter, rand.Float64()*2-1) //nolint:gosec // spreads load, guards nothing
		if a.gone {
			d.Status, d.NextAttemptAt = Dead, nil
		}
		if _, err := db.Update(ctx, tx, "deliveries", &d, "env = ? AND id = ? AND lease_by = ?", d.Env, d.ID, node); err != nil {
			return err
		}
	}
	if err := db.Insert(ctx, tx, "delivery_attempts", made...); err != nil {
		return err
	}
	for env, ids := range good {
		marks, args := db.In(ids)
		_, err := db.Exec(ctx, tx, `UPDATE deliveries SET status = 'succeeded', delivered_at = ?, updated_at = ?, due_at = NULL, lease_until = NULL, lease_by = NULL
			WHERE env = ? AND lease_by = ? AND id IN `+marks, append([]any{tx.Now, tx.Now, env, node}, args...)...)
		if err != nil {
			return err
		}
	}
	for l, last := range health {
		if err := recordHealth(ctx, tx, l, last); err != nil {
			return err
		}
	}
	return nil
}

// giveBack ends the lease of an attempt that was not made.
func giveBack(ctx context.Context, tx *db.Tx, node string, d Delivery) error {
	_, err := db.Exec(ctx, tx, `UPDATE deliveries SET attempt_count = attempt_count - 1, lease_until = NULL, lease_by = NULL
		WHERE env = ? AND id = ? AND lease_by = ?`, d.Env, d.ID, node)
	return err
}

// recordHealth takes note of whether a webhook works, and disables one that
// wants no more or has failed for too long.
func recordHealth(ctx context.Context, tx *db.Tx, l lane, last attempt) error {
	if last.delivered {
		if last.webhook.FailingSince == nil {
			return nil // as it was
		}
		_, err := db.Exec(ctx, tx, `UPDATE webhooks SET failing_since = NULL WHERE env = ? AND id = ? AND failing_since IS NOT NULL`, l.Env, l.WebhookID)
		return err
	}
	if _, err := db.Exec(ctx, tx, `UPDATE webhooks SET failing_since = ? WHERE env = ? AND id = ? AND failing_since IS NULL`, tx.Now, l.Env, l.WebhookID); err != nil {
		return err
	}
	w, err := db.One[Webhook](ctx, tx, `SELECT {cols} FROM webhooks WHERE env = ? AND id = ?`, l.Env, l.WebhookID)
	if db.IsNoRows(err) {
		return nil // deleted meanwhile
	}
	if err != nil || w.Status == Disabled || (!last.gone && (w.FailingSince == nil || tx.Now.Sub(*w.FailingSince) < giveUpAfter)) {
		return err
	}
	w.derive()
	before := w
	w.Status, w.DisabledReason = Disabled, new("failing")
	if last.gone {
		w.DisabledReason = new("gone")
	}
	if err := save(ctx, tx, &w); err != nil {
		return err
	}
	return events.Emit(ctx, tx.In(l.Env), "webhook.disabled", w.ID, before, w)
}
