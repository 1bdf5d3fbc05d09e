package hulls

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
)

// Create adds a hull.
func Create(ctx context.Context, tx *db.Tx, c HullCreate) (Hull, error) {
	zone, err := zoneOf(ctx, tx, c.LocationID)
	if err != nil {
		return Hull{}, err
	}
	h, err := c.hull(tx.Now, zone)
	if err != nil {
		return h, err
	}
	err = insert(ctx, tx, &h)
	return h, err
}

// Edit changes a hull's descriptive fields or location.
func Edit(ctx context.Context, tx *db.Tx, id string, p HullPatch) (Hull, error) {
	return change(ctx, tx, id, func(h *Hull) (string, *string, error) {
		zone, err := p.zone(ctx, tx, *h)
		if err != nil {
			return "", nil, err
		}
		return "hull.updated", nil, p.apply(h, tx.Now, zone)
	})
}

// FindPricing returns the pricing of a hull as the caller can see it.
func FindPricing(ctx context.Context, tx *db.Tx, hullID string) (HullPricing, error) {
	h, err := Find(ctx, tx, hullID)
	if err != nil {
		return HullPricing{}, err
	}
	p, err := findPricing(ctx, tx, h)
	return p.visible(ctx), err
}

// AdjustPricing changes the pricing of a hull.
func AdjustPricing(ctx context.Context, tx *db.Tx, hullID string, patch HullPricingPatch) (HullPricing, error) {
	h, err := Find(ctx, tx, hullID)
	if err != nil {
		return HullPricing{}, err
	}
	p, err := findPricing(ctx, tx, h)
	if err != nil {
		return p, err
	}
	if err := rest.CheckIfMatch(ctx, p.Version); err != nil {
		return p, err
	}

	before := p
	patch.apply(&p, tx.Now)
	err = savePricing(ctx, tx, h, repricing{before, &p, patch.Reason})
	return p, err
}
