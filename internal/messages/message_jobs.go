package messages

import (
	"context"
	"errors"
	"fmt"
	"io"
	netmail "net/mail"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/dealership"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/providers"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
)

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.SendMessage)
	jobs.On(q, a.TrackMessage)
	jobs.On(q, a.AskProvider)
	jobs.On(q, a.EraseOutbox)
	jobs.On(q, a.sweep)
	jobs.Every(q, 24*time.Hour, sweepOutbox{})
	jobs.On(q, a.EmptyQuarantine)
	jobs.Every(q, time.Hour, EmptyQuarantine{})
	jobs.OnTakeover(q, endLeases)
}

// SendMessage is the job that sends a message.
type SendMessage struct {
	Env       auth.Env `json:"env"`
	MessageID string   `json:"message_id"`
	Pinned    bool     `json:"pinned,omitempty"` // a person decided about it, for this address only

	Channel consent.Channel `json:"channel,omitempty"` // of the message
}

// Kind is the job kind.
func (SendMessage) Kind() string { return "send_message" }

// Lane is the lane of the provider.
func (j SendMessage) Lane() string {
	if j.Channel == consent.SMS {
		return jobs.Texts
	}
	return jobs.Mail
}

// MailServer is the provider of email.
const MailServer = "smtp"

// lease is how long a worker can take to send a message. After that, its server has
// stopped, and it is not known whether the message was sent.
const lease = 2 * time.Minute

// settleTries and settleEvery limit how long a worker tries to record a result while the
// database is unavailable. If it is lost, a user has to find out whether the message was
// sent.
const settleTries, settleEvery = 6, 5 * time.Second

// outgoing is a message for a provider. Either text or email is set.
type outgoing struct {
	message LeadMessage
	text    *sms.Message
	email   *email
}

// SendMessage sends a message to its provider. A message that might have been sent, by
// this run or by one that was killed, is never sent again automatically.
func (a *API) SendMessage(ctx context.Context, job SendMessage) error {
	out, err := a.claim(ctx, job)
	if err != nil || out == nil {
		return err
	}
	provider, id := MailServer, ""
	if out.text != nil {
		provider = a.SMS.Name()
		id, err = a.SMS.Send(ctx, *out.text)
	} else {
		if _, folder := a.Mail.(mail.Outbox); folder {
			provider = "outbox"
		}
		if err = a.render(ctx, out.email); err == nil {
			err = a.Mail.Send(ctx, out.email.Message)
		}
	}
	return a.settle(ctx, job, provider, id, err)
}

// claim leases a message to this worker and renders it. It returns nil if there
// is nothing to send: the message was already sent or canceled, it has expired,
// it is not due yet, or it fails the send check now.
func (a *API) claim(ctx context.Context, job SendMessage) (*outgoing, error) {
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (*outgoing, error) {
		m, err := messages.Find(ctx, tx, job.MessageID)
		if err != nil || !m.isPending() {
			return nil, err
		}
		before := m
		switch {
		case m.LeaseUntil != nil && m.LeaseUntil.After(tx.Now):
			return nil, fmt.Errorf("message %s is being sent", m.ID)
		case m.LeaseUntil != nil:
			m.doubt(interrupted, "The result of sending the message was not recorded, for example because the server stopped.")
			if err := save(ctx, tx, before, &m, "lead.message_unknown"); err != nil {
				return nil, err
			}
			return nil, a.inquire(ctx, tx, m, before.LeaseUntil.Add(-lease))
		case !m.ExpiresAt.After(tx.Now):
			m.fail("expired", "The message expired before it was sent.", tx.Now)
			return nil, save(ctx, tx, before, &m, "lead.message_failed")
		case m.ScheduledFor != nil && m.ScheduledFor.After(tx.Now):
			return nil, a.Jobs.Enqueue(ctx, tx, job, *m.ScheduledFor)
		}

		t, d, err := a.gather(ctx, tx, &m, tx.Now)
		if err != nil {
			return nil, err
		}
		t.readdressed = job.Pinned && null.Text(before.To) != t.recipient
		v := check(t)
		switch {
		case v.code != "":
			m.block(v.code)
			if err := messages.Save(ctx, tx, &m); err != nil {
				return nil, err
			}
			if err := events.EmitFailure(ctx, tx, "lead.message_blocked", m.LeadID, events.Change{Before: before, After: m}); err != nil {
				return nil, err
			}
			return nil, settled(ctx, tx, m)
		case !v.hold.IsZero():
			m.hold(v.hold, true)
			if err := messages.Save(ctx, tx, &m); err != nil {
				return nil, err
			}
			return nil, a.Jobs.Enqueue(ctx, tx, job, v.hold)
		}

		m.LeaseUntil, m.LeaseBy, m.Attempts = new(tx.Now.Add(lease)), new(a.Jobs.Node()), m.Attempts+1
		if err := messages.Save(ctx, tx, &m); err != nil {
			return nil, err
		}

		out := &outgoing{message: m}
		if m.isText() {
			out.text = &sms.Message{From: t.sender, To: t.recipient, Text: *m.Body, Token: m.ID}
			// The provider must be able to reach the URL. Twilio rejects a message with another one.
			if callback := dealership.HookURL(tx, m.Env, dealership.Twilio); strings.HasPrefix(callback, "https://") {
				out.text.Callback = callback
			}
			return out, nil
		}
		out.email, err = a.prepareEmail(ctx, tx, m, t, d)
		return out, err
	})
}

// withName adds the dealership's name to an address that has no name.
func withName(name, address string) string {
	if a, err := netmail.ParseAddress(address); err == nil && a.Name == "" {
		return (&netmail.Address{Name: name, Address: a.Address}).String()
	}
	return address
}

// addressOf returns an address without its name.
func addressOf(address string) string {
	if a, err := netmail.ParseAddress(address); err == nil {
		return a.Address
	}
	return address
}

// settle records the result of sending a message. It returns a temporary error,
// so that the queue tries again.
func (a *API) settle(ctx context.Context, job SendMessage, provider, id string, sent error) error {
	rejected, byProvider := errors.AsType[*sms.Rejected](sent)
	_, unanswered := errors.AsType[*sms.Unanswered](sent)
	unanswered = unanswered || mail.IsUnanswered(sent)
	temporary := sent != nil && !byProvider && !unanswered && !mail.IsRejected(sent)
	var failed bool // before this attempt
	record := func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		m, err := messages.Find(ctx, tx, job.MessageID)
		if err != nil || !m.isSending(a.Jobs.Node()) {
			return m, err
		}

		before := m
		failed = m.ErrorCode != nil
		m.LeaseUntil, m.LeaseBy = nil, nil
		switch {
		case m.Status == Unknown && sent != nil: // as before
			return m, err
		case sent == nil:
			m.sent(provider, id, tx.Now)
			if m.isText() {
				if err := a.Jobs.Enqueue(ctx, tx, TrackMessage{m.Env, m.ID, 0}, tx.Now.Add(askAfter[0])); err != nil {
					return m, err
				}
			}
			err = save(ctx, tx, before, &m, "lead.message_sent")
			return m, err
		case temporary:
			m.ErrorCode, m.ErrorMessage = new("temporary"), new("The provider is unavailable. Slipway tries again.")
			err = messages.Save(ctx, tx, &m)
			return m, err
		case unanswered:
			m.Provider = &provider
			m.doubt("unanswered", "The provider did not answer.")
			if err := save(ctx, tx, before, &m, "lead.message_unknown"); err != nil {
				return m, err
			}
			return m, a.inquire(ctx, tx, m, before.LeaseUntil.Add(-lease))
		case byProvider && rejected.OptedOut():
			return m, a.optedOut(ctx, tx, before, m)
		}

		code := "refused"
		if byProvider {
			code = rejected.Code
		}

		m.Provider = &provider
		m.fail(code, "The provider rejected the message.", tx.Now)
		err = save(ctx, tx, before, &m, "lead.message_failed")
		return m, err
	}
	_, err := db.Write(context.WithoutCancel(ctx), a.DB, record)
	for try := 1; db.IsUnavailable(err) && try < settleTries; try++ {
		time.Sleep(settleEvery) //nolint:forbidigo // waits for the database, not for a moment
		_, err = db.Write(context.WithoutCancel(ctx), a.DB, record)
	}

	// Only the log has the provider's own words, which can contain internals. It has one line
	// when the state of a message changes, not one for each attempt.
	switch {
	case unanswered:
		a.Log.WarnContext(ctx, "message might have been sent", "message_id", job.MessageID, "provider", provider, "err", sent)
	case sent != nil && !(temporary && failed):
		a.Log.WarnContext(ctx, "message not sent", "message_id", job.MessageID, "provider", provider, "again", temporary, "err", sent)
	case sent == nil && failed:
		a.Log.InfoContext(ctx, "message sent after failures", "message_id", job.MessageID, "provider", provider)
	}
	if open, ok := errors.AsType[*providers.Open](sent); ok && err == nil {
		return open
	}
	if err == nil && temporary {
		// The queue stores the error, so it must not contain the address of the recipient.
		err = fmt.Errorf("message %s was not sent; see the log", job.MessageID)
	}

	return err
}

// optedOut records an opt-out that only the provider knew about.
func (a *API) optedOut(ctx context.Context, tx *db.Tx, before, m LeadMessage) error {
	m.block(providerBlocked)
	if err := save(ctx, tx, before, &m, "lead.message_failed"); err != nil || m.To == nil {
		return err
	}
	if revoked, err := consent.IsRevoked(ctx, tx, m.AddressHash, m.Channel); err != nil || revoked {
		return err // for example, if the provider also answered the STOP
	}
	return consent.Append(ctx, tx, &consent.Consent{
		ContactID: m.ContactID, LeadID: &m.LeadID, Direction: consent.Revoked, Channels: []consent.Channel{m.Channel}, Scope: consent.All,
		Bindings: []consent.ConsentBinding{{Channel: m.Channel, Address: *m.To}}, CapturedAt: tx.Now,
		Source: new("text_keyword"), Method: new("provider"),
		Evidence: map[string]any{"message_id": m.ID},
	})
}

// maxPhoto limits the bytes of a photo in an email.
const maxPhoto = 1 << 20

// render reads the photo and writes the email. A photo that was just deleted is left out.
func (a *API) render(ctx context.Context, e *email) error {
	if e.photo != "" {
		file, err := a.Blobs.Open(ctx, e.photo+"/card")
		switch {
		case errors.Is(err, blobs.ErrNotFound):
		case err != nil:
			return err
		default:
			defer file.Close()
			photo, err := io.ReadAll(io.LimitReader(file, maxPhoto+1))
			if err != nil {
				return err
			}
			if len(photo) <= maxPhoto {
				e.letter.Boat.Photo = photo
			}
		}
	}
	return e.letter.Write(&e.Message)
}
