package access

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
	"slipway/internal/vocab/version"
)

var apiKeys = db.Table[APIKey]{Name: "api_keys", Prefix: "key", Noun: "API key"}

// FindKey returns an API key without the details that lists show.
func FindKey(ctx context.Context, tx *db.Tx, id string) (APIKey, error) {
	return apiKeys.Find(ctx, tx, id)
}

// KeyRequest describes a new key.
type KeyRequest struct {
	Name      string
	Scopes    []auth.Scope
	RateLimit *int64
	ExpiresAt *time.Time
	UserID    *string // for a key of slipway login
}

// IssueKey creates a key in the environment of the transaction. The caller has
// checked the permission, and the mfa_token for the admin scope.
func IssueKey(ctx context.Context, tx *db.Tx, mode auth.Mode, in KeyRequest) (IssuedKey, error) {
	if err := checkScopes(in.Scopes); err != nil {
		return IssuedKey{}, err
	}
	issued, err := insertKey(ctx, tx, mode, APIKey{
		Name: in.Name, Scopes: in.Scopes, RateLimit: in.RateLimit, ServiceVersion: version.Latest(), ExpiresAt: in.ExpiresAt, UserID: in.UserID,
	})
	if err != nil {
		return issued, err
	}
	return issued, events.Emit(ctx, tx, "api_key.created", issued.ID, events.Change{After: issued.APIKey})
}

func insertKey(ctx context.Context, tx *db.Tx, mode auth.Mode, k APIKey) (IssuedKey, error) {
	key, publicID := token.New(token.Key, mode, tx.Env)
	k.PublicID, k.Hash, k.CreatedBy = publicID, token.Hash(key), creator(ctx)
	apiKeys.Stamp(tx, &k)
	if k.OriginalID == "" {
		k.OriginalID = k.ID
	}
	k.Prefix = prefixOf(mode, k)
	err := apiKeys.Insert(ctx, tx, &k)
	return IssuedKey{APIKey: k, Key: key}, err
}

// creator returns the caller as the creator of a key.
func creator(ctx context.Context) KeyCreator {
	c := KeyCreator{Actor: auth.From(ctx).Actor}
	if c.Type != auth.System.Type {
		c.Status = new(creatorActive) // otherwise it could not have sent the request
	}
	return c
}

func prefixOf(mode auth.Mode, k APIKey) string {
	return string(token.Key) + "_" + string(mode) + "_" + k.PublicID
}

func findKey(ctx context.Context, tx *db.Tx, id string) (APIKey, error) {
	k, err := apiKeys.Find(ctx, tx, id)
	if err != nil {
		return k, err
	}
	one := []APIKey{k}
	err = loadDetails(ctx, tx, one)
	return one[0], err
}

// loadDetails fills in what is not in the rows of the keys: the prefix, the number
// of requests and the status of the creator.
func loadDetails(ctx context.Context, tx *db.Tx, keys []APIKey) error {
	if err := loadCreators(ctx, tx, keys); err != nil {
		return err
	}
	return loadUsage(ctx, tx, keys)
}

// loadCreators fills in the statuses of the users and keys that created keys. The
// stored status is the one at that time.
func loadCreators(ctx context.Context, tx *db.Tx, keys []APIKey) error {
	ids := map[auth.ActorType][]string{}
	for _, k := range keys {
		ids[k.CreatedBy.Type] = append(ids[k.CreatedBy.Type], k.CreatedBy.ID)
	}

	statuses, err := people.StatusesOf(ctx, tx, ids[auth.ActorUser])
	if err != nil {
		return err
	}
	if len(ids[auth.ActorAPIKey]) > 0 {
		marks, args := db.In(ids[auth.ActorAPIKey])
		creators, err := db.All[APIKey](ctx, tx, `SELECT {cols} FROM api_keys WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
		if err != nil {
			return err
		}
		for _, c := range creators {
			statuses[c.ID] = string(c.Status(tx.Now))
		}
	}

	for i := range keys {
		keys[i].CreatedBy.Status = nil
		if s, ok := statuses[keys[i].CreatedBy.ID]; ok {
			keys[i].CreatedBy.Status = new(CreatorStatus(s))
		}
	}
	return nil
}

// loadUsage fills in the prefix and the number of requests.
func loadUsage(ctx context.Context, tx *db.Tx, keys []APIKey) error {
	if len(keys) == 0 {
		return nil
	}
	args, byID := []any{tx.Env, tx.Now.Add(-24 * time.Hour)}, map[string]*APIKey{}
	for i := range keys {
		keys[i].Prefix = prefixOf(auth.From(ctx).Mode, keys[i])
		args, byID[keys[i].ID] = append(args, keys[i].ID), &keys[i]
	}

	marks := strings.TrimSuffix(strings.Repeat("?, ", len(keys)), ", ")
	uses, err := db.All[struct {
		KeyID string `db:"key_id"`
		Uses  int64  `db:"uses"`
	}](ctx, tx, `SELECT {cols} FROM (SELECT key_id, CAST(SUM(uses) AS BIGINT) AS uses FROM api_key_uses
		WHERE env = ? AND hour > ? AND key_id IN (`+marks+`) GROUP BY key_id) AS counted`, args...)
	for _, u := range uses {
		byID[u.KeyID].Uses24h = u.Uses
	}
	return err
}

// rotateKey replaces a key with a new one. The old key still works for rotationOverlap.
func rotateKey(ctx context.Context, tx *db.Tx, mode auth.Mode, k APIKey) (IssuedKey, error) {
	if err := k.checkRotatable(tx.Now); err != nil {
		return IssuedKey{}, err
	}

	before := k
	issued, err := insertKey(ctx, tx, mode, APIKey{
		Name: k.Name, Scopes: k.Scopes, RateLimit: k.RateLimit, ServiceVersion: k.ServiceVersion, OriginalID: k.OriginalID,
		ExpiresAt: k.ExpiresAt, // a rotation doesn't extend it
	})
	if err != nil {
		return issued, err
	}

	if overlap := tx.Now.Add(rotationOverlap); k.ExpiresAt == nil || overlap.Before(*k.ExpiresAt) {
		k.ExpiresAt = &overlap
	}
	k.RotatedTo = &issued.ID
	// The second of two simultaneous rotations updates no row.
	n, err := db.Exec(ctx, tx, `UPDATE api_keys SET expires_at = ?, rotated_to = ?
		WHERE env = ? AND id = ? AND rotated_to IS NULL AND revoked_at IS NULL`,
		k.ExpiresAt, k.RotatedTo, k.Env, k.ID)
	if err != nil {
		return issued, err
	}
	if n == 0 {
		return issued, fault.Conflict("The key was rotated or revoked by another request.").
			Detail("key_id", "state", "refers to a rotated or revoked key")
	}
	return issued, events.Emit(ctx, tx, "api_key.rotated", k.ID, events.Change{Before: before, After: k})
}

// RevokeOwnKey revokes the key of the caller. It needs no scope, so that anyone who finds a
// leaked key can end it.
func RevokeOwnKey(ctx context.Context, tx *db.Tx) error {
	k, err := findKey(ctx, tx, auth.From(ctx).Actor.ID)
	if err != nil {
		return err
	}
	_, err = revokeKey(ctx, tx, k)
	return err
}

// revokeKey revokes a key. A revoked key keeps its first revoked_at.
func revokeKey(ctx context.Context, tx *db.Tx, k APIKey) (APIKey, error) {
	if k.RevokedAt != nil {
		return k, nil
	}
	before := k
	k.RevokedAt = &tx.Now
	if _, err := db.Exec(ctx, tx, `UPDATE api_keys SET revoked_at = ? WHERE env = ? AND id = ?`, tx.Now, k.Env, k.ID); err != nil {
		return k, err
	}
	return k, events.Emit(ctx, tx, "api_key.revoked", k.ID, events.Change{Before: before, After: k})
}

// RevokeKeysOfApp revokes the keys that an app created, directly or with other keys.
// Otherwise the app could still access the dealership after it was uninstalled.
func RevokeKeysOfApp(ctx context.Context, tx *db.Tx, appID string) error {
	return revokeKeysOf(ctx, tx, appID)
}

func revokeKeysOf(ctx context.Context, tx *db.Tx, creator string) error {
	keys, err := activeKeysOf(ctx, tx, creator)
	if err != nil {
		return err
	}
	return revokeKeys(ctx, tx, keys)
}

// revokeKeys revokes keys that were read without their details.
func revokeKeys(ctx context.Context, tx *db.Tx, keys []APIKey) error {
	if err := loadDetails(ctx, tx, keys); err != nil {
		return err
	}
	for _, k := range keys {
		if _, err := revokeKey(ctx, tx, k); err != nil {
			return err
		}
	}
	return nil
}

// activeKeysOf returns the active keys that a user or an app created, directly or with
// other keys, by ID.
func activeKeysOf(ctx context.Context, tx *db.Tx, creator string) ([]APIKey, error) {
	keys, err := keysOf(ctx, tx, creator)
	return slices.DeleteFunc(keys, func(k APIKey) bool { return k.Status(tx.Now) != creatorActive }), err
}

// keysOf is activeKeysOf with the keys that were revoked or have expired.
func keysOf(ctx context.Context, tx *db.Tx, creator string) (found []APIKey, err error) {
	keys, err := allKeys(ctx, tx)
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		if k := keys[id]; creatorOf(k, keys).ID == creator {
			found = append(found, k)
		}
	}
	return found, err
}

// allKeys returns all keys of the environment, also the revoked ones.
func allKeys(ctx context.Context, tx *db.Tx) (map[string]APIKey, error) {
	all, err := db.All[APIKey](ctx, tx, `SELECT {cols} FROM api_keys WHERE env = ?`, tx.Env)
	keys := map[string]APIKey{}
	for _, k := range all {
		keys[k.ID] = k
	}
	return keys, err
}
