package deals

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/privacy"
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
	for i, t := range p.Data {
		p.Data[i] = privacy.Hide(t, auth.From(ctx).Scopes)
	}
	return p, err
}

// changeTrades changes the trade-ins of a deal together with its totals. The floor is checked
// before anything is written, so that a refusal can be counted.
func (a *API) changeTrades(ctx context.Context, tx *db.Tx, dealID string, decide func(d Deal) (tradeChange, error)) (TradeIn, error) {
	d, err := FindForUpdate(ctx, tx, dealID)
	if err != nil {
		return TradeIn{}, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return TradeIn{}, err
	}
	if err := d.CheckTermsOpen(); err != nil {
		return TradeIn{}, err
	}

	before := d
	c, err := decide(d)
	if err != nil {
		return TradeIn{}, err
	}
	c.apply(&d)
	if err := checkFloorAfter(ctx, tx, before, d); err != nil {
		return TradeIn{}, err
	}

	t, err := c.save(ctx, tx)
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
	return a.changeTrades(ctx, tx, in.DealID, func(d Deal) (tradeChange, error) {
		before, err := tradeInToReplace(ctx, tx, d, in.Body.ReplacesID)
		if err != nil {
			return tradeChange{}, err
		}
		return putTradeIn(ctx, tx, d, in.Body.TradeInAdd, before)
	})
}

// putTradeIn returns the change that adds a trade-in, or replaces one.
func putTradeIn(ctx context.Context, tx *db.Tx, d Deal, add TradeInAdd, before *TradeIn) (tradeChange, error) {
	if err := add.Check(tx.Now); err != nil {
		return tradeChange{}, err
	}
	t := add.tradeIn(tx.Now)
	t.DealID = d.ID
	return tradeChange{before, &t}, checkTradeIn(ctx, tx, d, t, before)
}

func (a *API) removeTradeIn(ctx context.Context, tx *db.Tx, in *ByTradeIn) (rest.None, error) {
	_, err := a.changeTrades(ctx, tx, in.DealID, func(d Deal) (tradeChange, error) {
		t, err := tradeIns.FindIn(ctx, tx, d.ID, in.TradeInID)
		return tradeChange{before: &t}, err
	})
	return rest.None{}, err
}
