package deals

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// ByTradeIn are the path parameters of a trade-in.
type ByTradeIn struct {
	ByDeal
	TradeInID string `path:"trade_in_id" doc:"ID of the trade-in." example:"trd_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listTradeIns(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	page.Query
}) (page.Page[TradeIn], error) {
	p, err := ListOf(ctx, tx, tradeIns, in.DealID, in.Query)
	if !auth.From(ctx).Can(auth.DealsWrite) {
		for i := range p.Data {
			p.Data[i] = p.Data[i].public()
		}
	}
	return p, err
}

// changeTrades changes the trade-ins of a deal together with its totals.
func (a *API) changeTrades(ctx context.Context, tx *db.Tx, dealID string, edit func(d *Deal) (TradeIn, error)) (TradeIn, error) {
	d, err := FindForUpdate(ctx, tx, dealID)
	if err != nil {
		return TradeIn{}, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return TradeIn{}, err
	}

	before := d
	t, err := edit(&d)
	if err != nil {
		return t, err
	}
	err = Save(ctx, tx, before, &d)
	return t, err
}

func (a *API) addTradeIn(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body TradeInPut
}) (TradeIn, error) {
	return a.changeTrades(ctx, tx, in.DealID, func(d *Deal) (TradeIn, error) {
		before, err := tradeInToReplace(ctx, tx, *d, in.Body.ReplacesID)
		if err != nil {
			return TradeIn{}, err
		}
		return putTradeIn(ctx, tx, d, in.Body.TradeInAdd, before)
	})
}

// putTradeIn adds a trade-in, or replaces one.
func putTradeIn(ctx context.Context, tx *db.Tx, d *Deal, add TradeInAdd, before *TradeIn) (TradeIn, error) {
	if err := add.Check(tx.Now); err != nil {
		return TradeIn{}, err
	}
	if err := d.CheckTermsOpen(); err != nil {
		return TradeIn{}, err
	}
	t := add.tradeIn(tx.Now)
	t.DealID = d.ID
	if err := checkTradeIn(ctx, tx, *d, t, before); err != nil {
		return t, err
	}

	if before == nil {
		d.addTrade(t, 1)
		err := insertTradeIn(ctx, tx, &t)
		return t, err
	}
	d.replaceTrade(*before, t)
	err := replaceTradeIn(ctx, tx, *before, &t)
	return t, err
}

func (a *API) removeTradeIn(ctx context.Context, tx *db.Tx, in *ByTradeIn) (rest.None, error) {
	_, err := a.changeTrades(ctx, tx, in.DealID, func(d *Deal) (TradeIn, error) {
		t, err := tradeIns.FindIn(ctx, tx, d.ID, in.TradeInID)
		if err != nil {
			return t, err
		}
		if err := d.CheckTermsOpen(); err != nil {
			return t, err
		}

		d.addTrade(t, -1)
		return t, deleteTradeIn(ctx, tx, t)
	})
	return rest.None{}, err
}
