package crm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestAppointments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		lead := s.Test.Lead(nil)
		a := createAppointment(s.Test, map[string]any{"lead_id": lead, "title": "Sea trial", "notes": "Bring the keys"})
		assert.Equal(t, a.Status, appointments.Scheduled)
		assert.Equal(t, a.StartsAt.Format(time.RFC3339), "2027-01-15T15:00:00Z")
		assert.Equal(t, a.StartsAtLocal, "2027-01-15T10:00:00-05:00")
		assert.Equal(t, a.EndsAt.Format(time.RFC3339), "2027-01-15T16:00:00Z")
		assert.Equal(t, a.Timezone, "America/New_York")
		var l struct {
			ContactID string `json:"contact_id"`
		}
		s.Test.Get("/v1/leads/"+lead, 200, &l)
		assert.Equal(t, a.ContactID, l.ContactID, "contact of the lead")
		assert.Equal(t, get(s.Test, a.ID), a)

		var moved appointments.Appointment
		s.Test.With("If-Match", `"1"`).Patch(appointmentsPath+"/"+a.ID,
			`{"starts_at": "2027-07-01T09:30", "duration_minutes": 90, "notes": null}`, 200, &moved)
		assert.Equal(t, moved.StartsAtLocal, "2027-07-01T09:30:00-04:00")
		assert.Equal(t, moved.EndsAt.Format(time.RFC3339), "2027-07-01T15:00:00Z")
		assert.Equal(t, moved.Notes, nil)
		assert.Equal(t, *moved.Title, "Sea trial")
		s.Test.With("If-Match", `"1"`).Patch(appointmentsPath+"/"+a.ID, `{"title": "x"}`, 409, nil)

		var canceled appointments.Appointment
		s.Test.Post(appointmentsPath+"/"+a.ID+"/cancel", `{"reason": "Rain"}`, 200, &canceled)
		assert.Equal(t, canceled.Status, appointments.Canceled)
		assert.Equal(t, *canceled.CancelReason, "Rain")
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"starts_at": "2027-07-02T09:30"}`, 409, nil).WantDetail(t, "status", "state")
		s.Test.Post(appointmentsPath+"/"+a.ID+"/cancel", nil, 409, nil).WantDetail(t, "status", "state")
		assert.Equal(t, s.EventTypes(a.ID), []string{"appointment.created", "appointment.updated", "appointment.canceled"})

		var done appointments.Appointment
		s.Test.Patch(appointmentsPath+"/"+createAppointment(s.Test, nil).ID, `{"status": "no_show"}`, 200, &done)
		assert.Equal(t, done.Status, appointments.NoShow)
		s.Test.Patch(appointmentsPath+"/"+done.ID, `{"status": "canceled"}`, 422, nil).WantDetail(t, "status", "enum")
	})
}

func TestListAppointments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		deal := s.Test.Deal(nil)
		first := createAppointment(s.Test, map[string]any{"hull_id": hull, "starts_at": "2027-01-15T10:00:00Z"})
		second := createAppointment(s.Test, map[string]any{"deal_id": deal, "starts_at": "2027-01-16T10:00:00Z"})
		s.Test.Post(appointmentsPath+"/"+second.ID+"/cancel", nil, 200, nil)
		for query, want := range map[string][]string{
			"":                                    {second.ID, first.ID},
			"hull_id=" + hull:                     {first.ID},
			"deal_id=" + deal:                     {second.ID},
			"user_id=" + first.UserID:             {first.ID},
			"contact_id=" + first.ContactID:       {first.ID},
			"lead_id=" + *second.LeadID:           {second.ID},
			"location_id=" + second.LocationID:    {second.ID},
			"status=canceled":                     {second.ID},
			"starts_after=2027-01-15T10:00:00Z":   {second.ID, first.ID},
			"starts_after=2027-01-15T10:00:01Z":   {second.ID},
			"starts_before=2027-01-16T10:00:00Z":  {first.ID},
			"limit=1":                             {second.ID},
			"limit=1&starting_after=" + second.ID: {first.ID},
			"ending_before=" + first.ID:           {second.ID},
			"starts_after=2027-01-15T10:00:00Z&starts_before=2027-01-16T00:00:00%2B00:00&status=scheduled": {first.ID},
		} {
			var p page.Page[appointments.Appointment]
			s.Test.Get(appointmentsPath+"?"+query, 200, &p)
			ids := []string{}
			for _, a := range p.Data {
				ids = append(ids, a.ID)
			}
			assert.Equal(t, ids, want, query)
		}
	})
}

// What an appointment refers to must exist in the same environment and fit together.
func TestInvalidAppointments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		gone := s.Test.User(nil)
		s.Test.Post("/v1/users/"+gone+"/deactivate", nil, 200, nil)
		merged, kept := s.Test.Contact(nil), s.Test.Contact(nil)
		s.Test.Post("/v1/contacts/"+kept+"/merge", map[string]any{"duplicate_id": merged}, 200, nil)
		for name, c := range map[string]struct {
			changes     map[string]any
			status      int
			field, code string
		}{
			"contact of the other mode":  {map[string]any{"contact_id": s.Live.Contact(nil)}, 422, "contact_id", "not_found"},
			"lead of another dealership": {map[string]any{"lead_id": s.Other.Lead(nil)}, 422, "lead_id", "not_found"},
			"lead of another contact": {
				map[string]any{"contact_id": s.Test.Contact(nil), "lead_id": s.Test.Lead(nil)}, 422, "lead_id", "mismatch",
			},
			"merged contact":   {map[string]any{"contact_id": merged}, 409, "contact_id", "state"},
			"unknown hull":     {map[string]any{"hull_id": "hull_1"}, 422, "hull_id", "not_found"},
			"unknown deal":     {map[string]any{"deal_id": "deal_1"}, 422, "deal_id", "not_found"},
			"unknown user":     {map[string]any{"user_id": "usr_1"}, 422, "user_id", "not_found"},
			"deactivated user": {map[string]any{"user_id": gone}, 422, "user_id", "state"},
			"unknown location": {map[string]any{"location_id": "loc_1"}, 422, "location_id", "not_found"},
			"not a time":       {map[string]any{"starts_at": "tomorrow"}, 422, "starts_at", "format"},
			"in the DST gap":   {map[string]any{"starts_at": "2027-03-14T02:30"}, 422, "starts_at", "local_time"},
			"too far ahead":    {map[string]any{"starts_at": "2099-03-14T02:30"}, 422, "starts_at", "maximum"},
			"long ago":         {map[string]any{"starts_at": "1999-03-14T02:30"}, 422, "starts_at", "minimum"},
			"too long":         {map[string]any{"duration_minutes": 1441}, 422, "duration_minutes", "maximum"},
			"reminder, past": {
				map[string]any{"starts_at": "2026-01-01T10:00", "reminder": map[string]any{"channel": "sms"}}, 422, "reminder", "state",
			},
			"reminder, no channel": {map[string]any{"reminder": map[string]any{"hours_before": 2}}, 400, "reminder.channel", "required"},
			"reminder, no lead": {
				map[string]any{"contact_id": kept, "reminder": map[string]any{"channel": "sms"}}, 422, "reminder", "no_lead",
			},
		} {
			s.Test.Post(appointmentsPath, body(s.Test, c.changes), c.status, nil).WantDetail(t, c.field, c.code, name)
		}
		b := body(s.Test, nil)
		delete(b, "user_id")
		s.Test.Post(appointmentsPath, b, 400, nil).WantDetail(t, "user_id", "required", "with a key")
		delete(b, "lead_id")
		s.Test.Post(appointmentsPath, b, 400, nil).WantDetail(t, "contact_id", "required")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM appointments`)[0], 0)

		p := s.Person("sales")
		b = body(s.Test, nil)
		delete(b, "user_id")
		var own appointments.Appointment
		p.Post(appointmentsPath, b, 201, &own)
		assert.Equal(t, own.UserID, p.ID, "defaults to the session's user")
	})
}

// A boat can't be in two places at the same time, unless someone says so.
func TestBoatOverlap(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		at := func(kind, start string) map[string]any {
			return map[string]any{"kind": kind, "hull_id": boat, "starts_at": start, "duration_minutes": 60}
		}
		first := createAppointment(s.Test, at("showing", "2027-01-15T10:00:00Z"))
		f := s.Test.Post(appointmentsPath, body(s.Test, at("sea_trial", "2027-01-15T10:30:00Z")), 409, nil).Fault(t)
		f.WantDetail(t, "hull_id", "overlap")
		assert.Contains(t, f.Details[0].Message, first.ID)
		createAppointment(s.Test, at("call", "2027-01-15T10:30:00Z"))
		later := createAppointment(s.Test, at("sea_trial", "2027-01-15T11:00:00Z"))
		move := map[string]any{"starts_at": "2027-01-15T10:15:00Z"}
		s.Test.Patch(appointmentsPath+"/"+later.ID, move, 409, nil).WantDetail(t, "hull_id", "overlap")
		move["override_boat"] = true
		s.Test.Patch(appointmentsPath+"/"+later.ID, move, 200, nil)
		s.Test.Patch(appointmentsPath+"/"+later.ID, `{"notes": "Two docks"}`, 200, nil)

		counts := testkit.Concurrently(t, 4, func(int) (*testkit.Response, error) {
			return s.Test.Send("POST", appointmentsPath, body(s.Test, at("delivery", "2027-02-15T10:00:00Z")))
		})
		assert.Equal(t, counts[201], 1)
		assert.Equal(t, counts[409], 3)

		sold := s.Test.Hull(s.Test.Location(), nil)
		s.Test.DealIn("delivered", map[string]any{"hull_id": sold})
		s.Test.Post(appointmentsPath, body(s.Test, map[string]any{"kind": "sea_trial", "hull_id": sold}), 409, nil).WantDetail(t, "hull_id", "state")
		createAppointment(s.Test, map[string]any{"kind": "service", "hull_id": sold})
	})
}

// A user can't have two scheduled appointments at the same time.
func TestOverlap(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		user := s.Test.User(nil)
		at := func(start string) map[string]any {
			return map[string]any{"user_id": user, "starts_at": start, "duration_minutes": 60}
		}
		first := createAppointment(s.Test, at("2027-01-15T10:00:00Z"))
		for start, status := range map[string]int{
			"2027-01-15T09:00:00Z": 201, "2027-01-15T11:00:00Z": 201, "2027-01-15T09:30:00Z": 409, "2027-01-15T10:30:00Z": 409,
			"2027-01-15T10:00:00Z": 409, "2027-01-16T10:00:00Z": 201,
		} {
			res := s.Test.Post(appointmentsPath, body(s.Test, at(start)), status, nil)
			if status == 409 {
				f := res.Fault(t)
				f.WantDetail(t, "starts_at", "overlap", start)
			}
		}
		f := s.Test.Post(appointmentsPath, body(s.Test, at("2027-01-15T10:15:00Z")), 409, nil).Fault(t)
		assert.Contains(t, f.Details[0].Message, first.ID)
		long := at("2027-01-14T11:00:00Z")
		long["duration_minutes"] = 1440
		s.Test.Post(appointmentsPath, body(s.Test, long), 409, nil)

		other := createAppointment(s.Test, map[string]any{"starts_at": "2027-01-15T10:00:00Z"})
		s.Test.Patch(appointmentsPath+"/"+other.ID, map[string]any{"user_id": user}, 409, nil).WantDetail(t, "starts_at", "overlap")
		s.Test.Patch(appointmentsPath+"/"+first.ID, `{"duration_minutes": 61}`, 409, nil).WantDetail(t, "starts_at", "overlap")
		s.Test.Patch(appointmentsPath+"/"+first.ID, `{"title": "x", "duration_minutes": 30}`, 200, nil)
		s.Test.Post(appointmentsPath+"/"+first.ID+"/cancel", nil, 200, nil)
		s.Test.Patch(appointmentsPath+"/"+other.ID, map[string]any{"user_id": user}, 200, nil)

		s.Test.Patch(appointmentsPath+"/"+other.ID, `{"status": "completed"}`, 200, nil)
		createAppointment(s.Test, at("2027-01-15T10:00:00Z"))
		s.Test.Patch(appointmentsPath+"/"+other.ID, `{"status": "scheduled"}`, 409, nil).WantDetail(t, "starts_at", "overlap", "scheduled again")
		s.Test.Patch(appointmentsPath+"/"+first.ID, `{"status": "scheduled"}`, 409, nil).WantDetail(t, "starts_at", "overlap", "no longer canceled")
	})
}

// A canceled appointment comes back with its reminder, and can be canceled again.
func TestScheduleAgain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		lead := s.Test.Lead(nil)
		a := createAppointment(s.Test, map[string]any{"lead_id": lead, "contact_id": nil, "reminder": map[string]any{"channel": "email"}})
		s.Test.Post(appointmentsPath+"/"+a.ID+"/cancel", `{"reason": "Rain"}`, 200, nil)
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"status": "completed"}`, 409, nil).WantDetail(t, "status", "state")

		var again appointments.Appointment
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"status": "scheduled"}`, 200, &again)
		assert.Equal(t, again.Status, appointments.Scheduled)
		assert.Equal(t, again.CancelReason, nil)
		assert.Equal(t, again.CanceledAt, nil)
		assert.Equal(t, again.Reminder.State, appointments.ReminderPending)
		s.Test.Post(appointmentsPath+"/"+a.ID+"/cancel", nil, 200, nil)
		assert.Equal(t, s.EventTypes(a.ID), []string{"appointment.created", "appointment.canceled", "appointment.updated", "appointment.canceled"})
	})
}

// Of concurrent requests for the same time, one wins.
func TestConcurrentBooking(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		user, loc := s.Test.User(nil), s.Test.Location()
		var leads []string // of different contacts, because a request locks its contact
		for range 12 {
			leads = append(leads, s.Test.Lead(nil))
		}
		got := testkit.Concurrently(t, 12, func(i int) (*testkit.Response, error) {
			return s.Test.Send("POST", appointmentsPath, body(s.Test, map[string]any{
				"user_id": user, "location_id": loc, "lead_id": leads[i], "starts_at": fmt.Sprintf("2027-01-15T10:%02d:00Z", i*5),
			}))
		})
		assert.Equal(t, got, map[int]int{201: 1, 409: 11}, "creates")

		var ids []string
		for i := range 8 {
			ids = append(ids, createAppointment(s.Test, map[string]any{
				"user_id": user, "location_id": loc, "lead_id": leads[i], "starts_at": fmt.Sprintf("2027-02-%02dT10:00:00Z", i+1),
			}).ID)
		}
		got = testkit.Concurrently(t, len(ids), func(i int) (*testkit.Response, error) {
			return s.Test.Send("PATCH", appointmentsPath+"/"+ids[i], `{"starts_at": "2027-03-01T10:00:00Z"}`)
		})
		assert.Equal(t, got, map[int]int{200: 1, 409: 7}, "moves")
	})
}

// The local time follows the time zone of the location.
func TestTimeZoneOfLocation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		a := createAppointment(s.Test, nil)
		s.Test.Patch("/v1/locations/"+a.LocationID, `{"timezone": "America/Denver"}`, 200, nil)
		after := get(s.Test, a.ID)
		assert.Equal(t, after.StartsAtLocal, "2027-01-15T08:00:00-07:00")
		assert.Equal(t, after.StartsAt, a.StartsAt)
		var moved appointments.Appointment
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"starts_at": "2027-01-15T10:00"}`, 200, &moved)
		assert.Equal(t, moved.StartsAtLocal, "2027-01-15T10:00:00-07:00")
	})
}

// Appointments follow their contact.
func TestContactOfAppointment(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		duplicate, contact := s.Test.Contact(nil), s.Test.Contact(nil)
		past := createAppointment(s.Test, map[string]any{"contact_id": duplicate, "notes": "secret words", "starts_at": "2026-10-01T10:00"})
		s.Test.Patch(appointmentsPath+"/"+past.ID, `{"status": "completed"}`, 200, nil)
		next := createAppointment(s.Test, map[string]any{"contact_id": duplicate, "title": "secret words"})
		s.Test.Post("/v1/contacts/"+contact+"/merge", map[string]any{"duplicate_id": duplicate}, 200, nil)
		assert.Equal(t, get(s.Test, next.ID).ContactID, contact)
		var export struct{ Appointments []appointments.Appointment }
		s.Test.Get("/v1/contacts/"+contact+"/export", 200, &export)
		assert.Len(t, export.Appointments, 2)

		s.Test.Delete("/v1/contacts/"+contact, 204)
		erased := get(s.Test, next.ID)
		assert.Equal(t, erased.Status, appointments.Canceled)
		assert.Equal(t, erased.Title, nil)
		assert.Equal(t, get(s.Test, past.ID).Status, appointments.Completed)
		assert.Equal(t, get(s.Test, past.ID).Notes, nil)
		s.Test.Patch(appointmentsPath+"/"+past.ID, `{"notes": "secret words"}`, 409, nil).WantDetail(t, "contact_id", "state")
		for _, data := range testkit.Rows[string](s, `SELECT data FROM {emitted}`) {
			assert.Excludes(t, data, "secret words", "events")
		}
	})
}

// A key needs leads:read to read and leads:write to write. It doesn't need to read
// the hull.
func TestAppointmentScopes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		b := body(s.Test, map[string]any{"hull_id": hull})
		writer, reader := s.As(s.Key(auth.LeadsWrite)), s.As(s.Key(auth.LeadsRead))
		var a appointments.Appointment
		writer.Post(appointmentsPath, b, 201, &a)
		reader.Get(appointmentsPath+"/"+a.ID, 200, nil)
		writer.Get(appointmentsPath+"/"+a.ID, 403, nil)
		reader.Post(appointmentsPath+"/"+a.ID+"/cancel", nil, 403, nil)
		res := s.Test.Get(appointmentsPath+"/"+a.ID, 200, nil)
		if !strings.HasPrefix(res.Header.Get("Service-Preview"), "entered=2026-11-16") {
			t.Errorf("got Service-Preview %q, want the day it entered", res.Header.Get("Service-Preview"))
		}
	})
}
