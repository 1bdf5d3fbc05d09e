package deals

import (
	"context"

	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
)

// rival is the best open offer of another buyer for the same boat.
type rival struct {
	Offer
	deal  Deal
	buyer string
}

// describeRivals adds the other open offers for the boat of a deal, and returns the best one
// of a buyer, or nil. Proposals don't store the names of these buyers: their erasure and
// their export would have to find them.
func describeRivals(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, d Deal) (best *rival, err error) {
	all, err := rivals(ctx, tx, d)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		other, err := Find(ctx, tx, o.DealID)
		if err != nil {
			return nil, err
		}
		c, err := contacts.Find(ctx, tx, other.BuyerID)
		if err != nil {
			return nil, err
		}
		buyer := c.Called()
		e.Pin("Other offer", o.ID, o.Version)
		e.OtherOffers = append(e.OtherOffers, effect.ProposalOffer{
			DealID: o.DealID, Buyer: &buyer, Ours: o.MadeBy == Dealer, AmountUSD: o.AmountUSD, ExpiresAt: o.ExpiresAt,
		})
		if best == nil && o.MadeBy == Buyer {
			best = &rival{o, other, buyer}
		}
	}
	return best, nil
}

// warn warns if another buyer offers more than an amount.
func (r *rival) warn(e *effect.ProposalEffect, usd int64) {
	if r == nil || r.AmountUSD <= usd {
		return
	}
	e.Warnings = append(e.Warnings, effect.ProposalWarning{
		Level: effect.Caution, Code: "better_offer",
		Text:  "A better offer is open: " + effect.USD(r.AmountUSD) + " on " + r.deal.Called() + ".",
		Named: "A better offer is open: " + r.buyer + ", " + effect.USD(r.AmountUSD) + ".",
	})
}
