package access

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

// UserReset identifies the user to reset on the command line.
type UserReset struct {
	DealershipID string // "" if only one dealership has a user with this address
	Mode         auth.Mode
	Email        string
	TwoFactor    bool // also remove the two-factor methods
}

// ResetUserFromCommandLine clears the password of a user and sends an invitation to
// set a new one. It helps if no administrator can sign in.
func ResetUserFromCommandLine(ctx context.Context, d *db.DB, q *jobs.Queue, in UserReset) (people.User, error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (people.User, error) {
		u, err := findForCommand(ctx, tx, CommandUser{in.DealershipID, in.Mode, in.Email})
		if err != nil {
			return u, err
		}
		ctx, tx = auth.InEnv(ctx, u.Env), tx.In(u.Env)
		if u, err = people.FindUserForUpdate(ctx, tx, u.ID); err != nil {
			return u, err
		}

		if in.TwoFactor {
			if err := removeAllFactors(ctx, tx, u); err != nil {
				return u, err
			}
		}
		return people.ResetPassword(ctx, tx, q, u)
	})
}

func removeAllFactors(ctx context.Context, tx *db.Tx, u people.User) error {
	all, err := people.ListFactors(ctx, tx, u)
	if err != nil {
		return err
	}
	for _, f := range all {
		if err := removeFactor(ctx, tx, u, f); err != nil {
			return err
		}
	}
	return deleteRecoveryCodes(ctx, tx, u)
}
