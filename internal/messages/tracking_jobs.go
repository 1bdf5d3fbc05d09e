package messages

import (
	"context"
	"errors"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
)

// TrackMessage is the job that asks the provider for the status of a text
// message.
type TrackMessage struct {
	Env       auth.Env `json:"env"`
	MessageID string   `json:"message_id"`
	Asked     int      `json:"asked"` // number of earlier requests
}

// Kind is the job kind.
func (TrackMessage) Kind() string { return "track_message" }

// askAfter is the time before each request. Most messages arrive within seconds,
// others when the phone is switched on.
var askAfter = []time.Duration{30 * time.Second, 10 * time.Minute, 2 * time.Hour, 24 * time.Hour}

// TrackMessage records whether a text message was delivered. If the provider
// doesn't know yet, it asks again later.
func (a *API) TrackMessage(ctx context.Context, job TrackMessage) error {
	m, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		return messages.Find(ctx, tx, job.MessageID)
	})
	if err != nil || m.Status != Sent || null.Text(m.Provider) != a.SMS.Name() || m.ProviderMessageID == nil {
		return err
	}

	status, statusErr := a.SMS.Status(ctx, *m.ProviderMessageID)
	rejected, isRejected := errors.AsType[*sms.Rejected](statusErr)
	if statusErr != nil && !isRejected {
		return statusErr
	}

	if isRejected {
		a.Log.WarnContext(ctx, "message not delivered", "message_id", job.MessageID, "err", rejected)
	}

	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		m, err := messages.Find(ctx, tx, job.MessageID)
		if err != nil || m.Status != Sent {
			return m, err
		}
		if err := a.recordStatus(ctx, tx, m, status, rejected); err != nil {
			return m, err
		}
		if rejected == nil && status == sms.Underway && job.Asked+1 < len(askAfter) {
			job.Asked++
			return m, a.Jobs.Enqueue(ctx, tx, job, tx.Now.Add(askAfter[job.Asked]))
		}
		return m, nil
	})
	return err
}

// recordStatus records the delivery status of a message. Only a sent message has
// one, so a late report never changes a final status.
func (a *API) recordStatus(ctx context.Context, tx *db.Tx, m LeadMessage, status sms.Status, rejected *sms.Rejected) error {
	before := m
	switch {
	case m.Status != Sent:
		return nil
	case rejected != nil && rejected.OptedOut():
		return a.optedOut(ctx, tx, before, m)
	case rejected != nil:
		m.fail(rejected.Code, "The provider could not deliver the message.", tx.Now)
		return save(ctx, tx, before, &m, "lead.message_failed")
	case status == sms.Delivered:
		m.Status, m.DeliveredAt = Delivered, new(tx.Now)
		return save(ctx, tx, before, &m, "lead.message_delivered")
	}
	return nil
}
