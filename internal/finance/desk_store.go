package finance

import (
	"context"

	"slipway/internal/platform/db"
)

// lenders returns the names of the lenders of deals, the most recent one first.
func lenders(ctx context.Context, tx *db.Tx) ([]string, error) {
	// IDs contain the creation time, so the largest one is the newest.
	names, err := db.All[string](ctx, tx, `SELECT lender FROM fundings WHERE env = ? GROUP BY lender ORDER BY MAX(id) DESC LIMIT 50`, tx.Env)
	return append([]string{}, names...), err
}
