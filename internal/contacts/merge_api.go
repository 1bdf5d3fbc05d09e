package contacts

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/consent"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// Holder is a feature that keeps records of contacts. It depends on contacts,
// not they on it: app tells them of it. All of it happens in the transaction
// that it is given.
type Holder struct {
	// Move gives the records of one contact to another, which it turned out to be.
	Move func(ctx context.Context, tx *db.Tx, from, to string) error
	// Export returns everything held of a contact, as lists by their names.
	Export func(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error)
	// Erase forgets what is personal in the records of a contact, or refuses with
	// a conflict if they are still needed.
	Erase func(ctx context.Context, tx *db.Tx, contactID string) error
}

func (a *API) mountLifecycle(r *rest.Router) {
	rest.Delete(r, "/contacts/{contact_id}", "eraseContact", write, "Erase a contact's personal data", a.erase,
		rest.Describe("The contact stays as an empty row that others refer to. Its leads, messages and consents keep no personal data; its revocations go on blocking the address, of which only a keyed hash is left. Contacts that were merged into it are erased with it."))
	rest.PostOK(r, "/contacts/{contact_id}/merge", "mergeContact", write, "Merge a duplicate into this contact", a.merge,
		rest.Describe("Leads, deals, consents and messages of the duplicate become this contact's, and what this one does not know is taken over. A revocation on either side holds for the other's addresses too. The duplicate stays readable, with `merged_into`."),
		rest.Example(`{"duplicate_id": "con_01jcqz8t5n8m2x4v6b7c9d0e1f"}`))
	rest.GetAudited(r, "/contacts/{contact_id}/export", "exportContact", read, "Export everything held about a contact", a.export,
		rest.Describe("One document for whoever asks what is known of them. Exports are audited."))
	rest.Get(r, "/contacts/{contact_id}/consents", "listContactConsents", read, "List a contact's consent records", a.consents)
}

func (a *API) consents(ctx context.Context, tx *db.Tx, in *struct {
	ByContact
	page.Query
}) (page.Page[consent.Consent], error) {
	if _, err := Find(ctx, tx, in.ContactID); err != nil {
		return page.Page[consent.Consent]{}, err
	}
	return consent.ListOfContact(ctx, tx, in.ContactID, in.Query)
}

// ContactMerge names the contact that is the same.
type ContactMerge struct {
	DuplicateID string `json:"duplicate_id" minLength:"1" maxLength:"64" example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) merge(ctx context.Context, tx *db.Tx, in *struct {
	ByContact
	Body ContactMerge
}) (Contact, error) {
	c, err := FindForUpdate(ctx, tx, in.ContactID)
	if err != nil {
		return c, err
	}
	if err := rest.CheckIfMatch(ctx, c.Version); err != nil {
		return c, err
	}
	d, err := duplicate(ctx, tx, c, in.Body.DuplicateID)
	if err != nil {
		return c, err
	}
	for _, h := range a.Holders {
		if err := h.Move(ctx, tx, d.ID, c.ID); err != nil {
			return c, err
		}
	}
	return c, merge(ctx, tx, &c, d)
}

// duplicate finds the contact to merge into another, and says why not.
func duplicate(ctx context.Context, tx *db.Tx, c Contact, id string) (Contact, error) {
	var bad fault.Fields
	d, err := FindForUpdate(ctx, tx, id)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		bad.Add("duplicate_id", "not_found", "does not exist")
	case err != nil:
		return d, err
	case d.ID == c.ID:
		bad.Add("duplicate_id", "exclusive", "must be another contact")
	}
	if err := bad.Err(); err != nil {
		return d, err
	}
	if err := c.Active(); err != nil {
		return d, err
	}
	return d, d.Active()
}

func (a *API) export(ctx context.Context, tx *db.Tx, in *ByContact) (ContactExport, error) {
	c, err := Find(ctx, tx, in.ContactID)
	if err != nil {
		return nil, err
	}
	if err := compare(ctx, tx, &c); err != nil {
		return nil, err
	}
	consents, err := consent.AllOfContact(ctx, tx, c.ID)
	if err != nil {
		return nil, err
	}
	out := ContactExport{"exported_at": tx.Now, "contact": c, "consents": consents}
	for _, h := range a.Holders {
		held, err := h.Export(ctx, tx, c.ID)
		if err != nil {
			return nil, err
		}
		for name, records := range held {
			out[name] = records
		}
	}
	return out, audit.Record(ctx, tx, "contact.exported", c.ID, nil)
}

// ContactExport is everything held about a contact.
type ContactExport map[string]any

// Schema describes what is in every export; the lists follow the features.
func (ContactExport) Schema(r huma.Registry) *huma.Schema {
	list := func(doc string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}, Description: doc}
	}
	s := &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"exported_at", "contact", "consents"},
		Properties: map[string]*huma.Schema{
			"exported_at": {Type: huma.TypeString, Format: "date-time"},
			"contact":     r.Schema(reflect.TypeFor[Contact](), true, "Contact"),
			"consents":    {Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[consent.Consent](), true, "Consent")},
			"leads":       list("The leads, as the leads endpoints show them."),
			"assignments": list("Who worked the leads."),
			"signals":     list("What the leads did."),
			"messages":    list("What they were sent and what they wrote."),
			"deals":       list("The deals, as the deals endpoints show them."),
		},
	}
	s.PrecomputeMessages()
	return s
}

func (a *API) erase(ctx context.Context, tx *db.Tx, in *ByContact) (rest.None, error) {
	c, err := FindForUpdate(ctx, tx, in.ContactID)
	if err != nil {
		return rest.None{}, err
	}
	if err := rest.CheckIfMatch(ctx, c.Version); err != nil {
		return rest.None{}, err
	}
	if err := c.Active(); err != nil {
		return rest.None{}, err
	}
	merged, err := mergedInto(ctx, tx, c)
	if err != nil {
		return rest.None{}, err
	}
	for _, one := range append(merged, c) {
		if err := a.forget(ctx, tx, one); err != nil {
			return rest.None{}, err
		}
	}
	return rest.None{}, nil
}

// forget erases one contact: what others keep of it, the ledger's evidence, its
// earlier events and itself.
func (a *API) forget(ctx context.Context, tx *db.Tx, c Contact) error {
	for _, h := range a.Holders {
		if err := h.Erase(ctx, tx, c.ID); err != nil {
			return err
		}
	}
	if err := consent.Erase(ctx, tx, c.ID); err != nil {
		return err
	}
	if err := events.Redact(ctx, tx, c.ID); err != nil {
		return err
	}
	before := c
	c.erase(tx.Now)
	return save(ctx, tx, before, &c, "contact.erased")
}
