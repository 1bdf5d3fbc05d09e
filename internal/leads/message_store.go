package leads

import (
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

func findMessage(ctx context.Context, tx *db.Tx, id string) (LeadMessage, error) {
	m, err := db.One[LeadMessage](ctx, tx, `SELECT {cols} FROM messages WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return m, fault.NotFound("message", id)
	}
	return m, err
}

func insertMessage(ctx context.Context, tx *db.Tx, m *LeadMessage) error {
	m.ID, m.Version, m.CreatedAt, m.UpdatedAt = tx.NewID("msg"), 1, tx.Now, tx.Now
	return db.Insert(ctx, tx, "messages", *m)
}

// saveMessage writes a changed message and tells the lead's event.
func saveMessage(ctx context.Context, tx *db.Tx, before LeadMessage, m *LeadMessage, event string) error {
	if err := updateMessage(ctx, tx, before, m); err != nil {
		return err
	}
	return events.Emit(ctx, tx, event, m.LeadID, before, *m)
}

func updateMessage(ctx context.Context, tx *db.Tx, before LeadMessage, m *LeadMessage) error {
	m.Version, m.UpdatedAt = before.Version+1, tx.Now
	return db.Changed(db.Update(ctx, tx, "messages", m, "env = ? AND id = ? AND version = ?", m.Env, m.ID, before.Version))
}

// insertBlocked keeps a message that the gate refused, and the entry that
// somebody tried.
func insertBlocked(ctx context.Context, tx *db.Tx, m *LeadMessage, code string) error {
	m.block(code)
	if err := insertMessage(ctx, tx, m); err != nil {
		return err
	}
	return audit.Fail(ctx, tx, "lead.message_blocked", "lead", m.LeadID, audit.Diff(nil, *m))
}

// gather finds out everything that decides whether a message may go out at a
// time, and fills in whom it goes to and from.
func (a *API) gather(ctx context.Context, tx *db.Tx, m *LeadMessage, at time.Time) (attempt, dealership.Dealership, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return attempt{}, d, err
	}
	c, err := contacts.FindForUpdate(ctx, tx, m.ContactID)
	if err != nil {
		return attempt{}, d, err
	}
	t := attempt{channel: m.Channel, purpose: *m.Purpose, at: at, quiet: quietOf(d.Settings.QuietHours), answers: m.Automatic}
	// An answer goes to where the question came from, anything else to where the contact is now.
	if t.recipient = addressOf(c, m.Channel); m.Automatic {
		t.recipient = deref(m.To)
	}
	t.sender = a.senderOf(d, m.Channel)
	m.From = orNil(t.sender)
	if c.ErasedAt != nil {
		m.forget() // the attempt is kept, not what it says
	}
	if t.recipient == "" {
		m.To = nil
		return t, d, nil
	}
	m.To, m.AddressHash = &t.recipient, consent.Hash(tx, m.Env, t.recipient)
	t.zones = zonesOf(c, t.recipient, d)
	if t.standing, err = consent.StandingOf(ctx, tx, m.AddressHash, m.Channel, *m.Purpose); err != nil {
		return t, d, err
	}
	m.ConsentID = t.standing.ConsentID
	if t.doubtful, err = waitsForReview(ctx, tx, m.AddressHash); err != nil {
		return t, d, err
	}
	t.postal, err = postalAddress(ctx, tx, d)
	return t, d, err
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// senderOf is whom a message comes from.
func (a *API) senderOf(d dealership.Dealership, channel consent.Channel) string {
	switch {
	case channel == consent.Email && d.Settings.Sender.Email != nil:
		return *d.Settings.Sender.Email
	case channel == consent.Email:
		return a.MailFrom
	case d.Settings.Sender.SMS != nil:
		return *d.Settings.Sender.SMS
	}
	return a.SMSFrom
}

// postalAddress is the dealership's, or else that of its first location with
// one.
func postalAddress(ctx context.Context, tx *db.Tx, d dealership.Dealership) (string, error) {
	if d.PostalAddress != nil {
		return oneLine(d.PostalAddress), nil
	}
	l, err := dealership.FirstAddressed(ctx, tx)
	return oneLine(l.Address), err
}

// waitsForReview reports whether a message from an address waits to be read.
func waitsForReview(ctx context.Context, tx *db.Tx, hash []byte) (bool, error) {
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM messages WHERE env = ? AND address_hash = ? AND needs_review`, tx.Env, hash)
	return n > 0, err
}

// reviewed notes that a person has read what the lead wrote.
func reviewed(ctx context.Context, tx *db.Tx, l Lead) error {
	_, err := db.Exec(ctx, tx, `UPDATE messages SET needs_review = ?, version = version + 1, updated_at = ? WHERE env = ? AND lead_id = ? AND needs_review`,
		false, tx.Now, l.Env, l.ID)
	return err
}

// received returns a message that the provider has told of before.
func received(ctx context.Context, tx *db.Tx, n LeadMessageReceive) (LeadMessage, bool, error) {
	if n.ProviderMessageID == nil {
		return LeadMessage{}, false, nil
	}
	all, err := db.All[LeadMessage](ctx, tx, `SELECT {cols} FROM messages WHERE env = ? AND channel = ? AND provider_message_id = ? AND direction = 'inbound'`,
		tx.Env, n.Channel, *n.ProviderMessageID)
	if err != nil || len(all) == 0 {
		return LeadMessage{}, false, err
	}
	return all[0], true, nil
}

// lastTo is the body of the last message that went out to an address, "" if
// there is none.
func lastTo(ctx context.Context, tx *db.Tx, hash []byte) (string, error) {
	all, err := db.All[*string](ctx, tx, `SELECT body FROM messages WHERE env = ? AND address_hash = ? AND direction = 'outbound' AND status IN ('sent', 'delivered')
		ORDER BY id DESC LIMIT 1`, tx.Env, hash)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return deref(all[0]), nil
}
