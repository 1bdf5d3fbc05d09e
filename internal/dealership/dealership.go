// Package dealership is the dealership itself: its environments, locations,
// users and roles.
package dealership

import (
	"time"

	"slipway/internal/principal"
	"slipway/internal/scope"
)

// Plan is what the dealership pays for.
type Plan string

// The plans. Single sign-on needs fleet.
const (
	Standard Plan = "standard"
	Fleet    Plan = "fleet"
)

// Dealership is one environment of a dealership; the two share its id.
type Dealership struct {
	Env           principal.Env  `json:"-" db:"env"`
	ID            string         `json:"id" db:"id"`
	Mode          principal.Mode `json:"environment" db:"mode"`
	Name          string         `json:"name" db:"name"`
	LegalName     *string        `json:"legal_name" db:"legal_name"`
	Plan          Plan           `json:"plan" db:"plan"`
	PostalAddress *Address       `json:"postal_address" db:"postal_address,json"`
	Timezone      string         `json:"timezone" db:"timezone"`
	Settings      Settings       `json:"settings" db:"settings,json"`
	Version       int64          `json:"version" db:"version"`
	CreatedAt     time.Time      `json:"created_at" db:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at" db:"updated_at"`
}

// Settings are the rules a dealership sets for itself.
type Settings struct {
	StalledAfterHours          int64  `json:"stalled_after_hours"`
	DefaultHoldHours           int64  `json:"default_hold_hours"`
	SoldWhen                   string `json:"sold_when"`
	AllowDeliveryBeforeFunding bool   `json:"allow_delivery_before_funding"`
	DefaultTaxRatePercent      string `json:"default_tax_rate_percent"`
}

// defaultSettings are those of a new dealership.
var defaultSettings = Settings{StalledAfterHours: 72, DefaultHoldHours: 48, SoldWhen: "contracted", DefaultTaxRatePercent: "0"}

// Role is a set of scopes that users are given.
type Role struct {
	Env       principal.Env `json:"-" db:"env"`
	ID        string        `json:"id" db:"id"`
	Name      string        `json:"name" db:"name"`
	Scopes    []scope.Scope `json:"scopes" db:"scopes,json"`
	BuiltIn   bool          `json:"built_in" db:"built_in"`
	Version   int64         `json:"version" db:"version"`
	CreatedAt time.Time     `json:"created_at" db:"created_at"`
	UpdatedAt time.Time     `json:"updated_at" db:"updated_at"`
}

// builtIn are the roles that every environment starts with.
var builtIn = []Role{
	{Name: "owner", Scopes: []scope.Scope{scope.HullsRead, scope.HullsWrite, scope.LeadsRead, scope.LeadsWrite, scope.DealsRead, scope.DealsWrite, scope.Webhooks, scope.Admin}},
	{Name: "manager", Scopes: []scope.Scope{scope.HullsRead, scope.HullsWrite, scope.LeadsRead, scope.LeadsWrite, scope.DealsRead, scope.DealsWrite, scope.Webhooks}},
	{Name: "sales", Scopes: []scope.Scope{scope.HullsRead, scope.LeadsRead, scope.LeadsWrite, scope.DealsRead, scope.DealsWrite}},
	{Name: "finance", Scopes: []scope.Scope{scope.HullsRead, scope.LeadsRead, scope.DealsRead, scope.DealsWrite}},
	{Name: "marketing", Scopes: []scope.Scope{scope.HullsRead, scope.HullsWrite, scope.LeadsRead, scope.LeadsWrite}},
	{Name: "viewer", Scopes: []scope.Scope{scope.HullsRead, scope.LeadsRead, scope.DealsRead}},
}

// User is a person who works at the dealership.
type User struct {
	Env          principal.Env `json:"-" db:"env"`
	ID           string        `json:"id" db:"id"`
	Email        string        `json:"email" db:"email"`
	Name         string        `json:"name" db:"name"`
	Status       string        `json:"status" db:"status"`
	PasswordHash *string       `json:"-" db:"password_hash"`
	Version      int64         `json:"version" db:"version"`
	CreatedAt    time.Time     `json:"created_at" db:"created_at"`
	UpdatedAt    time.Time     `json:"updated_at" db:"updated_at"`
}

// Actor is the user as history shows it.
func (u User) Actor() principal.Actor {
	return principal.Actor{Type: "user", ID: u.ID, Label: u.Name}
}
