package appointments

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// Holder lets the appointments of a contact follow a merge, an export or an
// erasure.
func Holder() contacts.Holder {
	return contacts.Holder{Move: move, Export: export, Erase: erase}
}

func listByContact(ctx context.Context, tx *db.Tx, contactID string) ([]Appointment, error) {
	all, err := db.All[Appointment](ctx, tx, `SELECT {cols} FROM appointments WHERE env = ? AND contact_id = ? ORDER BY id`,
		tx.Env, contactID)
	for i := range all {
		all[i].derive()
	}
	return all, err
}

func move(ctx context.Context, tx *db.Tx, from, to string) error {
	all, err := listByContact(ctx, tx, from)
	if err != nil {
		return err
	}
	for _, a := range all {
		before := a
		a.ContactID = to
		if err := save(ctx, tx, before, &a, "appointment.updated"); err != nil {
			return err
		}
	}
	return nil
}

func export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := listByContact(ctx, tx, contactID)
	return map[string]any{"appointments": all}, err
}

// erase removes the text about a contact from the appointments, and cancels those
// to come. The holder of messages has blocked the reminders.
func erase(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := listByContact(ctx, tx, contactID)
	if err != nil {
		return err
	}
	for _, a := range all {
		if err := events.Redact(ctx, tx, a.ID); err != nil {
			return err
		}
		event := "appointment.updated"
		if a.Status == Scheduled {
			event = "appointment.canceled"
		}
		a.erase(tx.Now)
		if err := save(ctx, tx, a, &a, event); err != nil { // without the old values
			return err
		}
	}
	return nil
}
