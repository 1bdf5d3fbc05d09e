package messages

import (
	"time"

	"slipway/internal/vocab/fault"
)

// UnknownMessageResolve is the decision about a message that might have been sent.
type UnknownMessageResolve struct {
	_ struct{} `doc:"A decision about a message that might have been sent."`

	Outcome string `json:"outcome" enum:"sent,not_sent,send_again" doc:"What you found out. sent and not_sent end the message as sent or failed. send_again sends it again, if it has not expired."`
}

// resolve records the decision and returns the event.
func (r UnknownMessageResolve) resolve(m *LeadMessage, now time.Time) (event string, err error) {
	if m.Status != Unknown {
		return "", fault.Conflict("The status of the message is known.").Detail("status", "state", "is %s", m.Status)
	}
	switch r.Outcome {
	case "sent":
		at := m.UpdatedAt // when Slipway stopped waiting for the provider
		m.Status, m.SentAt, m.ErrorCode, m.ErrorMessage = Sent, &at, nil, nil
		return "lead.message_sent", nil
	case "not_sent":
		m.fail("not_sent", "A user found out that the message was not sent.", now)
		return "lead.message_failed", nil
	}
	if !m.ExpiresAt.After(now) {
		return "", fault.Conflict("The message has expired. Send another one.").Detail("expires_at", "state", "is in the past")
	}
	m.Status, m.ScheduledFor, m.ErrorCode, m.ErrorMessage = Queued, nil, nil, nil
	return "lead.message_queued", nil
}
