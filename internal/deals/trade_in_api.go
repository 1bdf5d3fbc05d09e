package deals

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// ByTradeIn names a trade-in of a deal.
type ByTradeIn struct {
	ByDeal
	TradeInID string `path:"trade_in_id" example:"trd_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) tradeIns(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	page.Query
}) (page.Page[TradeIn], error) {
	p, err := ListOf[TradeIn](ctx, tx, "trade_ins", "trd", in.DealID, in.Query)
	for i := range p.Data {
		p.Data[i].derive()
		if !auth.From(ctx).Can(auth.DealsWrite) {
			p.Data[i] = p.Data[i].told()
		}
	}
	return p, err
}

// changeTrades is how the trade-ins of a deal change, and with them what it
// comes to.
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
	return t, Keep(ctx, tx, before, &d)
}

func (a *API) addTradeIn(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body TradeInAdd
}) (TradeIn, error) {
	return a.changeTrades(ctx, tx, in.DealID, func(d *Deal) (TradeIn, error) {
		if err := in.Body.Check(tx.Now); err != nil {
			return TradeIn{}, err
		}
		if err := d.MayChangeTerms(); err != nil {
			return TradeIn{}, err
		}
		t := in.Body.tradeIn()
		d.trade(t, 1)
		return t, insertTradeIn(ctx, tx, *d, &t)
	})
}

func (a *API) removeTradeIn(ctx context.Context, tx *db.Tx, in *ByTradeIn) (rest.None, error) {
	_, err := a.changeTrades(ctx, tx, in.DealID, func(d *Deal) (TradeIn, error) {
		t, err := findTradeIn(ctx, tx, d.ID, in.TradeInID)
		if err != nil {
			return t, err
		}
		if err := d.MayChangeTerms(); err != nil {
			return t, err
		}
		d.trade(t, -1)
		return t, removeTradeIn(ctx, tx, t)
	})
	return rest.None{}, err
}
