package dealership

import (
	"context"

	"slipway/internal/platform/db"
)

// FindLogo returns the logo as a PNG, or nil if there is none.
func FindLogo(ctx context.Context, tx *db.Tx) ([]byte, error) {
	logo, err := db.One[[]byte](ctx, tx, `SELECT bytes FROM dealership_logos WHERE env = ?`, tx.Env)
	if db.IsNoRows(err) {
		return nil, nil
	}
	return logo, err
}

// storeLogo stores the bytes of the logo, or none.
func storeLogo(ctx context.Context, tx *db.Tx, d Dealership, logo []byte) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM dealership_logos WHERE env = ? AND id = ?`, d.Env, d.ID)
	if err != nil || logo == nil {
		return err
	}
	_, err = db.Exec(ctx, tx, `INSERT INTO dealership_logos (env, id, bytes) VALUES (?, ?, ?)`, d.Env, d.ID, logo)
	return err
}
