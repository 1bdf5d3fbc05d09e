package access

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
)

// API serves what a caller can know and change about credentials.
type API struct {
	DB       *db.DB
	Box      *seal.Box
	AuthURL  string
	Auth     *Authenticator
	Usage    *Usage
	Throttle *Throttle
}

var administer = auth.Require(auth.Admin)

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Access")
	rest.Get(r, "/me", "getMe", auth.AnyCredential, "Describe the calling credential", a.me)

	rest.Get(r, "/api_keys", "listApiKeys", administer, "List API keys", a.listKeys)
	rest.PostCreated(r, "/api_keys", "createApiKey", administer, "Issue an API key (admin scope needs MFA)", a.createKey,
		rest.Example(`{"name": "Website", "scopes": ["hulls:read"], "rate_limit": 50}`))
	rest.Get(r, "/api_keys/{key_id}", "getApiKey", administer, "Retrieve an API key's record", a.getKey)
	rest.PostCreated(r, "/api_keys/{key_id}/rotate", "rotateApiKey", administer, "Rotate a key; both work for 7 days", a.rotateKey, rest.NoIfMatch)
	rest.PostOK(r, "/api_keys/{key_id}/revoke", "revokeApiKey", administer, "Revoke a key at once", a.revokeKey, rest.NoIfMatch)

	rest.PostCreated(r, "/users/{user_id}/mfa_factors", "enrollMfaFactor", administer, "Enroll a second factor", a.enroll, rest.NoIfMatch, rest.Example(`{"kind": "totp", "label": "Phone"}`))
	rest.Raw(r, "POST", 200, "/users/{user_id}/mfa_factors/{factor_id}/verify", "verifyMfaFactor", administer, "Prove a second factor and get a one-time MFA token", a.verify, rest.NoIfMatch,
		rest.Describe("For webauthn, an empty body answers the challenge to sign. Five wrong codes in a row lock a factor for 15 minutes."),
		rest.Example(`{"code": "123456"}`))
	rest.Delete(r, "/users/{user_id}/mfa_factors/{factor_id}", "deleteMfaFactor", administer, "Remove a second factor", a.removeFactor, rest.NoIfMatch)

	rest.Get(r, "/sessions", "listSessions", administer, "List signed-in sessions", a.listSessions)
	rest.Delete(r, "/sessions/{session_id}", "revokeSession", administer, "Force a session's logout", a.revokeSession, rest.NoIfMatch)
	rest.Public(r, http.MethodPost, http.StatusCreated, a.AuthPath()+"/sessions", "signIn", "Sign in and get a session token", a.signIn)
	rest.Public(r, http.MethodDelete, http.StatusNoContent, a.AuthPath()+"/sessions/current", "signOut", "End the session that asks", a.signOut)
}

// AuthPath is the path of {auth_url}, where this server answers it.
func (a *API) AuthPath() string {
	u, err := url.Parse(a.AuthURL)
	if err != nil || a.AuthURL == "" {
		return "/oauth"
	}
	return strings.TrimSuffix(u.Path, "/")
}

// Me is the calling credential.
type Me struct {
	Credential  auth.Actor   `json:"credential" doc:"What the caller authenticated with."`
	Environment auth.Mode    `json:"environment" enum:"live,test"`
	Dealership  MeDealership `json:"dealership"`
	Scopes      []auth.Scope `json:"scopes" nullable:"false" doc:"What it may do."`
	Version     string       `json:"service_version" doc:"The API version it gets without a Service-Version header." example:"2026-11-15"`
	RateLimit   MeRateLimit  `json:"rate_limit"`
	UserID      *string      `json:"user_id" doc:"The user behind a session; null for a key."`
	AppID       *string      `json:"app_id" doc:"The app behind a token; null for a key."`
}

// MeDealership is the dealership of the calling credential.
type MeDealership struct {
	ID   string `json:"id" example:"dlr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name string `json:"name" example:"Chesapeake Marine"`
}

// MeRateLimit is how fast the calling credential may be.
type MeRateLimit struct {
	RequestsPerSecond float64 `json:"requests_per_second" example:"100"`
	Burst             float64 `json:"burst" example:"200"`
}

func (a *API) me(ctx context.Context, tx *db.Tx, _ *struct{}) (Me, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return Me{}, err
	}
	p := auth.From(ctx)
	var userID *string
	if p.UserID != "" {
		userID = &p.UserID
	}
	return Me{
		Credential: p.Actor, Environment: p.Mode, Dealership: MeDealership{d.ID, d.Name}, Scopes: p.Scopes, Version: p.Version,
		RateLimit: MeRateLimit{p.Rate, p.Rate * rest.BurstSeconds}, UserID: userID,
	}, nil
}
