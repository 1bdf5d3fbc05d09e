package preview

import (
	"context"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

// API serves hulls, leads, deals and the lists of the office in the shapes of the preview.
type API struct {
	DB    *db.DB
	Deals *deals.API
}

// entered is when these operations entered the preview.
const entered = "2026-11-16"

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Preview(entered)
	h := r.Family(family.Hulls)
	readHulls, writeHulls := auth.Require(auth.HullsRead), auth.Require(auth.HullsWrite)
	rest.Get(h, rest.Route{
		Path: "/hulls", ID: "listHullsV2", Needs: readHulls,
		Summary: "List hulls, newest first or in another order",
		Text: "Returns the hulls that match all filters. The cursors of a list with `sort` are positions and not IDs, and only work with the same `sort`. " +
			"Archived hulls are only listed if you send `archived=true` or `status=archived`.",
		Assist: assist.Never(assist.Twin),
	}, listHulls)
	rest.PostCreated(h, rest.Route{
		Path: "/hulls", ID: "createHullV2", Needs: writeHulls,
		Summary: "Add a hull to inventory",
		Assist:  assist.Never(assist.Twin),
	}, createHull)
	rest.Get(h, rest.Route{
		Path: "/hulls/{hull_id}", ID: "getHullV2", Needs: readHulls,
		Summary: "Retrieve a hull",
		Assist:  assist.Never(assist.Twin),
	}, getHull)
	rest.Patch(h, rest.Route{
		Path: "/hulls/{hull_id}", ID: "updateHullV2", Needs: writeHulls,
		Summary: "Change a hull's descriptive fields or location",
		Text:    "A JSON merge patch. Omitted fields keep their values, null clears a field.",
		Assist:  assist.Never(assist.Twin),
	}, updateHull)
	rest.Patch(h, rest.Route{
		Path: "/hulls/{hull_id}/pricing", ID: "updateHullPricing", Needs: writeHulls,
		Summary: "Change a part of the pricing",
		Text:    "A JSON merge patch. Omitted fields keep their values, null clears a field. A `cost` replaces all costs.",
		Assist:  assist.Never(assist.Twin),
	}, updatePricing)

	mountListings(h.Preview("2026-11-18"))

	d := r.Family(family.Deals)
	readDeals, writeDeals := auth.Require(auth.DealsRead), auth.Require(auth.DealsWrite)
	rest.Get(d, rest.Route{
		Path: "/deals", ID: "listDealsV2", Needs: readDeals,
		Summary: "List deals, newest first",
		Text:    "Returns the deals that match all filters. With a session, `owner_id=me` lists the deals of your own user.",
		Assist:  assist.Never(assist.Twin),
	}, listDeals)
	rest.PostCreated(d, rest.Route{
		Path: "/deals", ID: "createDealV2", Needs: writeDeals,
		Summary: "Create a deal with its opening offer",
		Text:    "A hull can have any number of open deals. The first deal with an accepted offer reserves it.",
		Assist:  assist.Never(assist.Twin),
	}, createDeal)
	rest.Get(d, rest.Route{
		Path: "/deals/{deal_id}", ID: "getDealV2", Needs: readDeals,
		Summary: "Retrieve a deal with its totals",
		Assist:  assist.Never(assist.Twin),
	}, getDeal)
	rest.Patch(d, rest.Route{
		Path: "/deals/{deal_id}/trade_ins/{trade_in_id}", ID: "updateTradeIn", Needs: writeDeals,
		Summary: "Change a part of a trade-in",
		Text:    "A JSON merge patch. Omitted fields keep their values, null clears a field. `If-Match` is the version of the deal.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(updateTradeEffect),
	}, a.updateTradeIn)

	rest.PostOK(d.Preview("2026-11-18"), rest.Route{
		Path: "/deals/{deal_id}/unwind", ID: "unwindDeal", Needs: writeDeals, Duty: auth.Exception,
		Summary: "Undo a funded, delivered or closed sale",
		Text: "The deal becomes cancelled. Payments are refunded, reversed or kept, as `payments` says. Fundings are charged back, products are canceled, issued documents are voided, and the boat is in stock again. " +
			"The reports of earlier months don't change: the sale is taken back in the month of the unwinding.",
		Assist: assist.Never(assist.Money),
	}, a.unwindDeal)
	rest.Get(d.Preview("2026-11-18"), rest.Route{
		Path: "/deals/{deal_id}/adjustments", ID: "listDealAdjustments", Needs: readDeals,
		Summary: "List what changed the profit of a deal after the delivery",
		Text:    "Returns bills for the boat, balances that were written off, and money that the dealership keeps from a cancelled deal. Reports count each in the month in which it was added. Newest first.",
		Assist:  assist.Read,
	}, listAdjustments)
	rest.PostCreated(d.Preview("2026-11-18"), rest.Route{
		Path: "/deals/{deal_id}/adjustments", ID: "createDealAdjustment", Needs: writeDeals, Duty: auth.Exception,
		Summary: "Cancel a product after the delivery, or record a charge-back of the reserve",
		Text:    "The refund of a canceled product reduces what the buyer owes, and the charge-back lowers the profit of this month. With `payment_id`, the refund is recorded on that payment.",
		Assist:  assist.Never(assist.Money),
	}, createAdjustment)

	mountOffice(r.Family(family.Office))
	mountTurns(r.Family(family.Leads).Preview("2026-11-18"))
	mountNames(r.Family(family.Dealership).Preview("2026-11-19"))
	r = r.Preview("2026-11-17")
	mountLeads(r.Family(family.Leads))
	a.mountQuotes(r.Family(family.Finance))
	mountMe(r.Family(family.Access))
	mountSearch(r.Family(family.Search))
	for _, id := range twins { // their features are mounted before
		r.Preview("2026-11-18").Twin(id)
	}
}

// PreviewHull is a hull in the shape of the preview.
type PreviewHull struct {
	Resource[hulls.Hull, hullLinks]
}

type hullLinks struct {
	Location *dealership.Location `json:"location,omitempty" doc:"The hull's location, if you expand it."`
	Pricing  *hulls.HullPricing   `json:"pricing,omitempty" doc:"The hull's pricing, if you expand it. Costs require hulls:write."`

	ListingAgreement *deals.ListingAgreement `json:"listing_agreement,omitempty" doc:"The agreement with the owner, if you expand it and the boat is sold for someone else."`
}

// ExpandHull selects the references of a hull to expand.
type ExpandHull struct {
	Expand []string `query:"expand" enum:"location,pricing,listing_agreement" doc:"References to return as objects, separated by commas. You need the scope to read them."`
}

// expandHulls wraps hulls and adds what is expanded.
func expandHulls(ctx context.Context, tx *db.Tx, names []string, all []hulls.Hull) ([]PreviewHull, error) {
	if err := checkExpand(ctx, names); err != nil {
		return nil, err
	}
	var ids references
	for _, h := range all {
		ids.hulls = append(ids.hulls, h.ID)
	}
	f, err := find(ctx, tx, names, ids)
	if err != nil {
		return nil, err
	}

	out := []PreviewHull{}
	for _, h := range all {
		links := hullLinks{Location: linked(f.locations, h.LocationID), Pricing: linked(f.pricing, h.ID), ListingAgreement: linked(f.listings, h.ID)}
		out = append(out, PreviewHull{Resource[hulls.Hull, hullLinks]{h, links}})
	}
	return out, nil
}

func expandHullIn(ctx context.Context, tx *db.Tx, names []string, h hulls.Hull, err error) (PreviewHull, error) {
	if err != nil {
		return PreviewHull{}, err
	}
	out, err := expandHulls(ctx, tx, names, []hulls.Hull{h})
	if err != nil {
		return PreviewHull{}, err
	}
	return out[0], nil
}

func listHulls(ctx context.Context, tx *db.Tx, in *struct {
	hulls.SortedFilter
	ExpandHull
}) (page.Page[PreviewHull], error) {
	p, err := hulls.ListSorted(ctx, tx, in.SortedFilter)
	if err != nil {
		return page.Page[PreviewHull]{}, err
	}
	out := pageOf(p, func(hulls.Hull) PreviewHull { return PreviewHull{} })
	out.Data, err = expandHulls(ctx, tx, in.Expand, p.Data)
	return out, err
}

func createHull(ctx context.Context, tx *db.Tx, in *struct {
	ExpandHull
	Body hulls.HullCreate
}) (PreviewHull, error) {
	h, err := hulls.Create(ctx, tx, in.Body)
	return expandHullIn(ctx, tx, in.Expand, h, err)
}

func getHull(ctx context.Context, tx *db.Tx, in *struct {
	hulls.ByHull
	ExpandHull
}) (PreviewHull, error) {
	h, err := hulls.Find(ctx, tx, in.HullID)
	return expandHullIn(ctx, tx, in.Expand, h, err)
}

func updateHull(ctx context.Context, tx *db.Tx, in *struct {
	hulls.ByHull
	ExpandHull
	Body hulls.HullPatch
}) (PreviewHull, error) {
	h, err := hulls.Edit(ctx, tx, in.HullID, in.Body)
	return expandHullIn(ctx, tx, in.Expand, h, err)
}

func updatePricing(ctx context.Context, tx *db.Tx, in *struct {
	hulls.ByHull
	Body hulls.HullPricingPatch
}) (hulls.HullPricing, error) {
	return hulls.AdjustPricing(ctx, tx, in.HullID, in.Body)
}

// unique returns sorted values without duplicates.
func unique(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}
