package deals

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
)

// lockListed locks a hull and fails if its sale was delivered: the agreement was settled.
func lockListed(ctx context.Context, tx *db.Tx, hullID string) (hulls.Hull, error) {
	h, err := hulls.FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return h, err
	}
	if h.Status == hulls.Delivered {
		return h, fault.Conflict("The hull is delivered. You can't change its listing agreement.").
			Detail("hull_id", "state", "refers to a hull that is delivered")
	}
	return h, nil
}

// ReplaceListing replaces or adds the listing agreement of a hull, and sets who owns the hull.
func ReplaceListing(ctx context.Context, tx *db.Tx, hullID string, r ListingAgreementReplace) (ListingAgreement, error) {
	h, err := lockListed(ctx, tx, hullID)
	if err != nil {
		return ListingAgreement{}, err
	}
	if err := r.Check(tx.Now); err != nil {
		return ListingAgreement{}, err
	}
	if _, err := contacts.Find(ctx, tx, r.OwnerContactID); err != nil {
		if fault.KindOf(err) != fault.KindNotFound {
			return ListingAgreement{}, err
		}
		var bad fault.Fields
		bad.Add("owner_contact_id", "not_found", "must be a contact")
		return ListingAgreement{}, bad.Err()
	}

	was, err := FindListing(ctx, tx, hullID)
	if err != nil {
		return ListingAgreement{}, err
	}
	l, change := ListingAgreement{Env: tx.Env, ID: hullID, HullID: hullID, CreatedAt: tx.Now}, events.Change{}
	if was != nil {
		l, change.Before = *was, *was
	}
	if err := rest.CheckIfMatch(ctx, l.Version); err != nil {
		return l, err
	}
	r.to(&l)
	l.Version, l.UpdatedAt = l.Version+1, tx.Now
	change.After = l
	if err := saveListing(ctx, tx, l); err != nil {
		return l, err
	}

	if before := h; h.Ownership != l.Kind.ownership() {
		h.Ownership = l.Kind.ownership()
		if err := hulls.Save(ctx, tx, before, &h, hulls.Cause{Event: "hull.updated"}); err != nil {
			return l, err
		}
	}
	return l, events.Emit(ctx, tx, "listing_agreement.saved", hullID, change)
}

// DeleteListing removes the listing agreement of a hull.
func DeleteListing(ctx context.Context, tx *db.Tx, hullID string) error {
	if _, err := lockListed(ctx, tx, hullID); err != nil {
		return err
	}
	l, err := GetListing(ctx, tx, hullID)
	if err != nil {
		return err
	}
	if err := rest.CheckIfMatch(ctx, l.Version); err != nil {
		return err
	}
	if err := deleteListing(ctx, tx, hullID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "listing_agreement.removed", hullID, events.Change{After: l})
}
