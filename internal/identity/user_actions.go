package identity

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// SignInLink returns the path of a link that signs a live user in once, and then shows a
// page. It is for the demo. The link ends with the server.
func (a *API) SignInLink(ctx context.Context, email, page string) (string, error) {
	return db.Read(ctx, a.db, func(ctx context.Context, tx *db.Tx) (string, error) {
		all, err := dealership.Environments(ctx, tx, "")
		for _, d := range all {
			if d.Mode != auth.Live {
				continue
			}
			u, err := people.FindUserByEmail(ctx, tx.In(d.Env), email)
			if err != nil {
				return "", err
			}
			return a.SignIn.AddLink(access.Checked{Env: d.Env, UserID: u.ID, Mode: d.Mode}, page), nil
		}
		return "", err
	})
}

// ActiveWith returns the IDs of active users who have a scope.
func ActiveWith(ctx context.Context, tx *db.Tx, scope auth.Scope) ([]string, error) {
	return people.ActiveWith(ctx, tx, scope)
}
