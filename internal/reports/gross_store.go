package reports

import (
	"context"

	"slipway/internal/platform/db"
)

func findGross(ctx context.Context, tx *db.Tx, p period, limit int) (GrossReport, error) {
	w := &db.Where{}
	w.And("d.env = ?", tx.Env)
	w.And("d.delivered_at >= ? AND d.delivered_at < ?", p.start, p.end)
	if p.LocationID != nil {
		w.And("h.location_id = ?", *p.LocationID)
	}
	sold, err := db.All[soldDeal](ctx, tx, `SELECT {cols} FROM (SELECT d.id, d.hull_id, h.stock_number, d.owner_id, d.delivered_at,
		d.price_usd, d.over_allowance_cents, d.products_cents, d.products_cost_cents, d.reserve_cents, d.trades_without_acv,
		d.products_without_cost, d.line_items, h.cost_cents
		FROM deals d JOIN hulls h ON h.env = d.env AND h.id = d.hull_id WHERE `+w.String()+`) AS sold
		ORDER BY delivered_at DESC, id DESC`, w.Args...)
	return gross(p, sold, limit), err
}
