package deals

import (
	"context"
	"strconv"
	"strings"

	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// Search returns up to limit deals with the number q, about one of the hulls, or whose
// buyer or co-buyer has each word of q, in this order. It only searches for buyers if
// the caller can read contacts.
func Search(ctx context.Context, tx *db.Tx, q string, hullIDs []string, limit int) ([]Deal, error) {
	var filters []*db.Where
	add := func(cond string, args ...any) {
		w := &db.Where{}
		w.And(cond, args...)
		filters = append(filters, w)
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(q), "#"), 10, 64); err == nil {
		add("number = ?", n)
	}
	if len(hullIDs) > 0 {
		marks, args := db.In(hullIDs)
		add("hull_id IN "+marks, args...)
	}
	if auth.From(ctx).Can(auth.LeadsRead) {
		for _, column := range []string{"buyer_id", "co_buyer_id"} {
			w := &db.Where{}
			if contacts.WhereMatches(w, tx.Env, column, q) {
				filters = append(filters, w)
			}
		}
	}

	var found []Deal
	seen := map[string]bool{}
	for _, w := range filters {
		if own := auth.From(ctx).Locations; own != nil {
			at, args, err := hulls.AtLocation(ctx, tx, "deals.hull_id", strings.Join(own, ","))
			if err != nil {
				return nil, err
			}
			w.And(at, args...)
		}
		p, err := deals.List(ctx, tx, page.Query{Limit: limit}, w)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Data {
			if len(found) < limit && !seen[d.ID] {
				found, seen[d.ID] = append(found, d), true
			}
		}
	}
	return found, nil
}
