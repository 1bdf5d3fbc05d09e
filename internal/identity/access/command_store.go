package access

import (
	"context"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// CommandUser identifies a user on the command line.
type CommandUser struct {
	DealershipID string // "" if only one dealership has a user with this address
	Mode         auth.Mode
	Email        string
}

// inEnvironment calls f in an environment of the dealership, or of the only one if the
// ID is "".
func inEnvironment[T any](
	ctx context.Context, tx *db.Tx, dealershipID string, mode auth.Mode, f func(ctx context.Context, tx *db.Tx) (T, error),
) (none T, err error) {
	all, err := dealership.Environments(ctx, tx, dealershipID)
	if err != nil {
		return none, err
	}
	all = slices.DeleteFunc(all, func(d dealership.Dealership) bool { return d.Mode != mode })
	if len(all) != 1 {
		return none, fault.Conflict("There are %d dealerships. Choose one with --dealership. To list them, run: slipway dealerships list", len(all))
	}
	env := all[0].Env
	return f(auth.With(ctx, auth.Principal{Env: env, Mode: mode, Actor: auth.System}), tx.In(env))
}

// UsersFromCommandLine returns the users of an environment.
func UsersFromCommandLine(ctx context.Context, d *db.DB, dealershipID string, mode auth.Mode) ([]people.User, error) {
	return db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]people.User, error) {
		return inEnvironment(ctx, tx, dealershipID, mode, people.AllUsers)
	})
}

// CommandInvitation is a user to invite, with the name of a role.
type CommandInvitation struct {
	CommandUser
	Name, Role string
}

// InviteUserFromCommandLine creates a user and sends an invitation. It helps if no
// administrator can sign in, so it also assigns roles with the admin scope.
func InviteUserFromCommandLine(ctx context.Context, d *db.DB, q *jobs.Queue, in CommandInvitation) (people.User, error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (people.User, error) {
		return inEnvironment(ctx, tx, in.DealershipID, in.Mode, func(ctx context.Context, tx *db.Tx) (people.User, error) {
			return people.InviteByRole(ctx, tx, q, people.User{Email: in.Email, Name: in.Name}, in.Role)
		})
	})
}

// UnlockUserFromCommandLine lets a user enter two-factor codes again, after too many
// wrong ones. It reports whether a two-factor method was locked.
func UnlockUserFromCommandLine(ctx context.Context, d *db.DB, in CommandUser) (locked bool, err error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (locked bool, err error) {
		u, err := findForCommand(ctx, tx, in)
		if err != nil {
			return false, err
		}
		ctx, tx = auth.InEnv(ctx, u.Env), tx.In(u.Env)
		all, err := people.ListFactors(ctx, tx, u)
		if err != nil {
			return false, err
		}

		for _, f := range all {
			locked = locked || f.LockedUntil != nil && tx.Now.Before(*f.LockedUntil)
			f.Failures, f.LockedUntil = 0, nil
			if err := people.SaveFactor(ctx, tx, &f); err != nil {
				return false, err
			}
		}
		return locked, audit.Record(ctx, tx, "user.unlocked", u.ID, nil)
	})
}

// findForCommand returns the only user with the email address.
func findForCommand(ctx context.Context, tx *db.Tx, in CommandUser) (people.User, error) {
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

// KeysFromCommandLine returns the API keys of an environment, also the revoked ones.
func KeysFromCommandLine(ctx context.Context, d *db.DB, dealershipID string, mode auth.Mode) ([]APIKey, error) {
	return db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]APIKey, error) {
		return inEnvironment(ctx, tx, dealershipID, mode, func(ctx context.Context, tx *db.Tx) ([]APIKey, error) {
			keys, err := db.All[APIKey](ctx, tx, `SELECT {cols} FROM api_keys WHERE env = ? ORDER BY id`, tx.Env)
			if err != nil {
				return nil, err
			}
			return keys, loadDetails(ctx, tx, keys)
		})
	})
}

// RevokeKeyFromCommandLine revokes a key of any environment.
func RevokeKeyFromCommandLine(ctx context.Context, d *db.DB, id string) (APIKey, error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (APIKey, error) {
		all, err := dealership.Environments(ctx, tx, "")
		if err != nil {
			return APIKey{}, err
		}
		for _, env := range all {
			ctx, tx := auth.With(ctx, auth.Principal{Env: env.Env, Mode: env.Mode, Actor: auth.System}), tx.In(env.Env)
			k, err := findKey(ctx, tx, id)
			if fault.KindOf(err) == fault.KindNotFound {
				continue
			}
			if err != nil {
				return k, err
			}
			return revokeKey(ctx, tx, k)
		}
		return APIKey{}, fault.NotFound("API key", id)
	})
}
