// Package appointments stores showings, sea trials, deliveries and calls, reminds
// contacts of them, and publishes them as calendars.
package appointments

import (
	"time"

	"slipway/internal/consent"
	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/privacy"
)

// Status is the status of an appointment.
type Status string

// The statuses of an appointment.
const (
	Scheduled Status = "scheduled"
	Canceled  Status = "canceled"
	Completed Status = "completed"
	NoShow    Status = "no_show"
)

var allStatuses = enum.Of("AppointmentStatus", "Whether an appointment is ahead, took place or was canceled.",
	Scheduled, Canceled, Completed, NoShow)

func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatuses.Describe(s)
}

// Appointment is a time at which a user of the dealership meets or calls a contact.
// Text about the contact is excluded from the audit log, because the log can't be
// erased.
type Appointment struct {
	_ struct{} `doc:"A time at which a user of the dealership meets or calls a contact." columns:"id starts_at kind title status user_id / contact_id hull_id location_id duration_minutes:MINUTES"`

	Env             auth.Env             `json:"-" db:"env"`
	ID              string               `json:"id" db:"id" example:"apt_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Identifies the appointment. Starts with apt_."`
	Kind            Kind                 `json:"kind" db:"kind" doc:"What the appointment is for."`
	Status          Status               `json:"status" db:"status" doc:"Whether the appointment is to come, or what happened."`
	ContactID       string               `json:"contact_id" db:"contact_id" example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Contact that the appointment is with."`
	LeadID          *string              `json:"lead_id" db:"lead_id" example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Lead that the appointment belongs to. Null if there is none."`
	DealID          *string              `json:"deal_id" db:"deal_id" doc:"Deal that the appointment belongs to. Null if there is none."`
	HullID          *string              `json:"hull_id" db:"hull_id" example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Boat that the appointment is about. Null if there is none."`
	UserID          string               `json:"user_id" db:"user_id" doc:"User who keeps the appointment." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LocationID      string               `json:"location_id" db:"location_id" example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Location where the appointment is."`
	StartsAt        time.Time            `json:"starts_at" db:"starts_at" doc:"Start in UTC." example:"2026-12-05T15:00:00Z"`
	StartsAtLocal   string               `json:"starts_at_local" format:"date-time" audit:"-" doc:"Start in the time zone of the location, with its offset." example:"2026-12-05T10:00:00-05:00"`
	EndsAt          time.Time            `json:"ends_at" db:"ends_at" audit:"-" doc:"End in UTC."`
	DurationMinutes int64                `json:"duration_minutes" db:"duration_minutes" example:"60" doc:"Length in minutes."`
	Timezone        string               `json:"timezone" db:"timezone" audit:"-" privacy:"plain" doc:"IANA time zone of the location." example:"America/New_York"`
	Title           *string              `json:"title" db:"title" example:"Sea trial of the Freedom 235" doc:"Title in calendars. Null if there is none."`
	Notes           *string              `json:"notes" db:"notes" doc:"Notes for the dealership. Calendars and reminders don't contain them."`
	Reminder        *AppointmentReminder `json:"reminder" db:"reminder,json" doc:"Null if the contact is not reminded."`
	CancelReason    *string              `json:"cancel_reason" db:"cancel_reason" doc:"Why the appointment was canceled."`
	CanceledAt      *time.Time           `json:"canceled_at" db:"canceled_at" doc:"When the appointment was canceled. Null if it was not."`
	Version         int64                `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt       time.Time            `json:"created_at" db:"created_at" doc:"When the appointment was created."`
	UpdatedAt       time.Time            `json:"updated_at" db:"updated_at" doc:"When the appointment last changed."`
}

// Kind is the reason for an appointment.
type Kind string

// The values.
const (
	Showing  Kind = "showing"
	SeaTrial Kind = "sea_trial"
	Delivery Kind = "delivery"
	Service  Kind = "service"
	Call     Kind = "call"
	Other    Kind = "other"
)

var allKinds = enum.Of("AppointmentKind", "Reason for an appointment.", Showing, SeaTrial, Delivery, Service, Call, Other)

func (Kind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allKinds.Describe(s)
}

// Revision is the version, for the ETag.
func (a Appointment) Revision() int64 { return a.Version }

const (
	defaultMinutes = 60
	maxMinutes     = 24 * 60
	maxAhead       = 2 * 366 * 24 * time.Hour // of the start
)

// AppointmentCreate is the body to create an appointment.
type AppointmentCreate struct {
	_ struct{} `doc:"An appointment to schedule."`

	Kind            Kind                        `json:"kind" doc:"What the appointment is for."`
	ContactID       *string                     `json:"contact_id" required:"false" maxLength:"64" doc:"Defaults to the contact of the lead. Required without lead_id." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID          *string                     `json:"lead_id" required:"false" maxLength:"64" doc:"Lead of the contact. The reminder is part of its messages."`
	DealID          *string                     `json:"deal_id" required:"false" maxLength:"64" doc:"Deal that the appointment belongs to."`
	HullID          *string                     `json:"hull_id" required:"false" maxLength:"64" doc:"Boat that the appointment is about."`
	UserID          *string                     `json:"user_id" required:"false" maxLength:"64" doc:"Defaults to the user of the session. Required with an API key." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LocationID      string                      `json:"location_id" minLength:"1" maxLength:"64" example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Location where the appointment is."`
	StartsAt        string                      `json:"starts_at" minLength:"1" maxLength:"40" doc:"RFC 3339 time, or a local time without an offset, which is in the time zone of the location. A local time that occurs twice when clocks are set back is the first one." example:"2026-12-05T10:00"`
	DurationMinutes *int64                      `json:"duration_minutes" required:"false" minimum:"5" maximum:"1440" doc:"Defaults to 60."`
	Title           *string                     `json:"title" required:"false" maxLength:"200" doc:"Title in calendars. Defaults to the kind and the name of the contact."`
	Notes           *string                     `json:"notes" required:"false" maxLength:"10000" doc:"Notes for the dealership. Calendars and reminders don't contain them."`
	Reminder        patch.Null[ReminderSetting] `json:"reminder,omitzero" doc:"Message to the contact before the appointment. Defaults to none."`
	OverrideBoat    bool                        `json:"override_boat,omitempty" doc:"Allow the appointment although the boat has another one at the same time."`
}

// Check validates what the schema can't express.
func (n AppointmentCreate) Check(time.Time) error {
	var bad fault.Fields
	checkTime(&bad, n.StartsAt)
	if n.ContactID == nil && n.LeadID == nil {
		bad.Add("contact_id", "required", "is required unless you send lead_id")
	}
	if n.Reminder.V != nil && !n.Reminder.V.Channel.Set {
		bad.Add("reminder.channel", "required", "is required")
	}
	return bad.Err()
}

// appointment returns the new appointment without what depends on the resources
// that it refers to.
func (n AppointmentCreate) appointment() Appointment {
	a := Appointment{
		Kind: n.Kind, Status: Scheduled, LeadID: n.LeadID, DealID: n.DealID, HullID: n.HullID, LocationID: n.LocationID,
		DurationMinutes: defaultMinutes, Title: n.Title, Notes: n.Notes,
	}
	if n.ContactID != nil {
		a.ContactID = *n.ContactID
	}
	if n.UserID != nil {
		a.UserID = *n.UserID
	}
	if n.DurationMinutes != nil {
		a.DurationMinutes = *n.DurationMinutes
	}
	n.Reminder.V.apply(&a.Reminder)
	return a
}

// AppointmentPatch is the body to change an appointment.
type AppointmentPatch struct {
	_ struct{} `doc:"Changes to an appointment. Fields that you leave out keep their values."`

	Kind            patch.Value[Kind]           `json:"kind,omitzero" doc:"What the appointment is for."`
	Status          patch.Value[Status]         `json:"status,omitzero" doc:"Use scheduled, completed or no_show. Cancel the appointment with cancel. The value scheduled also brings a canceled appointment back."`
	ContactID       patch.Value[string]         `json:"contact_id,omitzero" minLength:"1" maxLength:"64" doc:"Contact that the appointment is with."`
	LeadID          patch.Null[string]          `json:"lead_id,omitzero" maxLength:"64" doc:"Lead of the contact. Null removes it."`
	DealID          patch.Null[string]          `json:"deal_id,omitzero" maxLength:"64" doc:"Deal that the appointment belongs to. Null removes it."`
	HullID          patch.Null[string]          `json:"hull_id,omitzero" maxLength:"64" doc:"Boat that the appointment is about. Null removes it."`
	UserID          patch.Value[string]         `json:"user_id,omitzero" minLength:"1" maxLength:"64" doc:"User who keeps the appointment."`
	LocationID      patch.Value[string]         `json:"location_id,omitzero" minLength:"1" maxLength:"64" doc:"Another location doesn't change the time in UTC."`
	StartsAt        patch.Value[string]         `json:"starts_at,omitzero" minLength:"1" maxLength:"40" doc:"RFC 3339 time, or a local time without an offset."`
	DurationMinutes patch.Value[int64]          `json:"duration_minutes,omitzero" minimum:"5" maximum:"1440" doc:"Length in minutes."`
	Title           patch.Null[string]          `json:"title,omitzero" maxLength:"200" doc:"Title in calendars. Null removes it."`
	Notes           patch.Null[string]          `json:"notes,omitzero" maxLength:"10000" doc:"Notes for the dealership. Null removes them."`
	Reminder        patch.Null[ReminderSetting] `json:"reminder,omitzero" doc:"Omitted fields keep their values. Null removes the reminder. If a reminder was blocked, send it again to try again."`
	OverrideBoat    bool                        `json:"override_boat,omitempty" doc:"Allow the appointment although the boat has another one at the same time."`
}

// Check validates what the schema can't express.
func (p AppointmentPatch) Check(time.Time) error {
	var bad fault.Fields
	if p.StartsAt.Set {
		checkTime(&bad, p.StartsAt.V)
	}
	if p.Status.V == Canceled {
		bad.Add("status", "enum", "can't be set to canceled. Use the cancel operation")
	}
	return bad.Err()
}

// apply changes everything but the start, which depends on the location.
func (p AppointmentPatch) apply(a *Appointment) error {
	if err := p.Check(a.UpdatedAt); err != nil {
		return err
	}
	if a.Status == Canceled && p.Status.V != Scheduled {
		return fault.Conflict("The appointment is canceled. Set its status to scheduled first.").Detail("status", "state", "is canceled")
	}
	if p.Reminder.V != nil && a.Reminder == nil && !p.Reminder.V.Channel.Set {
		var bad fault.Fields
		bad.Add("reminder.channel", "required", "is required")
		return bad.Err()
	}

	p.Kind.To(&a.Kind)
	if p.Status.V == Scheduled {
		a.CancelReason, a.CanceledAt = nil, nil
	}
	p.Status.To(&a.Status)
	p.ContactID.To(&a.ContactID)
	p.LeadID.To(&a.LeadID)
	p.DealID.To(&a.DealID)
	p.HullID.To(&a.HullID)
	p.UserID.To(&a.UserID)
	p.LocationID.To(&a.LocationID)
	p.DurationMinutes.To(&a.DurationMinutes)
	p.Title.To(&a.Title)
	p.Notes.To(&a.Notes)
	if p.Reminder.Set {
		p.Reminder.V.apply(&a.Reminder)
	}
	return nil
}

// AppointmentCancel is the body to cancel an appointment.
type AppointmentCancel struct {
	_ struct{} `doc:"Why an appointment is canceled."`

	Reason *string `json:"reason" required:"false" maxLength:"500" example:"The buyer is ill" doc:"Why the appointment is canceled."`
}

// cancel ends the appointment.
func (a *Appointment) cancel(reason *string, now time.Time) error {
	if a.Status != Scheduled {
		return fault.Conflict("The appointment is %s. You can't cancel it.", a.Status).Detail("status", "state", "is %s", a.Status)
	}
	a.Status, a.CancelReason, a.CanceledAt = Canceled, reason, &now
	return nil
}

// schedule sets the start and the end.
func (a *Appointment) schedule(start time.Time, now time.Time) error {
	var bad fault.Fields
	if start.After(now.Add(maxAhead)) {
		bad.Add("starts_at", "maximum", "must be within two years")
	}
	if start.Before(now.AddDate(-10, 0, 0)) {
		bad.Add("starts_at", "minimum", "must be within the last ten years")
	}
	a.StartsAt = start
	a.setEnd()
	return bad.Err()
}

func (a *Appointment) setEnd() {
	a.EndsAt = a.StartsAt.Add(time.Duration(a.DurationMinutes) * time.Minute)
}

// blocksTime reports whether a change can overlap with another appointment.
func (a *Appointment) blocksTime(before Appointment) bool {
	moved := before.Status != Scheduled || before.UserID != a.UserID || !before.StartsAt.Equal(a.StartsAt) || !before.EndsAt.Equal(a.EndsAt)
	return a.Status == Scheduled && moved
}

// usesBoat reports whether the boat of the appointment can't be elsewhere at that time.
func (a *Appointment) usesBoat() bool {
	return a.Status == Scheduled && a.HullID != nil && a.Kind != Call && a.Kind != Other
}

// blocksBoat reports whether a change can overlap with another appointment of the boat.
func (a *Appointment) blocksBoat(before Appointment) bool {
	moved := !before.usesBoat() || *before.HullID != *a.HullID || !before.StartsAt.Equal(a.StartsAt) || !before.EndsAt.Equal(a.EndsAt)
	return a.usesBoat() && moved
}

// checkBoat fails if the boat is not there for a sea trial anymore.
func (a *Appointment) checkBoat(h hulls.Hull) error {
	if a.Kind != SeaTrial || h.Status != hulls.Delivered && h.Status != hulls.Archived {
		return nil
	}
	return fault.Conflict("The boat is %s. It can't have a sea trial.", h.Status).Detail("hull_id", "state", "refers to a boat that is %s", h.Status)
}

// errBoatOverlap names the other appointment of the boat.
func errBoatOverlap(other string) error {
	return fault.Conflict("The boat has appointment %s at this time. Send override_boat to schedule both.", other).
		Detail("hull_id", "overlap", "has appointment %s at this time", other)
}

// errOverlap names the other appointment.
func errOverlap(other string) error {
	return fault.Conflict("The user has appointment %s at this time.", other).
		Detail("starts_at", "overlap", "overlaps with %s", other)
}

// derive calculates the local time.
func (a *Appointment) derive() {
	a.StartsAtLocal = a.StartsAt.In(zoneOf(a.Timezone)).Format(time.RFC3339)
}

// erase removes the personal data and cancels the appointment.
func (a *Appointment) erase(now time.Time) {
	privacy.Erase(a, false)
	if a.Status == Scheduled {
		a.Status, a.CanceledAt = Canceled, &now
	}
	a.cancelReminder()
}

// ReminderState is what happened to a reminder.
type ReminderState string

// The states of a reminder.
const (
	ReminderPending  ReminderState = "pending"
	ReminderSent     ReminderState = "sent"
	ReminderBlocked  ReminderState = "blocked"
	ReminderCanceled ReminderState = "canceled"
)

var reminderStates = enum.Of("AppointmentReminderState", "Progress of a reminder.",
	ReminderPending, ReminderSent, ReminderBlocked, ReminderCanceled)

func (ReminderState) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return reminderStates.Describe(s)
}

// AppointmentReminder is a message to the contact before an appointment.
type AppointmentReminder struct {
	_             struct{}        `doc:"A message to the contact before an appointment." nullable:"true"`
	Channel       consent.Channel `json:"channel" enum:"sms,email" doc:"How the contact is reminded."`
	HoursBefore   int64           `json:"hours_before" example:"24" doc:"How many hours before the start the reminder is due."`
	State         ReminderState   `json:"state" doc:"Whether the reminder was sent."`
	SendAt        time.Time       `json:"send_at" doc:"When the reminder is due. In quiet hours, a text message is sent when they end."`
	BlockedReason *string         `json:"blocked_reason" privacy:"plain" doc:"Code of the reason why the reminder was blocked: one of the send check, no_lead or expired." example:"consent_missing"`
	MessageID     *string         `json:"message_id" doc:"Message of the lead."`
	SentAt        *time.Time      `json:"sent_at" doc:"When the provider accepted the message. Null if it was not sent."`
}

// ReminderSetting is the reminder in a request.
type ReminderSetting struct {
	Channel     patch.Value[consent.Channel] `json:"channel,omitzero" enum:"sms,email" doc:"How to remind the contact. Required for a new reminder."`
	HoursBefore patch.Value[int64]           `json:"hours_before,omitzero" minimum:"1" maximum:"336" doc:"Defaults to 24."`
}

// defaultHours is how long before the start a reminder is sent.
const defaultHours = 24

// apply changes a reminder. The events of the appointment contain the old one, so
// it changes a copy.
func (s *ReminderSetting) apply(to **AppointmentReminder) {
	if s == nil {
		*to = nil
		return
	}
	r := AppointmentReminder{HoursBefore: defaultHours}
	if *to != nil {
		r = **to
	}
	s.Channel.To(&r.Channel)
	s.HoursBefore.To(&r.HoursBefore)
	*to = &r
}

// plan decides when the reminder of a changed appointment is sent. Asked is whether
// the request contained the reminder. A reminder that was sent is only sent again if
// the appointment moves.
func (a *Appointment) plan(before Appointment, asked bool, now time.Time) error {
	if a.Reminder == nil {
		return nil
	}
	if a.Status != Scheduled {
		a.cancelReminder()
		return nil
	}
	old := before.Reminder
	if old != nil && old.State == ReminderSent && before.StartsAt.Equal(a.StartsAt) {
		return nil
	}
	moved := !before.StartsAt.Equal(a.StartsAt) || before.Status != Scheduled || a.rewords(before)
	if old != nil && !moved && !asked {
		return nil
	}

	r := AppointmentReminder{
		Channel: a.Reminder.Channel, HoursBefore: a.Reminder.HoursBefore, State: ReminderPending,
		SendAt: a.StartsAt.Add(-time.Duration(a.Reminder.HoursBefore) * time.Hour),
	}
	if !a.StartsAt.After(now) {
		if asked {
			var bad fault.Fields
			bad.Add("reminder", "state", "can't be set because the appointment has started")
			return bad.Err()
		}
		r.State = ReminderCanceled
	}
	if old != nil && !moved && old.State == ReminderPending && old.Channel == r.Channel && old.HoursBefore == r.HoursBefore {
		r = *old // nothing changed
	}
	a.Reminder = &r
	return nil
}

// rewords reports whether a message that waits to be sent is wrong now: it has
// another recipient or another text.
func (a *Appointment) rewords(before Appointment) bool {
	if before.Reminder == nil || before.Reminder.MessageID == nil {
		return false
	}
	same := a.ContactID == before.ContactID && equal(a.LeadID, before.LeadID) && equal(a.HullID, before.HullID) &&
		a.LocationID == before.LocationID && a.Kind == before.Kind
	return !same
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// cancelReminder cancels a reminder that was not sent.
func (a *Appointment) cancelReminder() {
	if a.Reminder == nil || a.Reminder.State != ReminderPending {
		return
	}
	r := *a.Reminder
	r.State = ReminderCanceled
	a.Reminder = &r
}

// withdrawn returns the ID of the message that must not be sent because the
// reminder changed, or "".
func (a *Appointment) withdrawn(before Appointment) string {
	old := before.Reminder
	if old == nil || old.State != ReminderPending || old.MessageID == nil {
		return ""
	}
	if r := a.Reminder; r != nil && r.State == ReminderPending && r.MessageID != nil {
		return ""
	}
	return *old.MessageID
}

// needsJob reports whether a job must be queued for the reminder.
func (a *Appointment) needsJob(before Appointment) bool {
	r := a.Reminder
	if r == nil || r.State != ReminderPending || r.MessageID != nil {
		return false
	}
	old := before.Reminder
	return old == nil || old.State != ReminderPending || old.MessageID != nil || !old.SendAt.Equal(r.SendAt)
}
