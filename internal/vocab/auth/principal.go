// Package auth says who is calling, for which environment, and with which
// scopes.
package auth

import "context"

// Env is the key of an environment: one per dealership and mode. It is the
// first column of every table and the first condition of every query.
type Env int64

// Mode tells an environment's real data from its play data.
type Mode string

// The two modes of a dealership.
const (
	Live Mode = "live"
	Test Mode = "test"
)

// Actor is who did something, as history and audit show it.
type Actor struct {
	Type  string `json:"type" enum:"api_key,user,app,system" doc:"What kind of actor it was."`
	ID    string `json:"id" doc:"Its id." example:"key_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Label string `json:"label" doc:"Its name at that time." example:"Website"`
}

// System is the actor of automatic work: jobs, expiry, the command line.
var System = Actor{Type: "system", ID: "system", Label: "Slipway"}

// Principal is an authenticated credential.
type Principal struct {
	Env          Env
	Mode         Mode
	DealershipID string

	Actor      Actor
	UserID     string // the person behind a session, "" for a key
	SessionID  string
	OriginalID string // stays the same over rotations: rate limits and idempotency keys hang on it
	Scopes     []Scope
	Version    string  // the API version it was issued under
	Rate       float64 // requests a second
}

// Can reports whether the credential holds a scope.
func (p Principal) Can(s Scope) bool { return Require(s).Allows(p.Scopes) }

// Request is what audit and events remember of the HTTP request.
type Request struct {
	ID             string
	IdempotencyKey string
	IP             string
	UserAgent      string
}

type (
	principalKey struct{}
	requestKey   struct{}
)

// With returns ctx carrying p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the caller. Where there is none, as in a job, it is the system
// without an environment.
func From(ctx context.Context) Principal {
	if p, ok := ctx.Value(principalKey{}).(Principal); ok {
		return p
	}
	return Principal{Actor: System}
}

// InEnv returns ctx for work that the system does in an environment, such as a
// job.
func InEnv(ctx context.Context, env Env) context.Context {
	return With(ctx, Principal{Env: env, Actor: System})
}

// WithRequest returns ctx carrying r.
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestFrom returns the request being served, the zero one in a job.
func RequestFrom(ctx context.Context) Request {
	r, _ := ctx.Value(requestKey{}).(Request)
	return r
}
