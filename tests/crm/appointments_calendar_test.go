package crm

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"slipway/internal/appointments"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// subscribe creates the calendar of a user and returns the path of its URL.
func subscribe(t *testing.T, s *testkit.Server, c *testkit.Client, user string) string {
	t.Helper()
	var cal appointments.UserCalendar
	c.Post("/v2-preview/users/"+user+"/calendar", nil, 201, &cal)
	at := strings.Index(cal.URL, "/calendars/")
	if at < 0 || !strings.HasSuffix(cal.URL, ".ics") {
		t.Fatalf("got the URL %s, want a calendar", cal.URL)
	}
	token := strings.TrimSuffix(cal.URL[at+len("/calendars/"):], ".ics")
	assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM user_calendars WHERE CAST(hash AS TEXT) LIKE ?`, "%"+token+"%")[0], 0)
	return cal.URL[at:]
}

func fetch(t *testing.T, s *testkit.Server, path string, want int) *testkit.Response {
	t.Helper()
	res, err := s.As("").Send("GET", path, nil)
	assert.NoError(t, err)
	assert.Equal(t, res.StatusCode, want, path)
	return res
}

// event is a VEVENT by the names of its properties.
type event map[string]string

var unescape = strings.NewReplacer(`\n`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`)

// parse reads a calendar according to RFC 5545.
func parse(t *testing.T, text string) (calendar event, events []event) {
	t.Helper()
	lines := strings.Split(text, "\r\n")
	for _, line := range lines {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("got the line %q, want at most 75 bytes without line breaks", line)
		}
	}
	var current event
	calendar = event{}
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r\n ", ""), "\r\n") {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case line == "":
		case !ok:
			t.Fatalf("got the line %q, want a property", line)
		case line == "BEGIN:VEVENT":
			current = event{}
		case line == "END:VEVENT":
			events, current = append(events, current), nil
		case current != nil:
			current[name] = unescape.Replace(value)
		default:
			calendar[name] = unescape.Replace(value)
		}
	}
	if !strings.HasPrefix(text, "BEGIN:VCALENDAR\r\n") || !strings.HasSuffix(text, "END:VCALENDAR\r\n") {
		t.Errorf("got %q, want a calendar", text)
	}
	return calendar, events
}

func TestCalendar(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("sales")
		feed := subscribe(t, s, p.Client, p.ID)
		_, none := parse(t, string(fetch(t, s, feed, 200).Bytes))
		assert.Len(t, none, 0)

		contact := s.Test.Contact(map[string]any{"first_name": "Ann", "last_name": "Bell", "phone": "+14105550123"})
		lead := s.Test.Lead(map[string]any{"contact_id": contact})
		title := `Sea trial; "Öl", rudder \ keys` + "\nand " + strings.Repeat("naïve façade 🚤 ", 10)
		a := createAppointment(s.Test, map[string]any{"lead_id": lead, "user_id": p.ID, "title": title, "notes": "Internal words"})
		b := createAppointment(s.Test, map[string]any{
			"lead_id": lead, "user_id": p.ID, "starts_at": "2027-01-16T10:00", "hull_id": s.Test.Hull(s.Test.Location(), nil),
		})
		createAppointment(s.Test, nil) // another user
		s.Test.Post(appointmentsPath+"/"+b.ID+"/cancel", nil, 200, nil)

		res := fetch(t, s, feed, 200)
		assert.Equal(t, res.Header.Get("Content-Type"), "text/calendar; charset=utf-8")
		calendar, events := parse(t, string(res.Bytes))
		assert.Equal(t, calendar["VERSION"], "2.0")
		assert.Equal(t, calendar["METHOD"], "PUBLISH")
		assert.Len(t, events, 2)
		first, second := events[0], events[1]
		assert.Equal(t, first["UID"], a.ID+"@slipway")
		assert.Equal(t, first["SUMMARY"], title)
		assert.Equal(t, first["DTSTART"], "20270115T150000Z")
		assert.Equal(t, first["DTEND"], "20270115T160000Z")
		assert.Equal(t, first["SEQUENCE"], "1")
		assert.Equal(t, first["STATUS"], "CONFIRMED")
		assert.Equal(t, first["LOCATION"], "Harbor East")
		assert.Equal(t, first["DESCRIPTION"], "Ann Bell\n+14105550123")
		assert.Equal(t, first["DTSTAMP"], a.UpdatedAt.UTC().Format("20060102T150405Z"))
		assert.Equal(t, second["SUMMARY"], "Sea trial with Ann Bell")
		assert.Equal(t, second["STATUS"], "CANCELLED")
		assert.Equal(t, second["SEQUENCE"], "2")
		assert.Equal(t, second["DESCRIPTION"], "Ann Bell\n+14105550123\n2024 Grady-White Freedom 235")
		assert.Excludes(t, res.Bytes, "Internal words")
		assert.Excludes(t, res.Bytes, "@example.com")

		tag := res.Header.Get("ETag")
		_, err := time.Parse(time.RFC1123, res.Header.Get("Last-Modified"))
		if err != nil || !regexp.MustCompile(`^"[0-9a-f]+"$`).MatchString(tag) {
			t.Errorf("got ETag %s and Last-Modified %s", tag, res.Header.Get("Last-Modified"))
		}
		same, err := s.As("").With("If-None-Match", tag).Send("GET", feed, nil)
		assert.NoError(t, err)
		assert.Equal(t, same.StatusCode, 304)
		s.Test.Patch(appointmentsPath+"/"+a.ID, `{"title": "Other"}`, 200, nil)
		changed, err := s.As("").With("If-None-Match", tag).Send("GET", feed, nil)
		assert.NoError(t, err)
		assert.Equal(t, changed.StatusCode, 200)

		// A new URL replaces the old one.
		next := subscribe(t, s, s.Test, p.ID)
		fetch(t, s, feed, 404)
		fetch(t, s, next, 200)
		s.Test.Delete("/v2-preview/users/"+p.ID+"/calendar", 204)
		fetch(t, s, next, 404)
		s.Test.Delete("/v2-preview/users/"+p.ID+"/calendar", 404)
		fetch(t, s, "/calendars/"+strings.Repeat("a", 52)+".ics", 404)
	})
}

// A user can only create their own calendar, and needs to read contacts for it. It
// stops when they can't, or are deactivated.
func TestCalendarAccess(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("sales"), s.Person("sales")
		p.Post("/v2-preview/users/"+other.ID+"/calendar", nil, 403, nil)
		p.Delete("/v2-preview/users/"+other.ID+"/calendar", 403)
		hulls := s.Person()
		s.Test.Put("/v1/users/"+hulls.ID+"/roles", map[string]any{"role_ids": []string{s.Test.Role("hulls:read")}}, 200, nil)
		hulls.Post("/v2-preview/users/"+hulls.ID+"/calendar", nil, 403, nil)

		feed := subscribe(t, s, p.Client, p.ID)
		s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{s.Test.Role("hulls:read")}}, 200, nil)
		fetch(t, s, feed, 404)
		s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{s.RoleID("sales")}}, 200, nil)
		fetch(t, s, feed, 200)
		s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil)
		fetch(t, s, feed, 404)
		s.Test.Post("/v2-preview/users/"+p.ID+"/calendar", nil, 409, nil)
		assert.Equal(t, testkit.Rows[string](s,
			`SELECT action FROM audit_entries WHERE target_id = ? AND action LIKE 'user.calendar%'`, p.ID), []string{"user.calendar_created", "user.calendar_revoked"})
	})
}
