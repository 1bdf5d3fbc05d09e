package preview

import (
	"context"
	"slices"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/page"
)

// PreviewDeal is a deal in the shape of the preview.
type PreviewDeal struct {
	Resource[deals.Deal, dealLinks]
}

type dealLinks struct {
	Hull     *hulls.Hull           `json:"hull,omitempty" doc:"The hull, if you expand it."`
	Buyer    *contacts.Contact     `json:"buyer,omitempty" doc:"The buyer, if you expand it."`
	Location *dealership.Location  `json:"location,omitempty" doc:"The hull's location, if you expand it."`
	Owner    *people.DirectoryUser `json:"owner,omitempty" doc:"The owner, if you expand it and there is one."`
	Pricing  *hulls.HullPricing    `json:"pricing,omitempty" doc:"The hull's pricing, if you expand it. Costs require hulls:write."`
}

// ExpandDeal selects the references of a deal to expand.
type ExpandDeal struct {
	Expand []string `query:"expand" enum:"hull,buyer,owner,location,pricing" doc:"References to return as objects, separated by commas. You need the scope to read them."`
}

// expandDeals wraps deals and adds what is expanded.
func expandDeals(ctx context.Context, tx *db.Tx, names []string, all []deals.Deal) ([]PreviewDeal, error) {
	if err := checkExpand(ctx, names); err != nil {
		return nil, err
	}
	var ids references
	for _, d := range all {
		ids.hulls, ids.contacts, ids.users = append(ids.hulls, d.HullID), append(ids.contacts, d.BuyerID), appendID(ids.users, d.OwnerID)
	}
	f, err := find(ctx, tx, names, ids)
	if err != nil {
		return nil, err
	}

	out := []PreviewDeal{}
	for _, d := range all {
		links := dealLinks{Buyer: linked(f.contacts, d.BuyerID), Pricing: linked(f.pricing, d.HullID)}
		if h := linked(f.hulls, d.HullID); h != nil {
			links.Location = linked(f.locations, h.LocationID)
			links.Hull = h
		}
		if d.OwnerID != nil {
			links.Owner = linked(f.users, *d.OwnerID)
		}
		if !slices.Contains(names, "hull") {
			links.Hull = nil // it was only read for its location
		}
		out = append(out, PreviewDeal{Resource[deals.Deal, dealLinks]{d, links}})
	}
	return out, nil
}

func expandDealIn(ctx context.Context, tx *db.Tx, names []string, d deals.Deal, err error) (PreviewDeal, error) {
	if err != nil {
		return PreviewDeal{}, err
	}
	out, err := expandDeals(ctx, tx, names, []deals.Deal{d})
	if err != nil {
		return PreviewDeal{}, err
	}
	return out[0], nil
}

func listDeals(ctx context.Context, tx *db.Tx, in *struct {
	deals.DealFilter
	ExpandDeal
}) (page.Page[PreviewDeal], error) {
	var err error
	if in.OwnerID, err = people.OrMe(ctx, "owner_id", in.OwnerID); err != nil {
		return page.Page[PreviewDeal]{}, err
	}
	p, err := deals.List(ctx, tx, in.DealFilter)
	if err != nil {
		return page.Page[PreviewDeal]{}, err
	}
	out := pageOf(p, func(deals.Deal) PreviewDeal { return PreviewDeal{} })
	out.Data, err = expandDeals(ctx, tx, in.Expand, p.Data)
	return out, err
}

func createDeal(ctx context.Context, tx *db.Tx, in *struct {
	ExpandDeal
	Body deals.DealCreate
}) (PreviewDeal, error) {
	d, err := deals.Create(ctx, tx, in.Body)
	return expandDealIn(ctx, tx, in.Expand, d, err)
}

func getDeal(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	ExpandDeal
}) (PreviewDeal, error) {
	d, err := deals.FindVisible(ctx, tx, in.DealID)
	return expandDealIn(ctx, tx, in.Expand, d, err)
}

func listAdjustments(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	page.Query
}) (page.Page[deals.DealAdjustment], error) {
	return deals.ListAdjustments(ctx, tx, in.DealID, in.Query)
}

func createAdjustment(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	Body finance.DealAdjustmentCreate
}) (deals.DealAdjustment, error) {
	return finance.Adjust(ctx, tx, in.DealID, in.Body)
}

func (a *API) unwindDeal(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByDeal
	ExpandDeal
	Body deals.DealUnwind
}) (PreviewDeal, error) {
	d, err := a.Deals.Unwind(ctx, tx, in.DealID, in.Body)
	return expandDealIn(ctx, tx, in.Expand, d, err)
}

func (a *API) updateTradeIn(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByTradeIn
	Body deals.TradeInPatch
}) (deals.TradeIn, error) {
	return a.Deals.UpdateTradeIn(ctx, tx, in.DealID, in.TradeInID, in.Body)
}

func updateTradeEffect(ctx context.Context, tx *db.Tx, in *struct {
	deals.ByTradeIn
	Body deals.TradeInPatch
}) (effect.ProposalEffect, error) {
	return deals.UpdateTradeEffect(ctx, tx, in.ByTradeIn, in.Body)
}
