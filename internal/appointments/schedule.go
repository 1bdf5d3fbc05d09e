package appointments

import (
	"fmt"
	"strings"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Schedule is the appointments of some days.
type Schedule struct {
	_ struct{} `doc:"The appointments of some days, by their start."`

	Data []ScheduleEntry `json:"data" nullable:"false" doc:"The appointments that are not canceled, the earliest first. At most 1,000."`
}

// ScheduleEntry is an appointment with the names of what it refers to.
type ScheduleEntry struct {
	_ struct{} `doc:"An appointment with the names of what it refers to."`

	Appointment
	ContactName string  `json:"contact_name" doc:"Name of the contact." example:"June Abara"`
	HullName    *string `json:"hull_name" privacy:"plain" doc:"Year, make and model of the boat. Null if there is none." example:"2024 Grady-White Freedom 235"`
}

// ScheduleFilter is the query of the schedule.
type ScheduleFilter struct {
	StartsAfter  time.Time `query:"starts_after" doc:"Only appointments that start at this time or later. Defaults to the current time." example:"2026-12-05T05:00:00Z"`
	StartsBefore time.Time `query:"starts_before" doc:"Only appointments that start before this time, at most 42 days later. Defaults to 7 days later." example:"2026-12-06T05:00:00Z"`
	LocationID   string    `query:"location_id" maxLength:"1000" doc:"Only appointments at this location. Several are separated by commas."`
}

const longestSchedule = 42 * 24 * time.Hour

// check fills in the defaults.
func (f *ScheduleFilter) check(now time.Time) error {
	if f.StartsAfter.IsZero() {
		f.StartsAfter = now
	}
	if f.StartsBefore.IsZero() {
		f.StartsBefore = f.StartsAfter.AddDate(0, 0, 7)
	}
	if days := f.StartsBefore.Sub(f.StartsAfter); days < 0 || days > longestSchedule {
		return fault.BadRequest("starts_before must be at most 42 days after starts_after.").
			Detail("starts_before", "maximum", "must be at most 42 days after starts_after")
	}
	return nil
}

// AppointmentCheck is an appointment that someone wants to make.
type AppointmentCheck struct {
	_ struct{} `doc:"An appointment that someone wants to make."`

	Kind            Kind    `json:"kind" doc:"What the appointment is for."`
	UserID          string  `json:"user_id" minLength:"1" maxLength:"64" doc:"User who keeps the appointment." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactID       *string `json:"contact_id" required:"false" maxLength:"64" doc:"Contact that the appointment is with."`
	HullID          *string `json:"hull_id" required:"false" maxLength:"64" doc:"Boat that the appointment is about."`
	LocationID      string  `json:"location_id" minLength:"1" maxLength:"64" doc:"Location where the appointment is." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	StartsAt        string  `json:"starts_at" minLength:"1" maxLength:"40" doc:"RFC 3339 time, or a local time without an offset." example:"2026-12-05T10:00"`
	DurationMinutes *int64  `json:"duration_minutes" required:"false" minimum:"5" maximum:"1440" doc:"Defaults to 60."`
	AppointmentID   *string `json:"appointment_id" required:"false" maxLength:"64" doc:"Appointment that would move. It is not in its own way."`
}

// Check validates what the schema can't express.
func (c AppointmentCheck) Check(time.Time) error {
	var bad fault.Fields
	checkTime(&bad, c.StartsAt)
	return bad.Err()
}

// AppointmentCheckResult is what is in the way of an appointment.
type AppointmentCheckResult struct {
	_ struct{} `doc:"What is in the way of an appointment, and when it would be possible."`

	Conflicts []AppointmentConflict `json:"conflicts" nullable:"false" doc:"What is in the way. Empty if nothing is."`
	Free      []FreeTime            `json:"free" nullable:"false" doc:"Times near the wish at which the person and the boat are free: of the same user, and of others at the same time. Empty if nothing is in the way."`
}

// AppointmentConflict is something in the way of an appointment.
type AppointmentConflict struct {
	_ struct{} `doc:"Something in the way of an appointment."`

	Kind          ConflictKind `json:"kind" doc:"What is in the way."`
	Refused       bool         `json:"refused" doc:"Whether createAppointment refuses the appointment. If not, it is a warning. An overlap of the boat also requires override_boat."`
	AppointmentID *string      `json:"appointment_id" doc:"The other appointment. Null if it is something else."`
	Text          string       `json:"text" doc:"Explains it to people." example:"Sea trial with Walt Xavier, 10:00 – 11:30 AM, 2019 Grady-White Seafarer 228"`
}

// ConflictKind is what is in the way of an appointment.
type ConflictKind string

// The values.
const (
	userBooked    ConflictKind = "user_booked"
	boatBooked    ConflictKind = "boat_booked"
	boatOnHold    ConflictKind = "boat_on_hold"
	boatElsewhere ConflictKind = "boat_elsewhere"
	boatGone      ConflictKind = "boat_gone"
)

var conflictKinds = enum.Of("AppointmentConflictKind", "What is in the way of an appointment: another appointment of the user or of the boat, a hold of the boat for someone else, a boat at another location, or a boat that was delivered.",
	userBooked, boatBooked, boatOnHold, boatElsewhere, boatGone)

func (ConflictKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return conflictKinds.Describe(s)
}

// FreeTime is when an appointment would be possible.
type FreeTime struct {
	_ struct{} `doc:"When an appointment would be possible, and with whom."`

	UserID   string    `json:"user_id" doc:"User who is free." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	StartsAt time.Time `json:"starts_at" doc:"Start in UTC."`
}

// overlaps reports whether a scheduled appointment is at the time of a wish.
func (a Appointment) overlaps(wish Appointment) bool {
	return a.ID != wish.ID && a.Status == Scheduled && a.StartsAt.Before(wish.EndsAt) && a.EndsAt.After(wish.StartsAt)
}

// day is what is known about the day of a wish.
type day struct {
	booked   []ScheduleEntry // around the wish
	hull     *hulls.Hull
	location dealership.Location // of the hull
	forThem  bool                // whether a hold of the hull is for the contact
	users    []string            // who could keep the appointment, the user of the wish first
	now      time.Time
}

// conflicts lists what is in the way of a wish.
func (d day) conflicts(wish Appointment) []AppointmentConflict {
	all := []AppointmentConflict{}
	for _, b := range d.booked {
		switch {
		case !b.overlaps(wish):
		case b.UserID == wish.UserID:
			all = append(all, AppointmentConflict{Kind: userBooked, Refused: true, AppointmentID: &b.ID, Text: b.text()})
		case wish.usesBoat() && b.usesBoat() && *b.HullID == *wish.HullID:
			all = append(all, AppointmentConflict{Kind: boatBooked, AppointmentID: &b.ID, Text: b.text()})
		}
	}
	if d.hull == nil || !wish.usesBoat() {
		return all
	}
	h := *d.hull
	if wish.checkBoat(h) != nil {
		all = append(all, AppointmentConflict{Kind: boatGone, Refused: true, Text: "The boat is " + string(h.Status) + ". It can't have a sea trial."})
	}
	if h.IsHeld(d.now) && !d.forThem && h.Hold.ExpiresAt.After(wish.StartsAt) {
		until := h.Hold.ExpiresAt.In(zoneOf(wish.Timezone)).Format("Monday, Jan 2, 3:04 PM")
		all = append(all, AppointmentConflict{Kind: boatOnHold, Text: "The boat is on hold for someone else until " + until + "."})
	}
	if h.LocationID != wish.LocationID && d.location.Name != "" {
		all = append(all, AppointmentConflict{Kind: boatElsewhere, Text: "The boat is at " + d.location.Name + "."})
	}
	return all
}

// text is what an appointment is in a sentence: Sea trial with Walt Xavier, 10:00 – 11:30 AM.
func (e ScheduleEntry) text() string {
	zone := zoneOf(e.Timezone)
	from, to := e.StartsAt.In(zone), e.EndsAt.In(zone)
	start := from.Format("3:04")
	if from.Format("PM") != to.Format("PM") {
		start = from.Format("3:04 PM")
	}
	noun := e.noun()
	text := fmt.Sprintf("%s with %s, %s – %s", strings.ToUpper(noun[:1])+noun[1:], e.ContactName, start, to.Format("3:04 PM"))
	if e.HullName != nil {
		text += ", " + *e.HullName
	}
	return text
}

// isFree reports whether nobody is in the way of a wish that could move.
func (d day) isFree(wish Appointment) bool {
	for _, b := range d.booked {
		if b.overlaps(wish) && (b.UserID == wish.UserID || wish.usesBoat() && b.usesBoat() && *b.HullID == *wish.HullID) {
			return false
		}
	}
	return wish.StartsAt.After(d.now)
}

// step is how far apart the times are that are offered.
const step = 15 * time.Minute

// free returns the next time on the same day at which the user is free, and up to two others who are
// free at the time of the wish.
func (d day) free(wish Appointment) []FreeTime {
	all := []FreeTime{}
	zone := zoneOf(wish.Timezone)
	for later := wish; later.StartsAt.In(zone).Day() == wish.StartsAt.In(zone).Day(); {
		later.StartsAt, later.EndsAt = later.StartsAt.Add(step), later.EndsAt.Add(step)
		if d.isFree(later) {
			all = append(all, FreeTime{UserID: later.UserID, StartsAt: later.StartsAt})
			break
		}
	}
	for _, user := range d.users {
		other := wish
		other.UserID = user
		if user != wish.UserID && len(all) < 3 && d.isFree(other) {
			all = append(all, FreeTime{UserID: user, StartsAt: other.StartsAt})
		}
	}
	return all
}

// name fills in the names of what an appointment refers to.
func (e *ScheduleEntry) name(people map[string]contacts.Contact, boats map[string]hulls.Hull) {
	c := people[e.ContactID]
	e.ContactName = c.Called()
	if e.HullID != nil {
		if h, ok := boats[*e.HullID]; ok {
			e.HullName = new(h.Name())
		}
	}
}
