package hulls

import (
	"context"
	"slices"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// Reserve reserves the hull for a deal, also if it is on hold. The caller checks
// the hold. The deal stores the earlier status and hold for Release.
func Reserve(ctx context.Context, tx *db.Tx, h Hull, dealID string) error {
	before := h
	if err := h.reserve(dealID); err != nil {
		return err
	}
	return Save(ctx, tx, before, &h, Cause{Event: "hull.status_changed", Reason: new("deal " + dealID + " accepted")})
}

func (h *Hull) reserve(dealID string) error {
	if !slices.Contains([]Status{OnOrder, InTransit, Available, OnHold}, h.Status) {
		return fault.Conflict("The hull is %s.", h.Status).Detail("hull_id", "state", "refers to a hull that is %s", h.Status)
	}
	h.Status, h.Hold, h.DealID = SalePending, nil, &dealID
	return nil
}

// Earlier is what a hull was before its deal.
type Earlier struct {
	Status Status
	Hold   *Hold
}

// Release returns the hull of a deal to its earlier status, and to its hold
// unless the hold has expired since then. The job that ends the hold is still
// scheduled. A hull that was on its way might have arrived in the meantime.
func Release(ctx context.Context, tx *db.Tx, hullID string, to Earlier, reason string) error {
	h, err := FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return err
	}
	before := h
	h.Status, h.Hold, h.DealID, h.SoldAt = to.Status, nil, nil, nil
	switch {
	case to.Status.IsComing():
		h.Status = h.StockState.forSale()
	case to.Status == OnHold:
		if to.Hold != nil && to.Hold.ExpiresAt.After(tx.Now) {
			h.Hold = to.Hold
		} else {
			h.Status = Available
		}
	}
	return Save(ctx, tx, before, &h, Cause{Event: "hull.status_changed", Reason: &reason})
}

// MarkSold marks the hull of a deal as sold.
func MarkSold(ctx context.Context, tx *db.Tx, hullID string) error {
	h, err := FindForUpdate(ctx, tx, hullID)
	if err != nil || h.Status == Sold {
		return err
	}
	before := h
	h.Status, h.SoldAt = Sold, &tx.Now
	return Save(ctx, tx, before, &h, Cause{Event: "hull.sold"})
}

// Unsell returns a sold hull to its deal, which is not under contract anymore.
func Unsell(ctx context.Context, tx *db.Tx, hullID, reason string) error {
	h, err := FindForUpdate(ctx, tx, hullID)
	if err != nil || h.Status != Sold {
		return err
	}
	before := h
	h.Status, h.SoldAt = SalePending, nil
	return Save(ctx, tx, before, &h, Cause{Event: "hull.status_changed", Reason: &reason})
}

// MarkDelivered marks the hull of a deal as delivered. A hull that is delivered
// before funding also becomes sold.
func MarkDelivered(ctx context.Context, tx *db.Tx, hullID string) error {
	h, err := FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return err
	}
	before, event := h, "hull.status_changed"
	if h.SoldAt == nil {
		h.SoldAt, event = &tx.Now, "hull.sold"
	}
	if h.ReceivedOn == nil {
		h.ReceivedOn = new(h.day(tx.Now))
	}
	h.Status = Delivered
	return Save(ctx, tx, before, &h, Cause{Event: event})
}

// Return is how a boat comes back whose sale was undone.
type Return struct {
	Status    Status
	Used      bool // it was titled to the buyer
	Delivered bool
	Reason    string
}

// TakeBack puts the hull of a sale that was undone back in stock. If it was delivered, it comes
// into stock today. A hull that has not arrived is on order or in transit again.
func TakeBack(ctx context.Context, tx *db.Tx, hullID string, r Return) error {
	h, err := FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return err
	}
	before := h
	h.Status, h.DealID, h.SoldAt, h.ArchivedAt, h.StatusBefore = r.Status, nil, nil, nil, nil
	if h.StockState.IsComing() {
		h.Status = h.StockState.forSale()
	}
	if r.Used {
		h.Condition = "used"
	}
	if r.Delivered {
		h.ReceivedOn = new(h.day(tx.Now))
	}
	return Save(ctx, tx, before, &h, Cause{Event: "hull.status_changed", Reason: &r.Reason})
}

// Settle removes the deal from a delivered hull.
func Settle(ctx context.Context, tx *db.Tx, hullID string) error {
	h, err := FindForUpdate(ctx, tx, hullID)
	if err != nil {
		return err
	}
	before := h
	h.DealID = nil
	return Save(ctx, tx, before, &h, Cause{Event: "hull.updated"})
}

// StockIn adds a trade-in with its cost. If the boat was in stock before, the
// new hull refers to the earlier one.
func StockIn(ctx context.Context, tx *db.Tx, c HullCreate, costCents int64, reason string) (Hull, error) {
	zone, err := zoneOf(ctx, tx, c.LocationID)
	if err != nil {
		return Hull{}, err
	}
	h, err := c.hull(tx.Now, zone)
	if err != nil {
		return h, err
	}

	if h.HIN != nil {
		earlier, err := db.All[string](ctx, tx, `SELECT id FROM hulls WHERE env = ? AND hin = ?
			AND status IN ('archived', 'delivered') ORDER BY id DESC LIMIT 1`, tx.Env, *h.HIN)
		if err != nil {
			return h, err
		}
		if len(earlier) > 0 {
			h.PreviousHullID = &earlier[0]
		}
	}

	if err := insert(ctx, tx, &h); err != nil {
		return h, err
	}

	p, err := findPricing(ctx, tx, h)
	if err != nil {
		return h, err
	}

	before := p
	p.Cost = &HullCost{InvoiceCents: &costCents}
	err = savePricing(ctx, tx, h, repricing{before, &p, &reason})
	return h, err
}

// FindInStock returns the ID of the hull with a HIN that is neither archived nor
// delivered, or "".
func FindInStock(ctx context.Context, tx *db.Tx, number string) (string, error) {
	ids, err := db.All[string](ctx, tx, `SELECT id FROM hulls WHERE env = ? AND hin = ? AND status NOT IN ('archived', 'delivered')`,
		tx.Env, strings.ToUpper(number))
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// FloorUSD returns the lowest acceptable price of a hull, or nil if it has none.
func FloorUSD(ctx context.Context, tx *db.Tx, hullID string) (*int64, error) {
	all, err := FindAllPricing(ctx, tx, []string{hullID})
	return all[hullID].FloorUSD, err
}

// Costs returns the known costs of hulls in cents, by hull ID. Without the
// invoice, the other costs are not the cost of the hull.
func Costs(ctx context.Context, tx *db.Tx, hullIDs ...string) (map[string]int64, error) {
	if len(hullIDs) == 0 {
		return nil, nil
	}
	all, err := FindAllPricing(ctx, tx, hullIDs)
	costs := map[string]int64{}
	for _, p := range all {
		if cost := p.totalCost(); cost != nil {
			costs[p.ID] = *cost
		}
	}
	return costs, err
}
