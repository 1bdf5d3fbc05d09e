package hulls

import (
	"context"
	"fmt"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/fault"
)

func mountReprice(r *rest.Router) {
	rest.PostOK(r, rest.Route{
		Path: "/hulls/reprice", ID: "repriceHulls", Needs: write,
		Summary: "Change the prices of several hulls",
		Text: "Changes the asking prices of up to 100 hulls together: all of them or none. Each change is in the price history and has its own event. " +
			"With `version`, a price that someone else changed in the meantime is reported as `stale`. " +
			"To undo the change, send the old prices with the new versions.",
		Assist: assist.Propose,
		Effect: rest.Describe(repriceEffect),
	}, reprice)
}

// HullsReprice is the body of a change of several prices.
type HullsReprice struct {
	_ struct{} `doc:"New asking prices of several hulls."`

	Prices []NewPrice `json:"prices" minItems:"1" maxItems:"100" doc:"New prices. Each hull can only be in the list once."`
	Reason *string    `json:"reason" required:"false" maxLength:"500" doc:"Reason for the price changes, for the history."`
}

// NewPrice is the new price of one hull.
type NewPrice struct {
	_ struct{} `doc:"The new asking price of a hull."`

	HullID   string `json:"hull_id" minLength:"1" maxLength:"64" doc:"Hull to change." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	PriceUSD int64  `json:"price_usd" minimum:"0" maximum:"1000000000" doc:"New asking price in whole US dollars." example:"119500"`
	Version  *int64 `json:"version" required:"false" minimum:"1" doc:"Version of the pricing that you saw. Without it, the price is changed in any case."`
}

// HullsRepriced are the new prices of several hulls.
type HullsRepriced struct {
	_ struct{} `doc:"The prices of several hulls after a change." privacy:"plain"`

	Data []HullPricing `json:"data" nullable:"false" doc:"Pricing of the hulls, in the order of the request."`
}

type repriceIn struct{ Body HullsReprice }

func reprice(ctx context.Context, tx *db.Tx, in *repriceIn) (HullsRepriced, error) {
	boats, pricing, err := findPriced(ctx, tx, in.Body.Prices)
	if err != nil {
		return HullsRepriced{}, err
	}
	if err := checkVersions(in.Body.Prices, boats, pricing); err != nil {
		return HullsRepriced{}, err
	}

	out := HullsRepriced{Data: []HullPricing{}}
	for _, to := range in.Body.Prices {
		before := pricing[to.HullID]
		p := before
		if p.PriceUSD != to.PriceUSD {
			p.PriceUSD, p.EffectiveAt = to.PriceUSD, tx.Now
			if err := savePricing(ctx, tx, boats[to.HullID], repricing{before, &p, in.Body.Reason}); err != nil {
				return out, err
			}
		}
		out.Data = append(out.Data, p.visible(ctx))
	}
	return out, nil
}

// findPriced returns the hulls of new prices and their pricing, by ID.
func findPriced(ctx context.Context, tx *db.Tx, prices []NewPrice) (boats map[string]Hull, pricing map[string]HullPricing, err error) {
	var bad fault.Fields
	seen := map[string]bool{}
	var ids []string
	for i, p := range prices {
		if seen[p.HullID] {
			bad.Add(fmt.Sprintf("prices[%d].hull_id", i), "duplicate", "is already in the list")
		}
		seen[p.HullID], ids = true, append(ids, p.HullID)
	}
	if boats, err = FindAll(ctx, tx, ids); err != nil {
		return nil, nil, err
	}
	for i, p := range prices {
		if _, ok := boats[p.HullID]; !ok {
			bad.Add(fmt.Sprintf("prices[%d].hull_id", i), "not_found", "does not exist")
		}
	}
	if err := bad.Err(); err != nil {
		return nil, nil, err
	}
	pricing, err = FindAllPricing(ctx, tx, ids)
	return boats, pricing, err
}

// checkVersions names all hulls whose price someone else changed.
func checkVersions(prices []NewPrice, boats map[string]Hull, pricing map[string]HullPricing) error {
	var stale *fault.Error
	for i, p := range prices {
		now := pricing[p.HullID]
		if p.Version == nil || *p.Version == now.Version {
			continue
		}
		if stale == nil {
			stale = fault.Conflict("The price of the %s has changed. No price was changed.", boats[p.HullID].Name())
		}
		stale = stale.Detail(fmt.Sprintf("prices[%d].version", i), "stale", "must be %d: the price of the %s is now %s", now.Version, boats[p.HullID].Name(), effect.USD(now.PriceUSD))
	}
	if stale == nil {
		return nil
	}
	return stale
}

func repriceEffect(ctx context.Context, tx *db.Tx, in *repriceIn) (e effect.ProposalEffect, err error) {
	boats, pricing, err := findPriced(ctx, tx, in.Body.Prices)
	if err != nil {
		return e, err
	}
	e.Title = "Change the price of one boat"
	if n := len(in.Body.Prices); n > 1 {
		e.Title = fmt.Sprintf("Change the prices of %d boats", n)
	}
	e.Said = []string{"prices"}
	below := 0
	for _, to := range in.Body.Prices {
		h, p := boats[to.HullID], pricing[to.HullID]
		e.Pin("Price", h.ID, p.Version)
		e.Change(h.Name(), h.ID, effect.USD(p.PriceUSD), effect.USD(to.PriceUSD))
		if cost := p.totalCost(); cost != nil && *cost > to.PriceUSD*100 {
			below++
		}
	}
	if below > 0 {
		e.Loss(auth.HullsWrite, "below_cost", fmt.Sprintf("%d of the prices are below the cost.", below), "")
	}
	return e, nil
}
