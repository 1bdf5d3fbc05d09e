package providers

import (
	"context"
	"errors"
	"time"

	"slipway/internal/platform/mail"
	"slipway/internal/platform/sms"
)

// Mail returns a sender of email that respects a breaker.
func Mail(s mail.Sender, b *Breaker) mail.Sender { return mailer{s, b} }

type mailer struct {
	sender mail.Sender
	*Breaker
}

func (m mailer) Send(ctx context.Context, message mail.Message) error {
	return m.call(ctx, func() error { return m.sender.Send(ctx, message) }, mail.IsRejected)
}

// Texts returns a sender of text messages that respects a breaker.
func Texts(s sms.Sender, b *Breaker) sms.Sender { return texter{s, b} }

type texter struct {
	sms.Sender
	*Breaker
}

func (t texter) Send(ctx context.Context, m sms.Message) (id string, err error) {
	err = t.call(ctx, func() error {
		id, err = t.Sender.Send(ctx, m)
		return err
	}, answered)
	return id, err
}

func (t texter) Sent(ctx context.Context, m sms.Message, since time.Time) (ids []string, err error) {
	err = t.call(ctx, func() error {
		ids, err = t.Sender.Sent(ctx, m, since)
		return err
	}, answered)
	return ids, err
}

func (t texter) Status(ctx context.Context, id string) (status sms.Status, err error) {
	err = t.call(ctx, func() error {
		status, err = t.Sender.Status(ctx, id)
		return err
	}, answered)
	return status, err
}

func answered(err error) bool {
	_, rejected := errors.AsType[*sms.Rejected](err)
	return rejected
}
