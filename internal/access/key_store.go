package access

import (
	"context"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

// KeyRequest is what a new key is made from.
type KeyRequest struct {
	Name      string
	Scopes    []auth.Scope
	RateLimit *int64
}

// IssueKey makes a key in an environment. The caller has shown that it may: an
// admin key needs a verified second factor.
func IssueKey(ctx context.Context, tx *db.Tx, mode auth.Mode, in KeyRequest) (IssuedKey, error) {
	if err := checkScopes(in.Scopes); err != nil {
		return IssuedKey{}, err
	}
	k := APIKey{Env: tx.Env, Name: in.Name, Scopes: in.Scopes, RateLimit: in.RateLimit, Pin: wire.LatestVersion()}
	issued, err := insertKey(ctx, tx, mode, k)
	if err != nil {
		return issued, err
	}
	return issued, events.Emit(ctx, tx, "api_key.created", issued.ID, nil, issued.APIKey)
}

func insertKey(ctx context.Context, tx *db.Tx, mode auth.Mode, k APIKey) (IssuedKey, error) {
	key, publicID := newToken(kindKey, mode)
	k.ID, k.PublicID, k.Hash = tx.NewID("key"), publicID, hashToken(key)
	k.CreatedBy, k.CreatedAt = auth.From(ctx).Actor, tx.Now
	if k.Lineage == "" {
		k.Lineage = k.ID
	}
	k.Prefix = prefixOf(mode, k)
	return IssuedKey{k, key}, db.Insert(ctx, tx, "api_keys", k)
}

func prefixOf(mode auth.Mode, k APIKey) string {
	return kindKey + "_" + string(mode) + "_" + k.PublicID
}

func findKey(ctx context.Context, tx *db.Tx, id string) (APIKey, error) {
	k, err := db.One[APIKey](ctx, tx, `SELECT {cols} FROM api_keys WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return k, fault.NotFound("API key", id)
	}
	if err != nil {
		return k, err
	}
	keys := []APIKey{k}
	err = completeKeys(ctx, tx, keys)
	return keys[0], err
}

func listKeys(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[APIKey], error) {
	if err := q.Check("key"); err != nil {
		return page.Page[APIKey]{}, err
	}
	w := &db.Where{}
	w.And("env = ?", tx.Env)
	p, err := db.List[APIKey](ctx, tx, db.From("api_keys"), q, w)
	if err != nil {
		return p, err
	}
	return p, completeKeys(ctx, tx, p.Data)
}

// completeKeys adds what is not in the row: how the key begins, and its use.
func completeKeys(ctx context.Context, tx *db.Tx, keys []APIKey) error {
	if len(keys) == 0 {
		return nil
	}
	args, at := []any{tx.Env, tx.Now.Add(-24 * time.Hour)}, map[string]*APIKey{}
	for i := range keys {
		keys[i].Prefix = prefixOf(auth.From(ctx).Mode, keys[i])
		args, at[keys[i].ID] = append(args, keys[i].ID), &keys[i]
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(keys)), ", ")
	uses, err := db.All[struct {
		KeyID string `db:"key_id"`
		Uses  int64  `db:"uses"`
	}](ctx, tx, `SELECT {cols} FROM (SELECT key_id, CAST(SUM(uses) AS BIGINT) AS uses FROM api_key_uses
		WHERE env = ? AND hour > ? AND key_id IN (`+marks+`) GROUP BY key_id) AS counted`, args...)
	for _, u := range uses {
		at[u.KeyID].Uses24h = u.Uses
	}
	return err
}

// rotateKey gives a key a successor of the same lineage; both work for a while.
func rotateKey(ctx context.Context, tx *db.Tx, mode auth.Mode, k APIKey) (IssuedKey, error) {
	if err := k.rotatable(tx.Now); err != nil {
		return IssuedKey{}, err
	}
	before := k
	issued, err := insertKey(ctx, tx, mode, APIKey{Env: k.Env, Name: k.Name, Scopes: k.Scopes, RateLimit: k.RateLimit, Pin: k.Pin, Lineage: k.Lineage})
	if err != nil {
		return issued, err
	}
	k.ExpiresAt, k.RotatedTo = new(tx.Now.Add(overlap)), &issued.ID
	// Of two rotations at once the second finds the first's successor here.
	n, err := db.Exec(ctx, tx, `UPDATE api_keys SET expires_at = ?, rotated_to = ? WHERE env = ? AND id = ? AND rotated_to IS NULL AND revoked_at IS NULL`,
		k.ExpiresAt, k.RotatedTo, k.Env, k.ID)
	if err != nil {
		return issued, err
	}
	if n == 0 {
		return issued, fault.Conflict("The key was rotated or revoked at the same time.").Detail("key_id", "state", "was rotated or revoked")
	}
	return issued, events.Emit(ctx, tx, "api_key.rotated", k.ID, before, k)
}

func revokeKey(ctx context.Context, tx *db.Tx, k APIKey) (APIKey, error) {
	if k.RevokedAt != nil {
		return k, nil // revoked is revoked
	}
	before := k
	k.RevokedAt = &tx.Now
	if _, err := db.Exec(ctx, tx, `UPDATE api_keys SET revoked_at = ? WHERE env = ? AND id = ?`, tx.Now, k.Env, k.ID); err != nil {
		return k, err
	}
	return k, events.Emit(ctx, tx, "api_key.revoked", k.ID, before, k)
}
