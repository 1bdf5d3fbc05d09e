package access

import (
	"context"
	"fmt"
	"time"

	"slipway/internal/audit"
	"slipway/internal/db"
	"slipway/internal/dealership"
	"slipway/internal/fault"
	"slipway/internal/principal"
	"slipway/internal/seal"
)

// A factor is locked after this many wrong codes in a row, for this long.
const (
	wrongCodes = 5
	lockFor    = 15 * time.Minute
)

// Factor is a user's second factor.
type Factor struct {
	Env         principal.Env `json:"-" db:"env"`
	ID          string        `json:"id" db:"id"`
	UserID      string        `json:"user_id" db:"user_id"`
	Kind        string        `json:"kind" db:"kind"`
	Label       *string       `json:"label" db:"label"`
	Secret      []byte        `json:"-" db:"secret"`
	Active      bool          `json:"active" db:"active"`
	LastStep    int64         `json:"-" db:"last_step"`
	Failures    int64         `json:"-" db:"failures"`
	LockedUntil *time.Time    `json:"-" db:"locked_until"`
	CreatedAt   time.Time     `json:"created_at" db:"created_at"`
}

// place binds the sealed secret to its row.
func (f Factor) place() string { return fmt.Sprintf("mfa_factors/%d/%s", f.Env, f.ID) }

func addTOTP(ctx context.Context, tx *db.Tx, box *seal.Box, u dealership.User, secret string) error {
	f := Factor{Env: u.Env, ID: tx.NewID("mfa"), UserID: u.ID, Kind: "totp", Active: true, CreatedAt: tx.Now}
	f.Secret = box.Seal([]byte(secret), f.place())
	if err := db.Insert(ctx, tx, "mfa_factors", f); err != nil {
		return err
	}
	return audit.Record(ctx, tx, u.Env, "mfa_factor.enrolled", f.ID, nil)
}

// VerifyTOTP fails unless the code is a fresh one of the user's. Wrong codes
// are counted even though they change nothing else: five lock the factor.
func VerifyTOTP(ctx context.Context, d *db.DB, box *seal.Box, u dealership.User, code string) error {
	refused, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (*fault.Error, error) {
		factors, err := db.All[Factor](ctx, tx, `SELECT {cols} FROM mfa_factors WHERE env = ? AND user_id = ? AND kind = 'totp' AND active ORDER BY id`, u.Env, u.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range factors {
			if f.LockedUntil != nil && tx.Now.Before(*f.LockedUntil) {
				return fault.Forbidden("Too many wrong codes: the second factor is locked until %s.", f.LockedUntil.Format(time.RFC3339)), nil
			}
			secret, err := box.Open(f.Secret, f.place())
			if err != nil {
				return nil, err
			}
			step, ok := matchTOTP(string(secret), code, f.LastStep, tx.Now)
			f.count(step, ok, tx.Now)
			if _, err := db.Update(ctx, tx, "mfa_factors", &f, "env = ? AND id = ?", f.Env, f.ID); err != nil {
				return nil, err
			}
			if ok {
				return nil, audit.Record(ctx, tx, u.Env, "mfa_factor.verified", f.ID, nil)
			}
		}
		return fault.Forbidden("The code is wrong, too old or was used before."), nil
	})
	if err == nil && refused != nil {
		return refused
	}
	return err
}

// count takes note of a right or wrong code.
func (f *Factor) count(step int64, ok bool, now time.Time) {
	if ok {
		f.LastStep, f.Failures, f.LockedUntil = step, 0, nil
		return
	}
	if f.Failures++; f.Failures >= wrongCodes {
		f.Failures, f.LockedUntil = 0, new(now.Add(lockFor))
	}
}
