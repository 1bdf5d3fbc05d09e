// Package oauth is the OAuth 2.0 authorization server: apps, the environments
// where they are installed, and their tokens.
package oauth

import (
	"crypto/subtle"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/token"
)

// secretOverlap is how long the old client secret still works after a rotation.
const secretOverlap = 7 * 24 * time.Hour

// AppType is whether an app can keep a secret.
type AppType string

// The types of apps.
const (
	Confidential AppType = "confidential"
	Public       AppType = "public"
)

var appTypes = enum.Of("AppType", "Whether an OAuth app can keep a secret.",
	Confidential, Public)

func (AppType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return appTypes.Describe(s)
}

// App is an OAuth app that a dealership publishes.
type App struct {
	_ struct{} `doc:"An OAuth app that the dealership publishes." columns:"id name type scopes created_at / client_id redirect_uris" privacy:"plain"`

	Env                auth.Env     `json:"-" db:"env"`
	ID                 string       `json:"id" db:"id" doc:"Identifies the app. Starts with app_." example:"app_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ClientID           string       `json:"client_id" doc:"Client ID for the authorization server. Same as the ID." example:"app_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name               string       `json:"name" db:"name" doc:"Name of the app. Users see it when they allow access." example:"Fleet Sync"`
	Type               AppType      `json:"type" db:"type" doc:"A confidential app runs on a server and has a client secret. A public app runs on the user's device, has no secret and must use PKCE."`
	RedirectURIs       []string     `json:"redirect_uris" db:"redirect_uris,json" nullable:"false" doc:"Where users can return after they allow access. A request must use one of them exactly."`
	Scopes             []auth.Scope `json:"scopes" db:"scopes,json" nullable:"false" doc:"Scopes that the app can request."`
	HomepageURL        *string      `json:"homepage_url" db:"homepage_url" doc:"Website of the app. Users see it when they allow access. Null if there is none." example:"https://fleetsync.example.com"`
	ServiceVersion     string       `json:"service_version" db:"pin" doc:"API version of requests that have no Service-Version header." example:"2026-11-15"`
	OldSecretExpiresAt *time.Time   `json:"old_secret_expires_at" db:"old_secret_expires_at" doc:"When the previous client secret expires. Null if the secret was not rotated."`
	SecretHash         []byte       `json:"-" db:"secret_hash"`
	OldSecretHash      []byte       `json:"-" db:"old_secret_hash"`
	MetadataURL        *string      `json:"-" db:"metadata_url"` // of an app that no dealership has registered
	Version            int64        `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt          time.Time    `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt          time.Time    `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version.
func (a App) Revision() int64 { return a.Version }

// IssuedApp is an app with its client secret, which is only shown once.
type IssuedApp struct {
	_ struct{} `doc:"An app with its new client secret, which is only returned once."`

	App
	ClientSecret *string `json:"client_secret" doc:"The client secret. It is not shown again. Null for a public app." privacy:"secret" example:"cs_live_..."`
}

// AppCreate is the body for a new app.
type AppCreate struct {
	_ struct{} `doc:"A new OAuth app."`

	Name         string       `json:"name" minLength:"1" maxLength:"100" doc:"Shown to users who install the app." example:"Fleet Sync"`
	Type         AppType      `json:"type" required:"false" default:"confidential" doc:"Defaults to confidential. It can't be changed later."`
	RedirectURIs []string     `json:"redirect_uris" minItems:"1" maxItems:"20" uniqueItems:"true" doc:"Where users return after they install the app. Each must be an https URL, or an http URL with the host 127.0.0.1, [::1] or localhost, where any port matches. Wildcards and fragments are not allowed."`
	Scopes       []auth.Scope `json:"scopes" minItems:"1" maxItems:"20" uniqueItems:"true" doc:"Scopes that the app can request."`
	HomepageURL  *string      `json:"homepage_url" required:"false" maxLength:"500" doc:"Website of the app. Must be an https URL."`
	MFAToken     *string      `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required for the admin scope. Must be from an administrator."`
}

// AppPatch changes an app.
type AppPatch struct {
	_ struct{} `doc:"Changes to an OAuth app. Omitted fields keep their values."`

	Name         patch.Value[string]       `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Name of the app. Users see it when they allow access."`
	RedirectURIs patch.Value[[]string]     `json:"redirect_uris,omitzero" minItems:"1" maxItems:"20" uniqueItems:"true" doc:"Replaces the redirect URIs."`
	Scopes       patch.Value[[]auth.Scope] `json:"scopes,omitzero" minItems:"1" maxItems:"20" uniqueItems:"true" doc:"Removed scopes also end for existing installs. Added ones require that a user allows them."`
	HomepageURL  patch.Null[string]        `json:"homepage_url,omitzero" maxLength:"500" doc:"Website of the app. Null removes it."`
	MFAToken     *string                   `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required if the app has the admin scope, before or after the change. Must be from an administrator."`
}

// AppSecretRotate is the body for a rotation.
type AppSecretRotate struct {
	_ struct{} `doc:"How to rotate a client secret."`

	ExpireOld bool    `json:"expire_old,omitempty" doc:"Ends the previous secrets immediately, for example because one was leaked."`
	MFAToken  *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required for an app with the admin scope. Must be from an administrator."`
}

// check normalizes the app and checks rules that the schema can't express.
func (a *App) check() error {
	var bad fault.Fields
	if a.Name = strings.TrimSpace(a.Name); a.Name == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	// Invisible characters could make a name look like another one.
	if strings.ContainsFunc(a.Name, func(r rune) bool { return unicode.Is(unicode.C, r) }) {
		bad.Add("name", "pattern", "must not contain control characters")
	}
	for i, uri := range a.RedirectURIs {
		if problem := checkRedirectURI(uri); problem != "" {
			bad.Add(fmt.Sprintf("redirect_uris[%d]", i), "format", "%s", problem)
		}
	}
	for _, s := range a.Scopes {
		if !auth.KnownScope(s) {
			bad.Add("scopes", "enum", "contains the unknown scope %q", s)
		}
	}
	if a.HomepageURL != nil && !isHTTPS(*a.HomepageURL) {
		bad.Add("homepage_url", "format", "must be an https URL")
	}
	return bad.Err()
}

func isHTTPS(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil
}

// owns reports whether a code or a token was issued to the app. An app with a metadata
// document has a row in each environment that uses it.
func (a App) owns(h holder) bool {
	if a.MetadataURL != nil {
		return h.MetadataURL != nil && *h.MetadataURL == *a.MetadataURL
	}
	return h.AppID == a.ID
}

// isAdmin reports whether the app can request the admin scope.
func (a App) isAdmin() bool { return slices.Contains(a.Scopes, auth.Admin) }

// rotate sets a new secret. The old one works for secretOverlap, unless expireOld
// is set.
func (a *App) rotate(secret string, expireOld bool, now time.Time) error {
	if a.Type == Public {
		return fault.Conflict("A public app has no client secret.").Detail("type", "state", "is public")
	}
	if a.oldSecretWorks(now) && !expireOld {
		return fault.Conflict("The secret was already rotated. The previous one works until %s. To end it, send expire_old.",
			a.OldSecretExpiresAt.Format(time.RFC3339)).Detail("app_id", "state", "refers to an app with two secrets")
	}

	a.OldSecretHash, a.OldSecretExpiresAt = a.SecretHash, new(now.Add(secretOverlap))
	if expireOld {
		a.OldSecretHash, a.OldSecretExpiresAt = nil, nil
	}
	a.SecretHash = token.Hash(secret)
	return nil
}

func (a App) oldSecretWorks(now time.Time) bool {
	return a.OldSecretHash != nil && a.OldSecretExpiresAt != nil && now.Before(*a.OldSecretExpiresAt)
}

// hasSecret reports whether a client secret is valid. It always compares both
// secrets, so that its duration reveals nothing.
func (a App) hasSecret(secret string, now time.Time) bool {
	hash, decoy := token.Hash(secret), make([]byte, 32)
	current, old := a.SecretHash, a.OldSecretHash
	if len(current) == 0 {
		current = decoy
	}
	if !a.oldSecretWorks(now) {
		old = decoy
	}
	return subtle.ConstantTimeCompare(hash, current)|subtle.ConstantTimeCompare(hash, old) == 1
}

// canInstallIn reports whether the app can be installed in environments of this
// mode. An app that was created in a test environment stays in test.
func canInstallIn(publisher, mode auth.Mode) bool { return publisher == auth.Live || mode == auth.Test }
