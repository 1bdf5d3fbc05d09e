package access

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
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
		u, err := findToReset(ctx, tx, in)
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

// findToReset returns the only user with the email address.
func findToReset(ctx context.Context, tx *db.Tx, in UserReset) (people.User, error) {
	environments, err := dealership.Environments(ctx, tx, in.DealershipID)
	if err != nil {
		return people.User{}, err
	}
	var found []people.User
	for _, e := range environments {
		if e.Mode != in.Mode {
			continue
		}
		u, err := people.FindUserByEmail(ctx, tx.In(e.Env), in.Email)
		if err == nil {
			found = append(found, u)
		} else if fault.KindOf(err) != fault.KindNotFound {
			return u, err
		}
	}

	switch len(found) {
	case 0:
		return people.User{}, fault.New(fault.KindNotFound, "User %s not found in the %s environment.", in.Email, in.Mode)
	case 1:
		return found[0], nil
	}
	return people.User{}, fault.Conflict("%d dealerships have a user %s. Choose one with --dealership.", len(found), in.Email)
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
