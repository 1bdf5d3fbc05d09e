package deals

import (
	"context"
	"strings"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
)

// LocationOf returns the location of a deal: where its hull is.
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	d, err := Find(ctx, tx, id)
	if err != nil {
		return "", err
	}
	return hulls.LocationOf(ctx, tx, d.HullID)
}

// AtLocation returns a condition that a column has the ID of a deal about a hull at
// a location, or at one of several.
func AtLocation(ctx context.Context, tx *db.Tx, column, locationID string) (cond string, args []any, err error) {
	hull, args, err := hulls.AtLocation(ctx, tx, "deals.hull_id", locationID)
	args = append([]any{tx.Env}, args...)
	if strings.HasPrefix(hull, "EXISTS") {
		return `EXISTS (SELECT 1 FROM deals WHERE deals.env = ? AND deals.id = ` + column + ` AND ` + hull + `)`, args, err
	}
	return column + ` IN (SELECT deals.id FROM deals WHERE deals.env = ? AND ` + hull + `)`, args, err
}

// FindAll returns the deals with these IDs that exist, by ID.
func FindAll(ctx context.Context, tx *db.Tx, ids []string) (map[string]Deal, error) {
	found := map[string]Deal{}
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := db.In(ids)
	all, err := db.All[Deal](ctx, tx, `SELECT {cols} FROM deals WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
	for _, d := range all {
		d.derive()
		found[d.ID] = d
	}
	return found, err
}
