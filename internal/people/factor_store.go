package people

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Factor is a user's second factor, as it is kept.
type Factor struct {
	Env         auth.Env   `db:"env"`
	ID          string     `db:"id"`
	UserID      string     `db:"user_id"`
	Kind        string     `db:"kind"`
	Label       *string    `db:"label"`
	Secret      []byte     `db:"secret"` // sealed
	Active      bool       `db:"active"`
	LastStep    int64      `db:"last_step"`
	Failures    int64      `db:"failures"`
	LockedUntil *time.Time `db:"locked_until"`
	CreatedAt   time.Time  `db:"created_at"`
}

// InsertFactor adds a factor.
func InsertFactor(ctx context.Context, tx *db.Tx, f Factor) error {
	return db.Insert(ctx, tx, "mfa_factors", f)
}

// lockFactors makes codes that come at once wait for each other: each is judged
// by what the one before it has counted.
func lockFactors(ctx context.Context, tx *db.Tx, u User) error {
	return db.LockRow(ctx, tx, `SELECT id FROM mfa_factors WHERE env = ? AND user_id = ? ORDER BY id`, u.Env, u.ID)
}

// FindFactor returns a factor of a user, to change it.
func FindFactor(ctx context.Context, tx *db.Tx, u User, id string) (Factor, error) {
	if err := lockFactors(ctx, tx, u); err != nil {
		return Factor{}, err
	}
	f, err := db.One[Factor](ctx, tx, `SELECT {cols} FROM mfa_factors WHERE env = ? AND id = ? AND user_id = ?`, u.Env, id, u.ID)
	if db.IsNoRows(err) {
		return f, fault.NotFound("MFA factor", id)
	}
	return f, err
}

// FactorsOf returns the factors of a user, to change them.
func FactorsOf(ctx context.Context, tx *db.Tx, u User) ([]Factor, error) {
	if err := lockFactors(ctx, tx, u); err != nil {
		return nil, err
	}
	return db.All[Factor](ctx, tx, `SELECT {cols} FROM mfa_factors WHERE env = ? AND user_id = ? ORDER BY id`, u.Env, u.ID)
}

// SaveFactor writes a changed factor.
func SaveFactor(ctx context.Context, tx *db.Tx, f *Factor) error {
	_, err := db.Update(ctx, tx, "mfa_factors", f, "env = ? AND id = ?", f.Env, f.ID)
	return err
}

// RemoveFactor removes a factor.
func RemoveFactor(ctx context.Context, tx *db.Tx, f Factor) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM mfa_factors WHERE env = ? AND id = ?`, f.Env, f.ID)
	return err
}

// RemoveUnverified removes the factors of a user that were never proven.
func RemoveUnverified(ctx context.Context, tx *db.Tx, u User) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM mfa_factors WHERE env = ? AND user_id = ? AND NOT active`, u.Env, u.ID)
	return err
}
