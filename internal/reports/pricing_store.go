package reports

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

func findPricing(ctx context.Context, tx *db.Tx, p period, _ rows) (PricingReport, error) {
	month, args := p.monthOf("c.at", func(at time.Time) any { return at })
	w := &db.Where{}
	w.And("c.env = ?", tx.Env)
	w.And("c.old_price_usd > c.new_price_usd AND c.at >= ? AND c.at < ?", p.start, p.end)
	if p.LocationID != nil {
		at, args := db.OneOf("h.location_id", *p.LocationID)
		w.And("EXISTS (SELECT 1 FROM hulls h WHERE h.env = c.env AND h.id = c.hull_id AND "+at+")", args...)
	}
	cuts, err := db.All[cutGroup](ctx, tx, `SELECT month, COUNT(*) AS cuts, CAST(SUM(cut) AS BIGINT) AS cut_usd FROM (SELECT c.env,
		`+month+` AS month, c.old_price_usd - c.new_price_usd AS cut FROM hull_price_changes c WHERE `+w.String()+`) AS cuts GROUP BY month`,
		append(args, w.Args...)...)
	if err != nil {
		return PricingReport{}, err
	}

	w = &db.Where{}
	w.And("h.env = ?", tx.Env)
	w.And("h.sold_at >= ? AND h.sold_at < ?", p.start, p.end)
	w.AndOneOf("h.location_id", null.Text(p.LocationID))
	sold, err := db.All[soldHull](ctx, tx, `SELECT {cols} FROM (SELECT h.received_on, h.timezone, h.sold_at, h.price_usd AS asking_usd,
		x.original_price_usd AS original_usd, (SELECT COUNT(*) FROM hull_price_changes c WHERE c.env = h.env AND c.hull_id = h.id
			AND c.old_price_usd > c.new_price_usd AND c.at <= h.sold_at) AS cuts
		FROM hulls h JOIN hull_pricing x ON x.env = h.env AND x.id = h.id WHERE `+w.String()+`) AS sold`, w.Args...)

	zones := map[string]*time.Location{}
	return pricing(p, cuts, sold, func(at time.Time, zone string) string {
		if zones[zone] == nil {
			zones[zone] = zoneNamed(zone)
		}
		return at.In(zones[zone]).Format(time.DateOnly)
	}), err
}
