package messages

import (
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/donotcall"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

// attempts reads what decides about messages of one channel to contacts, in a few queries for all of
// them. It sets their senders and recipients.
func (a *API) attempts(ctx context.Context, tx *db.Tx, d dealership.Dealership, to map[string]contacts.Contact, all []*LeadMessage,
) ([]attempt, error) {
	known, err := a.findFacts(ctx, tx, d, to, all)
	if err != nil {
		return nil, err
	}

	found := make([]attempt, len(all))
	for i, m := range all {
		c, t := to[m.ContactID], &found[i]
		*t = attempt{
			channel: m.Channel, purpose: *m.Purpose, at: tx.Now, quiet: parseQuietHours(d.Settings.QuietHours), automatic: m.Automatic, notice: m.Notice,
			recipient: null.Text(m.To), sender: null.Text(m.From),
		}
		if t.recipient == "" {
			continue
		}
		t.zones = zonesOf(c, t.recipient, d)
		t.standing = consent.Fold(known.consents[string(m.AddressHash)], m.Channel, t.purpose, tx.Now)
		m.ConsentID = t.standing.ConsentID
		if t.inquired, err = hasInquired(ctx, tx, *m, c); err != nil {
			return nil, err
		}
		if t.standing.Code != "" && t.answersInquiry() {
			m.ConsentID = nil // no record allowed it
		}
		t.unreviewed, t.postal = known.unreviewed[string(m.AddressHash)], known.postal
		t.listed = known.listed[t.recipient]
		t.capped = m.CampaignID != nil && m.ID == "" && known.sent[string(m.AddressHash)] >= d.Settings.CampaignMessagesPerWeek
	}
	return found, nil
}

// factsOf are what is known about the addresses of messages.
type addressFacts struct {
	consents   map[string][]consent.Consent // by the hash of the address
	unreviewed map[string]bool              // by the hash
	sent       map[string]int64             // marketing messages of the last week, by the hash
	listed     map[string]bool              // on a do-not-call list, by the number
	postal     string
}

// findFacts sets the addresses of messages and reads what is known about them.
func (a *API) findFacts(ctx context.Context, tx *db.Tx, d dealership.Dealership, to map[string]contacts.Contact, all []*LeadMessage,
) (f addressFacts, err error) {
	var hashes [][]byte
	var numbers []string
	counted := false
	for _, m := range all {
		c := to[m.ContactID]
		// A reply is sent to the address that the message came from, other messages to the contact's current address.
		recipient := c.AddressOn(m.Channel)
		if m.Automatic {
			recipient = null.Text(m.To)
		}
		m.From = null.From(a.senderOf(d, m.Channel))
		if c.ErasedAt != nil {
			m.erase() // only the attempt is stored
		}
		if m.To = null.From(recipient); recipient == "" {
			continue
		}
		m.AddressHash = consent.Hash(tx, m.Env, recipient)
		hashes = append(hashes, m.AddressHash)
		if m.Channel != consent.Email && *m.Purpose == consent.Marketing {
			numbers = append(numbers, recipient)
		}
		counted = counted || m.CampaignID != nil
	}
	if len(hashes) == 0 {
		return f, nil
	}

	if f.consents, err = consent.ListOfAddresses(ctx, tx, hashes, all[0].Channel); err != nil {
		return f, err
	}
	if f.unreviewed, err = needReview(ctx, tx, hashes); err != nil {
		return f, err
	}
	if f.listed, err = donotcall.Listed(ctx, tx, numbers); err != nil {
		return f, err
	}
	if counted {
		if f.sent, err = countMarketing(ctx, tx, hashes, tx.Now.AddDate(0, 0, -7)); err != nil {
			return f, err
		}
	}
	f.postal, err = postalAddress(ctx, tx, d)
	return f, err
}

// needReview returns the addresses with a message that needs review.
func needReview(ctx context.Context, tx *db.Tx, hashes [][]byte) (map[string]bool, error) {
	found := map[string]bool{}
	marks, args := db.In(hashes)
	all, err := db.All[addressCount](ctx, tx, `SELECT address_hash, COUNT(*) AS n FROM messages WHERE env = ? AND address_hash IN `+marks+
		` AND needs_review GROUP BY address_hash`, append([]any{tx.Env}, args...)...)
	for _, one := range all {
		found[string(one.AddressHash)] = true
	}
	return found, err
}

type addressCount struct {
	AddressHash []byte `db:"address_hash"`
	N           int64  `db:"n"`
}

// countMarketing counts the marketing messages to addresses since a time.
func countMarketing(ctx context.Context, tx *db.Tx, hashes [][]byte, since time.Time) (map[string]int64, error) {
	found := map[string]int64{}
	marks, args := db.In(hashes)
	all, err := db.All[addressCount](ctx, tx, `SELECT address_hash, COUNT(*) AS n FROM messages WHERE env = ? AND address_hash IN `+marks+
		` AND direction = 'outbound' AND purpose = 'marketing' AND status NOT IN ('blocked', 'failed') AND created_at > ? GROUP BY address_hash`,
		append(append([]any{tx.Env}, args...), since)...)
	for _, one := range all {
		found[string(one.AddressHash)] = one.N
	}
	return found, err
}
