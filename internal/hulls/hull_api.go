package hulls

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
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

	// Holders check what a hold can refer to. They belong to features that depend
	// on hulls, so app sets them. Without one, its reference is not checked.
	Holders Holders
}

// Holders are functions that return an error if a deal, lead or contact doesn't
// exist.
type Holders struct {
	Deal, Lead, Contact func(ctx context.Context, tx *db.Tx, id string) error
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Hulls")
	rest.Get(r, "/hulls", "listHulls", read, "List hulls, newest first", a.list,
		rest.Describe("Returns the hulls that match all filters. Archived hulls are only listed if you send `archived=true` or `status=archived`."))
	rest.PostCreated(r, "/hulls", "createHull", write, "Add a hull to inventory", a.create,
		rest.Describe("Adds one boat. If the HIN or the stock number already belongs to a hull that is not delivered or archived, the request fails with 409. New boats that have not arrived yet are `on_order` or `in_transit` and don't need a HIN."))
	rest.Get(r, "/hulls/{hull_id}", "getHull", read, "Retrieve a hull", a.get,
		rest.Describe("Returns the hull with its status, price, hold and primary photo. The specifications, prices and photos have their own endpoints."))
	rest.Patch(r, "/hulls/{hull_id}", "updateHull", write, "Change a hull's descriptive fields or location", a.update,
		rest.Describe("A JSON merge patch. Omitted fields keep their values, null clears a field. To change the status or the price, use transition and pricing."))

	rest.PostOK(r, "/hulls/{hull_id}/archive", "archiveHull", write, "Archive a hull", a.archive,
		rest.Describe("Removes the hull from the active inventory and from all channels. You can't archive a hull that belongs to an open deal. To bring it back, change the status to the one it had before."))
	rest.PostOK(r, "/hulls/{hull_id}/transition", "transitionHull", write, "Change the status of a hull", a.transition,
		rest.Describe("Allowed: on_order to in_transit or available, in_transit to available, available to on_hold or not_for_sale and back, sold to available, and archived to the status before. Only deals make the other changes. A hold can be for a deal, a lead or a contact. While it lasts, the offers of other deals can't be accepted."))
	rest.Get(r, "/hulls/{hull_id}/history", "listHullHistory", read, "List status and location changes", a.history,
		rest.Describe("Returns each change of status or location, with the user or key that made it. Newest first."))

	rest.Get(r, "/hulls/{hull_id}/specs", "getHullSpecs", read, "Retrieve the full specification sheet", a.specs,
		rest.Describe("Returns measurements, engines, tanks and equipment. All values are null if no sheet was stored yet. Send `units=metric` to also get metric values."))
	rest.Put(r, "/hulls/{hull_id}/specs", "replaceHullSpecs", write, "Replace the specification sheet", a.replaceSpecs,
		rest.Describe("Stores the complete sheet. Omitted fields are cleared. Measurements are rounded to two decimals."))

	rest.Get(r, "/hulls/{hull_id}/pricing", "getHullPricing", read, "Retrieve current pricing", a.pricing,
		rest.Describe("Returns the current price. The cost and the lowest acceptable price are only returned to keys with the scope hulls:write."))
	rest.Put(r, "/hulls/{hull_id}/pricing", "adjustHullPricing", write, "Adjust pricing and record the change", a.adjustPricing,
		rest.Describe("Changes the price. Omitted fields keep their values, null clears a field. A `cost` replaces all costs."))
	rest.Get(r, "/hulls/{hull_id}/price_changes", "listHullPriceChanges", read, "List price changes", a.priceChanges,
		rest.Describe("Returns the first price and each later change of the asking price, with the reason and the user or key that made it. Newest first."))

	rest.Get(r, "/hins/{hin}", "decodeHin", read, "Validate and decode a hull identification number", a.decodeHIN,
		rest.Describe("Also returns 200 for an invalid number. `errors` then lists the problems."))
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
		return Save(ctx, tx, before, h, event, reason)
	})
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body HullPatch
}) (Hull, error) {
	return Edit(ctx, tx, in.HullID, in.Body)
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
	for _, r := range []struct {
		field string
		id    *string
		find  func(ctx context.Context, tx *db.Tx, id string) error
	}{{"deal_id", t.DealID, a.Holders.Deal}, {"lead_id", t.LeadID, a.Holders.Lead}, {"contact_id", t.ContactID, a.Holders.Contact}} {
		if r.id == nil || r.find == nil {
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
	return listOfHull[HullChange](ctx, tx, "hull_history", "hst", in.HullID, in.Query)
}

func (a *API) specs(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Units string `query:"units" enum:"imperial,metric" default:"imperial" doc:"metric adds the measurements in metric units."`
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
	return after, events.Emit(ctx, tx, "hull.specs_replaced", h.ID, before.view(h, false), after)
}

func (a *API) pricing(ctx context.Context, tx *db.Tx, in *ByHull) (HullPricing, error) {
	return FindPricing(ctx, tx, in.HullID)
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

func (a *API) adjustPricing(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	Body HullPricingReplace
}) (HullPricing, error) {
	return AdjustPricing(ctx, tx, in.HullID, in.Body.patch())
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
	err = savePricing(ctx, tx, h, before, &p, patch.Reason)
	return p, err
}

func (a *API) priceChanges(ctx context.Context, tx *db.Tx, in *struct {
	ByHull
	page.Query
}) (page.Page[PriceChange], error) {
	return listOfHull[PriceChange](ctx, tx, "hull_price_changes", "prc", in.HullID, in.Query)
}

func (a *API) decodeHIN(_ context.Context, tx *db.Tx, in *struct {
	HIN string `path:"hin" maxLength:"100" doc:"Number to decode, with or without a country prefix." example:"US-GRT40912B324"`
}) (hin.DecodedHin, error) {
	return hin.Decode(in.HIN, tx.Now), nil
}

// Schema lists the classes in the OpenAPI document.
func (BoatClass) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: "Type of boat, as marketplaces name it.", Examples: []any{"power-center"}}
	for _, c := range allClasses() {
		s.Enum = append(s.Enum, c)
	}
	s.PrecomputeMessages()
	return s
}
