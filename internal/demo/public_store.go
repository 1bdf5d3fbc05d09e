package demo

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// photosWait reports whether a job still has to make the sizes of a photo of a dealership.
func photosWait(ctx context.Context, d *db.DB, dealershipID string) (bool, error) {
	return db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (bool, error) {
		for _, mode := range []auth.Mode{auth.Live, auth.Test} {
			e, err := dealership.FindEnvironment(ctx, tx, dealershipID, mode)
			if err != nil {
				return false, err
			}
			found, err := db.All[string](ctx, tx, `SELECT id FROM hull_photos WHERE env = ? AND state = 'processing' LIMIT 1`, e.Env)
			if err != nil || len(found) > 0 {
				return true, err
			}
		}
		return false, nil
	})
}
