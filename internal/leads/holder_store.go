package leads

import (
	"context"
	"slices"

	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/privacy"
)

// Holder lets the leads of a contact follow a merge, an export or an erasure.
func Holder() contacts.Holder {
	return contacts.Holder{Move: moveLeads, Export: exportLeads, Erase: eraseLeads}
}

func listByContact(ctx context.Context, tx *db.Tx, contactID string) ([]Lead, error) {
	all, err := db.All[Lead](ctx, tx, `SELECT {cols} FROM leads WHERE env = ? AND contact_id = ? ORDER BY id`, tx.Env, contactID)
	for i := range all {
		all[i].derive(tx.Now)
	}
	return all, err
}

// IDsOf returns the IDs of the leads of a contact.
func IDsOf(ctx context.Context, tx *db.Tx, contactID string) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM leads WHERE env = ? AND contact_id = ? ORDER BY id`, tx.Env, contactID)
}

// NewestOf returns the ID of the newest lead of a contact that is not lost, then of
// the newest lost one, or "".
func NewestOf(ctx context.Context, tx *db.Tx, contactID string) (id string, lost bool, err error) {
	all, err := listByContact(ctx, tx, contactID)
	for _, l := range slices.Backward(all) {
		if l.Status != Lost {
			return l.ID, false, err
		}
		if id == "" {
			id, lost = l.ID, true
		}
	}
	return id, lost, err
}

func moveLeads(ctx context.Context, tx *db.Tx, from, to string) error {
	all, err := listByContact(ctx, tx, from)
	if err != nil {
		return err
	}
	for _, l := range all {
		before := l
		l.ContactID = to
		if err := save(ctx, tx, before, &l, "lead.updated"); err != nil {
			return err
		}
	}
	return nil
}

func exportLeads(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := listByContact(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	history, actions := []LeadAssignment{}, []LeadSignal{}
	for _, l := range all {
		a, err := db.All[LeadAssignment](ctx, tx, `SELECT {cols} FROM lead_assignments WHERE env = ? AND lead_id = ? ORDER BY id`, tx.Env, l.ID)
		if err != nil {
			return nil, err
		}
		s, err := db.All[LeadSignal](ctx, tx, `SELECT {cols} FROM lead_signals WHERE env = ? AND lead_id = ? ORDER BY id`, tx.Env, l.ID)
		if err != nil {
			return nil, err
		}
		history, actions = append(history, a...), append(actions, s...)
	}
	return map[string]any{"leads": all, "assignments": history, "signals": actions}, nil
}

// eraseLeads removes the personal data from the leads of a contact and closes
// the open ones.
func eraseLeads(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := listByContact(ctx, tx, contactID)
	if err != nil {
		return err
	}
	for _, l := range all {
		if err := events.Redact(ctx, tx, l.ID); err != nil {
			return err
		}
		of := func(table string) db.Rows { return db.Rows{Table: table, Where: "lead_id = ?", Args: []any{l.ID}} }
		if err := db.Erase[LeadSignal](ctx, tx, of("lead_signals"), false); err != nil {
			return err
		}
		if err := db.Erase[LeadAssignment](ctx, tx, of("lead_assignments"), false); err != nil {
			return err
		}

		privacy.Erase(&l, false)
		before, event := l, "lead.updated" // without the old values
		l.NeedsReview = false
		if l.Status.isOpen() {
			event = "lead.lost"
			l.Status, l.LostReason = Lost, new("contact erased")
		}
		if err := save(ctx, tx, before, &l, event); err != nil {
			return err
		}
	}
	return nil
}
