package messages

import (
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/auth"
)

// AskProvider is the job that asks the provider whether it accepted a text message that
// might have been sent.
type AskProvider struct {
	Env       auth.Env  `json:"env"`
	MessageID string    `json:"message_id"`
	Provider  string    `json:"provider"`
	Claimed   time.Time `json:"claimed"` // when a worker began to send it
	Asked     int       `json:"asked"`   // number of earlier requests
}

// Kind is the job kind.
func (AskProvider) Kind() string { return "ask_provider" }

// Lane is the lane of text messages, whose provider it asks.
func (AskProvider) Lane() string { return jobs.Texts }

// inquireAfter is the time before each request. After the last one, only a user can decide.
var inquireAfter = []time.Duration{15 * time.Second, time.Minute, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}

// notAcceptedAfter is the number of requests after which a message that the provider doesn't
// have was not accepted. The first ones can be too early: the provider might still be
// busy with it.
const notAcceptedAfter = 2

// clockMargin is how far the provider's clock can differ from ours.
const clockMargin = time.Minute

// inquire enqueues the job that asks about a text message in doubt.
func (a *API) inquire(ctx context.Context, tx *db.Tx, m LeadMessage, claimed time.Time) error {
	if !m.isText() {
		return nil // a mail server can't be asked
	}
	return a.Jobs.Enqueue(ctx, tx, AskProvider{Env: m.Env, MessageID: m.ID, Provider: a.SMS.Name(), Claimed: claimed}, tx.Now.Add(inquireAfter[0]))
}

// AskProvider records that the message was sent, or sends it again if the provider certainly
// didn't accept it. A user can decide in the meantime.
func (a *API) AskProvider(ctx context.Context, job AskProvider) error {
	m, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		return messages.Find(ctx, tx, job.MessageID)
	})
	if err != nil || m.Status != Unknown || m.To == nil || m.Body == nil || job.Provider != a.SMS.Name() {
		return err
	}
	ids, askErr := a.SMS.Sent(ctx, sms.Message{To: *m.To, Text: *m.Body, Token: m.ID}, job.Claimed.Add(-clockMargin))
	if askErr != nil {
		a.Log.WarnContext(ctx, "can't ask whether a message was sent", "message_id", job.MessageID, "err", askErr)
	}

	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		m, err := messages.FindForUpdate(ctx, tx, job.MessageID)
		if err != nil || m.Status != Unknown {
			return m, err
		}
		id, err := unrecorded(ctx, tx, ids)
		before := m
		switch {
		case err != nil:
			return m, err
		case id != "":
			m.sent(a.SMS.Name(), id, job.Claimed)
			if err := a.Jobs.Enqueue(ctx, tx, TrackMessage{m.Env, m.ID, 0}, tx.Now.Add(askAfter[0])); err != nil {
				return m, err
			}
			return m, save(ctx, tx, before, &m, "lead.message_sent")
		case askErr == nil && job.Asked >= notAcceptedAfter:
			m.Status, m.ErrorCode, m.ErrorMessage = Queued, new("temporary"), new("The provider didn't accept the message. Slipway tries again.")
			if err := save(ctx, tx, before, &m, "lead.message_queued"); err != nil {
				return m, err
			}
			return m, a.Jobs.Enqueue(ctx, tx, SendMessage{m.Env, m.ID, true, m.Channel}, tx.Now)
		case job.Asked+1 < len(inquireAfter):
			job.Asked++
			return m, a.Jobs.Enqueue(ctx, tx, job, tx.Now.Add(inquireAfter[job.Asked]))
		}
		return m, nil
	})
	return err
}

// unrecorded returns the first of the provider's IDs that no message has, or "".
func unrecorded(ctx context.Context, tx *db.Tx, ids []string) (string, error) {
	if len(ids) == 0 {
		return "", nil
	}
	recorded, err := listProviderIDs(ctx, tx, ids)
	for _, id := range ids {
		if !slices.Contains(recorded, id) {
			return id, err
		}
	}
	return "", err
}
