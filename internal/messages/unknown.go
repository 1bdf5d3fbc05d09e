package messages

import (
	"time"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// UnknownMessageResolve is the decision about a message that might have been sent.
type UnknownMessageResolve struct {
	_ struct{} `doc:"A decision about a message that might have been sent."`

	Outcome Outcome `json:"outcome" doc:"What you found out. sent and not_sent end the message as sent or failed. send_again sends it again, if it has not expired."`
}

// interrupted is the error code of a message whose result was not recorded.
const interrupted = "interrupted"

// Outcome is what a person decided about a message that might have been sent.
type Outcome string

// The values.
const (
	wasSent   Outcome = "sent"
	notSent   Outcome = "not_sent"
	sendAgain Outcome = "send_again"
)

var allOutcomes = enum.Of("MessageOutcome", "What a person decided about a message that might have been sent.",
	wasSent, notSent, sendAgain)

func (Outcome) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allOutcomes.Describe(s)
}

// resolve records the decision and returns the event.
func (r UnknownMessageResolve) resolve(m *LeadMessage, now time.Time) (event string, err error) {
	if m.Status != Unknown {
		return "", fault.Conflict("The status of the message is known.").Detail("status", "state", "is %s", m.Status)
	}
	switch r.Outcome {
	case wasSent:
		at := m.UpdatedAt // when Slipway stopped waiting for the provider
		m.Status, m.SentAt, m.ErrorCode, m.ErrorMessage = Sent, &at, nil, nil
		return "lead.message_sent", nil
	case notSent:
		m.fail("not_sent", "A user found out that the message was not sent.", now)
		return "lead.message_failed", nil
	}
	if !m.ExpiresAt.After(now) {
		return "", fault.Conflict("The message has expired. Send another one.").Detail("expires_at", "state", "is in the past")
	}
	m.Status, m.ScheduledFor, m.ErrorCode, m.ErrorMessage = Queued, nil, nil, nil
	return "lead.message_queued", nil
}
