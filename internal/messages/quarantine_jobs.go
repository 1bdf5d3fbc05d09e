package messages

import (
	"context"

	"slipway/internal/platform/db"
)

// EmptyQuarantine is the job that deletes messages that waited in quarantine for 30 days.
type EmptyQuarantine struct{}

// Kind is the job kind.
func (EmptyQuarantine) Kind() string { return "empty_quarantine" }

// EmptyQuarantine deletes the messages whose time is over.
func (a *API) EmptyQuarantine(ctx context.Context, _ EmptyQuarantine) error {
	_, err := db.Write(ctx, a.DB, deleteExpired)
	return err
}
