package deals

import (
	"context"

	"slipway/internal/platform/db"
)

// UpdateTradeIn changes a part of a trade-in.
func (a *API) UpdateTradeIn(ctx context.Context, tx *db.Tx, dealID, id string, p TradeInPatch) (TradeIn, error) {
	return a.changeTrades(ctx, tx, dealID, func(d Deal) (tradeChange, error) {
		before, err := tradeIns.FindIn(ctx, tx, d.ID, id)
		if err != nil {
			return tradeChange{}, err
		}
		return putTradeIn(ctx, tx, d, p.apply(before), &before)
	})
}
