package scim

import (
	"context"
	"crypto/subtle"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/sso"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// credential is the token of a connection.
type credential struct {
	Env          auth.Env   `db:"env"`
	ConnectionID string     `db:"connection_id"`
	PublicID     string     `db:"public_id"`
	Hash         []byte     `db:"hash"`
	CreatedBy    string     `db:"created_by"`
	CreatedAt    time.Time  `db:"created_at"`
	LastChangeAt *time.Time `db:"last_change_at"`
}

// caller is the connection that a token belongs to.
type caller struct {
	credential
	connection sso.Connection
	dealership dealership.Dealership
}

// findCredential returns the token of a connection. It returns false if there is none.
func findCredential(ctx context.Context, tx *db.Tx, connectionID string) (credential, bool, error) {
	c, err := db.One[credential](ctx, tx, `SELECT {cols} FROM scim_tokens WHERE env = ? AND connection_id = ?`, tx.Env, connectionID)
	if db.IsNoRows(err) {
		return c, false, nil
	}
	return c, err == nil, err
}

// replaceCredential stores the token of a connection. The old one stops working.
func replaceCredential(ctx context.Context, tx *db.Tx, c credential) error {
	if err := deleteCredential(ctx, tx, c.ConnectionID); err != nil {
		return err
	}
	return db.Insert(ctx, tx, "scim_tokens", c)
}

func deleteCredential(ctx context.Context, tx *db.Tx, connectionID string) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM scim_tokens WHERE env = ? AND connection_id = ?`, tx.Env, connectionID)
	return err
}

// findCaller returns the connection of a token in any environment. It returns false for a
// wrong token. If the public part exists, the caller then has its environment and connection.
func (a *API) findCaller(ctx context.Context, tx *db.Tx, bearer string, t token.Token) (c caller, ok bool, err error) {
	c.credential, err = db.OneNamed[credential](ctx, tx, t.Env, `SELECT {cols} FROM scim_tokens WHERE public_id = ? AND env = ?`, t.PublicID)
	if db.IsNoRows(err) {
		return c, false, nil
	}
	if err != nil || subtle.ConstantTimeCompare(c.Hash, token.Hash(bearer)) != 1 {
		return c, false, err
	}
	tx = tx.In(c.Env)
	if c.dealership, err = dealership.Find(ctx, tx); err != nil || c.dealership.Mode != t.Mode {
		return c, false, err
	}
	c.connection, err = a.SSO.Find(ctx, tx, c.ConnectionID)
	return c, err == nil, err
}

// lockCaller makes the changes of a provider wait for each other. It returns the connection
// as it is now, and false if the token was replaced or removed.
func (a *API) lockCaller(ctx context.Context, tx *db.Tx, c caller) (sso.Connection, bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE scim_tokens SET last_change_at = ? WHERE env = ? AND connection_id = ? AND public_id = ?`,
		tx.Now, tx.Env, c.ConnectionID, c.PublicID)
	if err != nil || n == 0 {
		return sso.Connection{}, false, err
	}
	connection, err := a.SSO.Find(ctx, tx, c.ConnectionID)
	return connection, err == nil, err
}
