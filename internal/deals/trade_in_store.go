package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

var tradeIns = db.Table[TradeIn]{
	Name: "trade_ins", Prefix: "trd", Noun: "trade-in", Parent: "deal_id",
	Loaded: func(_ *db.Tx, t *TradeIn) { t.derive() },
}

// TradeIns returns the trade-ins of a deal, oldest first.
func TradeIns(ctx context.Context, tx *db.Tx, d Deal) ([]TradeIn, error) {
	all, err := db.All[TradeIn](ctx, tx, `SELECT {cols} FROM trade_ins WHERE env = ? AND deal_id = ? ORDER BY id`, d.Env, d.ID)
	for i := range all {
		all[i].derive()
	}
	return all, err
}

// save writes the change, and returns the trade-in as it is then, or was.
func (c tradeChange) save(ctx context.Context, tx *db.Tx) (TradeIn, error) {
	switch {
	case c.after == nil:
		return *c.before, deleteTradeIn(ctx, tx, *c.before)
	case c.before == nil:
		err := insertTradeIn(ctx, tx, c.after)
		return *c.after, err
	}
	err := replaceTradeIn(ctx, tx, *c.before, c.after)
	return *c.after, err
}

func insertTradeIn(ctx context.Context, tx *db.Tx, t *TradeIn) error {
	if err := tradeIns.Insert(ctx, tx, t); err != nil {
		return err
	}
	t.derive()
	return events.Emit(ctx, tx, "deal.trade_in_added", t.DealID, events.Change{After: *t})
}

// tradeInToReplace returns the trade-in that a new one replaces, if any.
func tradeInToReplace(ctx context.Context, tx *db.Tx, d Deal, id *string) (*TradeIn, error) {
	if id == nil {
		return nil, nil
	}
	t, err := tradeIns.FindIn(ctx, tx, d.ID, *id)
	if fault.KindOf(err) == fault.KindNotFound {
		var bad fault.Fields
		bad.Add("replaces_id", "not_found", "must be a trade-in of this deal")
		return nil, bad.Err()
	}
	return &t, err
}

// checkTradeIn rejects a boat that is in stock or already traded in on the deal.
func checkTradeIn(ctx context.Context, tx *db.Tx, d Deal, t TradeIn, replaced *TradeIn) error {
	if t.HIN == nil {
		return nil
	}
	others, err := TradeIns(ctx, tx, d)
	if err != nil {
		return err
	}
	for _, other := range others {
		if (replaced == nil || replaced.ID != other.ID) && other.sameHIN(*t.HIN) {
			return fault.Conflict("The boat with the HIN %s is already traded in as %s.", *t.HIN, other.ID).
				Detail("hin", "duplicate", "is the HIN of %s", other.ID)
		}
	}
	return checkNotInStock(ctx, tx, "hin", t)
}

// replaceTradeIn writes a trade-in over an earlier one, which keeps its ID.
func replaceTradeIn(ctx context.Context, tx *db.Tx, before TradeIn, t *TradeIn) error {
	t.Env, t.ID, t.HullID, t.CreatedAt = before.Env, before.ID, before.HullID, before.CreatedAt
	if err := db.Changed(db.Update(ctx, tx, "trade_ins", t, "env = ? AND deal_id = ? AND id = ?", t.Env, t.DealID, t.ID)); err != nil {
		return err
	}
	t.derive()
	return events.Emit(ctx, tx, "deal.trade_in_replaced", t.DealID, events.Change{Before: before, After: *t})
}

func deleteTradeIn(ctx context.Context, tx *db.Tx, t TradeIn) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM trade_ins WHERE env = ? AND deal_id = ? AND id = ?`, t.Env, t.DealID, t.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "deal.trade_in_removed", t.DealID, events.Change{After: t})
}

// stockIn adds the trade-ins with stock_in to the inventory, at the location of
// the sold boat.
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
		h, err := hulls.StockIn(ctx, tx, boat, worth, "trade-in of deal "+d.ID)
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `UPDATE trade_ins SET hull_id = ? WHERE env = ? AND deal_id = ? AND id = ?`, h.ID, d.Env, d.ID, t.ID)
		if err != nil {
			return err
		}
	}
	return nil
}
