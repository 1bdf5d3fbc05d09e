package people

import (
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// Role is a set of scopes that you can assign to users.
type Role struct {
	_ struct{} `doc:"A set of scopes that users can have." columns:"id name built_in scopes manager / own_locations created_at version" privacy:"plain"`

	Env     auth.Env     `json:"-" db:"env"`
	ID      string       `json:"id" db:"id" doc:"Identifies the role. Starts with role_." example:"role_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name    string       `json:"name" db:"name" doc:"Name of the role, unique in the dealership." example:"sales"`
	Scopes  []auth.Scope `json:"scopes" db:"scopes,json" nullable:"false" doc:"Scopes of the users with this role."`
	BuiltIn bool         `json:"built_in" db:"built_in" doc:"Built-in roles can't be changed."`

	Manager      bool `json:"manager" db:"manager" doc:"Whether its users can make exceptions and book money: override a hold, write a balance off, refund a payment, record a funding, undo a sale." since:"next"`
	OwnLocations bool `json:"own_locations" db:"own_locations" doc:"Whether its users can only see and change the hulls, leads, deals and appointments of their own locations (location_ids). A user with another role that isn't limited is not limited." since:"next"`

	Version   int64     `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt time.Time `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version.
func (r Role) Revision() int64 { return r.Version }

// ownerRole is the role that at least one active user must have.
const ownerRole = "owner"

// salesRole is the role whose users take leads by default.
const salesRole = "sales"

// builtIn lists the roles of a new environment.
var builtIn = []Role{
	{Name: ownerRole, Scopes: []auth.Scope{
		auth.HullsRead, auth.HullsWrite, auth.LeadsRead, auth.LeadsWrite, auth.DealsRead, auth.DealsWrite, auth.Webhooks, auth.Admin,
	}, Manager: true},
	{Name: "manager", Scopes: []auth.Scope{
		auth.HullsRead, auth.HullsWrite, auth.LeadsRead, auth.LeadsWrite, auth.DealsRead, auth.DealsWrite, auth.Webhooks,
	}, Manager: true},
	{Name: salesRole, Scopes: []auth.Scope{auth.HullsRead, auth.LeadsRead, auth.LeadsWrite, auth.DealsRead, auth.DealsWrite}},
	{Name: "finance", Scopes: []auth.Scope{auth.HullsRead, auth.LeadsRead, auth.DealsRead, auth.DealsWrite}},
	{Name: "marketing", Scopes: []auth.Scope{auth.HullsRead, auth.HullsWrite, auth.LeadsRead, auth.LeadsWrite}},
	{Name: "viewer", Scopes: []auth.Scope{auth.HullsRead, auth.LeadsRead, auth.DealsRead}},
}

// RoleCreate is the body for a new role.
type RoleCreate struct {
	_ struct{} `doc:"A new role."`

	Name   string       `json:"name" minLength:"1" maxLength:"100" doc:"Name of the role, unique in the dealership."`
	Scopes []auth.Scope `json:"scopes" minItems:"1" maxItems:"20" uniqueItems:"true" doc:"Scopes of the users with this role."`

	Manager      bool `json:"manager,omitempty" doc:"Whether its users can make exceptions and book money: override a hold, write a balance off, refund a payment, record a funding, undo a sale." since:"next"`
	OwnLocations bool `json:"own_locations,omitempty" doc:"Whether its users can only see and change the hulls, leads, deals and appointments of their own locations. Can't be combined with the scopes admin and webhooks." since:"next"`

	MFAToken *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required for a role with the admin scope. Must be from an administrator."`
}

// RolePatch changes a role.
type RolePatch struct {
	_ struct{} `doc:"Changes to a role. Omitted fields keep their values."`

	Name   patch.Value[string]       `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Name of the role, unique in the dealership."`
	Scopes patch.Value[[]auth.Scope] `json:"scopes,omitzero" minItems:"1" maxItems:"20" uniqueItems:"true" doc:"Replaces the scopes. The change applies to all users with the role."`

	Manager      patch.Value[bool] `json:"manager,omitzero" doc:"Whether its users can make exceptions and book money." since:"next"`
	OwnLocations patch.Value[bool] `json:"own_locations,omitzero" doc:"Whether its users can only see and change the hulls, leads, deals and appointments of their own locations." since:"next"`

	MFAToken *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required if the role has the admin scope, before or after the change. Must be from an administrator."`
}

// check normalizes the role and checks rules that the schema can't express.
func (r *Role) check() error {
	var bad fault.Fields
	if r.Name = strings.TrimSpace(r.Name); r.Name == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	for _, s := range r.Scopes {
		if !auth.KnownScope(s) {
			bad.Add("scopes", "enum", "contains the unknown scope %q", s)
		}
		if r.OwnLocations && (s == auth.Admin || s == auth.Webhooks) {
			bad.Add("own_locations", "exclusive", "can't be combined with the scope %s, which is for the whole dealership", s)
		}
	}
	return bad.Err()
}

// CanGrant returns an error unless the caller has every scope to be granted.
func CanGrant(caller, granted []auth.Scope) error {
	for _, s := range granted {
		if !slices.Contains(caller, s) {
			return fault.Forbidden("This credential doesn't have the scope %s, so it can't grant it.", s).
				Detail("scopes", "scope", "must not contain %s, because this credential doesn't have it", s)
		}
	}
	return nil
}

// checkCustom returns an error for a built-in role.
func (r Role) checkCustom() error {
	if r.BuiltIn {
		return fault.Conflict("%s is a built-in role. You can't change it. Create your own role instead.", r.Name).
			Detail("role_id", "state", "refers to a built-in role")
	}
	return nil
}
