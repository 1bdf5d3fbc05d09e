package messages

import (
	"time"

	"slipway/internal/consent"
	"slipway/internal/vocab/auth"
)

// quarantineFor is how long a message waits in quarantine. It is as long as events are
// stored.
const quarantineFor = 30 * 24 * time.Hour

// receivedFor is how long a message that a provider reports again is recognized. Providers give up
// within days. After an erasure, this is all that is left of a message, so it doesn't stay longer
// than the other copies.
const receivedFor = 30 * 24 * time.Hour

// QuarantinedMessage is a message of a new sender that waits for a user. Its text and
// addresses are excluded from the audit log because the log can't be erased.
type QuarantinedMessage struct {
	_ struct{} `doc:"A message of a new sender that waits for a user, because too many new senders wrote in the same hour." columns:"id received_at channel from subject / sender_verified expires_at"`

	Env               auth.Env             `json:"-" db:"env"`
	ID                string               `json:"id" db:"id" doc:"Identifies the message. Starts with qtn_." example:"qtn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Channel           consent.Channel      `json:"channel" db:"channel" enum:"sms,email" doc:"Whether it is a text message or an email."`
	From              string               `json:"from" db:"from_address" doc:"Phone number or email address of the sender." example:"ann@example.com"`
	Name              string               `json:"name" db:"from_name" doc:"Name of the sender. Empty if it is unknown." example:"Ann Bell"`
	To                string               `json:"to" db:"to_address" doc:"Your phone number or email address. Empty if it is unknown."`
	Subject           *string              `json:"subject" db:"subject" doc:"Subject of an email. Null if there is none."`
	Body              string               `json:"body" db:"body" doc:"Text of the message."`
	ProviderMessageID string               `json:"provider_message_id" db:"provider_message_id" doc:"ID of the message at the provider." privacy:"personal"`
	Authentication    *EmailAuthentication `json:"authentication" db:"authentication,json" doc:"What the mail provider found out about the sender of an email. Null if it reported nothing, and for a text message."`
	SenderVerified    *bool                `json:"sender_verified" db:"sender_verified" doc:"Whether DMARC proves that an email is from its address. Null for a text message."`
	ReceivedAt        time.Time            `json:"received_at" db:"received_at" doc:"When the message was received."`
	ExpiresAt         time.Time            `json:"expires_at" db:"expires_at" doc:"When the message is deleted if no one releases it. It is 30 days after it was received."`
	CreatedAt         time.Time            `json:"created_at" db:"created_at" doc:"When the message was stored."`

	AddressHash []byte `json:"-" db:"address_hash"` // of the sender
}

// Quarantine is what the event about a quarantine contains. It has no personal data.
type Quarantine struct {
	_ struct{} `doc:"The quarantine for messages of new senders."`

	ID                string    `json:"id" doc:"ID of the dealership. It has one quarantine." example:"dlr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	DealershipID      string    `json:"dealership_id" doc:"Dealership whose messages go to the quarantine." example:"dlr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	NewSendersPerHour int64     `json:"new_senders_per_hour" doc:"Limit of the dealership's settings that was exceeded." example:"60"`
	StartedAt         time.Time `json:"started_at" doc:"When the first message went to the quarantine."`
}

// newSenders is how many new senders became leads in an hour of the clock.
type newSenders struct {
	Hour    time.Time `db:"hour"`
	Senders int64     `db:"senders"`
}

// inLastHour returns how many new senders became leads in the last 60 minutes. The hour before
// counts by its part of them, as if its senders were spread evenly.
func inLastHour(counts []newSenders, now time.Time) (n int64) {
	for _, c := range counts {
		left := 2*time.Hour - now.Sub(c.Hour)
		n += c.Senders * int64(min(left, time.Hour)/time.Second) / int64(time.Hour/time.Second)
	}
	return n
}

// quarantined returns the message to store until a user decides.
func (in incoming) quarantined(hash []byte, now time.Time) QuarantinedMessage {
	return QuarantinedMessage{
		Channel: in.channel, From: in.from, Name: clipped(in.name, 200), To: in.to, Subject: in.subject, Body: in.body(), ProviderMessageID: in.id,
		Authentication: in.authentication, SenderVerified: in.authentication.verified(in.channel),
		ReceivedAt: now, ExpiresAt: now.Add(quarantineFor), AddressHash: hash,
	}
}

// incoming returns the message as the provider reported it.
func (q QuarantinedMessage) incoming() incoming {
	return incoming{
		channel: q.Channel, from: q.From, name: q.Name, to: q.To, subject: q.Subject, text: q.Body, id: q.ProviderMessageID,
		authentication: q.Authentication, receivedAt: q.ReceivedAt,
	}
}
