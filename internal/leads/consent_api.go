package leads

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

func (a *API) mountConsents(r *rest.Router) {
	rest.Get(r, rest.Route{
		Path: "/leads/{lead_id}/consents", ID: "listLeadConsents", Needs: read,
		Summary: "List the consent records of a lead",
		Text:    "Returns the grants and revocations that were recorded with this lead. The records of all leads of the contact are in the list of the contact's consents.",
		Assist:  assist.Read,
	}, a.consents)
	rest.PostCreated(r, rest.Route{
		Path: "/leads/{lead_id}/consents", ID: "logLeadConsent", Needs: write,
		Summary:   "Record a consent",
		Text:      "Consent records are never changed. The record applies to `address`, or to the contact's address, for every lead and contact that has this address. The record with the latest `captured_at` applies.",
		Assist:    assist.Never(assist.Consents),
		NoIfMatch: true,
	}, a.logConsent)
	rest.PostOK(r, rest.Route{
		Path: "/leads/{lead_id}/consents/{consent_id}/revoke", ID: "revokeLeadConsent", Needs: write,
		Summary:   "Revoke a consent",
		Text:      "Adds a revocation with the same channels, scope and addresses. Returns the revocation.",
		Assist:    assist.Never(assist.Consents),
		NoIfMatch: true,
	}, a.revokeConsent)
}

func (a *API) consents(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	page.Query
}) (page.Page[consent.Consent], error) {
	if _, err := Find(ctx, tx, in.LeadID); err != nil {
		return page.Page[consent.Consent]{}, err
	}
	return consent.ListOfLead(ctx, tx, in.LeadID, in.Query)
}

func (a *API) logConsent(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body consent.ConsentCreate
}) (consent.Consent, error) {
	l, err := Find(ctx, tx, in.LeadID)
	if err != nil {
		return consent.Consent{}, err
	}
	c, err := contacts.FindForUpdate(ctx, tx, l.ContactID)
	if err != nil {
		return consent.Consent{}, err
	}
	if err := c.Active(); err != nil {
		return consent.Consent{}, err
	}
	return addConsent(ctx, tx, l, c, in.Body)
}

// recordable are the consents of a form without the channels that the contact has no address for,
// and these channels. A form must not lose the lead because a checkbox has no phone number.
type recordable struct {
	consents []consent.ConsentCreate
	left     []consent.Channel
}

func reachable(all []consent.ConsentCreate, c contacts.Contact) (r recordable) {
	r.left = []consent.Channel{}
	for _, n := range all {
		channels := n.Channels
		n.Channels = nil
		for _, channel := range channels {
			switch {
			case c.AddressOn(channel) != "" || n.Address != nil:
				n.Channels = append(n.Channels, channel)
			case !slices.Contains(r.left, channel):
				r.left = append(r.left, channel)
			}
		}
		r.consents = append(r.consents, n)
	}
	return r
}

// addConsents records the consents that were sent with a new lead.
func addConsents(ctx context.Context, tx *db.Tx, l Lead, c contacts.Contact, all []consent.ConsentCreate) error {
	for i, n := range all {
		if len(n.Channels) == 0 {
			continue
		}
		_, err := addConsent(ctx, tx, l, c, n)
		var bad fault.Fields
		if addNested(&bad, fmt.Sprintf("consents[%d]", i), err); len(bad) > 0 {
			return bad.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addConsent records a consent of a lead. The caller has locked the contact.
func addConsent(ctx context.Context, tx *db.Tx, l Lead, c contacts.Contact, n consent.ConsentCreate) (consent.Consent, error) {
	record, err := n.Record(tx.Now)
	if err != nil {
		return record, err
	}
	if record.Bindings, err = bindings(c, n); err != nil {
		return record, err
	}

	record.ContactID, record.LeadID = l.ContactID, &l.ID
	if record.PersonName == nil {
		record.PersonName = null.From(c.Name())
	}
	if n.RevokesID != nil {
		if err := checkRevokesID(ctx, tx, l, *n.RevokesID); err != nil {
			return record, err
		}
	}

	err = consent.Append(ctx, tx, &record)
	return record, err
}

// checkRevokesID returns an error if the record doesn't exist or is already
// revoked.
func checkRevokesID(ctx context.Context, tx *db.Tx, l Lead, id string) error {
	revoked, err := consent.FindOfLead(ctx, tx, l.ID, id)
	var bad fault.Fields
	if err := bad.AddNotFound("revokes_id", err); err != nil {
		return err
	}
	if err := bad.Err(); err != nil {
		return err
	}
	return consent.NotRevoked(ctx, tx, revoked)
}

// bindings returns the address for each channel of a record: the address in the
// request if it fits the channel, otherwise the contact's.
func bindings(c contacts.Contact, n consent.ConsentCreate) ([]consent.ConsentBinding, error) {
	var all []consent.ConsentBinding
	var bad fault.Fields
	for _, channel := range n.Channels {
		address := c.AddressOn(channel)
		if named := null.Text(n.Address); named != "" && strings.Contains(named, "@") == (channel == consent.Email) {
			var ok bool
			if address, ok = contacts.ParseAddress(channel, named); !ok {
				bad.Add("address", "format", "must be a phone number or an email address")
				continue
			}
		}
		if address == "" {
			bad.Add("address", consent.CodeRecipientInvalid, "is required because the contact has no address for %s", channel)
			continue
		}
		all = append(all, consent.ConsentBinding{Channel: channel, Address: address})
	}
	return all, bad.Err()
}

func (a *API) revokeConsent(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	ConsentID string `path:"consent_id" doc:"ID of the consent record to revoke." example:"cns_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Body      *consent.ConsentRevoke
}) (consent.Consent, error) {
	if _, err := Find(ctx, tx, in.LeadID); err != nil {
		return consent.Consent{}, err
	}
	granted, err := consent.FindOfLead(ctx, tx, in.LeadID, in.ConsentID)
	if err != nil {
		return granted, err
	}
	if err := consent.NotRevoked(ctx, tx, granted); err != nil {
		return granted, err
	}

	var how consent.ConsentRevoke
	if in.Body != nil {
		how = *in.Body
	}
	revocation, err := granted.Revocation(how, tx.Now)
	if err != nil {
		return revocation, err
	}

	err = consent.Append(ctx, tx, &revocation)
	return revocation, err
}
