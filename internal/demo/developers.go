package demo

import (
	"context"
	"net/http"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// nameOwner gives the owner, who is created with an email address, a name. The API would
// require a two-factor code.
func (s *seeder) nameOwner(ctx context.Context, e *environment) error {
	_, err := db.Write(auth.InEnv(ctx, e.env), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `UPDATE users SET name = ? WHERE env = ? AND email = ?`, signer, tx.Env, owner)
	})
	return err
}

// addIntegration shows what developers see: the key of a website that makes mistakes, and a
// webhook whose receiver doesn't exist.
func (s *seeder) addIntegration(ctx context.Context, e *environment, hull *boat) error {
	s.now = s.started.Add(-3 * time.Hour)
	var key access.IssuedKey
	if err := s.as(e.key).send(ctx, http.MethodPost, "/v1/api_keys", object{"name": "Website", "scopes": []string{"hulls:read", "leads:write"}}, &key); err != nil {
		return err
	}
	if err := s.as(e.key).send(ctx, http.MethodPost, "/v1/webhooks", object{
		"url": "https://chesapeake-marine.example.com/hooks/slipway", "description": "Website", "events": []string{"hull.*", "lead.created"},
	}, nil); err != nil {
		return err
	}
	if err := s.Settle(ctx); err != nil { // makes room for the mistakes in the request log
		return err
	}

	path := "/v1/hulls/" + hull.id
	for i, r := range []struct {
		key, method, path string
		body              any
	}{
		{key.Key, http.MethodPatch, path, object{"title": "Reduced"}},
		{key.Key, http.MethodPost, "/v1/leads", object{"source": "web", "contact": object{"email": "not an address"}}},
		{e.key, http.MethodPost, "/v1/hulls", object{"make": "Grady-White", "model": "Freedom 255", "year": 2027, "price_usd": -1}},
		{key.Key, http.MethodGet, "/v1/deals", nil},
		{e.key, http.MethodPatch, path, object{"prize_usd": 127_500}},
		{key.Key, http.MethodPost, "/v1/leads", object{"source": "web site", "contact": object{"email": "kim@example.com"}}},
	} {
		s.now = s.started.Add(-time.Duration(120-15*i) * time.Minute)
		_ = s.as(r.key).send(ctx, r.method, r.path, r.body, nil) // fails on purpose
	}
	s.now = s.started.Add(-20 * time.Minute)
	if err := s.as(e.key).send(ctx, http.MethodPatch, path, object{"title": "Ready for a sea trial"}, nil); err != nil {
		return err
	}
	return s.Settle(ctx)
}
