package demo

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/page"
)

// deliver sends a message of the past immediately, as the server would have done
// at that time. No provider gets it.
func (s *seeder) deliver(ctx context.Context, e *environment, messageID string) error {
	return jobs.Run(ctx, s.messages().SendMessage, messages.SendMessage{Env: e.env, MessageID: messageID})
}

// messages returns the feature with providers that deliver nothing.
func (s *seeder) messages() *messages.API {
	return &messages.API{
		DB: s.DB, Jobs: s.Jobs, Log: slog.New(slog.DiscardHandler), Mail: noMail{}, MailFrom: "sales@chesapeakemarine.example",
		SMS: noPhone{}, SMSFrom: "+14105550142", Blobs: s.Blobs,
	}
}

// confirm delivers the confirmation of an opt-out, if the last message of a lead
// was one.
func (s *seeder) confirm(ctx context.Context, e *environment, leadID string) error {
	var last page.Page[messages.LeadMessage]
	if err := s.as(e.key).send(ctx, http.MethodGet, "/v1/leads/"+leadID+"/messages?limit=1", nil, &last); err != nil {
		return err
	}
	if len(last.Data) == 0 || last.Data[0].Direction != "outbound" {
		return nil
	}
	return s.deliver(ctx, e, last.Data[0].ID)
}

// noMail accepts email and doesn't deliver it.
type noMail struct{}

// Send does nothing.
func (noMail) Send(context.Context, mail.Message) error { return nil }

// noPhone accepts text messages and doesn't deliver them.
type noPhone struct{}

// Name is the name of the provider.
func (noPhone) Name() string { return "outbox" }

// Send returns no ID, so no job asks for the status.
func (noPhone) Send(context.Context, sms.Message) (string, error) { return "", nil }

// Sent is not called.
func (noPhone) Sent(context.Context, sms.Message, time.Time) ([]string, error) { return nil, nil }

// Status is not called.
func (noPhone) Status(context.Context, string) (sms.Status, error) { return sms.Unknown, nil }
