package access

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// ByKey is the path parameter of an API key.
type ByKey struct {
	KeyID string `path:"key_id" doc:"ID of the API key." example:"key_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listKeys(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[APIKey], error) {
	p, err := apiKeys.List(ctx, tx, in.Query, nil)
	if err != nil {
		return p, err
	}
	return p, loadDetails(ctx, tx, p.Data)
}

func (a *API) getKey(ctx context.Context, tx *db.Tx, in *ByKey) (APIKey, error) {
	return findKey(ctx, tx, in.KeyID)
}

func (a *API) createKey(ctx context.Context, tx *db.Tx, in *struct{ Body KeyCreate }) (IssuedKey, error) {
	c, b := auth.From(ctx), in.Body
	if err := checkScopes(b.Scopes); err != nil {
		return IssuedKey{}, err
	}
	if err := people.CanGrant(c.Scopes, b.Scopes); err != nil {
		return IssuedKey{}, err
	}
	if err := a.requireMFA(ctx, tx, b.Scopes, b.MFAToken); err != nil {
		return IssuedKey{}, err
	}
	return IssueKey(ctx, tx, c.Mode, KeyRequest{Name: b.Name, Scopes: b.Scopes, RateLimit: b.RateLimit})
}

func (a *API) rotateKey(ctx context.Context, tx *db.Tx, in *struct {
	ByKey
	Body *KeyRotate
}) (IssuedKey, error) {
	k, err := findKey(ctx, tx, in.KeyID)
	if err != nil {
		return IssuedKey{}, err
	}

	c := auth.From(ctx)
	if err := people.CanGrant(c.Scopes, k.Scopes); err != nil {
		return IssuedKey{}, err
	}
	if err := k.checkRotatable(tx.Now); err != nil {
		return IssuedKey{}, err
	}
	var token *string
	if in.Body != nil {
		token = in.Body.MFAToken
	}
	if err := a.requireMFA(ctx, tx, k.Scopes, token); err != nil {
		return IssuedKey{}, err
	}

	return rotateKey(ctx, tx, c.Mode, k)
}

func (a *API) revokeKey(ctx context.Context, tx *db.Tx, in *struct {
	ByKey
	MFAToken string `header:"MFA-Token" maxLength:"100" doc:"Required for a key with the admin scope. Must be from an administrator. Not required if the key revokes itself."`
}) (APIKey, error) {
	k, err := findKey(ctx, tx, in.KeyID)
	if err != nil {
		return k, err
	}
	if k.revocationNeedsProof(auth.From(ctx).Actor) {
		if err := people.RequireProof(ctx, tx, in.MFAToken); err != nil {
			return k, err
		}
	}

	return revokeKey(ctx, tx, k)
}

// requireMFA checks the mfa_token for scopes that require one, and uses it up. It
// must belong to an active user who has these scopes. If the caller is a session,
// it must belong to the user of the session.
func (a *API) requireMFA(ctx context.Context, tx *db.Tx, scopes []auth.Scope, token *string) error {
	if !isAdmin(scopes) {
		return nil
	}
	return people.Judge(ctx, tx, people.TokenIn(token), people.Rule{
		Missing: errMFA("A key with the admin scope requires an mfa_token. Verify a two-factor method to get one.", "is required for the admin scope"),
		Accept: func(prover people.User) error {
			if err := requireOwnToken(ctx, prover); err != nil {
				return err
			}
			granted, err := people.ScopesOf(ctx, tx, prover)
			if err == nil && !auth.Require(scopes...).Allows(granted) {
				err = errMFA("The mfa_token is from a user who can't grant these scopes.", "is from a user who can't grant these scopes")
			}
			return err
		},
	})
}

// requireOwnToken returns an error if the caller is a session, and the token is from another user.
func requireOwnToken(ctx context.Context, prover people.User) error {
	if c := auth.From(ctx); c.UserID == "" || c.UserID == prover.ID {
		return nil
	}
	return errMFA("The mfa_token is from another user. Verify your own two-factor method.", "is from another user")
}

func errMFA(message, detail string) error { return people.ErrMFA(message, detail) }
