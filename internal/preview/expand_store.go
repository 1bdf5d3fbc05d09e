package preview

import (
	"context"
	"slices"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// needs are the scopes to expand a reference: those to read the object itself.
var needs = map[string]auth.Rule{
	"location": auth.Either(auth.HullsRead, auth.Admin),
	"pricing":  auth.Require(auth.HullsRead),
	"hull":     auth.Require(auth.HullsRead),
	"buyer":    auth.Require(auth.LeadsRead),
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

// found are the objects that references of a response refer to.
type found struct {
	hulls     map[string]hulls.Hull
	pricing   map[string]hulls.HullPricing
	locations map[string]dealership.Location
	buyers    map[string]contacts.Contact
}

// find reads what is expanded: one statement for each kind of object.
func find(ctx context.Context, tx *db.Tx, names, hullIDs, buyerIDs []string) (f found, err error) {
	if len(hullIDs) == 0 {
		return f, nil
	}
	if slices.Contains(names, "hull") || slices.Contains(names, "location") {
		if f.hulls, err = hulls.FindAll(ctx, tx, hullIDs); err != nil {
			return f, err
		}
	}
	if slices.Contains(names, "pricing") {
		if f.pricing, err = hulls.FindVisiblePricing(ctx, tx, hullIDs); err != nil {
			return f, err
		}
	}
	if slices.Contains(names, "buyer") {
		if f.buyers, err = contacts.FindAll(ctx, tx, buyerIDs); err != nil {
			return f, err
		}
	}
	if slices.Contains(names, "location") {
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
