package people

import (
	"context"
	"errors"

	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
)

// Rule is whose MFA token an operation requires.
type Rule struct {
	Missing error                   // for a caller without a token
	Accept  func(prover User) error // of an active user with a two-factor method
}

// Judge checks and uses up the MFA token of an operation. Nothing else does. It refuses to
// run after a write: roles that are already written would make anyone an administrator.
func Judge(ctx context.Context, tx *db.Tx, token string, r Rule) error {
	if tx.HasWritten() {
		return errors.New("people: an MFA token is checked after a write")
	}
	if token == "" {
		return r.Missing
	}

	operation, object := rest.Called(ctx)
	userID, err := useMFAToken(ctx, tx, token, Purpose{operation, object})
	if err != nil {
		return err
	}
	if userID == "" {
		caller := auth.From(ctx).Actor
		authlog.Reject(ctx, tx, authlog.Rejection{Env: tx.Env, Kind: string(caller.Type), ID: caller.ID, Err: errInvalidProof()})
		return errInvalidProof()
	}

	u, err := FindUser(ctx, tx, userID)
	if err != nil {
		return err
	}
	if !u.canVerify() {
		return errInvalidProof()
	}
	return r.Accept(u)
}

// RequireProof judges a change that affects the admin scope: it requires the MFA token of
// an administrator.
func RequireProof(ctx context.Context, tx *db.Tx, token string) error {
	return Judge(ctx, tx, token, byAdmin.rule(User{}))
}

// require judges a change of a user, if it needs proof.
func (p proof) require(ctx context.Context, tx *db.Tx, u User, token string) error {
	if p == noProof {
		return nil
	}
	return Judge(ctx, tx, token, p.rule(u))
}
