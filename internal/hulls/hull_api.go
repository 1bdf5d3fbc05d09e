package hulls

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/hin"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.HullsRead)
	write = auth.Require(auth.HullsWrite)
)

// API serves the inventory.
type API struct {
	DB   *db.DB
	Jobs *jobs.Queue
}

// Hooks are what hulls call in features that depend on them.
type Hooks struct {
	// Deal, Lead and Contact return an error if what a hold refers to doesn't exist.
	Deal, Lead, Contact func(ctx context.Context, tx *db.Tx, id string) error
	// CostChanged tells the deal of a delivered hull what the hull cost.
	CostChanged func(ctx context.Context, tx *db.Tx, hullID string, cents *int64) error
	// Repriced tells the people who wait for a lower price of a hull.
	Repriced func(ctx context.Context, tx *db.Tx, h Hull) error

	Listings Follower
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Hulls)
	rest.Get(r, rest.Route{
		Path: "/hulls", ID: "listHulls", Needs: read,
		Summary: "List hulls, newest first",
		Text:    "Returns the hulls that match all filters. Archived hulls are left out. `include_archived=true` also lists them, and `archived=true` or `status=archived` lists only them.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(r, rest.Route{
		Path: "/hulls", ID: "createHull", Needs: write,
		Summary: "Add a hull to inventory",
		Text:    "Adds one boat. If the HIN or the stock number already belongs to a hull that is not delivered or archived, the request fails with 409. New boats that have not arrived yet are `on_order` or `in_transit` and don't need a HIN.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(createEffect),
	}, a.create)
	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}", ID: "getHull", Needs: read,
		Summary: "Retrieve a hull",
		Text:    "Returns the hull with its status, price, hold and primary photo. The specifications, prices and photos have their own endpoints.",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(r, rest.Route{
		Path: "/hulls/{hull_id}", ID: "updateHull", Needs: write,
		Summary: "Change a hull's descriptive fields or location",
		Text:    "A JSON merge patch. Omitted fields keep their values, null clears a field. To change the status or the price, use transition and pricing.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(updateEffect),
	}, a.update)

	rest.PostOK(r, rest.Route{
		Path: "/hulls/{hull_id}/archive", ID: "archiveHull", Needs: write,
		Summary: "Archive a hull",
		Text:    "Removes the hull from the active inventory and from all channels. You can't archive a hull that belongs to an open deal. To bring it back, change the status to the one it had before.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(archiveEffect),
	}, a.archive)
	rest.PostOK(r, rest.Route{
		Path: "/hulls/{hull_id}/transition", ID: "transitionHull", Needs: write,
		Summary: "Change the status of a hull",
		Text:    "Allowed: on_order to in_transit or available, in_transit to available, available to on_hold or not_for_sale and back, sold to available, and archived to the status before. Only deals make the other changes. A hold can be for a deal, a lead or a contact. While it lasts, the offers of other deals can't be accepted.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(transitionEffect),
	}, a.transition)
	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/history", ID: "listHullHistory", Needs: read,
		Summary: "List status and location changes",
		Text:    "Returns each change of status or location, with the user or key that made it. Newest first.",
		Assist:  assist.Read,
	}, a.history)

	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/specs", ID: "getHullSpecs", Needs: read,
		Summary: "Retrieve the full specification sheet",
		Text:    "Returns measurements, engines, tanks and equipment. All values are null if no sheet was stored yet. Send `units=metric` to also get metric values.",
		Assist:  assist.Read,
	}, a.specs)
	rest.Put(r, rest.Route{
		Path: "/hulls/{hull_id}/specs", ID: "replaceHullSpecs", Needs: write,
		Summary: "Replace the specification sheet",
		Text:    "Stores the complete sheet. Omitted fields are cleared. Measurements are rounded to two decimals.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(specsEffect),
	}, a.replaceSpecs)

	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/pricing", ID: "getHullPricing", Needs: read,
		Summary: "Retrieve current pricing",
		Text:    "Returns the current price. The cost and the lowest acceptable price are only returned to keys with the scope hulls:write.",
		Assist:  assist.Read,
	}, a.pricing)
	rest.Put(r, rest.Route{
		Path: "/hulls/{hull_id}/pricing", ID: "adjustHullPricing", Needs: write,
		Summary: "Adjust pricing and record the change",
		Text:    "Changes the price. Omitted fields keep their values, null clears a field. A `cost` replaces all costs.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(pricingEffect),
	}, a.adjustPricing)
	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/price_changes", ID: "listHullPriceChanges", Needs: read,
		Summary: "List price changes",
		Text:    "Returns the first price and each later change of the asking price, with the reason and the user or key that made it. Newest first.",
		Assist:  assist.Read,
	}, a.priceChanges)

	rest.Get(r, rest.Route{
		Path: "/hins/{hin}", ID: "decodeHin", Needs: read,
		Summary: "Validate and decode a hull identification number",
		Text:    "Also returns 200 for an invalid number. `errors` then lists the problems.",
		Assist:  assist.Read,
	}, a.decodeHIN)

	next := r.Preview("2026-11-19")
	mountReprice(next)
	a.mountHolds(next)
}

// ByHull is the path parameter of a hull.
type ByHull struct {
	HullID string `path:"hull_id" doc:"ID of the hull." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *HullFilter) (page.Page[Hull], error) {
	return List(ctx, tx, *in)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body HullCreate }) (Hull, error) {
	return Create(ctx, tx, in.Body)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByHull) (Hull, error) {
	return Find(ctx, tx, in.HullID)
}

// change finds a hull, checks If-Match, and saves it after edit. Edit returns
// the event and the reason.
func change(
	ctx context.Context, tx *db.Tx, id string, edit func(h *Hull) (event string, reason *string, err error),
) (Hull, error) {
	return rest.Change(ctx, tx, Find, id, func(before Hull, h *Hull) error {
		event, reason, err := edit(h)
		if err != nil {
			return err
		}
		return Save(ctx, tx, before, h, Cause{Event: event, Reason: reason})
	})
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body HullPatch
}) (Hull, error) {
	return Edit(ctx, tx, in.HullID, in.Body)
}

func (a *API) archive(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body *HullArchive
}) (Hull, error) {
	return change(ctx, tx, in.HullID, func(h *Hull) (string, *string, error) {
		var reason *string
		if in.Body != nil {
			reason = in.Body.Reason
		}
		return "hull.archived", reason, h.archive(tx.Now)
	})
}

// HullArchive is the reason why a hull is archived.
type HullArchive struct {
	_ struct{} `doc:"Why a hull is archived."`

	Reason *string `json:"reason" required:"false" maxLength:"500" doc:"Reason for archiving, for the history."`
}

func (a *API) transition(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body HullTransition
}) (Hull, error) {
	return change(ctx, tx, in.HullID, func(h *Hull) (string, *string, error) {
		if err := a.completeHold(ctx, tx, &in.Body); err != nil {
			return "", nil, err
		}
		if err := h.move(in.Body, auth.From(ctx).Actor, tx.Now); err != nil {
			return "", nil, err
		}
		if h.Hold != nil {
			if err := a.Jobs.Enqueue(ctx, tx, ReleaseHold{h.Env, h.ID}, h.Hold.ExpiresAt); err != nil {
				return "", nil, err
			}
		}
		return "hull.status_changed", in.Body.Reason, nil
	})
}

// completeHold fills in the default expiry of a hold and checks its references.
func (a *API) completeHold(ctx context.Context, tx *db.Tx, t *HullTransition) error {
	if t.To != OnHold {
		return nil
	}
	if t.ExpiresAt == nil {
		d, err := dealership.Find(ctx, tx)
		if err != nil {
			return err
		}
		t.ExpiresAt = new(tx.Now.Add(time.Duration(d.Settings.DefaultHoldHours) * time.Hour))
	}

	var bad fault.Fields
	hooks := db.Attached[Hooks](tx)
	for _, r := range []struct {
		field string
		id    *string
		find  func(ctx context.Context, tx *db.Tx, id string) error
	}{{"deal_id", t.DealID, hooks.Deal}, {"lead_id", t.LeadID, hooks.Lead}, {"contact_id", t.ContactID, hooks.Contact}} {
		if r.id == nil {
			continue
		}
		if err := bad.AddNotFound(r.field, r.find(ctx, tx, *r.id)); err != nil {
			return err
		}
	}
	return bad.Err()
}

func (a *API) history(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	page.Query
}) (page.Page[HullChange], error) {
	return listOfHull[HullChange](ctx, tx, hullRows{"hull_history", "hst"}, in.HullID, in.Query)
}

func (a *API) specs(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Units UnitSystem `query:"units" default:"imperial" doc:"metric adds the measurements in metric units."`
}) (HullSpecs, error) {
	h, err := Find(ctx, tx, in.HullID)
	if err != nil {
		return HullSpecs{}, err
	}
	row, err := findSpecs(ctx, tx, h)
	return row.view(h, in.Units == "metric"), err
}

func (a *API) replaceSpecs(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body SpecSheet
}) (HullSpecs, error) {
	h, err := Find(ctx, tx, in.HullID)
	if err != nil {
		return HullSpecs{}, err
	}

	before, err := findSpecs(ctx, tx, h)
	if err != nil {
		return HullSpecs{}, err
	}

	if err := rest.CheckIfMatch(ctx, before.Version); err != nil {
		return HullSpecs{}, err
	}
	if err := in.Body.check(); err != nil {
		return HullSpecs{}, err
	}

	row := before
	row.Specs = in.Body
	if err := saveSpecs(ctx, tx, before, &row); err != nil {
		return HullSpecs{}, err
	}

	after := row.view(h, false)
	return after, events.Emit(ctx, tx, "hull.specs_replaced", h.ID, events.Change{Before: before.view(h, false), After: after})
}

func (a *API) pricing(ctx context.Context, tx *db.Tx, in *ByHull) (HullPricing, error) {
	return FindPricing(ctx, tx, in.HullID)
}

func (a *API) adjustPricing(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body HullPricingReplace
}) (HullPricing, error) {
	return AdjustPricing(ctx, tx, in.HullID, in.Body.patch())
}

func (a *API) priceChanges(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	page.Query
}) (page.Page[PriceChange], error) {
	return listOfHull[PriceChange](ctx, tx, hullRows{"hull_price_changes", "prc"}, in.HullID, in.Query)
}

func (a *API) decodeHIN(_ context.Context, tx *db.Tx, in *struct {
	HIN string `path:"hin" maxLength:"100" doc:"Number to decode, with or without a country prefix." example:"US-GRT40912B324"`
}) (hin.DecodedHin, error) {
	return hin.Decode(in.HIN, tx.Now), nil
}
