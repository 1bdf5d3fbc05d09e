package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"slipway/internal/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/wire"
)

// Authenticator checks the credentials of requests.
type Authenticator struct {
	DB    *db.DB
	Usage *Usage

	refused refusals
}

// Authenticate returns the caller that a bearer token stands for. Every
// request looks it up, so that a revocation counts from the next one on, on
// every node.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (auth.Principal, error) {
	kind, mode, publicID, ok := parseToken(token)
	if !ok {
		return auth.Principal{}, fault.Unauthenticated("Invalid credential. Check that the key was copied completely.")
	}
	now := a.DB.Now().UTC()
	if r, ok := a.refused.find(token, now); ok {
		return auth.Principal{}, a.refuse(r, now)
	}
	p, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (auth.Principal, error) {
		if kind == kindSession {
			return a.session(ctx, tx, token, mode, publicID)
		}
		return a.key(ctx, tx, token, mode, publicID)
	})
	if r, ok := errors.AsType[*refusedError](err); ok {
		a.refused.add(token, r.refusal, now)
		return p, a.refuse(r.refusal, now)
	}
	return p, err
}

// refuse counts a refusal and returns its fault.
func (a *Authenticator) refuse(r refusal, now time.Time) error {
	if r.env != 0 {
		a.Usage.failed(r.env, r.kind, r.id, r.why, now)
	}
	return r.why
}

// refusedError carries a refusal out of the look-up.
type refusedError struct{ refusal }

func (r *refusedError) Error() string { return r.why.Error() }

// keyRow is a key with the environment it belongs to.
type keyRow struct {
	APIKey
	DealershipID string    `db:"dealership_id"`
	Mode         auth.Mode `db:"mode"`
}

// key authenticates an API key. It joins a table of the dealership package,
// because every request runs this query and a second one would slow it down.
func (a *Authenticator) key(ctx context.Context, tx *db.Tx, token string, mode auth.Mode, publicID string) (auth.Principal, error) {
	k, err := db.One[keyRow](ctx, tx, `SELECT {cols} FROM (
		SELECT k.*, d.id AS dealership_id, d.mode FROM api_keys k JOIN dealerships d ON d.env = k.env WHERE k.public_id = ?) AS found`, publicID)
	if db.IsNoRows(err) || (err == nil && k.Mode != mode) {
		return auth.Principal{}, &refusedError{refusal{why: errUnknownKey()}}
	}
	if err != nil {
		return auth.Principal{}, err
	}
	if err := k.admit(token, tx.Now); err != nil {
		return auth.Principal{}, &refusedError{refusal{why: err, env: k.Env, kind: "api_key", id: k.ID}}
	}
	a.Usage.key(k.Env, k.ID, tx.Now)
	p := auth.Principal{
		Env: k.Env, Mode: k.Mode, DealershipID: k.DealershipID, OriginalID: k.Lineage,
		Actor:  auth.Actor{Type: "api_key", ID: k.ID, Label: k.Name},
		Scopes: k.Scopes, Version: k.Pin,
	}
	if k.RateLimit != nil {
		p.Rate = float64(*k.RateLimit)
	}
	return p, nil
}

func (a *Authenticator) session(ctx context.Context, tx *db.Tx, token string, mode auth.Mode, publicID string) (auth.Principal, error) {
	s, err := people.FindSessionByPublicID(ctx, tx, publicID)
	ended := &refusedError{refusal{why: fault.Unauthenticated("Invalid or expired session. Sign in again.")}}
	if db.IsNoRows(err) || (err == nil && (s.Mode != mode || subtle.ConstantTimeCompare(s.Hash, hashToken(token)) != 1)) {
		return auth.Principal{}, ended
	}
	if err != nil {
		return auth.Principal{}, err
	}
	if s.EndedAt != nil || !tx.Now.Before(s.ExpiresAt) {
		return auth.Principal{}, ended
	}
	tx = tx.In(s.Env)
	u, err := people.FindUser(ctx, tx, s.UserID)
	if err != nil {
		return auth.Principal{}, err
	}
	if u.Status != people.Active {
		return auth.Principal{}, ended
	}
	scopes, err := people.ScopesOf(ctx, tx, u)
	if err != nil {
		return auth.Principal{}, err
	}
	a.Usage.session(s.Env, s.ID, u.ID, tx.Now)
	return auth.Principal{
		Env: s.Env, Mode: s.Mode, DealershipID: s.DealershipID, OriginalID: u.ID,
		Actor: u.Actor(), UserID: u.ID, SessionID: s.ID, Scopes: unique(scopes), Version: wire.LatestVersion(),
	}, nil
}

// unique are the scopes of several roles, each once.
func unique(scopes []auth.Scope) []auth.Scope {
	out := []auth.Scope{}
	for _, known := range auth.Scopes {
		if auth.Require(known.Scope).Allows(scopes) {
			out = append(out, known.Scope)
		}
	}
	return out
}
