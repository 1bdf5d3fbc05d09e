package appointments

import (
	"context"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// Work registers the jobs.
func (a *API) Work(q *jobs.Queue) { jobs.On(q, a.SendReminder) }

// SendReminder is the job that sends the reminder of an appointment.
type SendReminder struct {
	Env           auth.Env  `json:"env"`
	AppointmentID string    `json:"appointment_id"`
	SendAt        time.Time `json:"send_at"`
}

// Kind is the job kind.
func (SendReminder) Kind() string { return "send_appointment_reminder" }

// Reasons of blocked reminders, in addition to those of the send check.
const (
	noLead  = "no_lead"
	expired = "expired"
)

// SendReminder queues the message of a reminder that is due. It does nothing if the
// reminder was sent, canceled or moved to another time, which has its own job.
func (a *API) SendReminder(ctx context.Context, job SendReminder) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Appointment, error) {
		p, err := appointments.FindForUpdate(ctx, tx, job.AppointmentID)
		if fault.KindOf(err) == fault.KindNotFound {
			return p, nil
		}
		if err != nil {
			return p, err
		}
		r := p.Reminder
		if r == nil || r.State != ReminderPending || r.MessageID != nil || !r.SendAt.Equal(job.SendAt) {
			return p, nil
		}
		if r.SendAt.After(tx.Now) { // the clock of the queue is ahead
			return p, a.Jobs.Enqueue(ctx, tx, job, r.SendAt)
		}
		return p, a.remind(ctx, tx, p)
	})
	return err
}

// remind queues the message, or records why it can't be sent.
func (a *API) remind(ctx context.Context, tx *db.Tx, p Appointment) error {
	before, r := p, *p.Reminder
	p.Reminder = &r
	block := func(reason string) error {
		r.State, r.BlockedReason = ReminderBlocked, &reason
		return save(ctx, tx, before, &p, "appointment.updated")
	}

	sent, err := findReminder(ctx, tx, p)
	if err != nil {
		return err
	}
	if sent != "" { // the appointment moved away and back
		r.State, r.MessageID = ReminderSent, &sent
		return save(ctx, tx, before, &p, "appointment.updated")
	}
	if !p.StartsAt.After(tx.Now) {
		return block(expired)
	}
	lead, err := leadOf(ctx, tx, p)
	if err != nil {
		return err
	}
	if lead == "" {
		return block(noLead)
	}

	f, err := findFacts(ctx, tx, p)
	if err != nil {
		return err
	}
	n := messages.Notice{LeadID: lead, Channel: r.Channel, ExpiresAt: p.StartsAt}
	n.Subject, n.Body = p.reminderText(f)
	m, err := a.Messages.Notify(ctx, tx, n)
	if err != nil {
		return err
	}
	r.MessageID = &m.ID
	if m.Status == messages.Blocked {
		return block(null.Text(m.BlockReason))
	}
	if err := insertReminder(ctx, tx, p, m.ID); err != nil {
		return err
	}
	return save(ctx, tx, before, &p, "appointment.updated")
}
