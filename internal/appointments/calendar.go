package appointments

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/auth"
)

// UserCalendar is the secret URL of a user's appointments.
type UserCalendar struct {
	_ struct{} `doc:"The calendar of a user."`

	UserID    string    `json:"user_id" example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"User whose appointments the calendar contains."`
	URL       string    `json:"url" doc:"Anyone with this URL can read the calendar. It is only shown once." example:"https://slipway.example.com/calendars/k3v9...ics"`
	CreatedAt time.Time `json:"created_at" doc:"When the URL was created."`

	CreatedBy auth.Actor `json:"created_by" doc:"User, API key or app that created the URL."`
}

// entry is an appointment with what its calendar shows.
type entry struct {
	Appointment
	facts
}

// summary is the title, or the kind and the contact.
func (e entry) summary() string {
	if e.Title != nil {
		return *e.Title
	}
	text := e.noun()
	text = strings.ToUpper(text[:1]) + text[1:]
	if name := e.contact.Name(); name != "" {
		text += " with " + name
	}
	return text
}

// description has what the user needs to find and call the contact. Notes stay in
// the dealership's system.
func (e entry) description() string {
	var lines []string
	if name := e.contact.Name(); name != "" {
		lines = append(lines, name)
	}
	if e.contact.Phone != nil {
		lines = append(lines, *e.contact.Phone)
	}
	if boat := e.boat(); boat != "" {
		lines = append(lines, boat)
	}
	return strings.Join(lines, "\n")
}

// calendarText returns the appointments of a user in the iCalendar format (RFC 5545).
// The same appointments always result in the same text.
func calendarText(name string, entries []entry) string {
	var c calendarWriter
	c.line("BEGIN", "VCALENDAR")
	c.line("VERSION", "2.0")
	c.line("PRODID", "-//Slipway//Appointments//EN")
	c.line("CALSCALE", "GREGORIAN")
	c.line("METHOD", "PUBLISH")
	c.text("X-WR-CALNAME", name)
	c.line("REFRESH-INTERVAL;VALUE=DURATION", "PT15M")
	c.line("X-PUBLISHED-TTL", "PT15M")
	for _, e := range entries {
		status := "CONFIRMED"
		if e.Status == Canceled {
			status = "CANCELLED"
		}
		c.line("BEGIN", "VEVENT")
		c.line("UID", e.ID+"@slipway")
		c.line("SEQUENCE", strconv.FormatInt(e.Version, 10))
		c.time("DTSTAMP", e.UpdatedAt)
		c.time("CREATED", e.CreatedAt)
		c.time("LAST-MODIFIED", e.UpdatedAt)
		c.time("DTSTART", e.StartsAt)
		c.time("DTEND", e.EndsAt)
		c.line("STATUS", status)
		c.text("SUMMARY", e.summary())
		c.text("LOCATION", e.place())
		c.text("DESCRIPTION", e.description())
		c.line("END", "VEVENT")
	}
	c.line("END", "VCALENDAR")
	return c.b.String()
}

// calendarWriter writes the lines of a calendar.
type calendarWriter struct{ b strings.Builder }

func (c *calendarWriter) time(name string, at time.Time) {
	c.line(name, at.UTC().Format("20060102T150405Z"))
}

// text writes a property with text from users, or nothing if there is none.
func (c *calendarWriter) text(name, value string) {
	if value != "" {
		c.line(name, escapeText(value))
	}
}

// foldAt is the number of bytes in a line, without its end. Longer lines continue in
// the next one, after a space.
const foldAt = 75

// line writes a property. A line is not folded in the middle of a character.
func (c *calendarWriter) line(name, value string) {
	rest := fmt.Sprintf("%s:%s", name, value)
	for limit := foldAt; len(rest) > limit; limit = foldAt - 1 {
		cut := limit
		for !utf8.RuneStart(rest[cut]) {
			cut--
		}
		c.b.WriteString(rest[:cut] + "\r\n ")
		rest = rest[cut:]
	}
	c.b.WriteString(rest + "\r\n")
}

// escapeText escapes text from users. It removes control characters, which the format
// doesn't have.
func escapeText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\\' || r == ';' || r == ',':
			b.WriteString(`\` + string(r))
		case r == '\t' || r >= ' ' && r != 0x7f:
			b.WriteRune(r)
		}
	}
	return b.String()
}
