package access

import (
	"context"

	"slipway/internal/db"
	"slipway/internal/dealership"
	"slipway/internal/events"
	"slipway/internal/fault"
	"slipway/internal/principal"
	"slipway/internal/scope"
	"slipway/internal/version"
)

// Authenticator checks the credentials of requests.
type Authenticator struct{ DB *db.DB }

// keyRow is a key with the environment it belongs to.
type keyRow struct {
	APIKey
	DealershipID string         `db:"dealership_id"`
	Mode         principal.Mode `db:"mode"`
}

// Authenticate returns the caller that a bearer token stands for. Every
// request looks the key up, so that a revocation counts from the next one on.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (principal.Principal, error) {
	mode, publicID, ok := parseKey(token)
	if !ok {
		return principal.Principal{}, fault.Unauthenticated("This is not an API key: it may be cut off or mistyped.")
	}
	return db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (principal.Principal, error) {
		k, err := db.One[keyRow](ctx, tx, `SELECT {cols} FROM (
			SELECT k.*, d.id AS dealership_id, d.mode FROM api_keys k JOIN dealerships d ON d.env = k.env WHERE k.public_id = ?) AS found`, publicID)
		if db.IsNoRows(err) || (err == nil && k.Mode != mode) {
			return principal.Principal{}, errUnknownKey()
		}
		if err != nil {
			return principal.Principal{}, err
		}
		if err := k.admit(token, tx.Now); err != nil {
			return principal.Principal{}, err
		}
		p := principal.Principal{
			Env: k.Env, Mode: k.Mode, DealershipID: k.DealershipID, Lineage: k.Lineage,
			Actor:  principal.Actor{Type: "api_key", ID: k.ID, Label: k.Name},
			Scopes: k.Scopes, Version: k.Pin,
		}
		if k.RateLimit != nil {
			p.Rate = float64(*k.RateLimit)
		}
		return p, nil
	})
}

// KeyRequest is what a new key is made from.
type KeyRequest struct {
	Name      string
	Scopes    []scope.Scope
	RateLimit *int64
}

// IssueKey makes a key in an environment and returns it with its record. The
// caller has shown that it may: an admin key needs a verified second factor.
func IssueKey(ctx context.Context, tx *db.Tx, d dealership.Dealership, in KeyRequest) (APIKey, string, error) {
	if err := checkScopes(in.Scopes); err != nil {
		return APIKey{}, "", err
	}
	key, publicID := newKey(d.Mode)
	k := APIKey{
		Env: d.Env, ID: tx.NewID("key"), PublicID: publicID, Hash: hashKey(key),
		Name: in.Name, Scopes: in.Scopes, RateLimit: in.RateLimit, Pin: version.Latest(),
		CreatedBy: principal.From(ctx).Actor, CreatedAt: tx.Now,
	}
	k.Lineage = k.ID
	if err := db.Insert(ctx, tx, "api_keys", k); err != nil {
		return k, "", err
	}
	return k, key, events.Emit(ctx, tx, d.Env, "api_key.created", k.ID, nil, k)
}
