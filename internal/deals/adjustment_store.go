package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/privacy"
)

var adjustments = db.Table[DealAdjustment]{Name: "deal_adjustments", Prefix: "adj", Noun: "adjustment", Parent: "deal_id"}

// ListAdjustments returns the adjustments of a deal, newest first.
func ListAdjustments(ctx context.Context, tx *db.Tx, dealID string, q page.Query) (page.Page[DealAdjustment], error) {
	p, err := ListOf(ctx, tx, adjustments, dealID, q)
	for i, a := range p.Data {
		p.Data[i] = privacy.Hide(a, auth.From(ctx).Scopes)
	}
	return p, err
}

// Adjustments returns the adjustments of a deal, oldest first, with what the caller can't see.
func Adjustments(ctx context.Context, tx *db.Tx, d Deal) ([]DealAdjustment, error) {
	return db.All[DealAdjustment](ctx, tx, `SELECT {cols} FROM deal_adjustments WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
}

// AddAdjustment adds an adjustment and saves the deal. It returns what the caller can see.
func AddAdjustment(ctx context.Context, tx *db.Tx, before Deal, d *Deal, a *DealAdjustment) error {
	if err := InsertAdjustment(ctx, tx, d, a); err != nil {
		return err
	}
	*a = privacy.Hide(*a, auth.From(ctx).Scopes)
	return Save(ctx, tx, before, d)
}

// InsertAdjustment adds an adjustment and counts it. The caller saves the deal.
func InsertAdjustment(ctx context.Context, tx *db.Tx, d *Deal, a *DealAdjustment) error {
	a.DealID, a.Actor = d.ID, auth.From(ctx).Actor
	if err := adjustments.Insert(ctx, tx, a); err != nil {
		return err
	}
	d.count(*a)
	return events.Emit(ctx, tx, "deal.adjusted", d.ID, events.Change{After: *a})
}

// adjust adds what a change of the deal means for the reports of this month.
func adjust(ctx context.Context, tx *db.Tx, before Deal, d *Deal) error {
	for _, a := range d.adjustments(before) {
		if err := InsertAdjustment(ctx, tx, d, &a); err != nil {
			return err
		}
	}
	return nil
}

// deliver keeps where the boat was and what it cost on the day of the delivery.
func deliver(ctx context.Context, tx *db.Tx, d *Deal, h hulls.Hull) error {
	d.DeliveredLocationID = &h.LocationID
	costs, err := costsOf(ctx, tx, []Deal{*d})
	if err != nil {
		return err
	}
	if cost, known := costs[d.ID]; known {
		d.deliver(&cost)
	}
	return nil
}

// FollowCost books a bill for a boat that was delivered before. The month of the delivery
// doesn't change. A cost that is removed again stays booked. A boat that is sold for its owner
// costs what the owner gets, whatever is billed.
func FollowCost(ctx context.Context, tx *db.Tx, hullID string, cost *int64) error {
	ids, err := db.All[string](ctx, tx, `SELECT id FROM deals WHERE env = ? AND hull_id = ? AND status IN ('delivered', 'closed')`, tx.Env, hullID)
	if err != nil || len(ids) == 0 || cost == nil {
		return err
	}
	if l, err := FindListing(ctx, tx, hullID); err != nil || l != nil {
		return err
	}
	d, err := FindForUpdate(ctx, tx, ids[0])
	if err != nil {
		return err
	}
	before := d
	d.BookedCostCents = cost
	return Save(ctx, tx, before, &d)
}
