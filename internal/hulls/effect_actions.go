package hulls

import (
	"context"
	"fmt"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
)

// Name is what people call a boat.
func (h Hull) Name() string { return fmt.Sprintf("%d %s %s", h.Year, h.Make, h.Model) }

// Describe finds a boat that an effect is about.
func Describe(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, id string) (Hull, error) {
	h, err := Find(ctx, tx, id)
	if err != nil {
		return h, err
	}
	e.Pin("Boat", h.ID, h.Version)
	e.Fact("Boat", h.ID, h.Name())
	if h.StockNumber != nil {
		e.Fact("Stock number", h.ID, *h.StockNumber)
	}
	return h, nil
}

func createEffect(_ context.Context, _ *db.Tx, in *struct{ Body HullCreate }) (e effect.ProposalEffect, err error) {
	h := Hull{Year: in.Body.Year, Make: in.Body.Make, Model: in.Body.Model}
	e.Title = fmt.Sprintf("Add a %s for %s", h.Name(), effect.USD(in.Body.PriceUSD))
	return e, nil
}

func updateEffect(ctx context.Context, tx *db.Tx, in *ByHull) (e effect.ProposalEffect, err error) {
	h, err := Describe(ctx, tx, &e, in.HullID)
	e.Title, e.Before = "Change the "+h.Name(), h
	return e, err
}

func archiveEffect(ctx context.Context, tx *db.Tx, in *ByHull) (e effect.ProposalEffect, err error) {
	h, err := Describe(ctx, tx, &e, in.HullID)
	e.Title = "Archive the " + h.Name()
	e.Change("Status", h.ID, effect.Word(h.Status), "archived")
	if len(h.PublishedChannels) > 0 {
		e.Fact("Listings", h.ID, "are removed from all channels")
	}
	return e, err
}

func transitionEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body HullTransition
}) (e effect.ProposalEffect, err error) {
	h, err := Describe(ctx, tx, &e, in.HullID)
	e.Title = fmt.Sprintf("Make the %s %s", h.Name(), effect.Word(in.Body.To))
	if in.Body.To == OnHold {
		e.Title = "Put the " + h.Name() + " on hold"
	}
	e.Change("Status", h.ID, effect.Word(h.Status), effect.Word(in.Body.To))
	e.Said = []string{"to"}
	return e, err
}

func specsEffect(ctx context.Context, tx *db.Tx, in *ByHull) (e effect.ProposalEffect, err error) {
	h, err := Describe(ctx, tx, &e, in.HullID)
	if err != nil {
		return e, err
	}
	row, err := findSpecs(ctx, tx, h)
	e.Title = "Replace the specifications of the " + h.Name()
	e.Pin("Specifications", h.ID, row.Version)
	e.Before, e.Replaces = row.Specs, true
	return e, err
}

func pricingEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body HullPricingReplace
}) (e effect.ProposalEffect, err error) {
	h, err := Describe(ctx, tx, &e, in.HullID)
	if err != nil {
		return e, err
	}
	p, err := findPricing(ctx, tx, h)
	if err != nil {
		return e, err
	}
	e.Pin("Price", h.ID, p.Version)
	e.Before = p

	to := in.Body.PriceUSD
	switch {
	case to < p.PriceUSD:
		e.Title = fmt.Sprintf("Lower the price of the %s by %s", h.Name(), effect.USD(p.PriceUSD-to))
	case to > p.PriceUSD:
		e.Title = fmt.Sprintf("Raise the price of the %s by %s", h.Name(), effect.USD(to-p.PriceUSD))
	default:
		e.Title = "Change the pricing of the " + h.Name()
	}
	after := p
	in.Body.patch().apply(&after, tx.Now)
	e.Amount("new price", to, "")
	addPrices(&e, after, to)
	e.Amount("price now", p.PriceUSD, "")
	return e, nil
}

// addPrices adds what a price must be compared with, for people who can see it, and returns
// whether the price is a loss.
func addPrices(e *effect.ProposalEffect, p HullPricing, price int64) (loss bool) {
	if cost := p.totalCost(); cost != nil {
		e.Amount("cost", *cost/100, auth.HullsWrite)
		if *cost > price*100 {
			loss = true
			e.Loss(auth.HullsWrite, "below_cost", "You would lose "+effect.USD(*cost/100-price)+" against the cost.", "")
		}
	}
	if p.FloorUSD != nil {
		e.Amount("floor", *p.FloorUSD, auth.HullsWrite)
	}
	return loss
}

// DescribePrices is addPrices for a boat of another feature, with its asking price.
func DescribePrices(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, h Hull, price int64) (loss bool, err error) {
	p, err := findPricing(ctx, tx, h)
	if err != nil {
		return false, err
	}
	e.Pin("Price", h.ID, p.Version)
	loss = addPrices(e, p, price)
	e.Amount("asking", p.PriceUSD, "")
	return loss, nil
}
