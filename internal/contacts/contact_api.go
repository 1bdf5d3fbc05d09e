package contacts

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
	// exportOne is the rule of an export, which also contains the deals of a contact.
	exportOne = auth.Require(auth.LeadsRead, auth.DealsRead)
)

// API serves the contacts.
type API struct {
	DB *db.DB
}

// Hooks are the features that store records of contacts.
type Hooks struct {
	Messages, Leads, Deals, Finance, Documents, Appointments, Activities, Proposals, Campaigns Holder
}

// holders lists the features in the order of the calls.
func holders(tx *db.Tx) []Holder {
	h := db.Attached[Hooks](tx)
	return []Holder{h.Messages, h.Leads, h.Deals, h.Finance, h.Documents, h.Appointments, h.Activities, h.Proposals, h.Campaigns}
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Contacts)
	rest.Get(r, rest.Route{
		Path: "/contacts", ID: "listContacts", Needs: read,
		Summary: "List contacts, newest first",
		Text:    "Returns the contacts that match all filters. Merged and erased contacts are left out. `include_gone=true` also lists them, and `gone=true` lists only them.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(r, rest.Route{
		Path: "/contacts", ID: "createContact", Needs: write,
		Summary: "Create a contact",
		Text:    "Email and phone don't have to be unique. Contacts with the same email or phone are listed in `possible_duplicates`. You can merge them.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(createEffect),
	}, a.create)
	rest.Get(r, rest.Route{
		Path: "/contacts/{contact_id}", ID: "getContact", Needs: read,
		Summary: "Retrieve a contact",
		Text:    "Returns the contact. You can also retrieve merged and erased contacts. `merged_into` and `erased_at` show what happened to them.",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(r, rest.Route{
		Path: "/contacts/{contact_id}", ID: "updateContact", Needs: write,
		Summary: "Update a contact",
		Text:    "JSON merge patch. Omitted fields keep their values, null clears a field.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(updateEffect),
	}, a.update)
	a.mountLifecycle(r)
	rest.GetOrCSV(r.Preview("2026-11-19"), rest.Route{
		Path: "/contacts", ID: "listContactsV2", Needs: read,
		Summary: "List contacts, newest first",
		Text: "Like `GET /v1/contacts`. Send `Accept: text/csv` to export all contacts that match, as a file that `createContactImport` reads. " +
			"An export is recorded in the audit log, and isn't limited to a page. Cells that a spreadsheet would run as a formula start with a quote.",
		Assist: assist.Read,
	}, a.list, a.exportAll)
}

// ByContact is the path parameter of a contact.
type ByContact struct {
	ContactID string `path:"contact_id" doc:"ID of the contact." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *ContactFilter) (page.Page[Contact], error) {
	return List(ctx, tx, *in)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body ContactCreate }) (Contact, error) {
	c, err := in.Body.contact()
	if err != nil {
		return c, err
	}
	err = insert(ctx, tx, &c)
	return c, err
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByContact) (Contact, error) {
	c, err := Find(ctx, tx, in.ContactID)
	if err != nil {
		return c, err
	}
	err = setDuplicates(ctx, tx, &c)
	return c, err
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByContact
	Body ContactPatch
}) (Contact, error) {
	return rest.Change(ctx, tx, Find, in.ContactID, func(before Contact, c *Contact) error {
		if err := c.Active(); err != nil {
			return err
		}
		if err := in.Body.apply(c); err != nil {
			return err
		}
		return save(ctx, tx, before, c, "contact.updated")
	})
}
