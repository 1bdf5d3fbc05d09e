package access

import (
	"context"

	"slipway/internal/db"
	"slipway/internal/dealership"
	"slipway/internal/principal"
	"slipway/internal/rest"
	"slipway/internal/scope"
)

// API serves what a caller can know and change about credentials.
type API struct{ DB *db.DB }

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Access")
	rest.Get(r, "/me", "getMe", scope.Anyone, "Describe the calling credential", a.me)
}

// Me is the calling credential.
type Me struct {
	Credential  principal.Actor `json:"credential" doc:"What the caller authenticated with."`
	Environment principal.Mode  `json:"environment" enum:"live,test"`
	Dealership  MeDealership    `json:"dealership"`
	Scopes      []scope.Scope   `json:"scopes" nullable:"false" doc:"What it may do."`
	Version     string          `json:"service_version" doc:"The API version it gets without a Service-Version header." example:"2026-11-15"`
	RateLimit   MeRateLimit     `json:"rate_limit"`
	UserID      *string         `json:"user_id" doc:"The user behind a session; null for a key."`
	AppID       *string         `json:"app_id" doc:"The app behind a token; null for a key."`
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

func (a *API) me(ctx context.Context, _ *struct{}) (Me, error) {
	return rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx, env principal.Env) (Me, error) {
		d, err := dealership.Find(ctx, tx, env)
		if err != nil {
			return Me{}, err
		}
		p := principal.From(ctx)
		return Me{
			Credential: p.Actor, Environment: p.Mode, Dealership: MeDealership{d.ID, d.Name}, Scopes: p.Scopes, Version: p.Version,
			RateLimit: MeRateLimit{p.Rate, p.Rate * rest.BurstSeconds},
		}, nil
	})
}
