package leads

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// Holder tells the contacts what is kept here of them.
func (a *API) Holder() contacts.Holder {
	return contacts.Holder{Move: moveLeads, Export: exportLeads, Erase: eraseLeads}
}

func ofContact(ctx context.Context, tx *db.Tx, contactID string) ([]Lead, error) {
	all, err := db.All[Lead](ctx, tx, `SELECT {cols} FROM leads WHERE env = ? AND contact_id = ? ORDER BY id`, tx.Env, contactID)
	for i := range all {
		all[i].derive(tx.Now)
	}
	return all, err
}

func moveLeads(ctx context.Context, tx *db.Tx, from, to string) error {
	all, err := ofContact(ctx, tx, from)
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
	_, err = db.Exec(ctx, tx, `UPDATE messages SET contact_id = ?, version = version + 1, updated_at = ? WHERE env = ? AND contact_id = ?`, to, tx.Now, tx.Env, from)
	return err
}

func exportLeads(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error) {
	all, err := ofContact(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	assignments, signals := []LeadAssignment{}, []LeadSignal{}
	for _, l := range all {
		a, err := db.All[LeadAssignment](ctx, tx, `SELECT {cols} FROM lead_assignments WHERE env = ? AND lead_id = ? ORDER BY id`, tx.Env, l.ID)
		if err != nil {
			return nil, err
		}
		s, err := db.All[LeadSignal](ctx, tx, `SELECT {cols} FROM lead_signals WHERE env = ? AND lead_id = ? ORDER BY id`, tx.Env, l.ID)
		if err != nil {
			return nil, err
		}
		assignments, signals = append(assignments, a...), append(signals, s...)
	}
	messages, err := db.All[LeadMessage](ctx, tx, `SELECT {cols} FROM messages WHERE env = ? AND contact_id = ? ORDER BY id`, tx.Env, contactID)
	return map[string]any{"leads": all, "assignments": assignments, "signals": signals, "messages": messages}, err
}

// eraseLeads forgets what the leads of a contact wrote and were sent. Messages
// that wait are called off, and open leads are closed: there is nobody left to
// sell to.
func eraseLeads(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := ofContact(ctx, tx, contactID)
	if err != nil {
		return err
	}
	if err := eraseMessages(ctx, tx, contactID); err != nil {
		return err
	}
	for _, l := range all {
		if err := events.Redact(ctx, tx, l.ID); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `UPDATE lead_signals SET source = NULL WHERE env = ? AND lead_id = ?`, tx.Env, l.ID); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `UPDATE lead_assignments SET reason = NULL WHERE env = ? AND lead_id = ?`, tx.Env, l.ID); err != nil {
			return err
		}
		before, event := l, "lead.updated"
		l.forget()
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

func eraseMessages(ctx context.Context, tx *db.Tx, contactID string) error {
	if _, err := db.Exec(ctx, tx, `UPDATE messages SET status = 'blocked', block_reason = ?, scheduled_for = NULL
		WHERE env = ? AND contact_id = ? AND status IN ('queued', 'scheduled')`, recipientInvalid, tx.Env, contactID); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `UPDATE messages SET to_address = NULL, from_address = NULL, subject = NULL, body = NULL, error_message = NULL, provider_message_id = NULL,
		needs_review = ?, version = version + 1, updated_at = ? WHERE env = ? AND contact_id = ?`, false, tx.Now, tx.Env, contactID)
	return err
}
