package reports

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

// soldAt is the location of a sale: where the boat was delivered, wherever it is now.
const soldAt = "COALESCE(d.delivered_location_id, h.location_id)"

func findGross(ctx context.Context, tx *db.Tx, p period, listed rows) (GrossReport, error) {
	w := &db.Where{}
	w.And("d.env = ?", tx.Env)
	w.And("d.delivered_at >= ? AND d.delivered_at < ?", p.start, p.end)
	w.AndOneOf(soldAt, null.Text(p.LocationID))
	sold, err := db.All[soldDeal](ctx, tx, `SELECT {cols} FROM (SELECT d.id, d.hull_id, h.stock_number, d.owner_id, d.delivered_at,
		d.price_usd, d.over_allowance_cents, d.products_cents, d.products_cost_cents, d.reserve_cents, d.trades_without_acv,
		d.products_without_cost, d.line_items, d.delivered_cost_cents
		FROM deals d JOIN hulls h ON h.env = d.env AND h.id = d.hull_id WHERE `+w.String()+`) AS sold
		ORDER BY delivered_at DESC, id DESC`, w.Args...)
	if err != nil {
		return GrossReport{}, err
	}

	in := &db.Where{}
	in.And("a.env = ?", tx.Env)
	in.And("a.created_at >= ? AND a.created_at < ?", p.start, p.end)
	in.And("a.kind <> 'forfeit'") // the cash report has it
	in.AndOneOf(soldAt, null.Text(p.LocationID))
	adjusted, err := db.All[GrossAdjustment](ctx, tx, `SELECT {cols} FROM (SELECT a.deal_id, a.kind, a.price_cents, a.front_cents, a.back_cents,
		a.created_at, a.id FROM deal_adjustments a JOIN deals d ON d.env = a.env AND d.id = a.deal_id
		JOIN hulls h ON h.env = d.env AND h.id = d.hull_id WHERE `+in.String()+`) AS adjusted
		ORDER BY created_at DESC, id DESC`, in.Args...)
	return gross(p, sold, adjusted, listed), err
}
