package leads

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"time"

	"slipway/internal/consent"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/auth"
)

// SendMessage sends a message that is due.
type SendMessage struct {
	Env       auth.Env `json:"env"`
	MessageID string   `json:"message_id"`
}

// Kind names the job.
func (SendMessage) Kind() string { return "send_message" }

// lease is how long a worker may take to hand a message over. Another one that
// finds it unfinished after that tries again.
const lease = 2 * time.Minute

// outgoing is a message as it goes to a provider; one of the two is set.
type outgoing struct {
	message LeadMessage
	text    *sms.Message
	email   *mail.Message
}

// SendMessage hands a message to its provider. It may be handed over twice if
// the service dies in between, with the same token, but never after a success
// that was noted.
func (a *API) SendMessage(ctx context.Context, job SendMessage) error {
	out, err := a.claim(ctx, job)
	if err != nil || out == nil {
		return err
	}
	provider, id := "smtp", ""
	if out.text != nil {
		provider = a.SMS.Name()
		id, err = a.SMS.Send(ctx, *out.text)
	} else {
		if _, folder := a.Mail.(mail.Outbox); folder {
			provider = "outbox"
		}
		err = a.Mail.Send(ctx, *out.email)
	}
	return a.settle(ctx, job, provider, id, err)
}

// claim takes a message that is due for this worker, and makes it up. It is nil
// if there is nothing to do: the message was sent or called off, it has become
// too late, it must wait on, or the gate is closed now.
func (a *API) claim(ctx context.Context, job SendMessage) (*outgoing, error) {
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (*outgoing, error) {
		m, err := findMessage(ctx, tx, job.MessageID)
		if err != nil || !m.waits() {
			return nil, err
		}
		before := m
		switch {
		case m.LeaseUntil != nil && m.LeaseUntil.After(tx.Now):
			return nil, fmt.Errorf("message %s is being sent", m.ID)
		case !m.ExpiresAt.After(tx.Now):
			m.fail("expired", "It was too late to send it.", tx.Now)
			return nil, saveMessage(ctx, tx, before, &m, "lead.message_failed")
		case m.ScheduledFor != nil && m.ScheduledFor.After(tx.Now):
			return nil, a.Jobs.Enqueue(ctx, tx, job, *m.ScheduledFor)
		}
		t, d, err := a.gather(ctx, tx, &m, tx.Now)
		if err != nil {
			return nil, err
		}
		v := judge(t)
		switch {
		case v.code != "":
			m.block(v.code)
			if err := updateMessage(ctx, tx, before, &m); err != nil {
				return nil, err
			}
			return nil, audit.Fail(ctx, tx, "lead.message_blocked", "lead", m.LeadID, audit.Diff(before, m))
		case !v.hold.IsZero():
			m.hold(v.hold, true)
			if err := updateMessage(ctx, tx, before, &m); err != nil {
				return nil, err
			}
			return nil, a.Jobs.Enqueue(ctx, tx, job, v.hold)
		}
		m.LeaseUntil, m.Attempts = new(tx.Now.Add(lease)), m.Attempts+1
		if err := updateMessage(ctx, tx, before, &m); err != nil {
			return nil, err
		}
		out := &outgoing{message: m}
		if m.isText() {
			out.text = &sms.Message{From: t.sender, To: t.recipient, Text: *m.Body, Token: m.ID}
			return out, nil
		}
		out.email = &mail.Message{From: named(d.Name, t.sender), To: t.recipient, Subject: *m.Subject, Token: m.ID}
		if *m.Purpose == consent.Marketing {
			out.email.Unsubscribe = a.unsubscribeLink(tx, m)
		}
		out.email.Text, out.email.HTML, err = forms(*m.Body, d, t.postal, out.email.Unsubscribe)
		return out, err
	})
}

// named writes an address with the dealership's name, unless it has one.
func named(name, address string) string {
	if a, err := netmail.ParseAddress(address); err == nil && a.Name == "" {
		return (&netmail.Address{Name: name, Address: a.Address}).String()
	}
	return address
}

// settle notes what became of a message. An error that may pass is returned, so
// that the queue tries again.
func (a *API) settle(ctx context.Context, job SendMessage, provider, id string, sent error) error {
	refused, byProvider := errors.AsType[*sms.Refused](sent)
	passes := sent != nil && !byProvider && !mail.IsRefused(sent)
	_, err := db.Write(context.WithoutCancel(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (LeadMessage, error) {
		m, err := findMessage(ctx, tx, job.MessageID)
		if err != nil || !m.waits() {
			return m, err
		}
		before := m
		m.LeaseUntil = nil
		switch {
		case sent == nil:
			m.sent(provider, id, tx.Now)
			if m.isText() {
				if err := a.Jobs.Enqueue(ctx, tx, TrackMessage{m.Env, m.ID, 0}, tx.Now.Add(askAfter[0])); err != nil {
					return m, err
				}
			}
			return m, saveMessage(ctx, tx, before, &m, "lead.message_sent")
		case passes:
			m.ErrorCode, m.ErrorMessage = new("temporary"), new(clip(sent.Error()))
			return m, updateMessage(ctx, tx, before, &m)
		case byProvider && refused.OptedOut():
			return m, a.optedOut(ctx, tx, before, m)
		}
		code := "refused"
		if byProvider {
			code = refused.Code
		}
		m.Provider = &provider
		m.fail(code, clip(sent.Error()), tx.Now)
		return m, saveMessage(ctx, tx, before, &m, "lead.message_failed")
	})
	if err == nil && passes {
		// The queue keeps what it is told; an address has no place there.
		err = fmt.Errorf("message %s was not taken: see its error_message", job.MessageID)
	}
	return err
}

// optedOut believes the provider that the recipient said STOP to it, which we
// had not heard of.
func (a *API) optedOut(ctx context.Context, tx *db.Tx, before, m LeadMessage) error {
	m.block(providerBlocked)
	if err := saveMessage(ctx, tx, before, &m, "lead.message_failed"); err != nil || m.To == nil {
		return err
	}
	if known, err := consent.IsRevoked(ctx, tx, m.AddressHash, m.Channel); err != nil || known {
		return err // as for the confirmation of a STOP that the provider confirmed itself
	}
	return consent.Append(ctx, tx, &consent.Consent{
		ContactID: m.ContactID, LeadID: &m.LeadID, Direction: consent.Revoked, Channels: []consent.Channel{m.Channel}, Scope: consent.All,
		Bindings: []consent.ConsentBinding{{Channel: m.Channel, Address: *m.To}}, CapturedAt: tx.Now, Source: new("text_keyword"), Method: new("provider"),
		Evidence: map[string]any{"message_id": m.ID},
	})
}

func clip(s string) string {
	r := []rune(s)
	return string(r[:min(len(r), 500)])
}
