package crm

import (
	"sync"
	"testing"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

var texted = map[string]any{"channel": "sms", "hours_before": 24}

// A reminder is sent once, at its time, with the local time and the location.
func TestReminder(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newReminderWorker(s)
		var loc struct{ ID string }
		s.Test.Post("/v1/locations", `{"name": "Harbor East", "phone": "(410) 555-0123", "timezone": "America/New_York",
			"address": {"line1": "12 Dock Street", "city": "Annapolis", "region": "MD", "country": "US"}}`, 201, &loc)
		lead := consentingLead(s.Test, nil)
		a := createAppointment(s.Test, map[string]any{
			"lead_id": lead, "location_id": loc.ID, "hull_id": s.Test.Hull(loc.ID, nil), "notes": "Internal", "reminder": texted,
		})
		assert.Equal(t, a.Reminder.State, appointments.ReminderPending)
		assert.Equal(t, a.Reminder.SendAt, a.StartsAt.Add(-24*time.Hour))
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE kind = 'send_appointment_reminder'`)[0], 1)

		assert.NoError(t, w.remind(t, a))
		assert.Equal(t, get(s.Test, a.ID).Reminder.MessageID, nil, "before it is due")
		setClock(t, s, a.Reminder.SendAt)
		var jobs sync.WaitGroup
		for range 4 {
			jobs.Go(func() { _ = w.remind(t, a) })
		}
		jobs.Wait()
		assert.NoError(t, w.remind(t, a))
		assert.Equal(t, get(s.Test, a.ID).Reminder.State, appointments.ReminderPending, "queued")
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.texts, 1)
		assert.Equal(t, w.texts[0].Text, "Acme Marine: This is a reminder of your sea trial for the 2024 Grady-White Freedom 235 on "+
			"Friday, January 15, 2027 at 10:00 AM EST at Harbor East, 12 Dock Street, Annapolis, MD. To change it, call +14105550123.")

		sent := get(s.Test, a.ID)
		assert.Equal(t, sent.Reminder.State, appointments.ReminderSent)
		assert.Equal(t, sent.Reminder.SentAt != nil && sent.Reminder.MessageID != nil, true)
		assert.Equal(t, s.EventTypes(a.ID), []string{"appointment.created", "appointment.updated", "appointment.reminder_sent"})
		assert.Contains(t, s.Test.Get("/v1/leads/"+lead+"/messages", 200, nil).Bytes, *sent.Reminder.MessageID)

		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"reminder": {"hours_before": 2}}`, 200, nil)
		assert.NoError(t, w.remind(t, get(s.Test, a.ID)))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.texts, 1)
	})
}

// A reminder that might have been sent waits for a user. If the appointment is canceled
// since then, it can't be sent again.
func TestReminderThatMightHaveBeenSent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newReminderWorker(s)
		w.lose = true
		a := createAppointment(s.Test, map[string]any{"lead_id": consentingLead(s.Test, nil), "reminder": texted})
		b := createAppointment(s.Test, map[string]any{"lead_id": consentingLead(s.Test, nil), "reminder": texted})
		setClock(t, s, a.Reminder.SendAt)
		assert.NoError(t, w.remind(t, a))
		assert.NoError(t, w.remind(t, b))
		assert.NoError(t, w.sendAll(t))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.texts, 2)
		a, b = get(s.Test, a.ID), get(s.Test, b.ID)
		assert.Equal(t, a.Reminder.State, appointments.ReminderPending)

		resolve := "/v2-preview/unknown_messages/"
		s.Test.Post(resolve+*a.Reminder.MessageID+"/resolve", `{"outcome": "sent"}`, 200, nil)
		assert.Equal(t, get(s.Test, a.ID).Reminder.State, appointments.ReminderSent)

		s.Test.Post(appointmentsPath+"/"+b.ID+"/cancel", nil, 200, nil)
		s.Test.Post(resolve+*b.Reminder.MessageID+"/resolve", `{"outcome": "send_again"}`, 409, nil)
		s.Test.Post(resolve+*b.Reminder.MessageID+"/resolve", `{"outcome": "not_sent"}`, 200, nil)
		assert.Len(t, w.texts, 2)
	})
}

// If an appointment moves, its reminder moves too. The old job does nothing.
func TestReminderMoves(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newReminderWorker(s)
		a := createAppointment(s.Test, map[string]any{"lead_id": consentingLead(s.Test, nil), "reminder": map[string]any{"channel": "email"}})
		assert.Equal(t, a.Reminder.HoursBefore, 24)
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"starts_at": "2027-01-20T10:00"}`, 200, nil)
		setClock(t, s, a.Reminder.SendAt)
		assert.NoError(t, w.remind(t, a))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.mails, 0)

		moved := get(s.Test, a.ID)
		setClock(t, s, moved.Reminder.SendAt)
		assert.NoError(t, w.remind(t, moved))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.mails, 1)
		assert.Equal(t, w.mails[0].Subject, "Reminder: sea trial on Wednesday, January 20")

		// A sent reminder is sent again for another time, but not for the same one.
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"starts_at": "2027-01-25T10:00"}`, 200, &moved)
		assert.Equal(t, moved.Reminder.State, appointments.ReminderPending)
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"starts_at": "2027-01-20T10:00"}`, 200, &moved)
		assert.NoError(t, w.remind(t, moved))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.mails, 1)
		assert.Equal(t, get(s.Test, a.ID).Reminder.State, appointments.ReminderSent)
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"starts_at": "2027-01-22T10:00"}`, 200, &moved)
		setClock(t, s, moved.Reminder.SendAt)
		assert.NoError(t, w.remind(t, moved))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.mails, 2)
	})
}

// The send check blocks a reminder, when it is queued or when it is sent. The
// appointment shows the reason.
func TestBlockedReminder(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newReminderWorker(s)
		lead := s.Test.Lead(nil)
		a := createAppointment(s.Test, map[string]any{"lead_id": lead, "reminder": texted})
		revoked := consentingLead(s.Test, nil)
		b := createAppointment(s.Test, map[string]any{"lead_id": revoked, "reminder": texted})
		late := createAppointment(s.Test, map[string]any{"lead_id": consentingLead(s.Test, nil), "reminder": texted})
		setClock(t, s, a.Reminder.SendAt)
		assert.NoError(t, w.remind(t, a))
		blocked := get(s.Test, a.ID)
		assert.Equal(t, blocked.Reminder.State, appointments.ReminderBlocked)
		assert.Equal(t, *blocked.Reminder.BlockedReason, "consent_missing")

		assert.NoError(t, w.remind(t, b))
		consents := testkit.Rows[string](s, `SELECT id FROM consents WHERE lead_id = ?`, revoked)
		s.Test.Post("/v1/leads/"+revoked+"/consents/"+consents[0]+"/revoke", nil, 200, nil)
		assert.NoError(t, w.sendAll(t))
		assert.Equal(t, *get(s.Test, b.ID).Reminder.BlockedReason, "consent_revoked")
		assert.Len(t, w.texts, 0)

		// With consent, the request can be sent again.
		s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels": ["sms"], "scope": "transactional"}`, 201, nil)
		var again appointments.Appointment
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"reminder": {"channel": "sms"}}`, 200, &again)
		assert.Equal(t, again.Reminder.State, appointments.ReminderPending)
		assert.NoError(t, w.remind(t, again))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.texts, 1)
		assert.Equal(t, get(s.Test, a.ID).Reminder.State, appointments.ReminderSent)

		setClock(t, s, late.StartsAt)
		assert.NoError(t, w.remind(t, late))
		assert.Equal(t, *get(s.Test, late.ID).Reminder.BlockedReason, "expired")
	})
}

// A text message in quiet hours waits until they end. It is withdrawn if the
// appointment is canceled or moved in the meantime, and blocked if that is too late.
func TestReminderInQuietHours(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newReminderWorker(s)
		night := map[string]any{"channel": "sms", "hours_before": 8} // 2 AM
		reminded := func() appointments.Appointment {
			lead := consentingLead(s.Test, map[string]any{"phone": "+14105550123"})
			return createAppointment(s.Test, map[string]any{"lead_id": lead, "reminder": night})
		}
		a, canceled, moved, rerouted := reminded(), reminded(), reminded(), reminded()
		tooLate := createAppointment(s.Test, map[string]any{
			"lead_id": consentingLead(s.Test, map[string]any{"phone": "+14105550123"}), "starts_at": "2027-01-15T07:30", "reminder": night,
		})
		setClock(t, s, a.Reminder.SendAt)
		for _, p := range []appointments.Appointment{a, canceled, moved, rerouted, tooLate} {
			assert.NoError(t, w.remind(t, p))
		}
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.texts, 0)
		assert.Equal(t, *get(s.Test, tooLate.ID).Reminder.BlockedReason, "quiet_hours")
		assert.Equal(t, testkit.Rows[time.Time](s, `SELECT scheduled_for FROM messages WHERE status = 'scheduled'`)[0].UTC(),
			time.Date(2027, 1, 15, 13, 0, 0, 0, time.UTC), "8 AM")

		s.Test.Post(appointmentsPath+"/"+canceled.ID+"/cancel", nil, 200, &canceled)
		assert.Equal(t, canceled.Reminder.State, appointments.ReminderCanceled)
		s.Test.Patch(appointmentsPath+"/"+moved.ID, `{"starts_at": "2027-01-18T10:00"}`, 200, &moved)
		assert.Equal(t, moved.Reminder.State, appointments.ReminderPending)
		s.Test.Patch(appointmentsPath+"/"+rerouted.ID, map[string]any{"lead_id": nil, "contact_id": s.Test.Contact(nil)}, 200, &rerouted)
		assert.Equal(t, rerouted.Reminder.MessageID, nil, "the message was for another contact")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE block_reason = 'withdrawn'`)[0], 3)
		assert.NoError(t, w.remind(t, rerouted))
		assert.Equal(t, *get(s.Test, rerouted.ID).Reminder.BlockedReason, "no_lead")
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"title": "The message stays"}`, 200, nil)

		setClock(t, s, time.Date(2027, 1, 15, 13, 0, 0, 0, time.UTC))
		assert.NoError(t, w.sendAll(t))
		assert.Len(t, w.texts, 1)
		assert.Equal(t, get(s.Test, a.ID).Reminder.State, appointments.ReminderSent)
	})
}

// The queue of the server sends a reminder whose time has passed immediately. The
// lead is the newest one of the contact. A reminder can be removed.
func TestReminderOfServer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(nil)
		lead := s.Test.Lead(map[string]any{"contact_id": contact})
		s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels": ["email"], "scope": "transactional"}`, 201, nil)
		soon := s.DB.Now().Add(2 * time.Hour).Format(time.RFC3339)
		emailed := map[string]any{"channel": "email"}
		removed := createAppointment(s.Test, map[string]any{"contact_id": contact, "starts_at": soon, "reminder": emailed})
		s.Test.Patch(appointmentsPath+"/"+removed.ID, `{"reminder": null}`, 200, &removed)
		assert.Equal(t, removed.Reminder == nil, true)
		a := createAppointment(s.Test, map[string]any{"contact_id": contact, "starts_at": soon, "kind": "call", "reminder": emailed})
		s.RunJobs()
		assert.Eventually(t, "sent", func() bool { return get(s.Test, a.ID).Reminder.State == appointments.ReminderSent })
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE lead_id = ?`, lead)[0], 1)
		assert.Contains(t, testkit.Rows[string](s, `SELECT body FROM messages WHERE lead_id = ?`, lead)[0], "reminder of your call on ")
	})
}
