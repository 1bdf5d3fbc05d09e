package hulls

import (
	"context"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/page"
)

// PublicFilter is the query of a list that the public sees: the hulls that a channel lists.
type PublicFilter struct {
	SortedFilter
	ChannelID  string
	Conditions []Condition
	Classes    []BoatClass
	Without    string // the ID of a hull to leave out, or ""

	HidesPrices bool // the channel lists hulls with a hidden price, which need an order of their own
}

// limit adds the conditions. A hidden price must not be found by searching for it.
func (f *PublicFilter) limit(w *db.Where) {
	w.And("h.published_channels LIKE ?", listedOn(f.ChannelID))
	if len(f.Conditions) > 0 {
		marks, args := db.In(f.Conditions)
		w.And("h.condition IN "+marks, args...)
	}
	if len(f.Classes) > 0 {
		marks, args := db.In(f.Classes)
		w.And("h.boat_class IN "+marks, args...)
	}
	w.AndIf(f.PriceMin.Set || f.PriceMax.Set, "NOT h.price_hidden AND h.price_type <> ?", Call)
	w.AndIf(f.Without != "", "h.id <> ?", f.Without)
}

// listedOn matches the channels of a hull that a channel lists.
func listedOn(channelID string) string { return `%"` + channelID + `"%` }

// lastPrice is higher than each price.
const lastPrice = 1 << 40

// publicPrice is the order by price. Hulls with a hidden price are at the end in both directions.
func publicPrice(down bool) db.Order[Hull] {
	hidden, column := int64(lastPrice), "CASE WHEN h.price_hidden OR h.price_type = 'call' THEN 1099511627776 ELSE h.price_usd END"
	if down {
		hidden, column = -1, "CASE WHEN h.price_hidden OR h.price_type = 'call' THEN -1 ELSE h.price_usd END"
	}
	return db.Order[Hull]{Column: column, IsExpr: true, Argument: number, Value: func(h Hull) int64 {
		if !h.ShowsPrice() {
			return hidden
		}
		return h.PriceUSD
	}}
}

// ShowsPrice reports whether the public sees the price.
func (h Hull) ShowsPrice() bool { return !h.PriceHidden && h.PriceType != Call }

// ListPublic returns the hulls that match the filter, in its order.
func ListPublic(ctx context.Context, tx *db.Tx, f PublicFilter) (page.Page[Hull], error) {
	f.public = &f
	return ListSorted(ctx, tx, f.SortedFilter)
}

// CountPublic returns how many hulls match the filter.
func CountPublic(ctx context.Context, tx *db.Tx, f PublicFilter) (int64, error) {
	f.public = &f
	s, ok := newFinder(tx, f.HullFilter)
	if !ok {
		return 0, nil
	}
	return db.One[int64](ctx, tx, "SELECT COUNT(*) FROM hulls h WHERE "+s.where.String(), s.where.Args...)
}

// PublicGroup counts the hulls that a channel lists and that have these values.
type PublicGroup struct {
	Condition  Condition  `db:"condition"`
	BoatClass  *BoatClass `db:"boat_class"`
	LocationID string     `db:"location_id"`
	Make       string     `db:"make"`
	MakeKey    string     `db:"make_key"`
	Count      int64      `db:"n"`
	Hidden     int64      `db:"hidden"` // of them, those with a hidden price
}

// GroupPublic counts the hulls that a channel lists, for the choices of its filters.
func GroupPublic(ctx context.Context, tx *db.Tx, channelID string) ([]PublicGroup, error) {
	return db.All[PublicGroup](ctx, tx, `SELECT {cols} FROM (
		SELECT condition, boat_class, location_id, MIN(make) AS make, make_key, COUNT(*) AS n,
			COUNT(CASE WHEN price_hidden OR price_type = 'call' THEN 1 END) AS hidden FROM hulls
		WHERE env = ? AND archived_at IS NULL AND published_channels LIKE ? GROUP BY condition, boat_class, location_id, make_key) AS grouped`,
		tx.Env, listedOn(channelID))
}

// FindPublic returns the hulls of a reference in the URL of a page, an ID or a stock number. The
// caller decides which of them it shows. Each query has the condition of an index.
func FindPublic(ctx context.Context, tx *db.Tx, ref string) (found []Hull, err error) {
	queries := []string{
		`SELECT {cols} FROM hulls WHERE env = ? AND stock_number = ? AND status NOT IN ('archived', 'delivered') LIMIT 1`,
		`SELECT {cols} FROM hulls WHERE env = ? AND stock_number = ? AND status IN ('archived', 'delivered') ORDER BY id DESC LIMIT 5`,
	}
	if strings.HasPrefix(ref, "hull_") {
		queries = []string{`SELECT {cols} FROM hulls WHERE env = ? AND id = ?`}
	}
	for _, query := range queries {
		rows, err := db.All[Hull](ctx, tx, query, tx.Env, ref)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	for i := range found {
		Derive(tx, &found[i])
	}
	return found, nil
}

// PublicAfter returns up to a number of hulls that a channel lists, in the order of their IDs.
func PublicAfter(ctx context.Context, tx *db.Tx, channelID, after string, limit int) ([]Hull, error) {
	return db.All[Hull](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND id > ? AND archived_at IS NULL AND published_channels LIKE ?
		ORDER BY id LIMIT ?`, tx.Env, after, listedOn(channelID), limit)
}

// Reductions returns the last change of the price of each hull since a time, if it was a reduction.
func Reductions(ctx context.Context, tx *db.Tx, hullIDs []string, since time.Time) (map[string]PriceChange, error) {
	last := map[string]PriceChange{}
	if len(hullIDs) == 0 {
		return last, nil
	}
	marks, args := db.In(hullIDs)
	all, err := db.All[PriceChange](ctx, tx, `SELECT {cols} FROM hull_price_changes WHERE env = ? AND hull_id IN `+marks+` AND at > ? ORDER BY id`,
		append(append([]any{tx.Env}, args...), since)...)
	for _, c := range all {
		if delete(last, c.HullID); c.OldPriceUSD != nil && *c.OldPriceUSD > c.NewPriceUSD {
			last[c.HullID] = c
		}
	}
	return last, err
}
