package messages

import (
	"context"
	"fmt"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// claimReceived records that a message was reported. It returns false if it was
// reported before, by any request to any server. A concurrent report waits.
func claimReceived(ctx context.Context, tx *db.Tx, in incoming) (bool, error) {
	mark := site.Of(tx).MAC(fmt.Appendf(nil, "received/%d/%s/%s/%s", tx.Env, in.channel, in.from, in.id))
	n, err := db.Exec(ctx, tx, `INSERT INTO received_messages (env, id_hash, received_at) VALUES (?, ?, ?)
		ON CONFLICT (env, id_hash) DO NOTHING`, tx.Env, mark, tx.Now)
	return n > 0, err
}

// receiveIncoming records a message that a provider reports, once. The sender's
// address is locked, so messages from it are handled one after the other.
func (a *API) receiveIncoming(ctx context.Context, tx *db.Tx, in incoming) (r received, err error) {
	hash := consent.Hash(tx, tx.Env, in.from)
	if err := consent.Lock(ctx, tx, hash); err != nil {
		return r, err
	}
	last, err := lastBodyTo(ctx, tx, hash)
	if err != nil {
		return r, err
	}
	r.Intent = classify(in.channel, in.text, invites(last))

	isNew, err := claimReceived(ctx, tx, in)
	r.Repeated = !isNew
	if err != nil {
		return r, err
	}
	if !isNew && (in.channel == consent.SMS || r.Intent != stop) {
		return r, nil
	}
	if !isNew { // the sender of an email chooses its ID, so it must not hide an opt-out
		if revoked, err := consent.IsRevoked(ctx, tx, hash, in.channel); err != nil || revoked {
			return r, err
		}
	}

	r, err = a.place(ctx, tx, arrival{in, r.Intent, last, isNew})
	r.Repeated = !isNew
	return r, err
}

// place adds a message to its lead. A message without a lead creates one, unless too many
// new senders wrote in this hour.
func (a *API) place(ctx context.Context, tx *db.Tx, in arrival) (received, error) {
	inquiry, err := inquiryIn(ctx, tx, in)
	if err != nil {
		return received{}, err
	}
	if inquiry != nil {
		return placeInquiry(ctx, tx, in, *inquiry)
	}

	r := received{Intent: in.meaning}
	hash := consent.Hash(tx, tx.Env, in.from)
	leadID, err := findConversation(ctx, tx, in.incoming, hash, in.meaning)
	if err != nil {
		return r, err
	}
	if leadID == "" && in.isReport() {
		return r, nil
	}
	if leadID == "" && in.meaning == stop {
		return r, stopWithoutLead(ctx, tx, in.incoming, hash)
	}
	if leadID == "" && in.receivedAt.IsZero() {
		if r.Quarantined, err = quarantine(ctx, tx, in.incoming, hash); err != nil || r.Quarantined {
			return r, err
		}
	}

	if leadID == "" {
		l, err := leads.Create(ctx, tx, in.lead())
		if err != nil {
			return r, err
		}
		leadID, r.CreatedLead = l.ID, true
	}
	r.LeadID = &leadID
	r.MessageID, err = a.receiveFor(ctx, tx, leadID, in)
	return r, err
}

// arrival is a message from a provider.
type arrival struct {
	incoming
	meaning intent
	last    string // the last message to the sender
	isNew   bool   // the provider sends it for the first time
}

// receiveFor records a message for a lead.
func (a *API) receiveFor(ctx context.Context, tx *db.Tx, leadID string, in arrival) (*string, error) {
	l, err := leads.FindForUpdate(ctx, tx, leadID)
	if err != nil {
		return nil, err
	}
	c, err := contacts.FindForUpdate(ctx, tx, l.ContactID)
	if err != nil {
		return nil, err
	}

	m := in.message(l)
	m.AddressHash, m.ReceivedAt = consent.Hash(tx, l.Env, in.from), &tx.Now
	if !in.receivedAt.IsZero() {
		m.ReceivedAt = &in.receivedAt
	}
	m.Intent = &in.meaning
	known, recorded, err := findReceived(ctx, tx, m) // by a client of the API
	if err != nil || recorded && in.meaning != stop {
		return &known.ID, err
	}
	if recorded || !in.isNew {
		m.ProviderMessageID = nil
	}
	m, err = a.process(ctx, tx, conversation{l, c, in.last}, m)
	return &m.ID, err
}

// findConversation returns the ID of the lead that a message belongs to, or "". It
// is the lead of the email that the message replies to, then of the newest message
// between the two addresses, then of the newest message of the sender, then the
// newest lead of the sender's contact that is not lost. An opt-out doesn't need a
// new lead, so it also belongs to a lost lead or to that of an erased contact.
func findConversation(ctx context.Context, tx *db.Tx, in incoming, hash []byte, meaning intent) (string, error) {
	if in.inReplyTo != "" {
		m, err := messages.Find(ctx, tx, in.inReplyTo)
		if err == nil && m.To != nil {
			return m.LeadID, nil
		}
		if err != nil && fault.KindOf(err) != fault.KindNotFound {
			return "", err
		}
	}

	type exchanged struct {
		LeadID string  `db:"lead_id"`
		Own    *string `db:"own"`
		Erased bool    `db:"erased"`
	}
	all, err := db.All[exchanged](ctx, tx, `SELECT lead_id, CASE WHEN direction = 'inbound' THEN to_address ELSE from_address END AS own,
		body IS NULL AS erased FROM messages WHERE env = ? AND address_hash = ? AND channel = ? ORDER BY id DESC LIMIT 100`,
		tx.Env, hash, in.channel)
	if err != nil {
		return "", err
	}
	newest, erased := "", ""
	for _, m := range all {
		switch {
		case m.Erased:
			erased = m.LeadID
		case null.Text(m.Own) == in.to:
			return m.LeadID, nil
		case newest == "":
			newest = m.LeadID
		}
	}
	if newest != "" {
		return newest, nil
	}

	c, known, err := contacts.FindByAddress(ctx, tx, in.channel, in.from)
	if err != nil {
		return "", err
	}
	if known {
		id, lost, err := leads.NewestOf(ctx, tx, c.ID)
		if err != nil || !lost || meaning == stop {
			return id, err
		}
	}
	if meaning == stop && !known {
		return erased, nil
	}
	return "", nil
}

// stopWithoutLead revokes the consent of an address that has no lead, unless it is
// already revoked.
func stopWithoutLead(ctx context.Context, tx *db.Tx, in incoming, hash []byte) error {
	if revoked, err := consent.IsRevoked(ctx, tx, hash, in.channel); err != nil || revoked {
		return err
	}
	c, err := contacts.FindOrCreate(ctx, tx, *in.contact())
	if err != nil {
		return err
	}
	record := in.revocation(c.ID)
	record.CapturedAt = tx.Now
	return consent.Append(ctx, tx, record)
}

// findSent returns the text message that the provider knows by an ID, or false.
func findSent(ctx context.Context, tx *db.Tx, id string) (LeadMessage, bool, error) {
	found, err := db.All[string](ctx, tx, `SELECT id FROM messages WHERE env = ? AND provider_message_id = ? AND direction = 'outbound'
		AND channel = 'sms' LIMIT 1`, tx.Env, id)
	if err != nil || len(found) == 0 {
		return LeadMessage{}, false, err
	}
	m, err := messages.FindForUpdate(ctx, tx, found[0])
	return m, err == nil, err
}
