package appointments

import (
	"context"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

// reminderRow is a reminder that was sent or is being sent. The primary key makes
// sure that there is one for each time of an appointment.
type reminderRow struct {
	AppointmentID string    `db:"appointment_id"`
	StartsAt      time.Time `db:"starts_at"`
	MessageID     string    `db:"message_id"`
}

func findReminder(ctx context.Context, tx *db.Tx, a Appointment) (messageID string, err error) {
	all, err := db.All[string](ctx, tx, `SELECT message_id FROM appointment_reminders
		WHERE env = ? AND appointment_id = ? AND starts_at = ?`,
		tx.Env, a.ID, a.StartsAt)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0], nil
}

func insertReminder(ctx context.Context, tx *db.Tx, a Appointment, messageID string) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO appointment_reminders (env, appointment_id, starts_at, message_id) VALUES (?, ?, ?, ?)`,
		tx.Env, a.ID, a.StartsAt, messageID)
	return err
}

func deleteReminder(ctx context.Context, tx *db.Tx, messageID string) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM appointment_reminders WHERE env = ? AND message_id = ?`, tx.Env, messageID)
	return err
}

// withdraw stops a reminder that waits to be sent, such as in quiet hours.
func withdraw(ctx context.Context, tx *db.Tx, messageID string) error {
	if err := messages.Withdraw(ctx, tx, messageID); err != nil {
		return err
	}
	return deleteReminder(ctx, tx, messageID)
}

// FollowMessage records on the appointment that its reminder was sent, or why it
// was not.
func FollowMessage(ctx context.Context, tx *db.Tx, m messages.LeadMessage) error {
	rows, err := db.All[reminderRow](ctx, tx, `SELECT {cols} FROM appointment_reminders WHERE env = ? AND message_id = ?`, tx.Env, m.ID)
	if err != nil || len(rows) == 0 {
		return err
	}
	a, err := find(ctx, tx, rows[0].AppointmentID)
	if err != nil {
		return err
	}
	if a.Reminder == nil || a.Reminder.State != ReminderPending || null.Text(a.Reminder.MessageID) != m.ID {
		return nil
	}

	before, r := a, *a.Reminder
	a.Reminder = &r
	if m.Status == messages.Sent {
		r.State, r.SentAt = ReminderSent, m.SentAt
		return save(ctx, tx, before, &a, "appointment.reminder_sent")
	}
	r.State, r.BlockedReason = ReminderBlocked, m.BlockReason
	if r.BlockedReason == nil {
		r.BlockedReason = m.ErrorCode
	}
	if err := deleteReminder(ctx, tx, m.ID); err != nil {
		return err
	}
	return save(ctx, tx, before, &a, "appointment.updated")
}
