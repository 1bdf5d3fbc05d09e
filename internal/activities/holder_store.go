package activities

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/privacy"
)

// Holder lets the activities of a contact follow a merge, an export or an erasure.
func Holder() contacts.Holder {
	return contacts.Holder{Move: move, Export: export, Erase: erase}
}

func listByObject(ctx context.Context, tx *db.Tx, objectID string) ([]Activity, error) {
	return db.All[Activity](ctx, tx, `SELECT {cols} FROM activities WHERE env = ? AND object_id = ? ORDER BY id`, tx.Env, objectID)
}

// ofContact returns the activities on a contact, its leads and its deals.
func ofContact(ctx context.Context, tx *db.Tx, contactID string) ([]Activity, error) {
	objects, err := deals.ObjectsOf(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}

	all := []Activity{}
	for _, id := range objects {
		found, err := listByObject(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// move moves the activities on a contact. Those on its leads and deals stay there.
func move(ctx context.Context, tx *db.Tx, from, to string) error {
	all, err := listByObject(ctx, tx, from)
	if err != nil {
		return err
	}
	for _, a := range all {
		before := a
		a.ObjectID = to
		if err := save(ctx, tx, before, &a); err != nil {
			return err
		}
	}
	return nil
}

func export(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := ofContact(ctx, tx, contactID)
	return map[string]any{"activities": all}, err
}

// erase removes the text of the activities, and from their events.
func erase(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := ofContact(ctx, tx, contactID)
	if err != nil {
		return err
	}
	for _, a := range all {
		if err := events.Redact(ctx, tx, a.ID); err != nil {
			return err
		}
		privacy.Erase(&a, false)
		if err := save(ctx, tx, a, &a); err != nil { // without the old values
			return err
		}
	}
	return nil
}
