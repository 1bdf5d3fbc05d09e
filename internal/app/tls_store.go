package app

import (
	"context"

	"golang.org/x/crypto/acme/autocert"

	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
)

// certificateStore stores the account, the certificates and the challenges of ACME,
// encrypted, because they contain private keys. It implements autocert.Cache.
type certificateStore struct {
	db  *db.DB
	box *seal.Box
}

// acmePlace is what a value is bound to.
func acmePlace(name string) string { return "acme_state/" + name }

// Get returns a value. One that can't be decrypted is missing: after the master key was
// lost, a new certificate is requested.
func (c certificateStore) Get(ctx context.Context, name string) ([]byte, error) {
	sealed, err := db.Read(ctx, c.db, func(ctx context.Context, tx *db.Tx) ([]byte, error) {
		return db.One[[]byte](ctx, tx, `SELECT sealed FROM acme_state WHERE name = ?`, name)
	})
	if db.IsNoRows(err) {
		return nil, autocert.ErrCacheMiss
	}
	if err != nil {
		return nil, err
	}
	data, err := c.box.Open(sealed, acmePlace(name))
	if err != nil {
		return nil, autocert.ErrCacheMiss
	}
	return data, nil
}

// Put stores a value.
func (c certificateStore) Put(ctx context.Context, name string, data []byte) error {
	_, err := db.Write(ctx, c.db, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `INSERT INTO acme_state (name, sealed, updated_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`,
			name, c.box.Seal(data, acmePlace(name)), tx.Now)
	})
	return err
}

// Delete removes a value.
func (c certificateStore) Delete(ctx context.Context, name string) error {
	_, err := db.Write(ctx, c.db, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `DELETE FROM acme_state WHERE name = ?`, name)
	})
	return err
}
