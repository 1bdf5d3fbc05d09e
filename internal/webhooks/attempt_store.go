package webhooks

import (
	"context"
	"math/rand/v2"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// record saves the results of attempts. If the lease of a delivery has passed
// to another node, that node sets the status of the delivery. The attempt is
// still saved.
func (r *Relay) record(ctx context.Context, tx *db.Tx, done []attempt) error {
	var results []DeliveryAttempt
	succeeded, last := map[auth.Env][]string{}, map[laneKey]attempt{}
	for _, a := range done {
		if a.skipped {
			if err := releaseLease(ctx, tx, r.node, a.Delivery); err != nil {
				return err
			}
			continue
		}
		results = append(results, a.result)
		last[laneKey{a.Env, a.WebhookID}] = a
		if a.delivered {
			succeeded[a.Env] = append(succeeded[a.Env], a.ID)
			continue
		}
		if err := r.recordFailure(ctx, tx, a); err != nil {
			return err
		}
	}

	if err := db.Insert(ctx, tx, "delivery_attempts", results...); err != nil {
		return err
	}
	for env, ids := range succeeded {
		marks, args := db.In(ids)
		_, err := db.Exec(ctx, tx, `UPDATE deliveries SET status = 'succeeded', delivered_at = ?, updated_at = ?,
				due_at = NULL, lease_until = NULL, lease_by = NULL
			WHERE env = ? AND lease_by = ? AND id IN `+marks, append([]any{tx.Now, tx.Now, env, r.node}, args...)...)
		if err != nil {
			return err
		}
	}

	for key, a := range last {
		if err := r.recordHealth(ctx, tx.In(key.Env), key.WebhookID, a); err != nil {
			return err
		}
	}
	return nil
}

// recordFailure schedules the next attempt of a delivery, or marks it as dead.
func (r *Relay) recordFailure(ctx context.Context, tx *db.Tx, a attempt) error {
	d := a.Delivery
	d.LeaseUntil, d.LeaseBy, d.UpdatedAt = nil, nil, tx.Now
	d.fail(tx.Now, a.retryAfter, rand.Float64()*2-1) //nolint:gosec // only spreads the load
	if a.gone {
		d.Status, d.NextAttemptAt = Dead, nil
	}
	n, err := db.Update(ctx, tx, "deliveries", &d, "env = ? AND id = ? AND lease_by = ?", d.Env, d.ID, r.node)
	if n == 1 && d.Status == Dead {
		tx.AfterCommit(func() {
			r.Log.Warn("a delivery failed for the last time", "webhook", d.WebhookID, "delivery", d.ID, "event", d.EventID, "type", d.EventType,
				"attempts", d.AttemptCount, "err", a.problem())
		})
	}
	return err
}

// releaseLease undoes the claim of an attempt that was skipped.
func releaseLease(ctx context.Context, tx *db.Tx, node string, d Delivery) error {
	_, err := db.Exec(ctx, tx, `UPDATE deliveries SET attempt_count = attempt_count - 1, lease_until = NULL, lease_by = NULL
		WHERE env = ? AND id = ? AND lease_by = ?`, d.Env, d.ID, node)
	return err
}

// recordHealth saves whether a webhook works, and logs it when that changes. It disables a
// webhook that returned 410 or has failed for too long.
func (r *Relay) recordHealth(ctx context.Context, tx *db.Tx, webhookID string, last attempt) error {
	if last.delivered {
		if last.webhook.FailingSince == nil {
			return nil // already healthy
		}
		n, err := db.Exec(ctx, tx, `UPDATE webhooks SET failing_since = NULL WHERE env = ? AND id = ? AND failing_since IS NOT NULL`,
			tx.Env, webhookID)
		if n == 1 {
			tx.AfterCommit(func() { r.Log.Info("a webhook works again", "webhook", webhookID) })
		}
		return err
	}

	n, err := db.Exec(ctx, tx, `UPDATE webhooks SET failing_since = ? WHERE env = ? AND id = ? AND failing_since IS NULL`,
		tx.Now, tx.Env, webhookID)
	if err != nil {
		return err
	}
	if n == 1 {
		tx.AfterCommit(func() {
			r.Log.Warn("a webhook fails", "webhook", webhookID, "err", last.problem())
		})
	}
	w, err := webhooks.Find(ctx, tx, webhookID)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil // deleted in the meantime
	}
	if err != nil || w.Status == Disabled {
		return err
	}
	if !last.gone && (w.FailingSince == nil || tx.Now.Sub(*w.FailingSince) < disableAfter) {
		return nil
	}

	before := w
	w.Status, w.DisabledReason = Disabled, new(DisabledFailing)
	if last.gone {
		w.DisabledReason = new(DisabledGone)
	}
	if err := webhooks.Save(ctx, tx, &w); err != nil {
		return err
	}
	tx.AfterCommit(func() { r.Log.Warn("a webhook was disabled", "webhook", webhookID, "reason", *w.DisabledReason) })
	return events.Emit(ctx, tx, "webhook.disabled", w.ID, events.Change{Before: before, After: w})
}
