package access

import (
	"context"

	"slipway/internal/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// ByKey names an API key.
type ByKey struct {
	KeyID string `path:"key_id" example:"key_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listKeys(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[APIKey], error) {
	return listKeys(ctx, tx, in.Query)
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
	if err := a.proven(ctx, tx, b.Scopes, b.MFAToken); err != nil {
		return IssuedKey{}, err
	}
	return IssueKey(ctx, tx, c.Mode, KeyRequest{b.Name, b.Scopes, b.RateLimit})
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
	if err := k.rotatable(tx.Now); err != nil {
		return IssuedKey{}, err
	}
	var token *string
	if in.Body != nil {
		token = in.Body.MFAToken
	}
	if err := a.proven(ctx, tx, k.Scopes, token); err != nil {
		return IssuedKey{}, err
	}
	return rotateKey(ctx, tx, c.Mode, k)
}

func (a *API) revokeKey(ctx context.Context, tx *db.Tx, in *ByKey) (APIKey, error) {
	k, err := findKey(ctx, tx, in.KeyID)
	if err != nil {
		return k, err
	}
	return revokeKey(ctx, tx, k)
}

// proven fails unless scopes that need a second factor come with the proof of
// one, by an active user who has those scopes. A session's own user must have
// given it. The proof is spent.
func (a *API) proven(ctx context.Context, tx *db.Tx, scopes []auth.Scope, token *string) error {
	if !isAdmin(scopes) {
		return nil
	}
	missing := func(text string) error {
		return fault.Forbidden("A key with the admin scope needs a second factor: %s.", text).Detail("mfa_token", "mfa", "%s", text)
	}
	if token == nil {
		return missing("verify one and send its mfa_token")
	}
	userID, err := spendMFAToken(ctx, tx, *token)
	if err != nil {
		return err
	}
	if c := auth.From(ctx); userID == "" || (c.UserID != "" && c.UserID != userID) {
		return missing("the mfa_token is unknown, used, expired or somebody else's")
	}
	u, err := people.FindUser(ctx, tx, userID)
	if err != nil {
		return err
	}
	held, err := people.ScopesOf(ctx, tx, u)
	if err != nil {
		return err
	}
	if u.Status != people.Active || !auth.Require(scopes...).Allows(held) {
		return missing("the user who gave the mfa_token may not grant these scopes")
	}
	return nil
}
