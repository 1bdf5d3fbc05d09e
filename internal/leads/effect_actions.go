package leads

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
)

// Described is a lead that an effect is about, with its contact.
type Described struct {
	Lead
	Contact contacts.Contact
}

// Describe finds a lead that an effect is about, with its contact and its boat.
func Describe(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, id string) (d Described, err error) {
	if d.Lead, err = Find(ctx, tx, id); err != nil {
		return d, err
	}
	e.Pin("Lead", d.ID, d.Version)
	if d.Contact, err = contacts.Describe(ctx, tx, e, "Contact", d.ContactID); err != nil || d.HullID == nil {
		return d, err
	}
	_, err = hulls.Describe(ctx, tx, e, *d.HullID)
	return d, err
}

func createEffect(ctx context.Context, tx *db.Tx, in *struct{ Body LeadCreate }) (e effect.ProposalEffect, err error) {
	e.Title = "Add a lead"
	switch {
	case in.Body.ContactID != nil:
		c, err := contacts.Describe(ctx, tx, &e, "Contact", *in.Body.ContactID)
		e.Title, e.Said = "Add a lead for "+c.Called(), []string{"contact_id"}
		return e, err
	case in.Body.Contact.V != nil:
		e.Title = "Add a lead for " + in.Body.Contact.V.Called()
	}
	return e, nil
}

func updateEffect(ctx context.Context, tx *db.Tx, in *ByLead) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.LeadID)
	e.Title, e.Before = "Change the lead of "+d.Contact.Called(), d.Lead
	return e, err
}

func assignEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadAssign
}) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.LeadID)
	e.Title = "Assign the lead of " + d.Contact.Called()
	if in.Body.UserID == nil {
		e.Fact("Person", "", "the next one who takes leads")
		e.Said = []string{"strategy"}
	}
	e.Before = map[string]any{"user_id": d.OwnerID}
	return e, err
}

func closeEffect(ctx context.Context, tx *db.Tx, in *ByLead) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.LeadID)
	e.Title = "Close the lead of " + d.Contact.Called() + " as lost"
	e.Change("Status", d.ID, effect.Word(d.Status), "lost")
	return e, err
}

func signalEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadSignalCreate
}) (e effect.ProposalEffect, err error) {
	d, err := Describe(ctx, tx, &e, in.LeadID)
	e.Title = "Record that " + d.Contact.Called() + " showed interest: " + effect.Word(in.Body.Kind)
	e.Text = "It raises the score of the lead."
	return e, err
}
