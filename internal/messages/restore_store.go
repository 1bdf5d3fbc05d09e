package messages

import (
	"context"

	"slipway/internal/consent"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/null"
)

// sendLink answers an email that asks for messages again with a link that restores the
// consent of its address. The owner of the address must open it, because the sender of
// an email can be forged. An address gets one link a day, and none if there is nothing
// to restore.
func (a *API) sendLink(ctx context.Context, tx *db.Tx, d dealership.Dealership, m LeadMessage) error {
	if isYes(m.Channel, *m.Body) {
		return nil
	}
	again, err := restorable(ctx, tx, m)
	if err != nil || len(again) == 0 {
		return err
	}
	recent, err := db.All[int](ctx, tx, `SELECT 1 FROM messages WHERE env = ? AND address_hash = ? AND link_expires_at IS NOT NULL
		AND status <> 'blocked' AND id >= ? LIMIT 1`, tx.Env, m.AddressHash, id.Floor("msg", tx.Now.Add(-replyEvery)))
	if err != nil || len(recent) > 0 {
		return err
	}
	return a.reply(ctx, tx, m, answer{body: linkText(d), link: new(tx.Now.Add(linkLife))})
}

// restorable returns the consents of a message's address that its owner can restore now.
func restorable(ctx context.Context, tx *db.Tx, m LeadMessage) ([]consent.Consent, error) {
	records, err := consent.ListOfAddress(ctx, tx, m.AddressHash, m.Channel)
	return consent.Restore(records, m.Channel, tx.Now), err
}

// endLinks ends the links of an address. A new opt-out is later than an earlier request.
func endLinks(ctx context.Context, tx *db.Tx, hash []byte) error {
	_, err := db.Exec(ctx, tx, `UPDATE messages SET link_expires_at = ? WHERE env = ? AND address_hash = ? AND link_expires_at > ?`,
		tx.Now, tx.Env, hash, tx.Now)
	return err
}

// useLink records the consents that a link restores, once, and returns them.
func useLink(ctx context.Context, tx *db.Tx, messageID string) ([]consent.Consent, error) {
	m, err := messages.FindForUpdate(ctx, tx, messageID)
	if err != nil {
		return nil, err
	}
	if !m.canRestore(tx.Now) {
		return nil, noLink()
	}
	again, err := restorable(ctx, tx, m)
	if err != nil {
		return nil, err
	}

	request := auth.RequestFrom(ctx)
	for _, c := range again {
		c.ContactID, c.LeadID, c.CapturedAt = m.ContactID, &m.LeadID, tx.Now
		c.Bindings = []consent.ConsentBinding{{Channel: m.Channel, Address: *m.To}}
		c.Source, c.Method, c.SourceURL = new("email"), new("link"), new(linkTo(tx, restorePath, m))
		c.IP, c.UserAgent = null.From(request.IP), null.From(request.UserAgent)
		c.Evidence["message_id"], c.Evidence["request_id"] = m.ID, null.Text(m.ReplyToID)
		if err := consent.Append(ctx, tx, &c); err != nil {
			return nil, err
		}
	}

	m.LinkUsedAt = &tx.Now
	if err := messages.Save(ctx, tx, &m); err != nil {
		return nil, err
	}
	// The person has answered what a user would have asked.
	_, err = db.Exec(ctx, tx, `UPDATE messages SET needs_review = ?, version = version + 1, updated_at = ? WHERE env = ? AND address_hash = ?
		AND intent = 'start' AND needs_review`, false, tx.Now, tx.Env, m.AddressHash)
	return again, err
}
