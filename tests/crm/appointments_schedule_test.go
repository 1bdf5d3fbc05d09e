package crm

import (
	"testing"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// What is in the way is named before anyone saves, with times that are free.
func TestScheduleAndCheck(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.StopClock(time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC))
		at := s.Test.Location()
		boat := s.Test.Hull(at, nil)
		walt := s.Test.Contact(map[string]any{"first_name": "Walt", "last_name": "Xavier"})
		teresa, cole := s.Person("sales").ID, s.Person("sales").ID
		book := func(user, starts string, minutes int) (a appointments.Appointment) {
			t.Helper()
			s.Test.Post("/v2-preview/appointments", map[string]any{
				"kind": "sea_trial", "contact_id": walt, "hull_id": boat, "user_id": user, "location_id": at, "starts_at": starts, "duration_minutes": minutes,
			}, 201, &a)
			return a
		}
		later := book(teresa, "2026-11-21T15:00", 60)
		first := book(teresa, "2026-11-21T10:00", 90)

		var all appointments.Schedule
		s.Test.Get("/v2-preview/schedule?starts_after=2026-11-21T05:00:00Z&starts_before=2026-11-22T05:00:00Z", 200, &all)
		assert.Len(t, all.Data, 2)
		assert.Equal(t, all.Data[0].ID, first.ID)
		assert.Equal(t, all.Data[0].ContactName, "Walt Xavier")
		assert.Equal(t, *all.Data[0].HullName, "2024 Grady-White Freedom 235")
		s.Test.Get("/v2-preview/schedule?starts_after=2026-11-21T05:00:00Z&starts_before=2027-02-22T05:00:00Z", 400, nil)

		check := func(fields map[string]any) (r appointments.AppointmentCheckResult) {
			t.Helper()
			body := map[string]any{"kind": "showing", "user_id": teresa, "location_id": at, "starts_at": "2026-11-21T10:30"}
			for name, value := range fields {
				body[name] = value
			}
			s.Test.Post("/v2-preview/appointments/check", body, 200, &r)
			return r
		}
		r := check(nil)
		assert.Len(t, r.Conflicts, 1)
		assert.Equal(t, string(r.Conflicts[0].Kind), "user_booked")
		assert.Equal(t, r.Conflicts[0].Refused, true)
		assert.Equal(t, r.Conflicts[0].Text, "Sea trial with Walt Xavier, 10:00 – 11:30 AM, 2024 Grady-White Freedom 235")
		assert.Equal(t, r.Free[0], appointments.FreeTime{UserID: teresa, StartsAt: first.EndsAt})
		found := false
		for _, f := range r.Free {
			found = found || f.UserID == cole && f.StartsAt.Equal(first.StartsAt.Add(30*time.Minute))
		}
		assert.Equal(t, found, true, "another person at the same time")

		r = check(map[string]any{"user_id": cole, "hull_id": boat})
		assert.Equal(t, string(r.Conflicts[0].Kind), "boat_booked")
		assert.Equal(t, r.Conflicts[0].Refused, false)
		assert.Len(t, check(map[string]any{"user_id": cole, "hull_id": boat, "kind": "call"}).Conflicts, 0)
		assert.Len(t, check(map[string]any{"appointment_id": first.ID}).Conflicts, 0)
		assert.Len(t, check(map[string]any{"starts_at": "2026-11-21T11:30"}).Conflicts, 0)
		assert.Len(t, check(map[string]any{"starts_at": "2026-11-21T14:30"}).Conflicts, 1)

		other := s.Test.Location()
		r = check(map[string]any{"user_id": cole, "hull_id": boat, "location_id": other, "starts_at": "2026-11-22T10:00"})
		assert.Equal(t, string(r.Conflicts[0].Kind), "boat_elsewhere")
		s.Test.Post("/v1/hulls/"+boat+"/transition", `{"to": "on_hold", "expires_at": "2026-11-23T12:00:00Z"}`, 200, nil)
		r = check(map[string]any{"user_id": cole, "hull_id": boat, "starts_at": "2026-11-22T10:00"})
		assert.Equal(t, r.Conflicts[0].Text, "The boat is on hold for someone else until Monday, Nov 23, 7:00 AM.")

		s.Test.Post("/v2-preview/appointments/"+later.ID+"/cancel", nil, 200, nil)
		s.Test.Get("/v2-preview/schedule?starts_after=2026-11-21T05:00:00Z", 200, &all)
		assert.Len(t, all.Data, 1)
	})
}
