package clilogin

import (
	"context"
	"net/url"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// insertCode stores what a user has allowed and returns the code for it.
func insertCode(ctx context.Context, tx *db.Tx, c code) (string, error) {
	text := token.Link(tx.Env)
	c.Env, c.Hash, c.ExpiresAt = tx.Env, token.Hash(text), tx.Now.Add(codeLifetime)
	return text, db.Insert(ctx, tx, "cli_codes", c)
}

// takeCode returns a code and deletes it, so that it works once. The second of two
// simultaneous exchanges deletes no row.
func takeCode(ctx context.Context, tx *db.Tx, text string) (code, error) {
	c, err := db.OneNamed[code](ctx, tx, token.LinkEnv(text), `SELECT {cols} FROM cli_codes WHERE hash = ? AND env = ?`, token.Hash(text))
	if db.IsNoRows(err) {
		return c, errCode("The code is not valid, or it was already used. Run slipway login again.")
	}
	if err != nil {
		return c, err
	}
	n, err := db.Exec(ctx, tx, `DELETE FROM cli_codes WHERE env = ? AND hash = ?`, c.Env, c.Hash)
	if err == nil && n == 0 {
		err = errCode("The code was already used. Run slipway login again.")
	}
	return c, err
}

// exchange returns the key for a code. What the user can do might have changed since the
// page, so it is checked again. A rejection commits, so that the code can't be tried again.
func exchange(ctx context.Context, tx *db.Tx, form url.Values) (key access.IssuedKey, err error) {
	c, err := takeCode(ctx, tx, form.Get("code"))
	if err != nil {
		return key, err
	}
	if rejected := c.check(form.Get("code_verifier"), form.Get("redirect_uri"), tx.Now); rejected != nil {
		return key, db.Committed(rejected)
	}

	tx = tx.In(c.Env)
	u, err := people.FindUserForUpdate(ctx, tx, c.UserID)
	if err != nil {
		return key, err
	}
	held, err := people.ScopesOf(ctx, tx, u)
	if err != nil {
		return key, err
	}
	if reason := blocked(u, held, c.Scopes); reason != "" {
		return key, db.Committed(errCode(reason))
	}
	ctx = auth.With(ctx, auth.Principal{Env: c.Env, Mode: c.Mode, Actor: u.Actor(), UserID: u.ID, OriginalID: u.ID})
	return access.IssueKey(ctx, tx, c.Mode, access.KeyRequest{
		Name: c.Name, Scopes: c.Scopes, ExpiresAt: new(tx.Now.Add(keyLifetime)), UserID: &u.ID,
	})
}

// DeleteCodes deletes the codes of a user, so that no key is created after the user has
// signed out everywhere.
func DeleteCodes(ctx context.Context, tx *db.Tx, u people.User) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM cli_codes WHERE env = ? AND user_id = ?`, u.Env, u.ID)
	return err
}

// DeleteExpired deletes the codes that were not used.
func DeleteExpired(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM cli_codes WHERE expires_at < ?`, tx.Now)
}
