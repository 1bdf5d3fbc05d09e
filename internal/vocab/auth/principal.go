// Package auth identifies the caller, the environment and the scopes.
package auth

import (
	"context"
	"slices"

	"slipway/internal/vocab/enum"
)

// Env is the key of an environment: one per dealership and mode. It is the
// first column of every table and the first condition of every query.
type Env int64

// Mode is live for real data or test for sandbox data.
type Mode string

// The two modes of a dealership.
const (
	Live Mode = "live"
	Test Mode = "test"
)

var allModes = enum.Of("Environment", "Live data, or test data that never reaches customers.",
	Live, Test)

func (Mode) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allModes.Describe(s)
}

// Actor is the user, key or app that made a change, as history and audit show it.
type Actor struct {
	_ struct{} `doc:"Who did something: a user, an API key, an app, or Slipway itself." privacy:"plain"`

	Type  ActorType `json:"type" doc:"Type of the actor."`
	ID    string    `json:"id" doc:"ID of the actor." example:"key_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Label string    `json:"label" doc:"Name of the actor at that time." example:"Website"`
}

// ActorType is the kind of an actor.
type ActorType string

// The values.
const (
	ActorAPIKey ActorType = "api_key"
	ActorUser   ActorType = "user"
	ActorApp    ActorType = "app"
	ActorSystem ActorType = "system"
)

var allActorTypes = enum.Of("ActorType", "Kind of actor. system is background work of Slipway.",
	ActorAPIKey, ActorUser, ActorApp, ActorSystem)

func (ActorType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allActorTypes.Describe(s)
}

// System is the actor of automatic work: jobs, expiry, the command line.
var System = Actor{Type: ActorSystem, ID: "system", Label: "Slipway"}

// Principal is an authenticated credential.
type Principal struct {
	Env          Env
	Mode         Mode
	DealershipID string

	Actor       Actor
	UserID      string // the user of a session, "" for a key
	SessionID   string
	OriginalID  string // the same after a rotation; rate limits and idempotency keys belong to it
	Scopes      []Scope
	AppID       string  // the app of an OAuth access token
	InstalledBy string  // the user who installed it
	Version     string  // the API version of requests without the header
	Rate        float64 // requests per second

	// Personal means that the credential is limited to the rights of a user, and not to
	// those that an administrator gave it. Manager means that this user has a role for
	// managers. Locations are the only ones whose objects the caller can see and change,
	// or nil.
	Personal, Manager bool
	Locations         []string

	// MustEnroll is set for a session of an administrator who has no two-factor
	// method. It has no scopes until the user enrolls one. Refusal is what operations
	// respond until then.
	MustEnroll bool
	Refusal    error
}

// Can reports whether the credential has a scope.
func (p Principal) Can(s Scope) bool { return Require(s).Allows(p.Scopes) }

// Reaches reports whether the caller can see what belongs to a location. It is true for "".
func (p Principal) Reaches(locationID string) bool {
	return p.Locations == nil || locationID == "" || slices.Contains(p.Locations, locationID)
}

// Request is the part of the HTTP request that audit entries and events store.
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

// With returns a context with a caller.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the caller. In a job, it is the system without an environment.
func From(ctx context.Context) Principal {
	if p, ok := ctx.Value(principalKey{}).(Principal); ok {
		return p
	}
	return Principal{Actor: System}
}

// InEnv returns a context for work of the system in an environment, such as a
// job.
func InEnv(ctx context.Context, env Env) context.Context {
	return With(ctx, Principal{Env: env, Actor: System})
}

// WithRequest returns a context with a request.
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestFrom returns the current request. In a job, it is empty.
func RequestFrom(ctx context.Context) Request {
	r, _ := ctx.Value(requestKey{}).(Request)
	return r
}
