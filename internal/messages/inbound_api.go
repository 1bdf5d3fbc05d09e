package messages

import (
	"context"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// InboundMessageReceive is a message that you received for any lead.
type InboundMessageReceive struct {
	_ struct{} `doc:"A message that a customer sent."`

	Channel           consent.Channel      `json:"channel" enum:"sms,email" doc:"How the message arrived."`
	From              string               `json:"from" minLength:"1" maxLength:"254" doc:"Phone number or email address of the sender." example:"+14105550123"`
	To                string               `json:"to,omitempty" maxLength:"254" doc:"Your phone number or email address. Of several leads with the sender, the one that used it gets the message." example:"+14105550142"`
	Subject           *string              `json:"subject" required:"false" maxLength:"1000" doc:"Subject of an email."`
	Body              string               `json:"body" maxLength:"100000" doc:"Text of the message." example:"Is the Freedom 235 still available?"`
	ProviderMessageID string               `json:"provider_message_id" minLength:"1" maxLength:"200" doc:"ID of the message at your provider. A message with a known ID is recorded once."`
	Authentication    *EmailAuthentication `json:"authentication" required:"false" doc:"What your mail provider found out about the sender of an email. Without it, the sender is not verified."`
	InReplyTo         string               `json:"in_reply_to,omitempty" maxLength:"64" doc:"Message of a lead that the sender replied to, if you know it." example:"msg_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// Check validates what the schema can't express.
func (n InboundMessageReceive) Check(time.Time) error {
	var bad fault.Fields
	if _, ok := contacts.ParseAddress(n.Channel, n.From); !ok && n.Channel != "" {
		bad.Add("from", "format", "must be %s",
			map[consent.Channel]string{consent.SMS: "a phone number", consent.Email: "an email address"}[n.Channel])
	}
	n.Authentication.check(&bad, n.Channel)
	return bad.Err()
}

// incoming returns the message as the hooks have it.
func (n InboundMessageReceive) incoming() incoming {
	in := incoming{
		channel: n.Channel, to: n.To, subject: n.Subject, text: n.Body, id: n.ProviderMessageID, inReplyTo: n.InReplyTo,
		authentication: n.Authentication.normalized(),
	}
	in.from, _ = contacts.ParseAddress(n.Channel, n.From) // Check validated it
	if n.Channel == consent.SMS {
		in.to = numberOf(strings.TrimSpace(n.To))
	}
	return in
}

// received is what became of an incoming message.
type received struct {
	LeadID      *string
	MessageID   *string
	CreatedLead bool
	Repeated    bool
	Quarantined bool
	Intent      intent
}

// message returns what the API returns.
func (r received) message() InboundMessage {
	return InboundMessage{LeadID: r.LeadID, MessageID: r.MessageID, CreatedLead: r.CreatedLead, Repeated: r.Repeated, Quarantined: r.Quarantined,
		Intent: r.Intent}
}

// InboundMessage is what became of a message that you received.
type InboundMessage struct {
	_ struct{} `doc:"What happened to a message that a customer sent."`

	LeadID      *string `json:"lead_id" doc:"Lead of the message. Null if an unknown sender opted out, if a mail server reports about an email that is not known, if the message is in quarantine, or if it was recorded before."`
	MessageID   *string `json:"message_id" doc:"Message of the lead. Null if there is no lead, and for an inquiry that a marketplace forwarded: its text is the message of the lead."`
	CreatedLead bool    `json:"created_lead" doc:"Whether a lead was created, because the sender was unknown or a marketplace forwarded an inquiry."`
	Repeated    bool    `json:"repeated" doc:"Whether a message with this ID was recorded before."`
	Quarantined bool    `json:"quarantined" doc:"Whether the message waits in quarantine, because too many new senders wrote in the same hour."`
	Intent      intent  `json:"intent" doc:"What the sender means. stop ends all messages to the address. unclear pauses marketing until someone reviews it."`
}

// receiveByNumber records a message and finds its lead by the addresses.
func (a *API) receiveByNumber(ctx context.Context, tx *db.Tx, in *struct{ Body InboundMessageReceive }) (InboundMessage, error) {
	if err := in.Body.Check(tx.Now); err != nil {
		return InboundMessage{}, err
	}
	r, err := a.receiveIncoming(ctx, tx, in.Body.incoming())
	return r.message(), err
}
