package oauth

import (
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/vocab/auth"
)

// Install is an app that can access an environment. There is one per app and
// environment.
type Install struct {
	_ struct{} `doc:"An app that can access this environment." columns:"id app environment scopes last_used_at / user_id created_at"`

	Env         auth.Env     `json:"-" db:"env"`
	ID          string       `json:"id" db:"id" doc:"Identifies the install. Starts with inst_." example:"inst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	AppEnv      auth.Env     `json:"-" db:"app_env"`
	AppID       string       `json:"app_id" db:"app_id" doc:"App that is installed." example:"app_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	App         InstalledApp `json:"app" doc:"Description of the app."`
	Environment auth.Mode    `json:"environment" doc:"Environment that the app can access."`
	Scopes      []auth.Scope `json:"scopes" db:"scopes,json" nullable:"false" doc:"Scopes that a user has allowed."`
	UserID      string       `json:"user_id" db:"user_id" doc:"User who allowed the scopes." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	UserName    string       `json:"-" db:"user_name"`
	LastUsedAt  *time.Time   `json:"last_used_at" db:"last_used_at" doc:"When the app last used its access. Updated within a minute. Null if it never did." audit:"-"`
	Version     int64        `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt   time.Time    `json:"created_at" db:"created_at" doc:"When the app was installed."`
	UpdatedAt   time.Time    `json:"updated_at" db:"updated_at" doc:"When the scopes were last allowed or removed."`
}

// InstalledApp describes the app of an install.
type InstalledApp struct {
	_ struct{} `doc:"Description of an installed app." privacy:"plain"`

	Name        string  `json:"name" db:"name" doc:"Name of the app." example:"Fleet Sync"`
	Publisher   string  `json:"publisher" db:"publisher" doc:"Dealership that publishes the app." example:"Chesapeake Marine"`
	HomepageURL *string `json:"homepage_url" db:"homepage_url" doc:"Website of the app. Null if there is none."`
}

// Revision returns the version.
func (i Install) Revision() int64 { return i.Version }

// isAdmin reports whether the app can use the admin scope.
func (i Install) isAdmin() bool { return slices.Contains(i.Scopes, auth.Admin) }

// blockedByPolicy returns why a user can't connect an app without registration, or "". An
// owner decides about each app first.
func blockedByPolicy(allowed dealership.AllowedApps, installed bool, u people.User) string {
	switch {
	case allowed != dealership.OwnerAllowed:
		return "Your dealership only allows registered apps. An owner can allow others in the dealership's settings."
	case !installed && !u.IsOwner():
		return "An owner must connect this app first. Ask one to open this page."
	}
	return ""
}

// roles that can install apps, besides those with the admin scope
var installers = []string{"owner", "manager"}

// blocked returns why a user can't allow these scopes, or "". A personal app only acts for
// the user.
func blocked(u people.User, held, requested []auth.Scope, personal bool) string {
	installs := u.IsAdmin() || slices.ContainsFunc(u.Roles, func(r people.UserRole) bool { return slices.Contains(installers, r.Name) })
	switch lacking := missing(requested, held); {
	case u.Status != people.Active:
		return "Your account is not active."
	case !installs && !personal:
		return "Only an owner or a manager can install apps. Ask one of them to open this page."
	case len(lacking) > 0:
		return "You can't allow more than you can do yourself. The app requests " + join(lacking) + ", which you don't have. Ask an owner."
	case u.IsAdmin() && !u.HasActiveFactor():
		return "Set up a two-factor method first. Administrators can't do anything without one."
	}
	return ""
}
