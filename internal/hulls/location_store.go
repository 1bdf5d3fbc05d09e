package hulls

import (
	"context"

	"slipway/internal/platform/db"
)

// smallLocation is the largest number of hulls of a location that are found first.
const smallLocation = 5000

// AtLocation returns a condition that a column has the ID of a hull at a location.
// The hulls of a small location are found first, because a list might have to be
// read to its end otherwise. At a large location, one of the next rows matches.
func AtLocation(ctx context.Context, tx *db.Tx, column, locationID string) (cond string, args []any, err error) {
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM (SELECT 1 FROM hulls WHERE env = ? AND location_id = ? LIMIT ?) AS few`,
		tx.Env, locationID, smallLocation+1)
	args = []any{tx.Env, locationID}
	if n <= smallLocation {
		return column + ` IN (SELECT hulls.id FROM hulls WHERE hulls.env = ? AND hulls.location_id = ?)`, args, err
	}
	return `EXISTS (SELECT 1 FROM hulls WHERE hulls.env = ? AND hulls.location_id = ? AND hulls.id = ` + column + `)`, args, err
}
