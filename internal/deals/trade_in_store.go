package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

func findTradeIn(ctx context.Context, tx *db.Tx, dealID, id string) (TradeIn, error) {
	t, err := db.One[TradeIn](ctx, tx, `SELECT {cols} FROM trade_ins WHERE env = ? AND deal_id = ? AND id = ?`, tx.Env, dealID, id)
	if db.IsNoRows(err) {
		return t, fault.NotFound("trade-in", id)
	}
	t.derive()
	return t, err
}

// TradeIns are the trade-ins of a deal, oldest first.
func TradeIns(ctx context.Context, tx *db.Tx, d Deal) ([]TradeIn, error) {
	all, err := db.All[TradeIn](ctx, tx, `SELECT {cols} FROM trade_ins WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
	for i := range all {
		all[i].derive()
	}
	return all, err
}

func insertTradeIn(ctx context.Context, tx *db.Tx, d Deal, t *TradeIn) error {
	t.Env, t.ID, t.DealID, t.CreatedAt = d.Env, tx.NewID("trd"), d.ID, tx.Now
	t.derive()
	if err := db.Insert(ctx, tx, "trade_ins", *t); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "deal.trade_in_added", d.ID, nil, t.told())
}

func removeTradeIn(ctx context.Context, tx *db.Tx, t TradeIn) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM trade_ins WHERE env = ? AND deal_id = ? AND id = ?`, t.Env, t.DealID, t.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "deal.trade_in_removed", t.DealID, nil, t.told())
}

// stockIn makes hulls of the trade-ins that shall become some, where the sold
// boat lay.
func stockIn(ctx context.Context, tx *db.Tx, d Deal) error {
	all, err := TradeIns(ctx, tx, d)
	if err != nil || len(all) == 0 {
		return err
	}
	sold, err := hulls.Find(ctx, tx, d.HullID)
	if err != nil {
		return err
	}
	for _, t := range all {
		if !t.StockIn || t.HullID != nil {
			continue
		}
		boat, worth := t.hull(sold.LocationID)
		h, err := hulls.StockIn(ctx, tx, boat, worth, "taken in trade by deal "+d.ID)
		if err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `UPDATE trade_ins SET hull_id = ? WHERE env = ? AND deal_id = ? AND id = ?`, h.ID, d.Env, d.ID, t.ID); err != nil {
			return err
		}
	}
	return nil
}
