package access

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// OpenTestSession opens a browser session in the test environment for the user of a live
// session with the same email address. If there is no such user, it creates one with the
// same built-in roles. The new session ends with the live session.
//
// There is no way from test to live: an administrator of the test environment could create
// a user with the address of the live owner.
func (a *API) OpenTestSession(ctx context.Context, live BrowserCaller, replaces string) (Opened, error) {
	if live.Mode != auth.Live {
		return Opened{}, fault.Forbidden("Only a live session can open a test session.")
	}
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (o Opened, err error) {
		test, err := dealership.FindEnvironment(ctx, tx, live.DealershipID, auth.Test)
		if err != nil {
			return o, err
		}
		ctx, tx = auth.InEnv(ctx, test.Env), tx.In(test.Env)
		u, err := people.FindUserByEmail(ctx, tx, live.User.Email)
		if fault.KindOf(err) == fault.KindNotFound {
			u, err = people.ProvisionTestUser(ctx, tx, live.User)
		}
		if err != nil {
			return o, err
		}
		if u, err = people.FindUserForUpdate(ctx, tx, u.ID); err != nil {
			return o, err
		}
		if u.Status != people.Active {
			return o, fault.Forbidden("Your user in the test environment is %s. An administrator can change that.", u.Status)
		}

		ctx = auth.With(ctx, auth.Principal{Env: u.Env, Mode: auth.Test, Actor: u.Actor()})
		if replaces != "" {
			if err := a.endBrowserSession(ctx, tx, replaces); err != nil {
				return o, err
			}
		}
		return insertSession(ctx, tx, u, NewSession{Mode: auth.Test, Method: live.Session.Method, Browser: true, Parent: &live.Session})
	})
}

// OpenLinkedSession opens a browser session for the user of a link. The caller has checked
// the link.
func (a *API) OpenLinkedSession(ctx context.Context, c Checked, replaces string) (Opened, error) {
	return db.Write(auth.InEnv(ctx, c.Env), a.DB, func(ctx context.Context, tx *db.Tx) (o Opened, err error) {
		u, err := people.FindUserForUpdate(ctx, tx, c.UserID)
		if err != nil {
			return o, err
		}
		if u.Status != people.Active {
			return o, fault.Forbidden("This user is not active.")
		}
		ctx = auth.With(ctx, auth.Principal{Env: u.Env, Mode: c.Mode, Actor: u.Actor()})
		if replaces != "" {
			if err := a.endBrowserSession(ctx, tx, replaces); err != nil {
				return o, err
			}
		}
		return insertSession(ctx, tx, u, NewSession{Mode: c.Mode, Method: people.ByPassword, Browser: true})
	})
}
