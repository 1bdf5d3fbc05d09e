package messages

import (
	"time"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/vocab/null"
)

// LeadReach is how the dealership can reach a lead.
type LeadReach struct {
	_ struct{} `doc:"How the dealership can reach a lead."`

	LeadID string       `json:"lead_id" doc:"ID of the lead." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Checks []ReachCheck `json:"checks" nullable:"false" doc:"One entry for each channel and purpose."`
}

// ReachCheck is whether a message on a channel could be sent now.
type ReachCheck struct {
	_ struct{} `doc:"Whether a message on a channel could be sent now."`

	Channel    consent.Channel `json:"channel" doc:"Text message, email, or voice for a sales call."`
	Purpose    consent.Scope   `json:"purpose" enum:"marketing,transactional" doc:"Purpose of the message."`
	Allowed    bool            `json:"allowed" doc:"Whether a message passes the send check now."`
	Code       *string         `json:"code" doc:"Why a message would be blocked, the same code as in the block_reason of a message. Null if it is allowed." example:"consent_revoked"`
	Reason     string          `json:"reason" doc:"Explains the result, for people." example:"The recipient revoked consent."`
	Address    *string         `json:"address" doc:"Where the message would be sent. Null if the contact has no address for the channel." example:"+14105550123"`
	ConsentID  *string         `json:"consent_id" doc:"Consent record that decides. Null if none does." example:"cns_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Basis      *consent.Basis  `json:"basis" doc:"Legal basis of the consent record that decides. Null for a revocation, or if none was recorded."`
	Since      *time.Time      `json:"since" doc:"When the consent was given, revoked or expired. Null if no consent record decides."`
	QuietUntil *time.Time      `json:"quiet_until" doc:"If the recipient has quiet hours now, when they end. The message would be held until then. Null otherwise."`
}

// reaches are the kinds of messages in the order of the response.
var reaches = []struct {
	channel consent.Channel
	purpose consent.Scope
}{
	{consent.SMS, consent.Transactional}, {consent.SMS, consent.Marketing},
	{consent.Email, consent.Transactional}, {consent.Email, consent.Marketing},
	{consent.Voice, consent.Marketing},
}

// draft returns a message that is only checked.
func draft(l leads.Lead, channel consent.Channel, purpose consent.Scope) LeadMessage {
	return LeadMessage{Env: l.Env, LeadID: l.ID, ContactID: l.ContactID, Channel: channel, Direction: Outbound, Purpose: &purpose}
}

// blockedWords explain the codes of the send check to people.
var blockedWords = map[string]string{
	consent.CodeRecipientInvalid: "The contact has no address for this channel.",
	consent.CodeRevoked:          "The recipient revoked consent.",
	consent.CodeMissing:          "The recipient gave no consent. Record one first.",
	consent.CodeScope:            "The recipient only gave consent for other messages.",
	consent.CodeExpired:          "The consent of the recipient has expired.",
	consent.CodeInsufficient:     "Marketing text messages require written consent, with the text that the recipient agreed to.",
	needsReview:                  "A message from the recipient must be reviewed. Read it first.",
	doNotCall:                    "The number is on a do-not-call list.",
	frequencyCap:                 "The recipient got enough marketing messages this week.",
	senderUnregistered:           "The dealership has no sender for this channel. Set one in its settings.",
	missingPostalAddress:         "Marketing email must show a postal address. Add one to the dealership.",
	recipientChanged:             "The contact's address changed after a person approved the message or decided to send it again.",
	quietHoursCode:               "It is always quiet hours somewhere the recipient might be. Set the time zone of the contact.",
}

// ReasonOf explains a code of the send check.
func ReasonOf(code string) string { return blockedWords[code] }

// reach returns the result of the send check of a draft. The record is the consent that
// decides, if one does.
func (d decision) reach(m LeadMessage, record *consent.Consent) ReachCheck {
	r := ReachCheck{
		Channel: m.Channel, Purpose: *m.Purpose, Allowed: d.code == "", Code: null.From(d.code), Address: m.To, Reason: blockedWords[d.code],
	}
	switch {
	case d.code == "" && m.Channel == consent.Voice:
		r.Reason = "The number is on no do-not-call list, and the customer didn't opt out of calls."
	case d.code == "" && record == nil:
		r.Reason = "The recipient asked something in the last three months."
	case d.code == "":
		r.Reason = "The recipient gave consent."
	}
	if !d.hold.IsZero() {
		r.Reason, r.QuietUntil = "The recipient has quiet hours. The message would be held until they end.", &d.hold
	}

	if record != nil {
		r.ConsentID, r.Basis, r.Since = &record.ID, record.Basis, &record.CapturedAt
		if d.code == consent.CodeExpired {
			r.Since = record.ExpiresAt
		}
	}
	return r
}
