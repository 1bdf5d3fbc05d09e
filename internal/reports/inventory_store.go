package reports

import (
	"context"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
)

// oldestHulls is how many of the oldest hulls the report lists.
const oldestHulls = 10

// inStock must be the same as in the index hulls_in_stock.
const inStock = `status IN ('on_order', 'in_transit', 'available', 'on_hold', 'sale_pending', 'not_for_sale')`

func findInventory(ctx context.Context, tx *db.Tx, p period, _ rows) (InventoryReport, error) {
	w := &db.Where{}
	w.And(inStock)
	if p.From != nil {
		w.And("received_on >= ?", *p.From)
	}
	if p.To != nil {
		w.And("received_on <= ?", *p.To)
	}
	w.AndOneOf("location_id", null.Text(p.LocationID))
	groups, err := db.All[stockGroup](ctx, tx, `SELECT received_on, timezone, status, ownership, COUNT(*) AS hulls,
		CAST(SUM(price_usd) AS BIGINT) AS price_usd, CAST(COALESCE(SUM(cost_cents), 0) AS BIGINT) AS cost_cents, COUNT(cost_cents) AS with_cost
		FROM hulls WHERE env = ? AND `+w.String()+` GROUP BY received_on, timezone, status, ownership`, append([]any{tx.Env}, w.Args...)...)
	if err != nil {
		return InventoryReport{}, err
	}
	sold, err := findSold(ctx, tx, p.LocationID)
	if err != nil {
		return InventoryReport{}, err
	}
	groups = append(groups, sold...)
	today := zonedDays(p.now)
	r := inventory(groups, auth.From(ctx).Can(auth.HullsWrite), today)
	r.Covers = p.Covers

	w.And("received_on IS NOT NULL AND status NOT IN ('on_order', 'in_transit')")
	r.Oldest, err = db.All[InventoryHull](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND `+w.String()+`
		ORDER BY received_on, id LIMIT ?`,
		slices.Concat([]any{tx.Env}, w.Args, []any{oldestHulls})...)
	if err != nil {
		return r, err
	}
	for i, h := range r.Oldest {
		r.Oldest[i].Days = daysBetween(h.ReceivedOn, today(h.Timezone))
	}
	r.Counts, err = countStatuses(ctx, tx, p.LocationID)
	return r, err
}

// findSold returns the hulls that are sold and not delivered, in two groups: those that have
// arrived, and those that have not.
func findSold(ctx context.Context, tx *db.Tx, locationID *string) ([]stockGroup, error) {
	filter, args := "", []any{tx.Env}
	if locationID != nil {
		at, ids := db.OneOf("location_id", *locationID)
		filter, args = " AND "+at, append(args, ids...)
	}
	return db.All[stockGroup](ctx, tx, `SELECT MAX(received_on) AS received_on, MAX(timezone) AS timezone, 'sold' AS status, MAX(ownership) AS ownership,
		COUNT(*) AS hulls, CAST(SUM(price_usd) AS BIGINT) AS price_usd, CAST(COALESCE(SUM(cost_cents), 0) AS BIGINT) AS cost_cents,
		COUNT(cost_cents) AS with_cost FROM hulls WHERE env = ? AND status = 'sold'`+filter+` GROUP BY CASE WHEN received_on IS NULL THEN 0 ELSE 1 END`, args...)
}

// countStatuses counts the hulls with each status, at a location or at all.
func countStatuses(ctx context.Context, tx *db.Tx, locationID *string) ([]InventoryCount, error) {
	filter, args := "", []any{tx.Env}
	if locationID != nil {
		at, ids := db.OneOf("location_id", *locationID)
		filter, args = " AND "+at, append(args, ids...)
	}
	found, err := db.All[InventoryCount](ctx, tx, `SELECT status, COUNT(*) AS hulls FROM hulls WHERE env = ?`+filter+` GROUP BY status`, args...)
	return counts(found), err
}

// zonedDays returns a function that returns the date of a time in a time zone. It
// calculates each of them once.
func zonedDays(at time.Time) func(zone string) string {
	known := map[string]string{}
	return func(zone string) string {
		if day, ok := known[zone]; ok {
			return day
		}
		known[zone] = at.In(zoneNamed(zone)).Format(time.DateOnly)
		return known[zone]
	}
}

// zoneNamed returns a time zone. Stored ones are valid.
func zoneNamed(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
