package messages

import (
	"context"
	"log/slog"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
)

// API serves the messages of leads.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Box      *seal.Box
	Log      *slog.Logger
	Mail     mail.Sender
	Blobs    *blobs.Files
	MailFrom string // for dealerships that set no sender
	SMS      sms.Sender
	SMSFrom  string // for dealerships that set no sender
}

// Hooks are what messages call in features that depend on them.
type Hooks struct {
	// Settled is called after a notice was sent, blocked or failed, in the same
	// transaction. A notice that might have been sent has no result until a user decides.
	Settled func(ctx context.Context, tx *db.Tx, m LeadMessage) error
	// Planned returns the appointments of a lead that a message can be about.
	Planned func(ctx context.Context, tx *db.Tx, leadID string) ([]Planned, error)
	// BoatPage returns the URL of a boat on the dealer's website, or "".
	BoatPage func(ctx context.Context, tx *db.Tx, h hulls.Hull) (string, error)
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints, the pages and the hooks.
func (a *API) Mount(r *rest.Router) {
	a.document(r)
	r = r.Family(family.Leads)
	rest.Get(r, rest.Route{
		Path: "/leads/{lead_id}/messages", ID: "listLeadMessages", Needs: read,
		Summary: "List the messages of a lead",
		Text:    "Returns sent, received, scheduled and blocked messages of the lead. Newest first.",
		Assist:  assist.Read,
	}, a.messages)
	rest.PostAccepted(r, rest.Route{
		Path: "/leads/{lead_id}/messages", ID: "sendLeadMessage", Needs: write,
		Summary: "Send a text message or an email",
		Text: "Slipway checks each message before it is accepted and again before it is sent. " +
			"The recipient must have a valid address and a consent of the same scope that is not revoked or expired, " +
			"and for a marketing text message a consent with the basis `express_written` and a `consent_text`. " +
			"An answer needs no permission: a transactional message can be sent for three months to someone who wrote from the address, or sent a form with a message and the address. " +
			"Also, " +
			"no message from the recipient can be waiting for review if the new one is marketing. " +
			"If a check fails, the response is 422 with the reason as the code in `details`, and the message is stored as blocked. " +
			"A marketing text message in the recipient's quiet hours is held until they end. If you set `send_at` to a time in quiet hours, " +
			"the message is blocked. " +
			"Slipway adds an opt-out notice to marketing text messages, " +
			"and the dealership's postal address and an unsubscribe link to marketing email.",
		Assist: assist.Propose,
		Effect: rest.Describe(a.sendEffect),
	}, a.send)
	rest.PostCreated(r, rest.Route{
		Path: "/leads/{lead_id}/inbound_messages", ID: "receiveLeadMessage", Needs: write,
		Summary: "Record an inbound message",
		Text: "STOP, similar keywords and phrases such as \"please stop texting me\" immediately revoke all consents of the sender's address. Slipway sends one confirmation. " +
			"START restores the consents that were revoked, and nothing else. YES gives consent if the last message asked for it. " +
			"By email, both give no consent, because the sender of an email can be forged. They set `needs_review`. " +
			"START by email sends a link to the address, once a day, that restores what the person revoked. " +
			"HELP is answered automatically, once a day, if the sender is the contact or has received a message before. A message that might be an opt-out sets `needs_review` and pauses " +
			"marketing messages until a user has read it.",
		Assist:    assist.Never(assist.Consents),
		NoIfMatch: true, Urgent: true,
	}, a.receive)

	rest.Get(r.Preview("2026-11-17"), rest.Route{
		Path: "/leads/{lead_id}/reach", ID: "getLeadReach", Needs: read,
		Summary: "Check how you can reach a lead",
		Text: "Returns what the send check would decide about a message that you send now, for text messages and email, and each purpose. " +
			"It sends and stores nothing. `sendLeadMessage` checks again, because the answer can change.",
		Assist: assist.Read,
	}, a.reach)
	rest.PostOK(r.Preview("2026-11-16"), rest.Route{
		Path: "/inbound_messages", ID: "receiveMessage", Needs: write,
		Summary: "Record a message by its sender",
		Text: "Use it if your provider has no hook in Slipway. The message belongs to the lead that last exchanged messages with the sender. " +
			"If the sender is unknown, a contact and a lead are created, or the message waits in quarantine if too many new senders wrote in the same hour. An opt-out always takes effect, also for an unknown sender.",
		Assist: assist.Never(assist.Consents),
		Urgent: true,
	}, a.receiveByNumber)
	a.mountUnknown(r.Preview("2026-11-18"))
	a.mountMessaging(r.Preview("2026-11-18"))
	a.mountQuarantine(r.Preview("2026-11-18"))
	r.HandleForm(unsubscribePath+"*", a.pages())
	r.HandleForm(restorePath+"*", a.restorePages())
	a.mountHooks(r)
}

func (a *API) messages(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	page.Query
}) (page.Page[LeadMessage], error) {
	if _, err := leads.Find(ctx, tx, in.LeadID); err != nil {
		return page.Page[LeadMessage]{}, err
	}
	return listByLead(ctx, tx, in.LeadID, in.Query)
}

func (a *API) send(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	Body LeadMessageSend
}) (LeadMessage, error) {
	l, err := leads.Find(ctx, tx, in.LeadID)
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
	by := auth.From(ctx).Actor
	m.SentBy = &MessageSender{Type: by.Type, ID: by.ID, Label: by.Label}
	at := tx.Now
	if m.ScheduledFor != nil {
		at = *m.ScheduledFor
	}
	t, _, err := a.gather(ctx, tx, &m, at)
	if err != nil {
		return m, err
	}
	t.chosen = in.Body.SendAt != nil
	d := check(t)
	if d.code != "" {
		if err := insertBlocked(ctx, tx, &m, d.code); err != nil {
			return m, err
		}
		return m, db.Committed(d.fault(m.ID))
	}
	if !d.hold.IsZero() {
		m.hold(d.hold, in.Body.ExpiresAt != nil)
	}

	worked := leads.Touch
	if m.isAnswer() {
		worked = leads.Answer
	}
	if err := worked(ctx, tx, l); err != nil {
		return m, err
	}
	err = a.enqueue(ctx, tx, &m)
	return m, err
}

// enqueue stores a message that passed the send check, and the job that sends it.
func (a *API) enqueue(ctx context.Context, tx *db.Tx, m *LeadMessage) error {
	if m.isText() {
		m.Segments = new(sms.Segments(*m.Body))
	}
	if err := messages.Insert(ctx, tx, m); err != nil {
		return err
	}
	at := tx.Now
	if m.ScheduledFor != nil {
		at = *m.ScheduledFor
	}
	if err := a.Jobs.Enqueue(ctx, tx, SendMessage{m.Env, m.ID, rest.Approved(ctx), m.Channel}, at); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "lead.message_queued", m.LeadID, events.Change{After: *m})
}

func (a *API) receive(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	Body LeadMessageReceive
}) (LeadMessage, error) {
	// Lock the address first, like the hooks, which find the lead by it. Of two concurrent STOPs,
	// the second must see the first.
	from, _ := contacts.ParseAddress(in.Body.Channel, in.Body.From) // Check validates it
	hash := consent.Hash(tx, tx.Env, from)
	if err := consent.Lock(ctx, tx, hash); err != nil {
		return LeadMessage{}, err
	}
	l, err := leads.FindForUpdate(ctx, tx, in.LeadID)
	if err != nil {
		return LeadMessage{}, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return LeadMessage{}, err
	}
	c, err := contacts.FindForUpdate(ctx, tx, l.ContactID)
	if err != nil {
		return LeadMessage{}, err
	}

	m := in.Body.message(l, from, tx.Now)
	m.AddressHash = hash
	last, err := lastBodyTo(ctx, tx, m.AddressHash)
	if err != nil {
		return m, err
	}
	m.Intent = new(classify(m.Channel, *m.Body, invites(last)))

	stored, repeated, err := findReceived(ctx, tx, m)
	if err != nil || repeated && *m.Intent != stop {
		return stored, err
	}
	if repeated {
		if revoked, err := consent.IsRevoked(ctx, tx, m.AddressHash, m.Channel); err != nil || revoked {
			return stored, err
		}
		m.ProviderMessageID = nil // a new STOP with an ID that is already used
	}
	return a.process(ctx, tx, conversation{l, c, last}, m)
}

// conversation is what an inbound message belongs to. Last is the last message to the
// sender.
type conversation struct {
	lead    leads.Lead
	contact contacts.Contact
	last    string
}

// process stores an inbound message and acts on its intent. A YES agrees to the last
// message of the conversation.
func (a *API) process(ctx context.Context, tx *db.Tx, in conversation, m LeadMessage) (LeadMessage, error) {
	l, c := in.lead, in.contact
	if c.ErasedAt != nil {
		err := processErased(ctx, tx, &m)
		return m, err
	}

	records, err := consent.ListOfAddress(ctx, tx, m.AddressHash, m.Channel)
	if err != nil {
		return m, err
	}
	m.NeedsReview = needsReading(m.Channel, *m.Intent, consent.IsRevokedByStaff(records, m.Channel, tx.Now))
	if err := messages.Insert(ctx, tx, &m); err != nil {
		return m, err
	}
	if err := leads.RecordMessage(ctx, tx, l, leads.Received{At: *m.ReceivedAt, NeedsReview: m.NeedsReview, OptsOut: *m.Intent == stop}); err != nil {
		return m, err
	}
	if err := events.Emit(ctx, tx, "lead.message_received", l.ID, events.Change{After: m}); err != nil {
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
		if !canConsent(m.Channel) {
			return m, a.sendLink(ctx, tx, d, m)
		}
		return m, m.start(ctx, tx, in.last)
	case help:
		if ok, err := canReply(ctx, tx, c, m); err != nil || !ok {
			return m, err
		}
		return m, a.reply(ctx, tx, m, answer{body: helpText(d, null.Text(d.Settings.Sender.SMS))})
	}
	if m.isText() {
		return m, consent.AppendInquiry(ctx, tx, m.inquiry())
	}
	return m, nil
}

// processErased honors the opt-out of an erased contact. It stores no personal
// data and sends no reply.
func processErased(ctx context.Context, tx *db.Tx, m *LeadMessage) error {
	m.erase()
	if err := messages.Insert(ctx, tx, m); err != nil {
		return err
	}
	if err := events.Emit(ctx, tx, "lead.message_received", m.LeadID, events.Change{After: *m}); err != nil || *m.Intent != stop {
		return err
	}
	return consent.AppendHashed(ctx, tx, m.record(consent.Revoked), m.AddressHash)
}

// stop revokes all consents of the sender's address and confirms it. It does
// nothing if they are already revoked.
func (a *API) stop(ctx context.Context, tx *db.Tx, d dealership.Dealership, m LeadMessage) error {
	if err := endLinks(ctx, tx, m.AddressHash); err != nil {
		return err
	}
	revoked, err := consent.IsRevoked(ctx, tx, m.AddressHash, m.Channel)
	if err != nil || revoked {
		return err
	}
	record := m.record(consent.Revoked)
	if err := consent.Append(ctx, tx, record); err != nil {
		return err
	}
	return a.reply(ctx, tx, m, answer{body: confirmation(d, m.Channel), confirms: &record.ID})
}

// inquiry returns the consent record of a text message that the dealership can answer.
func (m LeadMessage) inquiry() consent.Consent {
	c := m.record(consent.Granted)
	c.CapturedAt, c.Source, c.Method, c.RawText = *m.ReceivedAt, new("text_message"), new("message"), nil
	return *c
}

// record returns the consent record of a message that gives or revokes consent.
func (m LeadMessage) record(d consent.Direction) *consent.Consent {
	c := &consent.Consent{
		ContactID: m.ContactID, LeadID: &m.LeadID, Direction: d, Channels: []consent.Channel{m.Channel}, Scope: consent.All,
		CapturedAt: m.CreatedAt, Source: new("text_keyword"), Method: new("reply"), RawText: m.Body, Evidence: map[string]any{"message_id": m.ID},
		ByPerson: d == consent.Revoked,
	}
	if m.From != nil { // not erased
		c.Bindings = []consent.ConsentBinding{{Channel: m.Channel, Address: *m.From}}
	}
	if m.Channel == consent.Email {
		c.Source = new("email")
	}
	return c
}

// start records the consent of a START, which restores what the person revoked, or of
// a YES, which agrees to the message that asked for it. If a user recorded the
// opt-out, YES gives none, because it can be the answer to an earlier question.
func (m LeadMessage) start(ctx context.Context, tx *db.Tx, last string) error {
	if !isYes(m.Channel, *m.Body) {
		return restore(ctx, tx, m)
	}
	if m.NeedsReview {
		return nil
	}
	c := m.record(consent.Granted)
	c.Basis, c.ConsentText = new(consent.ExpressWritten), &last
	return consent.Append(ctx, tx, c)
}

// answer is an automatic reply.
type answer struct {
	body     string
	confirms *string    // the revocation that it confirms, or nil
	link     *time.Time // when its link to restore consent expires, or nil for no link
}

// reply sends the automatic reply to STOP, START or HELP.
func (a *API) reply(ctx context.Context, tx *db.Tx, to LeadMessage, with answer) error {
	m := LeadMessage{
		Env: to.Env, LeadID: to.LeadID, ContactID: to.ContactID, Channel: to.Channel, Direction: Outbound,
		Purpose: new(consent.Transactional), Automatic: true,
		To: to.From, Body: &with.body, Status: Queued, ReplyToID: &to.ID, ConfirmsID: with.confirms, LinkExpiresAt: with.link,
		ExpiresAt: new(tx.Now.Add(defaultExpiry)),
	}
	if m.Channel == consent.Email {
		m.Subject = new("Your request")
		if s := null.Text(to.Subject); s != "" {
			m.Subject = new("Re: " + s)
		}
	}

	t, _, err := a.gather(ctx, tx, &m, tx.Now)
	if err != nil {
		return err
	}
	if d := check(t); d.code != "" {
		return insertBlocked(ctx, tx, &m, d.code)
	}
	return a.enqueue(ctx, tx, &m)
}
