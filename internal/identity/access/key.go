// Package access issues and checks credentials.
package access

import (
	"crypto/subtle"
	"slices"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// rotationOverlap is how long the old key still works after a rotation.
const rotationOverlap = 7 * 24 * time.Hour

// APIKey is the record of a key. Only the hash of the key itself is stored.
type APIKey struct {
	_ struct{} `doc:"An API key without its secret part." columns:"id name prefix scopes last_used_at expires_at / uses_24h:REQUESTS created_at created_by.label:BY revoked_at" privacy:"plain"`

	Env            auth.Env     `json:"-" db:"env"`
	ID             string       `json:"id" db:"id" doc:"Identifies the key. Starts with key_." example:"key_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	PublicID       string       `json:"-" db:"public_id"`
	Hash           []byte       `json:"-" db:"hash"`
	Name           string       `json:"name" db:"name" doc:"Your name for the key, such as the system that uses it." example:"Website"`
	Prefix         string       `json:"prefix" doc:"First characters of the key, to help you recognize it." example:"sk_test_ls4due2bijfr72gq"`
	Scopes         []auth.Scope `json:"scopes" db:"scopes,json" nullable:"false" doc:"Scopes of the key. They can't be changed."`
	RateLimit      *int64       `json:"rate_limit" db:"rate_limit" doc:"Requests per second. Null if the key uses the environment's default."`
	OriginalID     string       `json:"-" db:"lineage"` // the first key, before all rotations
	ServiceVersion string       `json:"service_version" db:"pin" doc:"API version of requests that have no Service-Version header."`
	CreatedBy      KeyCreator   `json:"created_by" db:"created_by,json" doc:"User, key or app that created the key."`
	UserID         *string      `json:"user_id" db:"user_id" doc:"User whose key it is, for keys of slipway login. Such a key can only do what the user can do now, and ends when the user is deactivated, changes the password or signs out everywhere. Null if the key belongs to the dealership." since:"next"`
	CreatedAt      time.Time    `json:"created_at" db:"created_at" doc:"When it was created."`
	LastUsedAt     *time.Time   `json:"last_used_at" db:"last_used_at" doc:"When the key was last used. Updated within a minute. Null if it never was." audit:"-"`
	Uses24h        int64        `json:"uses_24h" doc:"Requests in the last 24 hours. Updated within a minute." audit:"-"`
	ExpiresAt      *time.Time   `json:"expires_at" db:"expires_at" doc:"When the key expires: 7 days after a rotation, or 90 days after slipway login created it. Null if it doesn't expire."`
	RevokedAt      *time.Time   `json:"revoked_at" db:"revoked_at" doc:"When the key was revoked. Null if it was not."`
	RotatedTo      *string      `json:"rotated_to" db:"rotated_to" doc:"ID of the key that replaces it. Null if it was not rotated."`
}

// KeyCreator is the user or the key that created a key, with its current status.
type KeyCreator struct {
	_ struct{} `doc:"Who created an API key." privacy:"plain"`

	auth.Actor
	Status *CreatorStatus `json:"status" doc:"Current status of the user or key. Null if the key was created by an app or on the command line." example:"active" since:"next"`
}

// CreatorStatus is the current status of what created a key.
type CreatorStatus string

// The statuses of keys. A user has a status of people too.
const (
	creatorActive  CreatorStatus = "active"
	creatorRevoked CreatorStatus = "revoked"
	creatorExpired CreatorStatus = "expired"
)

var allCreatorStatuses = enum.Of("KeyCreatorStatus", "Current status of the user, key or app that created a key.",
	CreatorStatus(people.Invited), creatorActive, CreatorStatus(people.Deactivated), creatorRevoked, creatorExpired)

func (CreatorStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allCreatorStatuses.Describe(s)
}

// IssuedKey is a new key with its secret, which is only shown once.
type IssuedKey struct {
	_ struct{} `doc:"An API key with the key itself, which is only returned once."`

	APIKey
	Key string `json:"key" doc:"The key. It is not shown again." privacy:"secret" example:"sk_test_..."`
}

// KeyCreate is the body for a new key.
type KeyCreate struct {
	_ struct{} `doc:"A new API key."`

	Name      string       `json:"name" minLength:"1" maxLength:"100" doc:"Your name for the key, such as the system that uses it." example:"Website"`
	Scopes    []auth.Scope `json:"scopes" minItems:"1" maxItems:"20" uniqueItems:"true" doc:"Scopes of the key. You can only grant scopes that you have. They can't be changed later."`
	RateLimit *int64       `json:"rate_limit" required:"false" minimum:"1" maximum:"10000" doc:"Requests per second. Defaults to the limit of the environment."`
	MFAToken  *string      `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required for the admin scope. Verify a two-factor method to get one."`
}

// KeyRotate is the body for a rotation.
type KeyRotate struct {
	_ struct{} `doc:"What rotating a key requires."`

	MFAToken *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required for a key with the admin scope. Verify a two-factor method to get one."`
}

// check returns an error unless the text is this key and the key is active.
func (k APIKey) check(key string, now time.Time) error {
	switch {
	case subtle.ConstantTimeCompare(k.Hash, token.Hash(key)) != 1:
		return errUnknownKey()
	case k.RevokedAt != nil:
		return fault.Unauthenticated("This API key was revoked.")
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) && k.RotatedTo == nil:
		return fault.Unauthenticated("This API key has expired.")
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return fault.Unauthenticated("This API key was rotated and has expired.")
	}
	return nil
}

func errUnknownKey() error { return fault.Unauthenticated("Unknown API key.") }

// checkRotatable returns an error if the key can't be rotated.
func (k APIKey) checkRotatable(now time.Time) error {
	switch {
	case k.UserID != nil: // otherwise an administrator would get the key of another user
		return fault.Conflict("The key belongs to a user. To replace it, the user runs slipway login again.").
			Detail("key_id", "state", "refers to a key of slipway login")
	case k.RevokedAt != nil:
		return fault.Conflict("The key was revoked. You can't rotate it.").Detail("key_id", "state", "refers to a revoked key")
	case k.RotatedTo != nil && now.Before(*k.ExpiresAt):
		return fault.Conflict("The key was already rotated. Use key %s.", *k.RotatedTo).
			Detail("key_id", "state", "refers to a rotated key")
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return fault.Conflict("The key has expired. You can't rotate it.").Detail("key_id", "state", "refers to an expired key")
	}
	return nil
}

// Status returns active, revoked or expired.
func (k APIKey) Status(now time.Time) CreatorStatus {
	switch {
	case k.RevokedAt != nil:
		return creatorRevoked
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return creatorExpired
	}
	return creatorActive
}

// creatorOf returns the user or the app that created a key, directly or with other
// keys. It returns the system if the first of them was created on the command line.
// Keys has all keys of the environment.
func creatorOf(k APIKey, keys map[string]APIKey) auth.Actor {
	for range len(keys) + 1 {
		switch k.CreatedBy.Type {
		case "user", "app":
			return k.CreatedBy.Actor
		case "api_key":
			k = keys[k.CreatedBy.ID]
		default:
			return auth.System
		}
	}
	return auth.System
}

// revocationNeedsProof reports whether revoking the key requires proof: it has
// the admin scope. A key can always revoke itself, so that anyone who finds a
// leaked key can end it.
func (k APIKey) revocationNeedsProof(caller auth.Actor) bool {
	return k.RevokedAt == nil && k.ID != caller.ID && isAdmin(k.Scopes)
}

// isAdmin reports whether the scopes require two-factor verification.
func isAdmin(scopes []auth.Scope) bool { return slices.Contains(scopes, auth.Admin) }

// checkScopes returns an error for a list of scopes that is not valid.
func checkScopes(scopes []auth.Scope) error {
	var bad fault.Fields
	if len(scopes) == 0 {
		bad.Add("scopes", "too_few", "must have at least 1 item")
	}
	for i, s := range scopes {
		switch {
		case !auth.KnownScope(s):
			bad.Add("scopes", "enum", "contains the unknown scope %q; the scopes are %s", s, auth.ScopeNames())
		case slices.Contains(scopes[:i], s):
			bad.Add("scopes", "duplicate", "repeats %q", s)
		}
	}
	return bad.Err()
}
