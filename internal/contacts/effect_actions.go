package contacts

import (
	"cmp"
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/null"
)

// Called is what people call a contact: the name, or else an address.
func (c Contact) Called() string {
	return cmp.Or(c.Name(), null.Text(c.Email), null.Text(c.Phone), "a contact without a name")
}

// Describe finds a contact that an effect is about. The label says who it is, such as Buyer.
func Describe(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, label, id string) (Contact, error) {
	c, err := Find(ctx, tx, id)
	if err != nil {
		return c, err
	}
	e.Pin(label, c.ID, c.Version)
	e.Fact(label, c.ID, c.Called())
	return c, nil
}

func createEffect(_ context.Context, _ *db.Tx, in *struct{ Body ContactCreate }) (e effect.ProposalEffect, err error) {
	e.Title = "Add " + in.Body.Called() + " to the contacts"
	return e, nil
}

// Called is what people would call the contact.
func (n ContactCreate) Called() string {
	return Contact{Kind: n.Kind, FirstName: n.FirstName, LastName: n.LastName, CompanyName: n.CompanyName, Email: n.Email, Phone: n.Phone}.Called()
}

func updateEffect(ctx context.Context, tx *db.Tx, in *ByContact) (e effect.ProposalEffect, err error) {
	c, err := Describe(ctx, tx, &e, "Contact", in.ContactID)
	e.Title, e.Before = "Change "+c.Called(), c
	return e, err
}
