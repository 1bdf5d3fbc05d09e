package people

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Factor is the stored form of a two-factor method.
type Factor struct {
	Env         auth.Env   `db:"env"`
	ID          string     `db:"id"`
	UserID      string     `db:"user_id"`
	Kind        FactorKind `db:"kind"`
	Label       *string    `db:"label"`
	Secret      []byte     `db:"secret"` // encrypted
	Active      bool       `db:"active"`
	LastStep    int64      `db:"last_step"`
	Failures    int64      `db:"failures"`
	LockedUntil *time.Time `db:"locked_until"`
	CreatedAt   time.Time  `db:"created_at"`
}

var factors = db.Table[Factor]{Name: "mfa_factors", Prefix: "mfa", Noun: "two-factor method"}

// NewFactor returns a factor with its ID that is not inserted yet. The secret is
// bound to the ID.
func NewFactor(tx *db.Tx, f Factor) Factor {
	factors.Stamp(tx, &f)
	return f
}

// InsertFactor adds a factor.
func InsertFactor(ctx context.Context, tx *db.Tx, f *Factor) error {
	return factors.Insert(ctx, tx, f)
}

// lockFactors locks the factors of a user. Each of several simultaneous codes
// then sees the failures that the ones before it have counted.
func lockFactors(ctx context.Context, tx *db.Tx, u User) error {
	return db.LockRow(ctx, tx, `SELECT id FROM mfa_factors WHERE env = ? AND user_id = ? ORDER BY id`, u.Env, u.ID)
}

// FindFactor returns a factor of a user and locks it until the transaction ends.
func FindFactor(ctx context.Context, tx *db.Tx, u User, id string) (Factor, error) {
	if err := lockFactors(ctx, tx, u); err != nil {
		return Factor{}, err
	}

	f, err := db.One[Factor](ctx, tx, `SELECT {cols} FROM mfa_factors WHERE env = ? AND id = ? AND user_id = ?`, u.Env, id, u.ID)
	if db.IsNoRows(err) {
		return f, fault.NotFound(factors.Noun, id)
	}
	return f, err
}

// ListFactors returns the factors of a user and locks them until the
// transaction ends.
func ListFactors(ctx context.Context, tx *db.Tx, u User) ([]Factor, error) {
	if err := lockFactors(ctx, tx, u); err != nil {
		return nil, err
	}
	return db.All[Factor](ctx, tx, `SELECT {cols} FROM mfa_factors WHERE env = ? AND user_id = ? ORDER BY id`, u.Env, u.ID)
}

// SaveFactor writes a changed factor. Factors have no version.
func SaveFactor(ctx context.Context, tx *db.Tx, f *Factor) error {
	_, err := db.Update(ctx, tx, "mfa_factors", f, "env = ? AND id = ?", f.Env, f.ID)
	return err
}

// DeleteFactor deletes a factor and ends the MFA tokens of its user, which could
// be from this factor.
func DeleteFactor(ctx context.Context, tx *db.Tx, f Factor) error {
	if err := factors.Delete(ctx, tx, f.ID); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `UPDATE mfa_tokens SET used_at = ? WHERE env = ? AND user_id = ? AND used_at IS NULL`, tx.Now, f.Env, f.UserID)
	return err
}

// DeleteUnverifiedFactors deletes the factors that a user never verified.
func DeleteUnverifiedFactors(ctx context.Context, tx *db.Tx, u User) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM mfa_factors WHERE env = ? AND user_id = ? AND NOT active`, u.Env, u.ID)
	return err
}
