package appointments

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
)

func createEffect(ctx context.Context, tx *db.Tx, in *struct{ Body AppointmentCreate }) (e effect.ProposalEffect, err error) {
	a := in.Body.appointment()
	if a.ContactID == "" && a.LeadID != nil {
		l, err := leads.Find(ctx, tx, *a.LeadID)
		if err != nil {
			return e, err
		}
		a.ContactID = l.ContactID
	}
	c, err := contacts.Describe(ctx, tx, &e, "Contact", a.ContactID)
	e.Title = "Book a " + a.noun() + " with " + c.Called()
	e.Said = []string{"kind", "contact_id"}
	return e, err
}

// describe finds the appointment of an effect, with its contact and its boat.
func describe(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, id string) (a Appointment, who string, err error) {
	if a, err = find(ctx, tx, id); err != nil {
		return a, "", err
	}
	e.Pin("Appointment", a.ID, a.Version)
	e.Fact("Appointment", a.ID, effect.Words{Zone: zoneOf(a.Timezone)}.Time(a.StartsAt))
	c, err := contacts.Describe(ctx, tx, e, "Contact", a.ContactID)
	if err != nil || a.HullID == nil {
		return a, c.Called(), err
	}
	_, err = hulls.Describe(ctx, tx, e, *a.HullID)
	return a, c.Called(), err
}

func updateEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByAppointment
	Body AppointmentPatch
}) (e effect.ProposalEffect, err error) {
	a, who, err := describe(ctx, tx, &e, in.AppointmentID)
	e.Title, e.Before = "Change the "+a.noun()+" with "+who, a
	if in.Body.StartsAt.Set {
		e.Title = "Move the " + a.noun() + " with " + who
	}
	return e, err
}

func cancelEffect(ctx context.Context, tx *db.Tx, in *ByAppointment) (e effect.ProposalEffect, err error) {
	a, who, err := describe(ctx, tx, &e, in.AppointmentID)
	e.Title = "Cancel the " + a.noun() + " with " + who
	e.Change("Status", a.ID, effect.Word(a.Status), "canceled")
	if a.Reminder != nil {
		e.Fact("Reminder", a.ID, "is not sent, unless it was sent already")
	}
	return e, err
}
