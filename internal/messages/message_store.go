package messages

import (
	"cmp"
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

var messages = db.Table[LeadMessage]{Name: "messages", Prefix: "msg", Noun: "message"}

func listByLead(ctx context.Context, tx *db.Tx, leadID string, q page.Query) (page.Page[LeadMessage], error) {
	var w db.Where
	w.And("lead_id = ?", leadID)
	return messages.List(ctx, tx, q, &w)
}

// LastOf returns the last message of each lead that has one, by the ID of the lead.
func LastOf(ctx context.Context, tx *db.Tx, leadIDs []string) (map[string]LeadMessage, error) {
	found := map[string]LeadMessage{}
	if len(leadIDs) == 0 {
		return found, nil
	}
	marks, args := db.In(leadIDs)
	all, err := db.All[LeadMessage](ctx, tx, `SELECT {cols} FROM messages WHERE env = ? AND id IN
		(SELECT MAX(id) FROM messages WHERE env = ? AND lead_id IN `+marks+` GROUP BY lead_id)`, append([]any{tx.Env, tx.Env}, args...)...)
	for _, m := range all {
		found[m.LeadID] = m
	}
	return found, err
}

// save writes a changed message and emits the event of its lead.
func save(ctx context.Context, tx *db.Tx, before LeadMessage, m *LeadMessage, event string) error {
	if err := messages.Save(ctx, tx, m); err != nil {
		return err
	}
	if err := events.Emit(ctx, tx, event, m.LeadID, events.Change{Before: before, After: *m}); err != nil {
		return err
	}
	return settled(ctx, tx, *m)
}

// endLeases ends the leases of a node that has stopped. The jobs of these messages then
// find that they might have been sent.
func endLeases(ctx context.Context, tx *db.Tx, node string) error {
	_, err := db.Exec(ctx, tx, `UPDATE messages SET lease_until = ? WHERE env > 0 AND lease_until > ? AND lease_by = ?`, tx.Now, tx.Now, node)
	return err
}

// insertBlocked stores a message that failed the send check.
func insertBlocked(ctx context.Context, tx *db.Tx, m *LeadMessage, code string) error {
	m.block(code)
	if err := messages.Insert(ctx, tx, m); err != nil {
		return err
	}
	return events.EmitFailure(ctx, tx, "lead.message_blocked", m.LeadID, events.Change{After: *m})
}

// gather reads everything that decides whether a message can be sent at a time, and
// locks the contact. It sets the sender and the recipient of the message.
func (a *API) gather(ctx context.Context, tx *db.Tx, m *LeadMessage, at time.Time) (attempt, dealership.Dealership, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return attempt{}, d, err
	}
	c, err := contacts.FindForUpdate(ctx, tx, m.ContactID)
	if err != nil {
		return attempt{}, d, err
	}
	t, err := a.attempt(ctx, tx, d, c, m)
	t.at = at
	return t, d, err
}

// attempt does the same as gather for now and without a lock, so it only reads.
func (a *API) attempt(ctx context.Context, tx *db.Tx, d dealership.Dealership, c contacts.Contact, m *LeadMessage) (attempt, error) {
	all, err := a.attempts(ctx, tx, d, map[string]contacts.Contact{c.ID: c}, []*LeadMessage{m})
	if err != nil {
		return attempt{}, err
	}
	return all[0], nil
}

// senderOf returns the sender of a channel: the dealership's, or the default. An
// address that is not verified could belong to another dealership.
func (a *API) senderOf(d dealership.Dealership, channel consent.Channel) string {
	switch {
	case channel == consent.Email:
		return cmp.Or(d.Settings.Sender.VerifiedEmail(), a.MailFrom)
	case d.Settings.Sender.SMS != nil:
		return *d.Settings.Sender.SMS
	}
	return a.SMSFrom
}

// postalAddress returns the address of the dealership, or of its first location
// that has one.
func postalAddress(ctx context.Context, tx *db.Tx, d dealership.Dealership) (string, error) {
	if d.PostalAddress != nil {
		return oneLine(d.PostalAddress), nil
	}
	l, err := dealership.FirstAddressed(ctx, tx)
	return oneLine(l.Address), err
}

// hasInquired reports whether the recipient of an email asked something within the
// last months: with an email from the same address, or with the form that the lead
// came from.
func hasInquired(ctx context.Context, tx *db.Tx, m LeadMessage, c contacts.Contact) (bool, error) {
	if m.Channel != consent.Email || *m.Purpose != consent.Transactional {
		return false, nil
	}
	l, err := leads.Find(ctx, tx, m.LeadID)
	if err != nil || l.InquiredBy(m.Channel, null.Text(m.To), c, tx.Now) {
		return err == nil, err
	}
	last, err := db.All[time.Time](ctx, tx, `SELECT received_at FROM messages WHERE env = ? AND address_hash = ? AND direction = 'inbound'
		AND channel = 'email' AND received_at IS NOT NULL ORDER BY id DESC LIMIT 1`, tx.Env, m.AddressHash)
	return len(last) > 0 && consent.AfterInquiry(last[0]).After(tx.Now), err
}

// lastReceivedAt returns when the last message of a lead was received, or nil.
func lastReceivedAt(ctx context.Context, tx *db.Tx, leadID string) (*time.Time, error) {
	all, err := db.All[*time.Time](ctx, tx, `SELECT received_at FROM messages WHERE env = ? AND lead_id = ? AND direction = 'inbound'
		ORDER BY id DESC LIMIT 1`, tx.Env, leadID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// Review marks the messages of a lead as read.
func Review(ctx context.Context, tx *db.Tx, leadID string) error {
	_, err := db.Exec(ctx, tx, `UPDATE messages SET needs_review = ?, version = version + 1, updated_at = ? WHERE env = ? AND lead_id = ?
		AND needs_review`,
		false, tx.Now, tx.Env, leadID)
	return err
}

// restore records the consents again that were valid before they were revoked.
func restore(ctx context.Context, tx *db.Tx, m LeadMessage) error {
	records, err := consent.ListOfAddress(ctx, tx, m.AddressHash, m.Channel)
	if err != nil {
		return err
	}
	for _, again := range consent.Restore(records, m.Channel, tx.Now) {
		r := m.record(consent.Granted)
		r.Scope, r.Basis, r.PersonName, r.ExpiresAt = again.Scope, again.Basis, again.PersonName, again.ExpiresAt
		r.ConsentText, r.ConsentTextVersion = again.ConsentText, again.ConsentTextVersion
		r.Evidence["restores_id"] = again.Evidence["restores_id"]
		if err := consent.Append(ctx, tx, r); err != nil {
			return err
		}
	}
	return nil
}

// LocationOf returns the location that works the lead of a message, or "".
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	m, err := messages.Find(ctx, tx, id)
	if err != nil {
		return "", err
	}
	return leads.LocationOf(ctx, tx, m.LeadID)
}

// findReceived returns the inbound message of the lead with the same sender and
// provider_message_id.
func findReceived(ctx context.Context, tx *db.Tx, m LeadMessage) (LeadMessage, bool, error) {
	if m.ProviderMessageID == nil {
		return LeadMessage{}, false, nil
	}
	all, err := db.All[LeadMessage](ctx, tx, `SELECT {cols} FROM messages
		WHERE env = ? AND lead_id = ? AND channel = ? AND provider_message_id = ? AND address_hash = ? AND direction = 'inbound'`,
		tx.Env, m.LeadID, m.Channel, *m.ProviderMessageID, m.AddressHash)
	if err != nil || len(all) == 0 {
		return LeadMessage{}, false, err
	}
	return all[0], true, nil
}

// replyEvery is how often an address gets an automatic reply. An auto-responder
// can't cause an endless exchange, and a forged sender gets one message.
const replyEvery = 24 * time.Hour

// canReply reports whether HELP from an address is answered. The address must
// belong to the contact, or the dealership must have sent a message to it.
func canReply(ctx context.Context, tx *db.Tx, c contacts.Contact, m LeadMessage) (bool, error) {
	recent, err := db.All[int](ctx, tx, `SELECT 1 FROM messages WHERE env = ? AND address_hash = ? AND direction = 'outbound' AND automatic
		AND confirms_id IS NULL AND link_expires_at IS NULL AND status <> 'blocked' AND id >= ? LIMIT 1`,
		tx.Env, m.AddressHash, id.Floor("msg", tx.Now.Add(-replyEvery)))
	if err != nil || len(recent) > 0 {
		return false, err
	}
	if null.Text(m.From) == c.AddressOn(m.Channel) {
		return true, nil
	}
	sent, err := db.All[int](ctx, tx, `SELECT 1 FROM messages WHERE env = ? AND address_hash = ? AND direction = 'outbound' AND NOT automatic
		AND status IN ('sent', 'delivered') LIMIT 1`, tx.Env, m.AddressHash)
	return len(sent) > 0, err
}

// lastBodyTo returns the body of the last message that was sent to an address,
// or "" if there is none.
func lastBodyTo(ctx context.Context, tx *db.Tx, hash []byte) (string, error) {
	all, err := db.All[*string](ctx, tx, `SELECT body FROM messages WHERE env = ? AND address_hash = ? AND direction = 'outbound' AND status IN ('sent', 'delivered')
		ORDER BY id DESC LIMIT 1`, tx.Env, hash)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return null.Text(all[0]), nil
}

// listProviderIDs returns the provider's IDs that messages already have.
func listProviderIDs(ctx context.Context, tx *db.Tx, ids []string) ([]string, error) {
	marks, args := db.In(ids)
	return db.All[string](ctx, tx, `SELECT provider_message_id FROM messages
		WHERE env = ? AND direction = 'outbound' AND provider_message_id IN `+marks, append([]any{tx.Env}, args...)...)
}

// countWaiting returns the number of messages of a channel that are sent as soon as possible.
func countWaiting(ctx context.Context, tx *db.Tx, channel consent.Channel) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM messages WHERE env = ? AND status = 'queued' AND channel = ?`, tx.Env, channel)
}
