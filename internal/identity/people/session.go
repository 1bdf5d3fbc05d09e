package people

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

// Session is a sign-in of a user.
type Session struct {
	_ struct{} `doc:"A sign-in of a user." columns:"id user_id method ip last_seen_at / user_agent expires_at" privacy:"plain"`

	Env        auth.Env     `json:"-" db:"env"`
	ID         string       `json:"id" db:"id" doc:"Identifies the session. Starts with ses_." example:"ses_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	PublicID   string       `json:"-" db:"public_id"`
	Hash       []byte       `json:"-" db:"hash"`
	UserID     string       `json:"user_id" db:"user_id" doc:"User who signed in." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Method     SignInMethod `json:"method" db:"method" doc:"How the user signed in."`
	IP         *string      `json:"ip" db:"ip" doc:"IP address of the sign-in. Null if unknown."`
	UserAgent  *string      `json:"user_agent" db:"user_agent" doc:"Browser or program of the sign-in. Null if unknown."`
	CreatedAt  time.Time    `json:"created_at" db:"created_at" doc:"When the user signed in."`
	LastSeenAt time.Time    `json:"last_seen_at" db:"last_seen_at" doc:"When the session was last used. Updated within a minute." audit:"-"`
	ExpiresAt  time.Time    `json:"expires_at" db:"expires_at" doc:"When the session expires."`
	EndedAt    *time.Time   `json:"-" db:"ended_at"`
	Browser    bool         `json:"-" db:"browser"` // the token is in a cookie
	Rights     []byte       `json:"-" db:"rights"`  // what the user could do when the cookie was set

	// A test session that was opened from a live session ends with it.
	ParentEnv *auth.Env `json:"-" db:"parent_env"`
	ParentID  *string   `json:"-" db:"parent_id"`
}

// SignInMethod is how a user signed in.
type SignInMethod string

// The values.
const (
	ByPassword SignInMethod = "password"
	BySAML     SignInMethod = "saml"
	ByOIDC     SignInMethod = "oidc"
)

var allSignInMethods = enum.Of("SignInMethod", "How a user signed in.", ByPassword, BySAML, ByOIDC)

func (SignInMethod) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSignInMethods.Describe(s)
}

// BrowserIdle is how long a browser session lasts without a request.
const BrowserIdle = 2 * time.Hour

// IsActive reports whether the session has not ended.
func (s Session) IsActive(now time.Time) bool {
	return s.EndedAt == nil && now.Before(s.ExpiresAt) && (!s.Browser || now.Before(s.LastSeenAt.Add(BrowserIdle)))
}
