package leads

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
)

// Snooze takes a lead off the list of leads that wait for an answer.
func Snooze(ctx context.Context, tx *db.Tx, leadID string, body LeadSnooze) (Lead, error) {
	return rest.Change(ctx, tx, Find, leadID, func(before Lead, l *Lead) error {
		if err := body.apply(l, tx.Now); err != nil {
			return err
		}
		return save(ctx, tx, before, l, "lead.updated")
	})
}

// Wake puts a lead on the list again.
func Wake(ctx context.Context, tx *db.Tx, leadID string) (Lead, error) {
	return rest.Change(ctx, tx, Find, leadID, func(before Lead, l *Lead) error {
		if err := l.wake(tx.Now); err != nil {
			return err
		}
		return save(ctx, tx, before, l, "lead.updated")
	})
}
