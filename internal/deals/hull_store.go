package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/identity/access"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// reserveHull reserves the hull for the deal. It locks the hull first, so that the
// first of several simultaneous deals wins and the others can name it. The unique
// index is the guarantee.
func reserveHull(ctx context.Context, tx *db.Tx, d *Deal, overrideHold bool) error {
	h, err := hulls.FindForUpdate(ctx, tx, d.HullID)
	if err != nil {
		return err
	}
	winner, err := db.All[string](ctx, tx, `SELECT id FROM deals WHERE env = ? AND hull_id = ? AND id <> ?
		AND status IN ('accepted', 'in_finance', 'contracted', 'funded', 'delivered', 'closed')`, d.Env, d.HullID, d.ID)
	if err != nil {
		return err
	}

	if len(winner) > 0 {
		f := fault.Conflict("The hull belongs to another deal.").Detail("hull_id", "hull_unavailable", "refers to a hull that is %s", h.Status)
		if auth.From(ctx).Can(auth.DealsRead) {
			f = f.Detail("deal_id", "hull_unavailable", "%s", winner[0])
		}
		return f
	}
	if h.IsHeld(tx.Now) && !d.owns(*h.Hold) {
		if err := passHold(ctx, tx, h, *d, overrideHold); err != nil {
			return err
		}
	}

	d.HullStatus, d.HullHold = &h.Status, h.Hold
	return hulls.Reserve(ctx, tx, h, d.ID)
}

// passHold fails unless the caller overrides a hold for another buyer.
func passHold(ctx context.Context, tx *db.Tx, h hulls.Hull, d Deal, override bool) error {
	if !override {
		return fault.Conflict("The hull is on hold for another buyer until %s. Release the hold first, or ask a manager to override it.",
			h.Hold.ExpiresAt.Format("2006-01-02 15:04 MST")).
			Detail("hull_id", "hull_on_hold", "refers to a hull that is on hold for another buyer")
	}
	if err := access.CheckDuty(auth.From(ctx), auth.Exception, "override_hold"); err != nil {
		return err
	}

	changes := map[string][2]any{"hold.deal_id": {h.Hold.DealID, d.ID}, "hold.expires_at": {h.Hold.ExpiresAt, nil}}
	if h.Hold.LeadID != nil {
		changes["hold.lead_id"] = [2]any{h.Hold.LeadID, d.LeadID}
	}
	if h.Hold.ContactID != nil {
		changes["hold.contact_id"] = [2]any{h.Hold.ContactID, d.BuyerID}
	}
	return audit.Record(ctx, tx, "hull.hold_overridden", h.ID, changes)
}

// tellAfter is how many refusals below the floor look like a search for it.
const tellAfter = 3

// canGoBelowFloor reports whether the caller decides about prices below the floor: only
// someone who can see it does.
func canGoBelowFloor(ctx context.Context) bool { return auth.From(ctx).Can(auth.HullsWrite) }

// checkFloor fails if the deal is below the lowest acceptable price of the hull, or might be, and
// the caller can't see that price. The error doesn't reveal it. Managers are told
// if someone tries again and again.
func checkFloor(ctx context.Context, tx *db.Tx, d Deal) error {
	if canGoBelowFloor(ctx) {
		return nil
	}
	floor, err := hulls.FloorUSD(ctx, tx, d.HullID)
	if err != nil || floor == nil {
		return err
	}
	if d.netPriceCents() >= *floor*100 {
		return d.checkACV()
	}
	refusal := fault.Forbidden("The price is too low for you to accept. Ask a user who can see costs (hulls:write).").
		Detail("amount_usd", "below_floor", "is below the lowest acceptable price of the hull")
	if tx.HasWritten() {
		return refusal // counting it would commit the rest
	}
	if err := countRefusal(ctx, tx, d); err != nil {
		return err
	}
	return db.Committed(refusal)
}

// countRefusal counts a refusal below the floor, and tells managers about the third one.
func countRefusal(ctx context.Context, tx *db.Tx, d Deal) error {
	n, err := db.One[int64](ctx, tx, `UPDATE deals SET floor_refusals = floor_refusals + 1 WHERE env = ? AND id = ? RETURNING floor_refusals`,
		tx.Env, d.ID)
	if err != nil || n != tellAfter {
		return err
	}
	by := auth.From(ctx).Actor
	if err := audit.Record(ctx, tx, "deal.below_floor", d.ID, map[string][2]any{"refusals": {nil, n}, "by": {nil, by.ID}}); err != nil {
		return err
	}
	return db.Attached[Hooks](tx).TellManagers(ctx, tx, d.ID,
		"Three prices below the boat's lowest acceptable price were refused on this deal. Talk to the salesperson.")
}

// checkFloorAfter is checkFloor for discounts, accessories and trade-ins that are added after an
// offer was accepted.
func checkFloorAfter(ctx context.Context, tx *db.Tx, before, d Deal) error {
	if !d.isLoweredFrom(before) {
		return nil
	}
	return checkFloor(ctx, tx, d)
}

// checkNotInStock rejects a trade-in that is in the inventory, such as the boat
// that is being sold.
func checkNotInStock(ctx context.Context, tx *db.Tx, field string, t TradeIn) error {
	if t.HIN == nil {
		return nil
	}
	id, err := hulls.FindInStock(ctx, tx, *t.HIN)
	if err != nil || id == "" {
		return err
	}
	return fault.Conflict("The boat with the HIN %s is in stock as hull %s. It can't be traded in.", *t.HIN, id).
		Detail(field, "duplicate", "is the HIN of %s, which is in stock", id)
}
