package contacts

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Need(auth.LeadsRead)
	write = auth.Need(auth.LeadsWrite)
)

// API serves the contacts.
type API struct {
	DB      *db.DB
	Holders []Holder // the features that keep records of contacts
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Contacts")
	rest.Get(r, "/contacts", "listContacts", read, "List contacts, newest first", a.list)
	rest.PostCreated(r, "/contacts", "createContact", write, "Create a contact", a.create,
		rest.Describe("Email and phone need not be unique: contacts that share one are listed in `possible_duplicates` and can be merged."),
		rest.Example(`{"first_name": "Ann", "last_name": "Bell", "email": "ann@example.com", "phone": "(410) 555-0123", "timezone": "America/New_York", "tags": ["boat show"]}`))
	rest.Get(r, "/contacts/{contact_id}", "getContact", read, "Retrieve a contact", a.get)
	rest.Patch(r, "/contacts/{contact_id}", "updateContact", write, "Change a contact", a.update,
		rest.Describe("A JSON merge patch: what is left out stays, null clears."),
		rest.Example(`{"phone": "+14105550188", "preferred_channel": "sms"}`))
	a.mountLifecycle(r)
}

// ByContact names a contact.
type ByContact struct {
	ContactID string `path:"contact_id" example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *ContactFilter) (page.Page[Contact], error) {
	return list(ctx, tx, *in)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body ContactCreate }) (Contact, error) {
	c, err := in.Body.contact()
	if err != nil {
		return c, err
	}
	return c, insert(ctx, tx, &c)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByContact) (Contact, error) {
	c, err := Find(ctx, tx, in.ContactID)
	if err != nil {
		return c, err
	}
	return c, compare(ctx, tx, &c)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByContact
	Body ContactPatch
}) (Contact, error) {
	c, err := Find(ctx, tx, in.ContactID)
	if err != nil {
		return c, err
	}
	if err := rest.CheckIfMatch(ctx, c.Version); err != nil {
		return c, err
	}
	if err := c.Active(); err != nil {
		return c, err
	}
	before := c
	if err := in.Body.apply(&c); err != nil {
		return c, err
	}
	return c, save(ctx, tx, before, &c, "contact.updated")
}
