package messages

import (
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
)

// Outgoing is a message that another feature sends, such as a campaign.
type Outgoing struct {
	Lead       leads.Lead
	Channel    consent.Channel
	Purpose    consent.Scope
	Subject    *string // of an email
	Body       string
	CampaignID string
	SentBy     *MessageSender
	LeadPlanID string
	KeepsQuiet bool // a transactional text message waits for quiet hours too, because no person sends it
}

// Verdict is what the send check decides about an outgoing message.
type Verdict struct {
	Address     string
	AddressHash []byte
	Code        string    // why it can't be sent, or ""
	Reason      string    // the code in words
	QuietUntil  time.Time // when the recipient's quiet hours end, if it can't be sent before
}

// verdict returns a decision in words.
func (d decision) verdict(t attempt, m LeadMessage) Verdict {
	return Verdict{Address: t.recipient, AddressHash: m.AddressHash, Code: d.code, Reason: blockedWords[d.code], QuietUntil: d.hold}
}

// message returns the message, due now.
func (o Outgoing) message(now time.Time) LeadMessage {
	m := LeadMessageSend{Channel: o.Channel, Purpose: o.Purpose, Subject: o.Subject, Body: o.Body}.message(o.Lead, now)
	m.SentBy = o.SentBy
	if o.CampaignID != "" {
		m.CampaignID = &o.CampaignID
	}
	if o.LeadPlanID != "" {
		m.LeadPlanID = &o.LeadPlanID
	}
	return m
}

// CheckAll returns what the send check decides now about messages of one channel. It only reads, in a
// few queries for all of them.
func (a *API) CheckAll(ctx context.Context, tx *db.Tx, all []Outgoing, to map[string]contacts.Contact) ([]Verdict, error) {
	if len(all) == 0 {
		return nil, nil
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	drafts := make([]*LeadMessage, len(all))
	for i, o := range all {
		drafts[i] = new(o.message(tx.Now))
	}
	attempts, err := a.attempts(ctx, tx, d, to, drafts)
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, len(all))
	for i, t := range attempts {
		verdicts[i] = check(t).verdict(t, *drafts[i])
	}
	return verdicts, nil
}

// Queue queues a message if it passes the send check and the recipient has no quiet hours. Otherwise it
// stores nothing, and the verdict says why.
func (a *API) Queue(ctx context.Context, tx *db.Tx, o Outgoing) (LeadMessage, Verdict, error) {
	m := o.message(tx.Now)
	t, _, err := a.gather(ctx, tx, &m, tx.Now)
	if err != nil {
		return m, Verdict{}, err
	}
	t.notice = o.KeepsQuiet
	d := check(t)
	v := d.verdict(t, m)
	if d.code != "" || !d.hold.IsZero() {
		return m, v, nil
	}
	err = a.enqueue(ctx, tx, &m)
	return m, v, err
}

// AddressHash returns the keyed hash of an address, as a verdict has it.
func AddressHash(tx *db.Tx, address string) []byte { return consent.Hash(tx, tx.Env, address) }

// Text returns the body as it is sent.
func (o Outgoing) Text() string {
	return LeadMessageSend{Channel: o.Channel, Purpose: o.Purpose, Body: o.Body}.text()
}
