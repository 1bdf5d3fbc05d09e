package dealership

import (
	"slices"
	"strings"
	"time"

	"slipway/internal/fault"
	"slipway/internal/opt"
	"slipway/internal/principal"
	"slipway/internal/scope"
)

// Role is a set of scopes that users are given.
type Role struct {
	Env       principal.Env `json:"-" db:"env"`
	ID        string        `json:"id" db:"id" example:"role_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string        `json:"name" db:"name" example:"sales"`
	Scopes    []scope.Scope `json:"scopes" db:"scopes,json" nullable:"false"`
	BuiltIn   bool          `json:"built_in" db:"built_in" doc:"Built-in roles cannot be changed."`
	Version   int64         `json:"version" db:"version"`
	CreatedAt time.Time     `json:"created_at" db:"created_at"`
	UpdatedAt time.Time     `json:"updated_at" db:"updated_at"`
}

// Revision is the role's version.
func (r Role) Revision() int64 { return r.Version }

// ownerRole is the one that somebody must always hold.
const ownerRole = "owner"

// builtIn are the roles that every environment starts with.
var builtIn = []Role{
	{Name: ownerRole, Scopes: []scope.Scope{scope.HullsRead, scope.HullsWrite, scope.LeadsRead, scope.LeadsWrite, scope.DealsRead, scope.DealsWrite, scope.Webhooks, scope.Admin}},
	{Name: "manager", Scopes: []scope.Scope{scope.HullsRead, scope.HullsWrite, scope.LeadsRead, scope.LeadsWrite, scope.DealsRead, scope.DealsWrite, scope.Webhooks}},
	{Name: "sales", Scopes: []scope.Scope{scope.HullsRead, scope.LeadsRead, scope.LeadsWrite, scope.DealsRead, scope.DealsWrite}},
	{Name: "finance", Scopes: []scope.Scope{scope.HullsRead, scope.LeadsRead, scope.DealsRead, scope.DealsWrite}},
	{Name: "marketing", Scopes: []scope.Scope{scope.HullsRead, scope.HullsWrite, scope.LeadsRead, scope.LeadsWrite}},
	{Name: "viewer", Scopes: []scope.Scope{scope.HullsRead, scope.LeadsRead, scope.DealsRead}},
}

// RoleCreate is what a new role needs.
type RoleCreate struct {
	Name   string        `json:"name" minLength:"1" maxLength:"100"`
	Scopes []scope.Scope `json:"scopes" minItems:"1" maxItems:"20" uniqueItems:"true"`
}

// RolePatch changes a role.
type RolePatch struct {
	Name   opt.Value[string]        `json:"name,omitzero" minLength:"1" maxLength:"100"`
	Scopes opt.Value[[]scope.Scope] `json:"scopes,omitzero" minItems:"1" maxItems:"20" uniqueItems:"true"`
}

// check says what the schema cannot, and refuses to grant what the granter
// lacks.
func (r *Role) check(granter []scope.Scope) error {
	var bad fault.Fields
	if r.Name = strings.TrimSpace(r.Name); r.Name == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	for _, s := range r.Scopes {
		if !scope.Known(s) {
			bad.Add("scopes", "enum", "has the unknown scope %q", s)
		}
	}
	if err := bad.Err(); err != nil {
		return err
	}
	return MayGrant(granter, r.Scopes)
}

// MayGrant fails unless the granter holds every scope that is granted: nobody
// gives what they lack.
func MayGrant(granter, granted []scope.Scope) error {
	for _, s := range granted {
		if !slices.Contains(granter, s) {
			return fault.Forbidden("This credential lacks the scope %s, so it cannot grant it.", s).Detail("scopes", "scope", "must not exceed the caller's own: %s", s)
		}
	}
	return nil
}

func (r Role) changeable() error {
	if r.BuiltIn {
		return fault.Conflict("%s is a built-in role. Create one of your own instead.", r.Name).Detail("role_id", "state", "is built in")
	}
	return nil
}
