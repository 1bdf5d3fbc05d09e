package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
)

// Unwind undoes a funded, delivered or closed sale.
func (a *API) Unwind(ctx context.Context, tx *db.Tx, id string, u DealUnwind) (Deal, error) {
	return a.change(ctx, tx, id, func(d *Deal) (string, *string, error) {
		before := *d
		if err := d.unwind(u, tx.Now); err != nil {
			return "", nil, err
		}
		if err := undo(ctx, tx, d, u); err != nil {
			return "", nil, err
		}
		if err := flagTrades(ctx, tx, d); err != nil {
			return "", nil, err
		}

		err := hulls.TakeBack(ctx, tx, d.HullID, hulls.Return{
			Status: u.HullStatus, Used: u.titled(before), Delivered: before.DeliveredAt != nil, Reason: "deal " + d.ID + " unwound",
		})
		return "deal.unwound", &u.Reason, err
	})
}

// undo undoes what other features have done for a sale.
func undo(ctx context.Context, tx *db.Tx, d *Deal, u DealUnwind) error {
	h := db.Attached[Hooks](tx)
	if err := h.UnwindPayments(ctx, tx, d, u); err != nil {
		return err
	}
	for _, step := range []func(ctx context.Context, tx *db.Tx, d *Deal) error{h.UnwindFundings, h.CancelProducts, h.VoidDocuments} {
		if err := step(ctx, tx, d); err != nil {
			return err
		}
	}
	return nil
}

// flagTrades tells managers about trade-ins that are in stock. Only people can decide whether the
// buyer gets them back.
func flagTrades(ctx context.Context, tx *db.Tx, d *Deal) error {
	all, err := TradeIns(ctx, tx, *d)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.HullID != nil {
			d.StockedTrades++
		}
	}
	if d.StockedTrades == 0 {
		return nil
	}
	return db.Attached[Hooks](tx).TellManagers(ctx, tx, d.ID,
		"The deal was unwound, and its trade-in is in stock. Give it back to the buyer, or pay for it.")
}
