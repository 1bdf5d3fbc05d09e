package access

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// Holder returns what happens to the API keys of users who leave.
func Holder() people.Holder {
	return people.Holder{List: listOf, End: endOf, HandOver: handOver}
}

func listOf(ctx context.Context, tx *db.Tx, by people.Author) (items []people.UserAccessItem, err error) {
	keys, err := activeKeysOf(ctx, tx, by.User.ID)
	for _, k := range keys {
		item := people.UserAccessItem{
			Kind: people.KeyAccess, ID: k.ID, Name: k.Name, Scopes: k.Scopes, CanHandOver: k.UserID == nil, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt,
		}
		if k.UserID != nil {
			item.Kind = people.LoginKeyAccess
		}
		items = append(items, item)
	}
	return items, err
}

func endOf(ctx context.Context, tx *db.Tx, by people.Author) error {
	return revokeKeysOf(ctx, tx, by.User.ID)
}

// handOver makes another user the creator of keys. What was created with a key then
// also belongs to that user.
func handOver(ctx context.Context, tx *db.Tx, by people.Author, to people.User) error {
	keys, err := activeKeysOf(ctx, tx, by.User.ID)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.UserID != nil {
			continue
		}
		row := struct {
			CreatedBy KeyCreator `db:"created_by,json"`
		}{KeyCreator{Actor: to.Actor(), Status: new(creatorActive)}}
		if _, err := db.Update(ctx, tx, "api_keys", &row, "env = ? AND id = ?", k.Env, k.ID); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, "api_key.handed_over", k.ID, map[string][2]any{"created_by": {k.CreatedBy.ID, to.ID}}); err != nil {
			return err
		}
	}
	return nil
}

// KeyIDs returns the keys that a user or an app created, directly or with other keys, even if
// they were revoked.
func KeyIDs(ctx context.Context, tx *db.Tx, creatorID string) (ids []string, err error) {
	keys, err := keysOf(ctx, tx, creatorID)
	for _, k := range keys {
		ids = append(ids, k.ID)
	}
	return ids, err
}

// LoginKeysOf returns the active keys of slipway login of a user, the newest first.
func LoginKeysOf(ctx context.Context, tx *db.Tx, userID string) (active []APIKey, err error) {
	keys, err := db.All[APIKey](ctx, tx, `SELECT {cols} FROM api_keys WHERE env = ? AND user_id = ? AND revoked_at IS NULL ORDER BY id DESC`, tx.Env, userID)
	for _, k := range keys {
		if k.Status(tx.Now) == creatorActive {
			active = append(active, k)
		}
	}
	return active, err
}

// RevokeLoginKeys revokes the keys of slipway login of a user.
func RevokeLoginKeys(ctx context.Context, tx *db.Tx, u people.User) error {
	keys, err := LoginKeysOf(ctx, tx, u.ID)
	if err != nil {
		return err
	}
	return revokeKeys(ctx, tx, keys)
}

// limitToUser limits a key of slipway login to what its user can do now, as a session is.
// It returns false if the user is not active.
func limitToUser(ctx context.Context, tx *db.Tx, p *auth.Principal, userID string) (active bool, err error) {
	u, err := people.FindUser(ctx, tx, userID)
	if err != nil || u.Status != people.Active {
		return false, err
	}
	held, err := people.ScopesOf(ctx, tx, u)
	if err != nil {
		return false, err
	}
	p.Scopes, p.Personal, p.Manager, p.Locations = commonScopes(p.Scopes, held), true, u.IsManager(), u.LimitedTo()
	if p.Can(auth.Admin) && !u.HasActiveFactor() {
		p.Scopes, p.Refusal = []auth.Scope{}, errMustEnroll(u.ID)
	}
	return true, nil
}
