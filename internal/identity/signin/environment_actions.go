package signin

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Environment is an environment where a visitor can allow an app or a machine to act, and
// the user who allows it there.
type Environment struct {
	dealership.Dealership
	User people.User
	Held []auth.Scope // of the user
}

// Environments returns the environments of a visitor. A user who is signed in to live can
// also choose test, as the user with the same email address. The reverse is not possible,
// because an administrator of test could create that user.
func Environments(ctx context.Context, tx *db.Tx, v Visitor) (all []Environment, err error) {
	envs, err := dealership.Environments(ctx, tx, v.DealershipID)
	if err != nil {
		return nil, err
	}
	for _, d := range envs {
		if d.Env != v.Env && (v.Mode != auth.Live || d.Mode != auth.Test) {
			continue
		}
		tx := tx.In(d.Env)
		u, err := people.FindUserByEmail(ctx, tx, v.User.Email)
		if fault.KindOf(err) == fault.KindNotFound && d.Env != v.Env {
			continue
		}
		if err != nil {
			return nil, err
		}
		held, err := people.ScopesOf(ctx, tx, u)
		if err != nil {
			return nil, err
		}
		all = append(all, Environment{d, u, held})
	}
	return all, nil
}

// With returns a context in which the user acts in the environment.
func (e Environment) With(ctx context.Context) context.Context {
	return auth.With(ctx, auth.Principal{
		Env: e.Env, Mode: e.Mode, DealershipID: e.ID, Actor: e.User.Actor(), UserID: e.User.ID, OriginalID: e.User.ID,
	})
}

// Recheck returns the environment with the user as they are now, and locks the user. The page
// was shown some time ago.
func (e Environment) Recheck(ctx context.Context, tx *db.Tx) (Environment, error) {
	var err error
	if e.User, err = people.FindUserForUpdate(ctx, tx, e.User.ID); err != nil {
		return e, err
	}
	e.Held, err = people.ScopesOf(ctx, tx, e.User)
	return e, err
}
