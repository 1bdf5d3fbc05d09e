package hulls

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
)

// LocationOf returns the location of a hull.
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	h, err := Find(ctx, tx, id)
	return h.LocationID, err
}

// smallLocation is the largest number of hulls of a location that are found first.
const smallLocation = 5000

// AtLocation returns a condition that a column has the ID of a hull at a location, or at one of
// several that are separated by commas. The hulls of a small location are found first, because
// a list might have to be read to its end otherwise. At a large location, one of the next rows
// matches.
func AtLocation(ctx context.Context, tx *db.Tx, column, locationIDs string) (cond string, args []any, err error) {
	at, ids := db.OneOf("hulls.location_id", locationIDs)
	args = append([]any{tx.Env}, ids...)
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM (SELECT 1 FROM hulls WHERE env = ? AND `+at+` LIMIT ?) AS few`,
		append(slices.Clone(args), smallLocation+1)...)
	if n <= smallLocation {
		return column + ` IN (SELECT hulls.id FROM hulls WHERE hulls.env = ? AND ` + at + `)`, args, err
	}
	return `EXISTS (SELECT 1 FROM hulls WHERE hulls.env = ? AND ` + at + ` AND hulls.id = ` + column + `)`, args, err
}
