package crm

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/messages"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/sms"
	"slipway/internal/testkit"
)

const appointmentsPath = "/v2-preview/appointments"

// body returns the body of an appointment, with changes. It creates what is missing.
func body(c *testkit.Client, changes map[string]any) map[string]any {
	b := map[string]any{"kind": "sea_trial", "starts_at": "2027-01-15T10:00", "duration_minutes": 60}
	maps.Copy(b, changes)
	if b["contact_id"] == nil && b["lead_id"] == nil {
		b["lead_id"] = c.Lead(nil)
	}
	if b["user_id"] == nil {
		b["user_id"] = c.User(nil)
	}
	if b["location_id"] == nil {
		b["location_id"] = c.Location()
	}
	return b
}

func createAppointment(c *testkit.Client, changes map[string]any) (a appointments.Appointment) {
	c.Post(appointmentsPath, body(c, changes), 201, &a)
	return a
}

func get(c *testkit.Client, id string) (a appointments.Appointment) {
	c.Get(appointmentsPath+"/"+id, 200, &a)
	return a
}

// consentingLead creates a lead who can receive messages.
func consentingLead(c *testkit.Client, changes map[string]any) string {
	lead := c.Lead(map[string]any{"contact_id": c.Contact(changes)})
	c.Post("/v1/leads/"+lead+"/consents", `{"channels": ["sms", "email"], "scope": "transactional"}`, 201, nil)
	return lead
}

// reminderWorker runs the jobs of reminders and messages, and collects what is sent.
type reminderWorker struct {
	s        *testkit.Server
	api      *appointments.API
	messages *messages.API

	mu    sync.Mutex
	texts []sms.Message
	mails []mail.Message
	lose  bool // the answer of the provider
}

func newReminderWorker(s *testkit.Server) *reminderWorker {
	w := &reminderWorker{s: s}
	w.messages = &messages.API{
		DB: s.DB, Jobs: s.Jobs, Log: slog.New(slog.DiscardHandler), Mail: mailbox{w}, MailFrom: "Slipway <noreply@example.com>",
		SMS: w, SMSFrom: "+14105550100",
	}
	w.api = &appointments.API{DB: s.DB, Jobs: s.Jobs, Messages: w.messages}
	return w
}

func (w *reminderWorker) Name() string { return "network" }

func (w *reminderWorker) Status(context.Context, string) (sms.Status, error) {
	return sms.Delivered, nil
}

func (w *reminderWorker) Sent(context.Context, sms.Message, time.Time) ([]string, error) {
	return nil, errors.New("this provider can't be asked")
}

func (w *reminderWorker) Send(_ context.Context, m sms.Message) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, m)
	if w.lose {
		return "", &sms.Unanswered{Err: errors.New("timeout")}
	}
	return "net-" + m.Token, nil
}

type mailbox struct{ w *reminderWorker }

func (b mailbox) Send(_ context.Context, m mail.Message) error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	b.w.mails = append(b.w.mails, m)
	return nil
}

// remind runs the job of a reminder that was queued for a time.
func (w *reminderWorker) remind(t *testing.T, a appointments.Appointment) error {
	t.Helper()
	return jobs.Run(t.Context(), w.api.SendReminder, appointments.SendReminder{
		Env: w.s.TestEnv(), AppointmentID: a.ID, SendAt: a.Reminder.SendAt,
	})
}

// sendAll runs the jobs of all messages that wait.
func (w *reminderWorker) sendAll(t *testing.T) (err error) {
	t.Helper()
	for _, id := range testkit.Rows[string](w.s, `SELECT id FROM messages WHERE status IN ('queued', 'scheduled') ORDER BY id`) {
		err = errors.Join(err, jobs.Run(t.Context(), w.messages.SendMessage, messages.SendMessage{Env: w.s.TestEnv(), MessageID: id}))
	}
	return err
}
