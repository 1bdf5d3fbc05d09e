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
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/version"
)

// Holder is a feature that stores records of contacts. All functions run in the
// transaction of the request.
type Holder struct {
	// Move assigns the records of a merged contact to the remaining one.
	Move func(ctx context.Context, tx *db.Tx, from, to string) error
	// Export returns all records of a contact, as lists by name. ContactExport lists the names.
	Export func(ctx context.Context, tx *db.Tx, contactID string) (map[string]any, error)
	// Erase removes the personal data from the records of a contact. It returns a
	// conflict if they are still needed.
	Erase func(ctx context.Context, tx *db.Tx, contactID string) error
}

func (a *API) mountLifecycle(r *rest.Router) {
	rest.Delete(r, rest.Route{
		Path: "/contacts/{contact_id}", ID: "eraseContact", Needs: write, AllLocations: true,
		Summary: "Erase a contact's personal data",
		Text:    "Removes the personal data from the contact, its leads, messages and consents, and from contacts that were merged into it. The records stay without personal data. Revocations still block the address. Only a keyed hash of the address is stored.",
		Assist:  assist.Never(assist.Deletes),
	}, a.erase)
	rest.PostOK(r, rest.Route{
		Path: "/contacts/{contact_id}/merge", ID: "mergeContact", Needs: write, AllLocations: true,
		Summary: "Merge a duplicate into this contact",
		Text:    "Moves the leads, deals, consents and messages of the duplicate to this contact, and copies the values that this contact doesn't have. A revocation of either contact applies to the addresses of both. You can still retrieve the duplicate. Its `merged_into` is this contact.",
		Assist:  assist.Never(assist.Deletes),
	}, a.merge)
	rest.GetAudited(r, rest.Route{
		Path: "/contacts/{contact_id}/export", ID: "exportContact", Needs: exportOne, AllLocations: true,
		Summary: "Export all data about a contact",
		Text:    "Returns all records about a contact in one document, to answer a data access request. The export includes deals, so it requires deals:read in addition to leads:read. Each export is recorded in the audit log.",
		Assist:  assist.Never(assist.Exports),
	}, a.export)
	rest.Get(r, rest.Route{
		Path: "/contacts/{contact_id}/consents", ID: "listContactConsents", Needs: read,
		Summary: "List the consent records of a contact",
		Text:    "Returns the grants and revocations of the contact, from all its leads. Newest first.",
		Assist:  assist.Read,
	}, a.consents)
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

// ContactMerge is the body to merge a duplicate.
type ContactMerge struct {
	_ struct{} `doc:"Which contact to merge."`

	DuplicateID string       `json:"duplicate_id" minLength:"1" maxLength:"64" doc:"Contact to merge into this one. Its leads, deals, consents and messages move." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Take        []MergeField `json:"take,omitempty" maxItems:"20" uniqueItems:"true" doc:"Fields whose values of the duplicate replace those of this contact. The others stay, unless this contact has none." since:"next"`
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

	d, err := findDuplicate(ctx, tx, c, in.Body.DuplicateID)
	if err != nil {
		return c, err
	}

	for _, h := range holders(tx) {
		if err := h.Move(ctx, tx, d.ID, c.ID); err != nil {
			return c, err
		}
	}

	err = merge(ctx, tx, &c, d, in.Body.Take)
	return c, err
}

// findDuplicate returns the contact to merge, or why it can't be merged.
func findDuplicate(ctx context.Context, tx *db.Tx, c Contact, id string) (Contact, error) {
	var bad fault.Fields
	d, err := FindForUpdate(ctx, tx, id)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		bad.Add("duplicate_id", "not_found", "does not exist")
	case err != nil:
		return d, err
	case d.ID == c.ID:
		bad.Add("duplicate_id", "exclusive", "must be a different contact")
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
	if err := setDuplicates(ctx, tx, &c); err != nil {
		return nil, err
	}
	consents, err := consent.AllOfContact(ctx, tx, c.ID)
	if err != nil {
		return nil, err
	}

	out := ContactExport{"exported_at": tx.Now, "contact": c, "consents": consents}
	for _, h := range holders(tx) {
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

// ContactExport is all data about a contact.
type ContactExport map[string]any

// Since returns the versions that added records.
func (ContactExport) Since() map[string]string {
	return map[string]string{
		"quarantined_messages": version.Next, "appointments": version.Next, "activities": version.Next, "proposals": version.Next,
		"campaign_recipients": version.Next,
		"finance_structures":  version.Next, "deal_history": version.Next, "holds": version.Next, "listing_agreements": version.Next,
	}
}

// Schema lists the records that the holders export.
func (ContactExport) Schema(r huma.Registry) *huma.Schema {
	list := func(doc string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}, Description: doc}
	}
	contact := r.Schema(reflect.TypeFor[Contact](), true, "Contact")
	contact.Description = "The contact."
	s := &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"exported_at", "contact", "consents"},
		Properties: map[string]*huma.Schema{
			"exported_at": {Type: huma.TypeString, Format: "date-time", Description: "When the export was created."},
			"contact":     contact,
			"consents": {Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[consent.Consent](), true, "Consent"),
				Description: "Consent records."},
			"leads":                list("Leads, as in the leads endpoints."),
			"assignments":          list("Assignment history of the leads."),
			"signals":              list("Signals of the leads."),
			"messages":             list("Messages sent and received."),
			"quarantined_messages": list("Messages in quarantine that were sent from an address of the contact."),
			"deals":                list("Deals, as in the deals endpoints."),
			"offers":               list("Offers of the deals."),
			"trade_ins":            list("Trade-ins of the deals."),
			"deal_history":         list("Changes of the status of the deals."),
			"holds":                list("Changes that put hulls on hold for the contact or its leads."),
			"listing_agreements":   list("Agreements about boats that you sell for the contact."),
			"finance_structures":   list("Finance structures of the deals, without the dealership's costs."),
			"payments":             list("Payments of the deals."),
			"documents":            list("Documents of the deals, without their files."),
			"fundings":             list("Fundings of the deals."),
			"appointments":         list("Appointments of the contact."),
			"activities":           list("Calls, notes, visits and tasks on the contact, its leads and its deals."),
			"campaign_recipients":  list("Campaigns that the contact was chosen for, with the results."),
			"proposals":            list("Proposals about the contact, its leads and its deals."),
		},
	}

	for name, since := range (ContactExport{}).Since() {
		s.Properties[name].Extensions = map[string]any{version.Extension: version.DateOf(since)}
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
		if err := a.eraseOne(ctx, tx, one); err != nil {
			return rest.None{}, err
		}
	}

	return rest.None{}, nil
}

// eraseOne erases one contact: the records of the holders, the consent records,
// its events and its own data.
func (a *API) eraseOne(ctx context.Context, tx *db.Tx, c Contact) error {
	for _, h := range holders(tx) {
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
