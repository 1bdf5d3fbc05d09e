package messages

import (
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// Notice is a transactional message that another feature sends to a lead, such as
// a reminder of an appointment.
type Notice struct {
	LeadID  string
	Channel consent.Channel
	Subject string // of an email
	Body    string

	ExpiresAt time.Time // the notice is useless after this
}

// message returns the message, due now.
func (n Notice) message(l leads.Lead) LeadMessage {
	m := LeadMessage{
		Env: l.Env, LeadID: l.ID, ContactID: l.ContactID, Channel: n.Channel, Direction: Outbound, Purpose: new(consent.Transactional),
		Body: &n.Body, Status: Queued, ExpiresAt: &n.ExpiresAt, Notice: true,
	}
	if n.Channel == consent.Email {
		m.Subject = &n.Subject
	}
	return m
}

// Notify queues a notice if it passes the send check. Otherwise it stores the
// message as blocked, with the reason. A text message in quiet hours is held until
// they end, or blocked if that is too late.
func (a *API) Notify(ctx context.Context, tx *db.Tx, n Notice) (LeadMessage, error) {
	l, err := leads.Find(ctx, tx, n.LeadID)
	if err != nil {
		return LeadMessage{}, err
	}
	m := n.message(l)
	t, _, err := a.gather(ctx, tx, &m, tx.Now)
	if err != nil {
		return m, err
	}

	d := check(t)
	if !d.hold.IsZero() && !d.hold.Before(n.ExpiresAt) {
		d = decision{code: quietHoursCode}
	}
	if d.code != "" {
		err = insertBlocked(ctx, tx, &m, d.code)
		return m, err
	}
	if !d.hold.IsZero() {
		m.hold(d.hold, true)
	}
	err = a.enqueue(ctx, tx, &m)
	return m, err
}

// Withdraw blocks a notice that waits to be sent. It does nothing if the message
// was sent, or is being sent. If it might have been sent, it can't be sent again.
func Withdraw(ctx context.Context, tx *db.Tx, messageID string) error {
	m, err := messages.Find(ctx, tx, messageID)
	if err == nil && m.Status == Unknown {
		m.ExpiresAt = &tx.Now
		return messages.Save(ctx, tx, &m)
	}
	if err != nil || !m.isPending() || m.LeaseUntil != nil && m.LeaseUntil.After(tx.Now) {
		return err
	}
	before := m
	m.block(withdrawn)
	if err := messages.Save(ctx, tx, &m); err != nil {
		return err
	}
	return events.EmitFailure(ctx, tx, "lead.message_blocked", m.LeadID, events.Change{Before: before, After: m})
}

// settled tells the feature that sent a notice about its result. A lead whose answer was not sent
// waits again.
func settled(ctx context.Context, tx *db.Tx, m LeadMessage) error {
	if m.isAnswer() && (m.Status == Failed || m.Status == Blocked) {
		asked, err := lastReceivedAt(ctx, tx, m.LeadID)
		if err != nil {
			return err
		}
		return leads.Unanswered(ctx, tx, m.LeadID, m.CreatedAt, asked)
	}
	if !m.Notice || m.isPending() || m.Status == Unknown {
		return nil
	}
	return db.Attached[Hooks](tx).Settled(ctx, tx, m)
}
