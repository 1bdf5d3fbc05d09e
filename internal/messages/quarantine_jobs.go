package messages

import (
	"context"

	"slipway/internal/platform/db"
)

// EmptyQuarantine is the job that deletes messages that waited in quarantine for 30 days, and forgets
// which messages providers reported before.
type EmptyQuarantine struct{}

// Kind is the job kind.
func (EmptyQuarantine) Kind() string { return "empty_quarantine" }

// EmptyQuarantine deletes what is older than its retention.
func (a *API) EmptyQuarantine(ctx context.Context, _ EmptyQuarantine) error {
	_, err := db.Write(ctx, a.DB, deleteExpired)
	return err
}
