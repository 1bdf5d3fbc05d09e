package preview

import (
	"context"
	"slices"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// What each list can expand. The names of all lists are in one map.
var (
	_ = enum.Part[ExpandDeal]("Expand", "DealExpansion", "Reference of a deal that you can expand.")
	_ = enum.Part[ExpandHull]("Expand", "HullExpansion", "Reference of a hull that you can expand.")
	_ = enum.Part[ExpandLead]("Expand", "LeadExpansion", "Reference of a lead that you can expand.")
)

// needs are the scopes to expand a reference: those to read the object itself. Each
// caller who can read an object can see the name of its owner.
var needs = map[string]auth.Rule{
	"location":          auth.Either(auth.HullsRead, auth.Admin),
	"pricing":           auth.Require(auth.HullsRead),
	"listing_agreement": auth.Require(auth.HullsWrite),
	"hull":              auth.Require(auth.HullsRead),
	"buyer":             auth.Require(auth.LeadsRead),
	"contact":           auth.Require(auth.LeadsRead),
	"last_message":      auth.Require(auth.LeadsRead),
	"owner":             auth.AnyCredential,
}

// checkExpand fails if the caller can't read what is expanded.
func checkExpand(ctx context.Context, names []string) error {
	for _, name := range names {
		if need := needs[name]; !need.Allows(auth.From(ctx).Scopes) {
			return fault.Forbidden("To expand %s, the credential needs the scope %s.", name, need).
				Detail("expand", "scope", "requires the scope %s for %s", need, name)
		}
	}
	return nil
}

// references are the IDs of what can be expanded. Messages are found by their lead.
type references struct{ hulls, contacts, users, leads []string }

// appendID adds the ID of an optional reference.
func appendID(ids []string, id *string) []string {
	if id == nil {
		return ids
	}
	return append(ids, *id)
}

// found are the objects that references of a response refer to.
type found struct {
	hulls     map[string]hulls.Hull
	pricing   map[string]hulls.HullPricing
	listings  map[string]deals.ListingAgreement // by hull
	locations map[string]dealership.Location
	contacts  map[string]contacts.Contact
	users     map[string]people.DirectoryUser
	messages  map[string]messages.LeadMessage // by lead
}

// find reads what is expanded: one statement for each kind of object.
func find(ctx context.Context, tx *db.Tx, names []string, ids references) (f found, err error) {
	expands := func(any ...string) bool {
		return slices.ContainsFunc(any, func(name string) bool { return slices.Contains(names, name) })
	}
	ids.hulls, ids.contacts, ids.users = unique(ids.hulls), unique(ids.contacts), unique(ids.users)
	if expands("hull", "location") {
		if f.hulls, err = hulls.FindAll(ctx, tx, ids.hulls); err != nil {
			return f, err
		}
	}
	if expands("pricing") && len(ids.hulls) > 0 {
		if f.pricing, err = hulls.FindVisiblePricing(ctx, tx, ids.hulls); err != nil {
			return f, err
		}
	}
	if expands("listing_agreement") && len(ids.hulls) > 0 {
		if f.listings, err = deals.FindListings(ctx, tx, ids.hulls); err != nil {
			return f, err
		}
	}
	if expands("buyer", "contact") {
		if f.contacts, err = contacts.FindAll(ctx, tx, ids.contacts); err != nil {
			return f, err
		}
	}
	if expands("owner") {
		if f.users, err = people.FindListed(ctx, tx, ids.users); err != nil {
			return f, err
		}
	}
	if expands("last_message") {
		if f.messages, err = messages.LastOf(ctx, tx, ids.leads); err != nil {
			return f, err
		}
	}
	if expands("location") {
		all, err := dealership.Locations(ctx, tx)
		if err != nil {
			return f, err
		}
		f.locations = map[string]dealership.Location{}
		for _, l := range all {
			f.locations[l.ID] = l
		}
	}
	return f, nil
}

// linked returns an expanded object, or nil if it was not expanded.
func linked[T any](all map[string]T, id string) *T {
	if v, ok := all[id]; ok {
		return &v
	}
	return nil
}
