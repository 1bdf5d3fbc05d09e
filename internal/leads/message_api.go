package leads

import (
	"context"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/page"
)

func (a *API) mountMessages(r *rest.Router) {
	rest.Get(r, "/leads/{lead_id}/messages", "listLeadMessages", read, "List messages sent and received", a.messages)
	rest.PostAccepted(r, "/leads/{lead_id}/messages", "sendLeadMessage", write, "Send an SMS or an email", a.send,
		rest.Describe("Every message passes a gate: a good address, a consent of that scope that is neither revoked nor expired, nothing from the recipient that waits to be read, and for marketing texts the recipient's quiet hours. "+
			"A refusal is 422 with the gate's code in `details`, and the attempt is kept as blocked. A marketing text outside the hours is held until they begin; one with a `send_at` outside them is refused. "+
			"Marketing texts get opt-out words, marketing email the dealership's address and a link to unsubscribe. The gate is passed again when the message goes out."),
		rest.Example(`{"channel": "sms", "purpose": "marketing", "body": "The Freedom 235 you looked at has a new price. Would Saturday suit you for a sea trial?"}`))
	rest.PostCreated(r, "/leads/{lead_id}/inbound_messages", "receiveLeadMessage", write, "Record an inbound message and honor opt-outs", a.receive, rest.NoIfMatch,
		rest.Describe("STOP and its like, and phrases such as \"please stop texting me\", revoke every consent of that address at once; one confirmation goes out. START consents again, HELP is answered. What may be an opt-out sets `needs_review` and pauses marketing until somebody has read it."),
		rest.Example(`{"channel": "sms", "from": "+14105550123", "body": "Please stop texting me", "provider_message_id": "SM5f0e"}`))
}

func (a *API) messages(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	page.Query
}) (page.Page[LeadMessage], error) {
	return listOf[LeadMessage](ctx, tx, "messages", "msg", in.LeadID, in.Query)
}

func (a *API) send(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadMessageSend
}) (LeadMessage, error) {
	l, err := Find(ctx, tx, in.LeadID)
	if err != nil {
		return LeadMessage{}, err
	}
	if err := rest.CheckIfMatch(ctx, l.Version); err != nil {
		return LeadMessage{}, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return LeadMessage{}, err
	}
	m := in.Body.message(l, tx.Now)
	at := tx.Now
	if m.ScheduledFor != nil {
		at = *m.ScheduledFor
	}
	t, _, err := a.gather(ctx, tx, &m, at)
	if err != nil {
		return m, err
	}
	t.asked = in.Body.SendAt != nil
	v := judge(t)
	if v.code != "" {
		if err := insertBlocked(ctx, tx, &m, v.code); err != nil {
			return m, err
		}
		return m, rest.CommitAndFail(v.fault(m.ID))
	}
	if !v.hold.IsZero() {
		m.hold(v.hold, in.Body.ExpiresAt != nil)
	}
	before := l
	l.touch(tx.Now)
	if err := update(ctx, tx, before, &l); err != nil {
		return m, err
	}
	return m, a.enqueue(ctx, tx, &m)
}

// enqueue keeps a message that passed the gate, and the job that sends it.
func (a *API) enqueue(ctx context.Context, tx *db.Tx, m *LeadMessage) error {
	if m.isText() {
		m.Segments = new(sms.Segments(*m.Body))
	}
	if err := insertMessage(ctx, tx, m); err != nil {
		return err
	}
	at := tx.Now
	if m.ScheduledFor != nil {
		at = *m.ScheduledFor
	}
	if err := a.Jobs.Enqueue(ctx, tx, SendMessage{m.Env, m.ID}, at); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "lead.message_queued", m.LeadID, nil, *m)
}

func (a *API) receive(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadMessageReceive
}) (LeadMessage, error) {
	l, err := findAlone(ctx, tx, in.LeadID)
	if err != nil {
		return LeadMessage{}, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return LeadMessage{}, err
	}
	if known, ok, err := received(ctx, tx, in.Body); err != nil || ok {
		return known, err
	}
	return a.take(ctx, tx, l, in.Body)
}

// take keeps a message that came in and does what it wants.
func (a *API) take(ctx context.Context, tx *db.Tx, l Lead, n LeadMessageReceive) (LeadMessage, error) {
	c, err := contacts.FindForUpdate(ctx, tx, l.ContactID)
	if err != nil {
		return LeadMessage{}, err
	}
	from, _ := addressOn(n.Channel, n.From) // checked
	m := LeadMessage{
		Env: l.Env, LeadID: l.ID, ContactID: l.ContactID, Channel: n.Channel, Direction: "inbound", To: n.To, From: &from, Subject: n.Subject, Body: &n.Body,
		Status: Received, ProviderMessageID: n.ProviderMessageID, ReceivedAt: new(past(n.ReceivedAt, tx.Now)), AddressHash: consent.Hash(tx, l.Env, from),
	}
	// Before anything is decided: of two STOPs at once, the second finds the first.
	if err := consent.Lock(ctx, tx, m.AddressHash); err != nil {
		return m, err
	}
	last, err := lastTo(ctx, tx, m.AddressHash)
	if err != nil {
		return m, err
	}
	m.Intent = new(understand(n.Channel, n.Body, invites(last)))
	m.NeedsReview = *m.Intent == unclear
	if c.ErasedAt != nil {
		return m, hearErased(ctx, tx, &m)
	}
	if err := insertMessage(ctx, tx, &m); err != nil {
		return m, err
	}
	before := l
	l.NeedsReview = l.NeedsReview || m.NeedsReview
	if err := update(ctx, tx, before, &l); err != nil {
		return m, err
	}
	if err := events.Emit(ctx, tx, "lead.message_received", l.ID, nil, m); err != nil {
		return m, err
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return m, err
	}
	switch *m.Intent {
	case stop:
		return m, a.stop(ctx, tx, d, m)
	case start:
		return m, consent.Append(ctx, tx, m.record(consent.Granted))
	case help:
		return m, a.answer(ctx, tx, m, identity(d, deref(d.Settings.Sender.SMS)), nil)
	}
	return m, nil
}

// hearErased honors what somebody wants who was erased, and keeps nothing of
// what they wrote. They are not answered: to us, there is nobody.
func hearErased(ctx context.Context, tx *db.Tx, m *LeadMessage) error {
	m.forget()
	if err := insertMessage(ctx, tx, m); err != nil {
		return err
	}
	if err := events.Emit(ctx, tx, "lead.message_received", m.LeadID, nil, *m); err != nil || *m.Intent != stop {
		return err
	}
	return consent.AppendHashed(ctx, tx, m.record(consent.Revoked), m.AddressHash)
}

// stop revokes everything that the sender's address agreed to, and confirms it
// once. Who has said so before is not told again.
func (a *API) stop(ctx context.Context, tx *db.Tx, d dealership.Dealership, m LeadMessage) error {
	revoked, err := consent.IsRevoked(ctx, tx, m.AddressHash, m.Channel)
	if err != nil || revoked {
		return err
	}
	record := m.record(consent.Revoked)
	if err := consent.Append(ctx, tx, record); err != nil {
		return err
	}
	return a.answer(ctx, tx, m, confirmation(d, m.Channel), &record.ID)
}

// record is the ledger's entry of a message that gives or takes consent.
func (m LeadMessage) record(d consent.Direction) *consent.Consent {
	c := &consent.Consent{
		ContactID: m.ContactID, LeadID: &m.LeadID, Direction: d, Channels: []consent.Channel{m.Channel}, Scope: consent.All,
		CapturedAt: m.CreatedAt, Source: new("text_keyword"), Method: new("reply"), RawText: m.Body, Evidence: map[string]any{"message_id": m.ID},
	}
	if m.From != nil { // not erased
		c.Bindings = []consent.ConsentBinding{{Channel: m.Channel, Address: *m.From}}
	}
	if m.Channel == consent.Email {
		c.Source = new("email")
	}
	if d == consent.Granted {
		c.Basis = new("express_written")
	}
	return c
}

// answer sends the one message that answers STOP or HELP.
func (a *API) answer(ctx context.Context, tx *db.Tx, to LeadMessage, body string, confirms *string) error {
	m := LeadMessage{
		Env: to.Env, LeadID: to.LeadID, ContactID: to.ContactID, Channel: to.Channel, Direction: "outbound", Purpose: new(consent.Transactional), Automatic: true,
		To: to.From, Body: &body, Status: Queued, ReplyToID: &to.ID, ConfirmsID: confirms, ExpiresAt: new(tx.Now.Add(staleAfter)),
	}
	if m.Channel == consent.Email {
		m.Subject = new("Your request")
		if s := deref(to.Subject); s != "" {
			m.Subject = new("Re: " + s)
		}
	}
	t, _, err := a.gather(ctx, tx, &m, tx.Now)
	if err != nil {
		return err
	}
	if v := judge(t); v.code != "" {
		return insertBlocked(ctx, tx, &m, v.code)
	}
	return a.enqueue(ctx, tx, &m)
}
