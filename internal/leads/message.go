package leads

import (
	"html/template"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/phone"
)

// MessageStatus is how far a message has come.
type MessageStatus string

// The statuses of a message.
const (
	Queued    MessageStatus = "queued"
	Scheduled MessageStatus = "scheduled"
	Blocked   MessageStatus = "blocked"
	Sent      MessageStatus = "sent"
	Delivered MessageStatus = "delivered"
	Failed    MessageStatus = "failed"
	Received  MessageStatus = "received"
)

// LeadMessage is a text or an email to or from a lead. What it says stays out
// of the audit log, which cannot forget.
type LeadMessage struct {
	Env               auth.Env        `json:"-" db:"env"`
	ID                string          `json:"id" db:"id" example:"msg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID            string          `json:"lead_id" db:"lead_id" example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactID         string          `json:"contact_id" db:"contact_id" example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Channel           consent.Channel `json:"channel" db:"channel" enum:"sms,email"`
	Direction         string          `json:"direction" db:"direction" enum:"outbound,inbound"`
	Purpose           *consent.Scope  `json:"purpose" db:"purpose" enum:"marketing,transactional" doc:"Null for a message that came in."`
	Automatic         bool            `json:"automatic" db:"automatic" doc:"Whether it answers STOP or HELP by itself."`
	To                *string         `json:"to" db:"to_address" audit:"-" example:"+14105550123"`
	From              *string         `json:"from" db:"from_address" audit:"-"`
	Subject           *string         `json:"subject" db:"subject" audit:"-"`
	Body              *string         `json:"body" db:"body" audit:"-" doc:"Null once the contact is erased."`
	Status            MessageStatus   `json:"status" db:"status" enum:"queued,scheduled,blocked,sent,delivered,failed,received"`
	BlockReason       *string         `json:"block_reason" db:"block_reason" doc:"Why it was not sent." example:"consent_missing"`
	Provider          *string         `json:"provider" db:"provider" doc:"What took it: smtp, twilio, or outbox, a folder of the server." example:"twilio"`
	ProviderMessageID *string         `json:"provider_message_id" db:"provider_message_id"`
	Segments          *int64          `json:"segments" db:"segments" doc:"How many texts it is billed as."`
	ConsentID         *string         `json:"consent_id" db:"consent_id" doc:"The record that allowed or forbade it."`
	ScheduledFor      *time.Time      `json:"scheduled_for" db:"scheduled_for"`
	ExpiresAt         *time.Time      `json:"expires_at" db:"expires_at" doc:"When it is too late to send it."`
	SentAt            *time.Time      `json:"sent_at" db:"sent_at"`
	DeliveredAt       *time.Time      `json:"delivered_at" db:"delivered_at"`
	FailedAt          *time.Time      `json:"failed_at" db:"failed_at"`
	ErrorCode         *string         `json:"error_code" db:"error_code" example:"expired"`
	ErrorMessage      *string         `json:"error_message" db:"error_message" audit:"-"`
	Attempts          int64           `json:"attempts" db:"attempts"`
	Intent            *intent         `json:"intent" db:"intent" enum:"stop,start,help,unclear,ordinary" doc:"What a message that came in was taken for."`
	NeedsReview       bool            `json:"needs_review" db:"needs_review" doc:"Whether a person must read it before marketing goes on."`
	ReplyToID         *string         `json:"reply_to_id" db:"reply_to_id" doc:"The message that it answers by itself."`
	ReceivedAt        *time.Time      `json:"received_at" db:"received_at"`
	Version           int64           `json:"version" db:"version"`
	CreatedAt         time.Time       `json:"created_at" db:"created_at"`
	UpdatedAt         time.Time       `json:"updated_at" db:"updated_at"`

	ConfirmsID  *string    `json:"-" db:"confirms_id"`  // the revocation that it confirms
	AddressHash []byte     `json:"-" db:"address_hash"` // of the other side
	LeaseUntil  *time.Time `json:"-" db:"lease_until"`  // while a worker is sending it
}

// Revision is the message's version.
func (m LeadMessage) Revision() int64 { return m.Version }

// waits reports whether the message has still to go out.
func (m LeadMessage) waits() bool { return m.Status == Queued || m.Status == Scheduled }

// isText tells a text from an email.
func (m LeadMessage) isText() bool { return m.Channel == consent.SMS }

// LeadMessageSend is a message to send.
type LeadMessageSend struct {
	Channel   consent.Channel `json:"channel" enum:"sms,email"`
	Purpose   consent.Scope   `json:"purpose" enum:"marketing,transactional"`
	Subject   *string         `json:"subject" required:"false" maxLength:"200" doc:"Needed for an email." example:"The Freedom 235 you looked at"`
	Body      string          `json:"body" minLength:"1" maxLength:"100000" doc:"Plain text; up to 1600 characters in a text message." example:"She is back from service. Would Saturday suit you for a sea trial?"`
	SendAt    *time.Time      `json:"send_at" required:"false" doc:"When to send it; now, or when the recipient's quiet hours are over, without it." example:"2026-12-01T15:00:00Z"`
	ExpiresAt *time.Time      `json:"expires_at" required:"false" doc:"When it is too late to send it: a day after it was due, without it."`
}

const (
	longestText = 1600                 // what Twilio takes
	staleAfter  = 24 * time.Hour       // how late a message may be, unless it says otherwise
	planAhead   = 366 * 24 * time.Hour // how far ahead one may be sent
)

// Check says what the schema cannot.
func (n LeadMessageSend) Check(now time.Time) error {
	var bad fault.Fields
	switch {
	case n.Channel == consent.Email && strings.TrimSpace(deref(n.Subject)) == "":
		bad.Add("subject", "required", "is required for an email")
	case n.Channel == consent.Email && strings.ContainsAny(*n.Subject, "\r\n"):
		bad.Add("subject", "pattern", "must be one line")
	case n.Channel == consent.SMS && n.Subject != nil:
		bad.Add("subject", "exclusive", "is only for an email")
	}
	switch {
	case strings.TrimSpace(n.Body) == "":
		bad.Add("body", "too_short", "must not be blank")
	case n.Channel == consent.SMS && len([]rune(n.text())) > longestText:
		bad.Add("body", "too_long", "must have at most %d characters in a text message, with the opt-out words of marketing", longestText)
	}
	due := now
	if n.SendAt != nil {
		due = *n.SendAt
		switch {
		case n.SendAt.Before(now.Add(-skew)):
			bad.Add("send_at", "minimum", "must not be in the past")
		case n.SendAt.After(now.Add(planAhead)):
			bad.Add("send_at", "maximum", "must be within a year")
		}
	}
	if n.ExpiresAt != nil && !n.ExpiresAt.After(due) {
		bad.Add("expires_at", "minimum", "must be after it is due")
	}
	return bad.Err()
}

// text is the body as it goes out.
func (n LeadMessageSend) text() string {
	if n.Purpose == consent.Marketing && n.Channel == consent.SMS {
		return withOptOut(n.Body)
	}
	return n.Body
}

// message makes the message, due now or when the caller said.
func (n LeadMessageSend) message(l Lead, now time.Time) LeadMessage {
	m := LeadMessage{
		Env: l.Env, LeadID: l.ID, ContactID: l.ContactID, Channel: n.Channel, Direction: "outbound", Purpose: &n.Purpose,
		Subject: n.Subject, Body: new(n.text()), Status: Queued,
	}
	due := now
	if n.SendAt != nil && n.SendAt.After(now) {
		due = n.SendAt.UTC().Truncate(time.Millisecond)
		m.Status, m.ScheduledFor = Scheduled, &due
	}
	m.ExpiresAt = new(due.Add(staleAfter))
	if n.ExpiresAt != nil {
		m.ExpiresAt = new(n.ExpiresAt.UTC().Truncate(time.Millisecond))
	}
	return m
}

// hold puts the message off. One that would expire meanwhile keeps as long
// from then as it had before, unless the caller said until when.
func (m *LeadMessage) hold(until time.Time, fixed bool) {
	m.Status, m.ScheduledFor = Scheduled, &until
	if !fixed && m.ExpiresAt.Before(until.Add(staleAfter)) {
		m.ExpiresAt = new(until.Add(staleAfter))
	}
}

// withOptOut adds the words that every marketing text needs, unless they are
// there.
func withOptOut(body string) string {
	if has(plain(body), "reply stop", "text stop", "answer stop") {
		return body
	}
	return strings.TrimRight(body, " \n") + " Reply STOP to opt out."
}

// forget takes out what tells who it was.
func (m *LeadMessage) forget() {
	m.To, m.From, m.Subject, m.Body, m.ProviderMessageID, m.ErrorMessage, m.NeedsReview = nil, nil, nil, nil, nil, nil, false
}

// block notes why the message does not go out.
func (m *LeadMessage) block(code string) {
	m.Status, m.BlockReason, m.ScheduledFor, m.LeaseUntil = Blocked, &code, nil, nil
}

// fail notes that the message will not arrive.
func (m *LeadMessage) fail(code, text string, now time.Time) {
	m.Status, m.ErrorCode, m.ErrorMessage, m.FailedAt, m.LeaseUntil = Failed, &code, &text, &now, nil
}

// sent notes that a provider took the message.
func (m *LeadMessage) sent(provider, id string, now time.Time) {
	m.Status, m.Provider, m.SentAt, m.LeaseUntil, m.ErrorCode, m.ErrorMessage = Sent, &provider, &now, nil, nil, nil
	if id != "" {
		m.ProviderMessageID = &id
	}
}

// LeadMessageReceive is a message that came in.
type LeadMessageReceive struct {
	Channel           consent.Channel `json:"channel" enum:"sms,email"`
	From              string          `json:"from" minLength:"1" maxLength:"254" doc:"The number or address that it came from." example:"+14105550123"`
	To                *string         `json:"to" required:"false" maxLength:"254"`
	Subject           *string         `json:"subject" required:"false" maxLength:"1000"`
	Body              string          `json:"body" maxLength:"100000" example:"Please stop texting me"`
	ReceivedAt        *time.Time      `json:"received_at" required:"false"`
	ProviderMessageID *string         `json:"provider_message_id" required:"false" minLength:"1" maxLength:"200" doc:"A repeat with the same id is the same message."`
}

// Check says what the schema cannot.
func (n LeadMessageReceive) Check(now time.Time) error {
	var bad fault.Fields
	if _, ok := addressOn(n.Channel, n.From); !ok && n.Channel != "" {
		bad.Add("from", "format", "must be %s", map[consent.Channel]string{consent.SMS: "a phone number", consent.Email: "an email address"}[n.Channel])
	}
	if n.ReceivedAt != nil && n.ReceivedAt.After(now.Add(skew)) {
		bad.Add("received_at", "maximum", "must not be in the future")
	}
	return bad.Err()
}

// addressOn normalizes an address of a channel.
func addressOn(channel consent.Channel, text string) (string, bool) {
	if channel == consent.Email {
		return contacts.Email(text)
	}
	return phone.Parse(text, "US")
}

// addressOf is where a contact is reached on a channel, "" if nowhere.
func addressOf(c contacts.Contact, channel consent.Channel) string {
	if c.ErasedAt != nil {
		return ""
	}
	if channel == consent.Email {
		return deref(c.Email)
	}
	return deref(c.Phone)
}

// zonesOf are the time zones that a contact may be in: the one it says, those
// of its number, or else the dealership's.
func zonesOf(c contacts.Contact, number string, d dealership.Dealership) []*time.Location {
	names := phone.Zones(number)
	if c.Timezone != nil {
		names = []string{*c.Timezone}
	}
	if len(names) == 0 {
		names = []string{d.Timezone}
	}
	var zones []*time.Location
	for _, name := range names {
		if zone, err := time.LoadLocation(name); err == nil {
			zones = append(zones, zone)
		}
	}
	if len(zones) == 0 {
		zones = append(zones, time.UTC)
	}
	return zones
}

// confirmation is the one answer to an opt-out.
func confirmation(d dealership.Dealership, channel consent.Channel) string {
	if channel == consent.Email {
		return "You are unsubscribed: " + d.Name + " will send you no more email. Write to us if that was a mistake."
	}
	return d.Name + ": You are unsubscribed and will get no more texts from us. Reply START to get them again."
}

// identity is the answer to HELP: who writes, and how to stop it.
func identity(d dealership.Dealership, number string) string {
	text := d.Name + ": This is our line for boat sales."
	if d.Settings.Sender.Email != nil {
		text += " Email us at " + *d.Settings.Sender.Email + "."
	}
	if number != "" {
		text += " Call us at " + number + "."
	}
	return text + " Reply STOP to opt out."
}

// letter is the HTML form of an email.
var letter = template.Must(template.New("letter").Parse(`<!doctype html>
<html><body style="font-family: sans-serif; line-height: 1.5">
{{range .Paragraphs}}<p>{{range $i, $line := .}}{{if $i}}<br>{{end}}{{$line}}{{end}}</p>
{{end}}{{with .Footer}}<hr>
<p style="color: #666; font-size: small">{{range $i, $line := .}}{{if $i}}<br>{{end}}{{$line}}{{end}}{{with $.Unsubscribe}}<br><a href="{{.}}">Unsubscribe</a>{{end}}</p>
{{end}}</body></html>
`))

// forms are an email's body as text and as HTML. Marketing says who sends it,
// from where, and how to end it.
func forms(body string, d dealership.Dealership, postal, unsubscribe string) (text, html string, err error) {
	data := struct {
		Paragraphs  [][]string
		Footer      []string
		Unsubscribe string
	}{Unsubscribe: unsubscribe}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n")), "\n\n") {
		data.Paragraphs = append(data.Paragraphs, strings.Split(paragraph, "\n"))
	}
	text = strings.TrimRight(body, " \n") + "\n"
	if unsubscribe != "" {
		data.Footer = []string{d.Name, postal}
		text += "\n-- \n" + d.Name + "\n" + postal + "\nUnsubscribe: " + unsubscribe + "\n"
	}
	var b strings.Builder
	err = letter.Execute(&b, data)
	return text, b.String(), err
}

// oneLine writes an address as it stands under an email.
func oneLine(a *dealership.Address) string {
	if a == nil {
		return ""
	}
	parts := []string{a.Line1, deref(a.Line2), a.City, strings.TrimSpace(deref(a.Region) + " " + deref(a.PostalCode)), a.Country}
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ", ")
}
