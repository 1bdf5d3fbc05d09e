package appointments

import (
	"context"

	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
)

// API serves the appointments and the calendars.
type API struct {
	DB   *db.DB
	Jobs *jobs.Queue

	Messages *messages.API // sends reminders
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.Appointments).Preview("2026-11-16")
	rest.Get(p, rest.Route{
		Path: "/appointments", ID: "listAppointments", Needs: read,
		Summary: "List appointments, newest first",
		Text:    "Sorted by when they were created. To get the appointments of a day, send `starts_after` and `starts_before`.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(p, rest.Route{
		Path: "/appointments", ID: "createAppointment", Needs: write,
		Summary: "Create an appointment",
		Text: "A user can't have two appointments at the same time: the response is 409, and its details name the other one. The same applies to a boat, except for calls, unless you send `override_boat`. A boat that was delivered can't have a sea trial. " +
			"The contact receives a reminder if you send `reminder`. " +
			"It is a transactional message of the lead, or of the contact's newest lead. " +
			"It has to pass the same send check as other messages when it is due. " +
			"`reminder.state` and `reminder.blocked_reason` show the result. " +
			"A reminder whose time has passed is sent immediately.",
		Assist: assist.Propose,
		Effect: rest.Describe(createEffect),
	}, a.create)
	rest.Get(p, rest.Route{
		Path: "/appointments/{appointment_id}", ID: "getAppointment", Needs: read,
		Summary: "Retrieve an appointment",
		Text:    "Returns the appointment with the state of its reminder.",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(p, rest.Route{
		Path: "/appointments/{appointment_id}", ID: "updateAppointment", Needs: write,
		Summary: "Update or move an appointment",
		Text: "JSON merge patch. Omitted fields keep their values, null clears a field. If the time changes, the reminder moves with it. " +
			"A canceled appointment can only be scheduled again, with its status. Its time must still be free, and its reminder is planned again.",
		Assist: assist.Propose,
		Effect: rest.Describe(updateEffect),
	}, a.update)
	rest.PostOK(p, rest.Route{
		Path: "/appointments/{appointment_id}/cancel", ID: "cancelAppointment", Needs: write,
		Summary: "Cancel an appointment",
		Text:    "Also cancels the reminder, unless it was sent.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(cancelEffect),
	}, a.cancel)
	a.mountSchedule(r)
	a.mountCalendars(r)
}

// ByAppointment is the path parameter of an appointment.
type ByAppointment struct {
	AppointmentID string `path:"appointment_id" example:"apt_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the appointment."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *AppointmentFilter) (page.Page[Appointment], error) {
	return appointments.List(ctx, tx, in.Query, in.where())
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByAppointment) (Appointment, error) {
	return find(ctx, tx, in.AppointmentID)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body AppointmentCreate }) (Appointment, error) {
	if in.Body.UserID == nil && auth.From(ctx).UserID != "" {
		in.Body.UserID = new(auth.From(ctx).UserID)
	}
	p, err := a.Book(ctx, tx, in.Body)
	if err != nil || p.LeadID == nil {
		return p, err
	}
	l, err := leads.Find(ctx, tx, *p.LeadID)
	if err != nil {
		return p, err
	}
	return p, leads.Touch(ctx, tx, l)
}

// timing is what a request says about the time. Start is nil if it stays.
type timing struct {
	start        *string
	reminds      bool
	overrideBoat bool
}

// settle sets the time of an appointment and of its reminder, and checks that the
// user and the boat are free.
func (a *API) settle(ctx context.Context, tx *db.Tx, before Appointment, p *Appointment, t timing) error {
	p.setEnd()
	if t.start != nil {
		at, err := startIn(*t.start, p.Timezone)
		if err != nil {
			return err
		}
		if err := p.schedule(at, tx.Now); err != nil {
			return err
		}
	}
	if err := p.plan(before, t.reminds, tx.Now); err != nil {
		return err
	}
	if t.reminds {
		lead, err := leadOf(ctx, tx, *p)
		if err != nil {
			return err
		}
		if lead == "" {
			var bad fault.Fields
			bad.Add("reminder", "no_lead", "requires a lead. The contact has none")
			return bad.Err()
		}
	}

	if p.blocksTime(before) {
		if err := checkOverlap(ctx, tx, *p); err != nil {
			return err
		}
	}
	if !p.blocksBoat(before) {
		return nil
	}
	return checkBoat(ctx, tx, *p, t.overrideBoat)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByAppointment
	Body AppointmentPatch
}) (Appointment, error) {
	return rest.Change(ctx, tx, find, in.AppointmentID, func(before Appointment, p *Appointment) error {
		if err := in.Body.apply(p); err != nil {
			return err
		}
		if err := checkReferences(ctx, tx, before, p); err != nil {
			return err
		}
		var start *string
		if in.Body.StartsAt.Set {
			start = &in.Body.StartsAt.V
		}
		if err := a.settle(ctx, tx, before, p, timing{start, in.Body.Reminder.V != nil, in.Body.OverrideBoat}); err != nil {
			return err
		}

		return a.save(ctx, tx, before, p, "appointment.updated")
	})
}

func (a *API) cancel(ctx context.Context, tx *db.Tx, in *struct {
	ByAppointment
	Body *AppointmentCancel
}) (Appointment, error) {
	return rest.Change(ctx, tx, find, in.AppointmentID, func(before Appointment, p *Appointment) error {
		var reason *string
		if in.Body != nil {
			reason = in.Body.Reason
		}
		if err := p.cancel(reason, tx.Now); err != nil {
			return err
		}
		p.cancelReminder()
		return a.save(ctx, tx, before, p, "appointment.canceled")
	})
}

// save writes a changed appointment, withdraws a reminder that no longer applies
// and queues the new one.
func (a *API) save(ctx context.Context, tx *db.Tx, before Appointment, p *Appointment, event string) error {
	if id := p.withdrawn(before); id != "" {
		if err := withdraw(ctx, tx, id); err != nil {
			return err
		}
	}
	if err := save(ctx, tx, before, p, event); err != nil {
		return err
	}
	return a.enqueue(ctx, tx, before, *p)
}

// enqueue queues the job of a new reminder.
func (a *API) enqueue(ctx context.Context, tx *db.Tx, before, p Appointment) error {
	if !p.needsJob(before) {
		return nil
	}
	return a.Jobs.Enqueue(ctx, tx, SendReminder{tx.Env, p.ID, p.Reminder.SendAt}, p.Reminder.SendAt)
}
