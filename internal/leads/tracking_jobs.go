package leads

import (
	"context"
	"errors"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/auth"
)

// TrackMessage asks what became of a text that was sent.
type TrackMessage struct {
	Env       auth.Env `json:"env"`
	MessageID string   `json:"message_id"`
	Asked     int      `json:"asked"` // how often before
}

// Kind names the job.
func (TrackMessage) Kind() string { return "track_message" }

// askAfter is when a provider is asked, each time after the last. Texts arrive
// within seconds, or when a phone is switched on again.
var askAfter = []time.Duration{30 * time.Second, 10 * time.Minute, 2 * time.Hour, 24 * time.Hour}

// TrackMessage notes that a text has arrived or that it will not, and asks
// again later if nobody knows yet.
func (a *API) TrackMessage(ctx context.Context, job TrackMessage) error {
	m, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		return findMessage(ctx, tx, job.MessageID)
	})
	if err != nil || m.Status != Sent || deref(m.Provider) != a.SMS.Name() || m.ProviderMessageID == nil {
		return err
	}
	fate, fateErr := a.SMS.Status(ctx, *m.ProviderMessageID)
	lost, isLost := errors.AsType[*sms.Refused](fateErr)
	if fateErr != nil && !isLost {
		return fateErr
	}
	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		m, err := findMessage(ctx, tx, job.MessageID)
		if err != nil || m.Status != Sent {
			return m, err
		}
		before := m
		switch {
		case isLost && lost.OptedOut():
			return m, a.optedOut(ctx, tx, before, m)
		case isLost:
			m.fail(lost.Code, clip(lost.Text), tx.Now)
			return m, saveMessage(ctx, tx, before, &m, "lead.message_failed")
		case fate == sms.Delivered:
			m.Status, m.DeliveredAt = Delivered, new(tx.Now)
			return m, saveMessage(ctx, tx, before, &m, "lead.message_delivered")
		case fate == sms.Underway && job.Asked+1 < len(askAfter):
			job.Asked++
			return m, a.Jobs.Enqueue(ctx, tx, job, tx.Now.Add(askAfter[job.Asked]))
		}
		return m, nil
	})
	return err
}
