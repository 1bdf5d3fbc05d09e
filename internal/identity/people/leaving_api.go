package people

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/version"
)

// endsByDefault is the version since which a deactivation ends what the user created.
// Clients of earlier versions decide with revoke_keys.
var endsByDefault = version.DateOf(version.Next)

// leaving returns what happens to what acts for the user.
func (b UserDeactivate) leaving(pinned string) Leaving {
	l := Leaving{Keep: pinned < endsByDefault, HandOver: b.HandOver}
	if b.RevokeKeys != nil {
		l.Keep = !*b.RevokeKeys
	}
	return l
}

func (a *API) getAccess(ctx context.Context, tx *db.Tx, in *ByUser) (UserAccess, error) {
	u, err := FindUser(ctx, tx, in.UserID)
	if err != nil {
		return UserAccess{}, err
	}
	return FindAccess(ctx, tx, u)
}

func (a *API) deactivateUser(ctx context.Context, tx *db.Tx, in *struct {
	ByUser
	Body *UserDeactivate
}) (User, error) {
	var body UserDeactivate
	if in.Body != nil {
		body = *in.Body
	}
	l := body.leaving(auth.From(ctx).Version)
	return rest.Change(ctx, tx, FindUserForUpdate, in.UserID, func(before User, u *User) error {
		admin, err := DeactivationNeedsProof(ctx, tx, before, l)
		if err != nil {
			return err
		}
		if err := proofIf(admin).require(ctx, tx, before, TokenIn(body.MFAToken)); err != nil {
			return err
		}
		*u, err = Deactivate(ctx, tx, before, l)
		return err
	})
}
