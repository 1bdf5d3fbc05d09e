package messages

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// keepFiles is how long the outbox folder keeps a message. It is as long as
// events are stored.
const keepFiles = 30 * 24 * time.Hour

// folder is a sender that writes messages to the outbox folder.
type folder interface {
	// Remove deletes the file of a message, if it exists.
	Remove(token string) error
	// Sweep deletes the files that were written before a time.
	Sweep(before time.Time) error
}

// folders returns the senders that write to the outbox folder.
func (a *API) folders() (found []folder) {
	for _, sender := range []any{a.Mail, a.SMS} {
		if f, ok := sender.(folder); ok {
			found = append(found, f)
		}
	}
	return found
}

// EraseOutbox is the job that deletes the messages to an erased contact from the
// outbox folder.
type EraseOutbox struct {
	Env       auth.Env `json:"env"`
	ContactID string   `json:"contact_id"`
}

// Kind is the job kind.
func (EraseOutbox) Kind() string { return "erase_outbox" }

// EraseOutbox deletes the files of all messages of the contact.
func (a *API) EraseOutbox(ctx context.Context, job EraseOutbox) error {
	ids, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return listIDsOfContact(ctx, tx, job.ContactID)
	})
	if err != nil {
		return err
	}
	for _, f := range a.folders() {
		for _, id := range ids {
			if err := f.Remove(id); err != nil {
				return err
			}
		}
	}
	return nil
}

type sweepOutbox struct{}

func (sweepOutbox) Kind() string { return "sweep_outbox" }

// sweep deletes old messages from the outbox folder.
func (a *API) sweep(context.Context, sweepOutbox) error {
	for _, f := range a.folders() {
		if err := f.Sweep(a.DB.Now().Add(-keepFiles)); err != nil {
			return err
		}
	}
	return nil
}
