package deals

import (
	"context"
	"time"

	"slipway/internal/platform/db"
)

// Taxed returns the deals that were delivered in a period, and those whose sale was undone in
// it after the delivery, with the amounts of their taxes. The location is optional.
func Taxed(ctx context.Context, tx *db.Tx, from, to time.Time, locationID *string) (sold, undone []Deal, err error) {
	find := func(column string) ([]Deal, error) {
		at, args := "", []any{tx.Env, from, to}
		if locationID != nil {
			cond, ids := db.OneOf("delivered_location_id", *locationID)
			at, args = " AND "+cond, append(args, ids...)
		}
		all, err := db.All[Deal](ctx, tx, `SELECT {cols} FROM deals WHERE env = ? AND `+column+` >= ? AND `+column+` < ? AND delivered_at IS NOT NULL`+
			at+` ORDER BY id`, args...)
		for i := range all {
			all[i].derive()
		}
		return all, err
	}
	if sold, err = find("delivered_at"); err != nil {
		return nil, nil, err
	}
	undone, err = find("unwound_at")
	return sold, undone, err
}
