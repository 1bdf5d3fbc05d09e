// Package messages sends text messages and email to leads, and receives them.
package messages

import (
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/leads"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/phone"
	"slipway/internal/vocab/privacy"
)

// MessageStatus is the status of a message.
type MessageStatus string

// The statuses of a message.
const (
	Queued    MessageStatus = "queued"
	Scheduled MessageStatus = "scheduled"
	Blocked   MessageStatus = "blocked"
	Sent      MessageStatus = "sent"
	Delivered MessageStatus = "delivered"
	Failed    MessageStatus = "failed"
	Unknown   MessageStatus = "unknown" // it might have been sent, and a user decides
	Received  MessageStatus = "received"
)

var messageStatuses = enum.Of("MessageStatus", "Progress of a message. A blocked message is never sent. An unknown one might have been sent.",
	Queued, Scheduled, Blocked, Sent, Delivered, Failed, Unknown, Received)

func (MessageStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return messageStatuses.Describe(s)
}

// A message has a narrower set of channels and purposes than a consent.
var (
	_ = enum.Part[LeadMessage]("Channel", "MessageChannel", "Text message or email.")
	_ = enum.Part[LeadMessage]("Purpose", "MessagePurpose", "Whether a message advertises, or answers and informs.")
)

// LeadMessage is a text message or an email to or from a lead. Its text and
// addresses are excluded from the audit log because the log can't be erased.
type LeadMessage struct {
	_ struct{} `doc:"A text message or an email to or from a lead." columns:"created_at direction channel status body / id from to purpose block_reason"`

	Env               auth.Env             `json:"-" db:"env"`
	ID                string               `json:"id" db:"id" doc:"Identifies the message. Starts with msg_." example:"msg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID            string               `json:"lead_id" db:"lead_id" doc:"Lead that the message belongs to." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactID         string               `json:"contact_id" db:"contact_id" doc:"Contact who sent or receives the message." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Channel           consent.Channel      `json:"channel" db:"channel" enum:"sms,email" doc:"Whether it is a text message or an email."`
	Direction         Direction            `json:"direction" db:"direction" doc:"Whether the dealership sent (outbound) or received (inbound) the message."`
	Purpose           *consent.Scope       `json:"purpose" db:"purpose" enum:"marketing,transactional" doc:"Null for an inbound message."`
	Automatic         bool                 `json:"automatic" db:"automatic" doc:"Whether it is the automatic reply to STOP or HELP."`
	To                *string              `json:"to" db:"to_address" doc:"Phone number or email address of the recipient. Null if unknown, or after the contact is erased." example:"+14105550123"`
	From              *string              `json:"from" db:"from_address" doc:"Phone number or email address of the sender. Null if unknown, or after the contact is erased."`
	Subject           *string              `json:"subject" db:"subject" doc:"Subject of an email. Null for a text message, or after the contact is erased."`
	Body              *string              `json:"body" db:"body" doc:"Text of the message, with the notices that Slipway added. Null after the contact is erased."`
	Status            MessageStatus        `json:"status" db:"status" since:"next unknown=queued" doc:"Progress of the message. blocked means that a check failed, and the message is never sent. unknown means that the provider received the message, or might have, and didn't answer. Slipway doesn't send it again until a user decides."`
	BlockReason       *string              `json:"block_reason" db:"block_reason" privacy:"plain" doc:"Code of the reason why the message was blocked. Null unless the status is blocked." example:"consent_missing"`
	Provider          *string              `json:"provider" db:"provider" privacy:"plain" doc:"Provider that accepted the message: smtp, twilio, or outbox for the outbox folder of the server. Null until then." example:"twilio"`
	ProviderMessageID *string              `json:"provider_message_id" db:"provider_message_id" doc:"ID of the message at the provider. Null if there is none." privacy:"personal"`
	Segments          *int64               `json:"segments" db:"segments" doc:"Number of SMS segments. Providers bill by segment. Null for email."`
	ConsentID         *string              `json:"consent_id" db:"consent_id" doc:"Consent record that allowed or blocked the message."`
	ScheduledFor      *time.Time           `json:"scheduled_for" db:"scheduled_for" doc:"When the message is due. Null if it is sent immediately."`
	ExpiresAt         *time.Time           `json:"expires_at" db:"expires_at" doc:"When the message expires if it is not sent."`
	SentAt            *time.Time           `json:"sent_at" db:"sent_at" doc:"When the provider accepted the message. Null until then."`
	DeliveredAt       *time.Time           `json:"delivered_at" db:"delivered_at" doc:"When the provider reported the delivery. Null until then."`
	FailedAt          *time.Time           `json:"failed_at" db:"failed_at" doc:"When the message failed. Null unless the status is failed."`
	ErrorCode         *string              `json:"error_code" db:"error_code" privacy:"plain" doc:"Code of the last error, of Slipway or of the provider. Null if there is none." example:"expired"`
	ErrorMessage      *string              `json:"error_message" db:"error_message" doc:"Explains the error code. Null if there is no error."`
	Attempts          int64                `json:"attempts" db:"attempts" doc:"How often Slipway has tried to send the message."`
	Intent            *intent              `json:"intent" db:"intent" doc:"Detected intent of an inbound message. Null for an outbound message."`
	NeedsReview       bool                 `json:"needs_review" db:"needs_review" doc:"Whether a user must read the message before marketing messages are sent again."`
	ReplyToID         *string              `json:"reply_to_id" db:"reply_to_id" doc:"Message that this one replies to automatically. Null unless it is an automatic reply."`
	ReceivedAt        *time.Time           `json:"received_at" db:"received_at" doc:"When an inbound message was received. Null for an outbound message."`
	Authentication    *EmailAuthentication `json:"authentication" db:"authentication,json" doc:"What the mail provider found out about the sender of a received email. Null if it reported nothing, and for other messages." since:"next"`
	SenderVerified    *bool                `json:"sender_verified" db:"sender_verified" doc:"Whether DMARC proves that a received email is from its address. If false, anyone can have written it. Null for a text message, an outbound message, and a message that was received before Slipway stored this." since:"next"`
	SentBy            *MessageSender       `json:"sent_by" db:"sent_by,json" doc:"User, API key or app that sent the message. Null for an inbound or automatic message, for a reminder, and for a message that was sent before Slipway stored this." since:"next"`
	CampaignID        *string              `json:"campaign_id" db:"campaign_id" doc:"Campaign that sent the message. Null if none did." example:"cmp_01jcqz8t5n8m2x4v6b7c9d0e1f" since:"next"`
	LeadPlanID        *string              `json:"lead_plan_id" db:"lead_plan_id" doc:"Follow-up plan of the lead that sent the message. Null if none did." example:"lpn_01jcqz8t5n8m2x4v6b7c9d0e1f" since:"next"`
	Version           int64                `json:"version" db:"version" doc:"Number of the current version."`
	CreatedAt         time.Time            `json:"created_at" db:"created_at" doc:"When the message was stored."`
	UpdatedAt         time.Time            `json:"updated_at" db:"updated_at" doc:"When the status of the message last changed."`

	ConfirmsID  *string    `json:"-" db:"confirms_id"`  // the revocation that the message confirms
	AddressHash []byte     `json:"-" db:"address_hash"` // of the lead's address
	LeaseUntil  *time.Time `json:"-" db:"lease_until"`  // while a worker is sending it
	LeaseBy     *string    `json:"-" db:"lease_by"`     // the node of the worker
	Notice      bool       `json:"-" db:"notice"`       // another feature sent it; see Notify

	LinkExpiresAt *time.Time `json:"-" db:"link_expires_at"` // of the link to restore consent in the email
	LinkUsedAt    *time.Time `json:"-" db:"link_used_at"`
}

// Direction is whether the dealership sent or received a message.
type Direction string

// The values.
const (
	Outbound Direction = "outbound"
	Inbound  Direction = "inbound"
)

var allDirections = enum.Of("MessageDirection", "Whether the dealership sent (outbound) or received (inbound) a message.",
	Outbound, Inbound)

func (Direction) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDirections.Describe(s)
}

// Revision is the version, for the ETag.
func (m LeadMessage) Revision() int64 { return m.Version }

// isPending reports whether the message is waiting to be sent.
func (m LeadMessage) isPending() bool { return m.Status == Queued || m.Status == Scheduled }

// isSending reports whether a node is sending the message. Others might have given the node
// up in the meantime, because they didn't hear from it.
func (m LeadMessage) isSending(node string) bool {
	late := m.Status == Unknown && null.Text(m.ErrorCode) == interrupted && null.Text(m.LeaseBy) == node
	return m.isPending() || late
}

// MessageSender is who sent a message.
type MessageSender struct {
	_ struct{} `doc:"Who sent a message: a user, an API key or an app." privacy:"plain" nullable:"true"`

	Type  auth.ActorType `json:"type" doc:"Type of the sender."`
	ID    string         `json:"id" doc:"ID of the sender." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Label string         `json:"label" doc:"Name of the sender at that time." example:"Ann Lee"`
}

// isAnswer reports whether a person answered with the message. Offers that a program sends to
// many leads are no answers.
func (m LeadMessage) isAnswer() bool {
	return m.SentBy != nil && m.CampaignID == nil && (*m.Purpose == consent.Transactional || m.SentBy.Type == auth.ActorUser)
}

// isText reports whether it is a text message, not an email.
func (m LeadMessage) isText() bool { return m.Channel == consent.SMS }

// LeadMessageSend is the body to send a message.
type LeadMessageSend struct {
	_ struct{} `doc:"A message to send."`

	Channel   consent.Channel `json:"channel" enum:"sms,email" doc:"Whether it is a text message or an email."`
	Purpose   consent.Scope   `json:"purpose" enum:"marketing,transactional" doc:"Whether the message advertises (marketing) or answers and informs (transactional). It decides which consent is required."`
	Subject   *string         `json:"subject" required:"false" maxLength:"200" doc:"Required for email." example:"The Freedom 235 you looked at"`
	Body      string          `json:"body" minLength:"1" maxLength:"100000" doc:"Plain text. At most 1600 characters in a text message." example:"She is back from service. Would Saturday suit you for a sea trial?"`
	SendAt    *time.Time      `json:"send_at" required:"false" doc:"When to send the message. Defaults to now, or to the end of the recipient's quiet hours." example:"2026-12-01T15:00:00Z"`
	ExpiresAt *time.Time      `json:"expires_at" required:"false" doc:"When the message expires if it is not sent. Defaults to 24 hours after it is due."`
}

var _ = enum.Variants[LeadMessageSend]("channel",
	enum.Variant{Value: "sms", Name: "TextMessageSend", Doc: "A text message to send."},
	enum.Variant{Value: "email", Name: "EmailSend", Doc: "An email to send.", Sets: []string{"subject"}},
)

const (
	maxTextLength = 1600                 // limit of Twilio
	defaultExpiry = 24 * time.Hour       // after the message is due
	maxAhead      = 366 * 24 * time.Hour // limit of send_at
)

// Check validates what the schema can't express.
func (n LeadMessageSend) Check(now time.Time) error {
	var bad fault.Fields
	switch {
	case n.Channel == consent.Email && strings.TrimSpace(null.Text(n.Subject)) == "":
		bad.Add("subject", "required", "is required for email")
	case n.Channel == consent.Email && strings.ContainsAny(*n.Subject, "\r\n"):
		bad.Add("subject", "pattern", "must be a single line")
	case n.Channel == consent.SMS && n.Subject != nil:
		bad.Add("subject", "exclusive", "is only allowed for email")
	}

	switch {
	case strings.TrimSpace(n.Body) == "":
		bad.Add("body", "too_short", "must not be blank")
	case n.Channel == consent.SMS && len([]rune(n.text())) > maxTextLength:
		bad.Add("body", "too_long", "must have at most %d characters in a text message, including the opt-out notice of a marketing message",
			maxTextLength)
	}

	due := now
	if n.SendAt != nil {
		due = *n.SendAt
		switch {
		case n.SendAt.Before(now.Add(-leads.ClockSkew)):
			bad.Add("send_at", "minimum", "must not be in the past")
		case n.SendAt.After(now.Add(maxAhead)):
			bad.Add("send_at", "maximum", "must be within a year")
		}
	}

	if n.ExpiresAt != nil && !n.ExpiresAt.After(due) {
		bad.Add("expires_at", "minimum", "must be after the time that the message is due")
	}
	return bad.Err()
}

// text returns the body as it is sent.
func (n LeadMessageSend) text() string {
	if n.Purpose == consent.Marketing && n.Channel == consent.SMS {
		return withOptOut(n.Body)
	}
	return n.Body
}

// message returns the message, due now or at send_at.
func (n LeadMessageSend) message(l leads.Lead, now time.Time) LeadMessage {
	m := LeadMessage{
		Env: l.Env, LeadID: l.ID, ContactID: l.ContactID, Channel: n.Channel, Direction: Outbound, Purpose: &n.Purpose,
		Subject: n.Subject, Body: new(n.text()), Status: Queued,
	}
	due := now
	if n.SendAt != nil && n.SendAt.After(now) {
		due = n.SendAt.UTC().Truncate(time.Millisecond)
		m.Status, m.ScheduledFor = Scheduled, &due
	}
	m.ExpiresAt = new(due.Add(defaultExpiry))
	if n.ExpiresAt != nil {
		m.ExpiresAt = new(n.ExpiresAt.UTC().Truncate(time.Millisecond))
	}
	return m
}

// hold delays the message. The default expiry moves with it; an expiry that the
// caller chose is fixed.
func (m *LeadMessage) hold(until time.Time, fixed bool) {
	m.Status, m.ScheduledFor = Scheduled, &until
	if !fixed && m.ExpiresAt.Before(until.Add(defaultExpiry)) {
		m.ExpiresAt = new(until.Add(defaultExpiry))
	}
}

// withOptOut adds the opt-out notice that each marketing text message needs,
// unless the body contains one.
func withOptOut(body string) string {
	if has(plain(body), "reply stop", "text stop", "answer stop") {
		return body
	}
	return strings.TrimRight(body, " \n") + " Reply STOP to opt out."
}

// erase removes the personal data.
func (m *LeadMessage) erase() {
	privacy.Erase(m, false)
	m.NeedsReview = false
}

// block records why the message is not sent.
func (m *LeadMessage) block(code string) {
	m.Status, m.BlockReason, m.ScheduledFor, m.LeaseUntil = Blocked, &code, nil, nil
}

// fail records that the message can't be delivered.
func (m *LeadMessage) fail(code, text string, now time.Time) {
	m.Status, m.ErrorCode, m.ErrorMessage, m.FailedAt, m.LeaseUntil = Failed, &code, &text, &now, nil
}

// doubt records that the message might have been sent.
func (m *LeadMessage) doubt(code, text string) {
	m.Status, m.ErrorCode, m.ErrorMessage, m.LeaseUntil = Unknown, &code, &text, nil
}

// sent records that a provider accepted the message.
func (m *LeadMessage) sent(provider, id string, now time.Time) {
	m.Status, m.Provider, m.SentAt, m.LeaseUntil, m.ErrorCode, m.ErrorMessage = Sent, &provider, &now, nil, nil, nil
	if id != "" {
		m.ProviderMessageID = &id
	}
}

// LeadMessageReceive is the body to record an inbound message.
type LeadMessageReceive struct {
	_ struct{} `doc:"A message that the dealership has received."`

	Channel           consent.Channel      `json:"channel" enum:"sms,email" doc:"Whether it is a text message or an email."`
	From              string               `json:"from" minLength:"1" maxLength:"254" doc:"Phone number or email address of the sender." example:"+14105550123"`
	To                *string              `json:"to" required:"false" maxLength:"254" doc:"Phone number or email address of the dealership that received the message."`
	Subject           *string              `json:"subject" required:"false" maxLength:"1000" doc:"Subject of an email."`
	Body              string               `json:"body" maxLength:"100000" doc:"Text of the message. Slipway checks it for opt-outs." example:"Please stop texting me"`
	ReceivedAt        *time.Time           `json:"received_at" required:"false" doc:"When the message was received. Defaults to the current time."`
	Authentication    *EmailAuthentication `json:"authentication" required:"false" doc:"What your mail provider found out about the sender of an email. Without it, the sender is not verified." since:"next"`
	ProviderMessageID *string              `json:"provider_message_id" required:"false" minLength:"1" maxLength:"200" doc:"A repeated request with the same ID, sender and lead returns the stored message. An opt-out always takes effect."`
}

// Check validates what the schema can't express.
func (n LeadMessageReceive) Check(now time.Time) error {
	var bad fault.Fields
	if _, ok := contacts.ParseAddress(n.Channel, n.From); !ok && n.Channel != "" {
		bad.Add("from", "format", "must be %s",
			map[consent.Channel]string{consent.SMS: "a phone number", consent.Email: "an email address"}[n.Channel])
	}
	if n.ReceivedAt != nil && n.ReceivedAt.After(now.Add(leads.ClockSkew)) {
		bad.Add("received_at", "maximum", "must not be in the future")
	}
	n.Authentication.check(&bad, n.Channel)
	return bad.Err()
}

// message returns the inbound message of a lead. The sender is normalized.
func (n LeadMessageReceive) message(l leads.Lead, from string, now time.Time) LeadMessage {
	return LeadMessage{
		Env: l.Env, LeadID: l.ID, ContactID: l.ContactID, Channel: n.Channel, Direction: Inbound, To: n.To, From: &from,
		Subject: n.Subject, Body: &n.Body, Status: Received, ProviderMessageID: n.ProviderMessageID,
		ReceivedAt: new(leads.PastTime(n.ReceivedAt, now)), Authentication: n.Authentication.normalized(),
		SenderVerified: n.Authentication.verified(n.Channel),
	}
}

// zonesOf returns the time zones that a contact might be in: its own, those of
// its postal address, those of its phone number, or the dealership's. People keep
// a number when they move, so the address is better evidence.
func zonesOf(c contacts.Contact, number string, d dealership.Dealership) []*time.Location {
	names := zonesOfAddress(c.Address, number)
	if c.Timezone != nil {
		names = []string{*c.Timezone}
	}
	if len(names) == 0 {
		names = phone.Zones(number)
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

// confirmation is the automatic reply to an opt-out.
func confirmation(d dealership.Dealership, channel consent.Channel) string {
	if channel == consent.Email {
		return "You are unsubscribed from " + d.Name + ". We won't email you again. If this was a mistake, reply to this email."
	}
	return d.Name + ": You are unsubscribed and won't receive any more texts from us. Reply START to resubscribe."
}

// helpText is the automatic reply to HELP: who sends the messages and how to
// stop them.
func helpText(d dealership.Dealership, number string) string {
	text := d.Name + ": This is our boat sales line."
	if d.Settings.Sender.Email != nil {
		text += " Email us at " + *d.Settings.Sender.Email + "."
	}
	if number != "" {
		text += " Call us at " + number + "."
	}
	return text + " Reply STOP to opt out."
}
