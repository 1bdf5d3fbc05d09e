// Package people contains users, their roles, sessions and two-factor methods,
// and the invitations to set a password.
package people

import (
	"net/mail"
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// UserStatus is whether a user can sign in.
type UserStatus string

// The statuses of a user.
const (
	Invited     UserStatus = "invited"
	Active      UserStatus = "active"
	Deactivated UserStatus = "deactivated"
)

var userStatuses = enum.Of("UserStatus", "Whether a user is invited, can sign in, or was deactivated.",
	Invited, Active, Deactivated)

func (UserStatus) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return userStatuses.Describe(s)
}

// User is a person who works at the dealership.
type User struct {
	_ struct{} `doc:"A person who works at the dealership." columns:"id name email status roles last_seen_at / takes_leads created_at version" privacy:"plain"`

	Env          auth.Env     `json:"-" db:"env"`
	ID           string       `json:"id" db:"id" doc:"Identifies the user. Starts with usr_." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Email        string       `json:"email" db:"email" doc:"Email address for sign-in and notifications, in lowercase." example:"ann@example.com"`
	PendingEmail *string      `json:"pending_email" db:"pending_email" doc:"New email address that the user has not confirmed yet. Null if there is none." since:"next"`
	Name         string       `json:"name" db:"name" doc:"Full name of the user." example:"Ann Bell"`
	Status       UserStatus   `json:"status" db:"status" doc:"Whether the user is invited, can sign in, or was deactivated."`
	Roles        []UserRole   `json:"roles" nullable:"false" doc:"Roles of the user. Their scopes decide what the user can do."`
	TakesLeads   bool         `json:"takes_leads" doc:"Whether round robin assigns leads to the user. Defaults to true for the sales role only." since:"next"`
	LocationIDs  []string     `json:"location_ids" db:"location_ids,json" nullable:"false" doc:"Locations where the user works. Empty if the user works at all of them."`
	MFAFactors   []UserFactor `json:"mfa_factors" nullable:"false" doc:"Two-factor methods of the user."`
	LastSeenAt   *time.Time   `json:"last_seen_at" db:"last_seen_at" doc:"When the user last used Slipway. Null if never." audit:"-"`
	SSOSubject   *string      `json:"sso_subject" db:"sso_subject" doc:"ID of the user at the identity provider. Null if the user is not linked to one."`
	PasswordHash *string      `json:"-" db:"password_hash"`
	LeadsChoice  *bool        `json:"-" db:"takes_leads"`          // nil: by the roles
	EmailProven  bool         `json:"-" db:"pending_email_proven"` // the pending address was requested with proof
	Version      int64        `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt    time.Time    `json:"created_at" db:"created_at" doc:"When the user was created."`
	UpdatedAt    time.Time    `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version.
func (u User) Revision() int64 { return u.Version }

// Actor returns the user as the actor of a change.
func (u User) Actor() auth.Actor { return auth.Actor{Type: auth.ActorUser, ID: u.ID, Label: u.Name} }

// UserRole is a role that a user has.
type UserRole struct {
	_ struct{} `doc:"A role that a user has." privacy:"plain"`

	ID   string `json:"id" db:"id" doc:"ID of the role." example:"role_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name string `json:"name" db:"name" doc:"Name of the role." example:"sales"`

	Scopes       []auth.Scope `json:"-" db:"scopes,json"`
	Manager      bool         `json:"-" db:"manager"`
	OwnLocations bool         `json:"-" db:"own_locations"`
}

// UserFactor is a two-factor method of a user.
type UserFactor struct {
	_ struct{} `doc:"A two-factor method of a user." privacy:"plain"`

	ID     string     `json:"id" db:"id" doc:"Identifies the method. Starts with mfa_." example:"mfa_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind   FactorKind `json:"kind" db:"kind" doc:"Authenticator app (totp), or passkey or security key (webauthn)."`
	Label  *string    `json:"label" db:"label" doc:"Name that the user gave to the method. Null if there is none."`
	Active bool       `json:"active" db:"active" doc:"Whether the user has verified it."`
}

// FactorKind is the kind of a two-factor method.
type FactorKind string

// The values.
const (
	TOTP     FactorKind = "totp"
	WebAuthn FactorKind = "webauthn"
)

var allFactorKinds = enum.Of("MFAFactorKind", "Authenticator app (totp), or passkey or security key (webauthn).", TOTP, WebAuthn)

func (FactorKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allFactorKinds.Describe(s)
}

// awaitsPassword reports whether the user can accept an invitation: a new user, or
// one whose password was reset.
func (u User) awaitsPassword() bool { return u.Status != Deactivated && u.PasswordHash == nil }

// guessable returns the texts that the user's password must not contain.
func (u User) guessable(dealership string) []string {
	local, _, _ := strings.Cut(u.Email, "@")
	return append(strings.Fields(u.Name), u.Name, local, dealership)
}

// isOwner reports whether the user is an active owner.
func (u User) isOwner() bool {
	for _, r := range u.Roles {
		if r.Name == ownerRole && u.Status == Active {
			return true
		}
	}
	return false
}

// IsManager reports whether the user has a role for managers.
func (u User) IsManager() bool {
	return slices.ContainsFunc(u.Roles, func(r UserRole) bool { return r.Manager })
}

// LimitedTo returns the locations that the user is limited to, or nil. One role without the limit
// is enough to work everywhere, and so is a user without locations.
func (u User) LimitedTo() []string {
	unlimited := slices.ContainsFunc(u.Roles, func(r UserRole) bool { return !r.OwnLocations })
	if unlimited || len(u.Roles) == 0 || len(u.LocationIDs) == 0 {
		return nil
	}
	return u.LocationIDs
}

// deriveLeads sets TakesLeads by the choice for the user, or by the roles.
func (u *User) deriveLeads() {
	u.TakesLeads = slices.ContainsFunc(u.Roles, func(r UserRole) bool { return r.Name == salesRole })
	if u.LeadsChoice != nil {
		u.TakesLeads = *u.LeadsChoice
	}
}

// worksAt reports whether the user works at a location. It is true for "".
func (u User) worksAt(locationID string) bool {
	return locationID == "" || len(u.LocationIDs) == 0 || slices.Contains(u.LocationIDs, locationID)
}

// UserCreate is the body for a new user. The user is invited by email.
type UserCreate struct {
	_ struct{} `doc:"A new user, who is invited by email."`

	Email       string   `json:"email" maxLength:"254" format:"email" doc:"Email address of the user. The invitation is sent to it."`
	Name        string   `json:"name" minLength:"1" maxLength:"200" doc:"Full name of the user."`
	RoleIDs     []string `json:"role_ids,omitempty" maxItems:"20" uniqueItems:"true" doc:"Roles to assign. Defaults to none."`
	LocationIDs []string `json:"location_ids,omitempty" maxItems:"100" uniqueItems:"true" doc:"Locations where the user works. Empty means all of them."`
	TakesLeads  *bool    `json:"takes_leads" required:"false" doc:"Whether round robin assigns leads to the user. Defaults to true for the sales role only." since:"next"`
	MFAToken    *string  `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required to assign a role with the admin scope. Must be from an administrator."`
}

var _ = enum.Part[UserPatch]("Status", "UserReactivation", "Status that reactivates a user.")

// UserPatch changes a user.
type UserPatch struct {
	_ struct{} `doc:"Changes to a user. Omitted fields keep their values."`

	Email       patch.Value[string]     `json:"email,omitzero" maxLength:"254" format:"email" doc:"New email address. It takes effect when the user confirms it. For an invited user, it takes effect immediately, and the roles are removed."`
	Name        patch.Value[string]     `json:"name,omitzero" minLength:"1" maxLength:"200" doc:"Full name of the user."`
	LocationIDs patch.Value[[]string]   `json:"location_ids,omitzero" maxItems:"100" uniqueItems:"true" doc:"Locations where the user works. Empty means all of them."`
	TakesLeads  patch.Null[bool]        `json:"takes_leads,omitzero" doc:"Null restores the default of the user's roles." since:"next"`
	Status      patch.Value[UserStatus] `json:"status,omitzero" enum:"active" doc:"Reactivates a deactivated user. The user receives a new invitation to set a password."`

	ResetPassword bool    `json:"reset_password,omitempty" doc:"Clears the password, ends all sessions and sends a new invitation to set a password. Requires an mfa_token." since:"next"`
	MFAToken      *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required to change a user with the admin scope, and for reset_password. Must be from an administrator."`
}

// UserDeactivate is the body for a deactivation.
type UserDeactivate struct {
	_ struct{} `doc:"What deactivating a user includes."`

	RevokeKeys *bool         `json:"revoke_keys" required:"false" doc:"Whether to end what the user created: API keys, also those that were created with them, apps, webhooks, push URLs and calendars. Sessions and keys of slipway login always end. Defaults to true, and to false in version 2026-11-15."`
	HandOver   *UserHandOver `json:"hand_over" required:"false" doc:"What to hand over to another user instead of ending it." since:"next"`
	MFAToken   *string       `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required to deactivate a user with the admin scope, or to end or hand over a key or an app with it. Must be from an administrator."`
}

// UserRolesReplace contains all roles of a user.
type UserRolesReplace struct {
	_ struct{} `doc:"All roles of a user."`

	RoleIDs  []string `json:"role_ids" maxItems:"20" uniqueItems:"true" doc:"All roles that the user has after the change. An empty array removes all roles."`
	MFAToken *string  `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required if the user has the admin scope, before or after the change. Must be from an administrator, and not from a user who gains a role with the admin scope."`
}

// check normalizes the user and checks rules that the schema can't express.
func (u *User) check() error {
	var bad fault.Fields
	address, err := mail.ParseAddress(u.Email)
	if err != nil || address.Name != "" {
		bad.Add("email", "format", "must be an email address")
	} else {
		u.Email = strings.ToLower(address.Address)
	}
	if u.Name = strings.TrimSpace(u.Name); u.Name == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	return bad.Err()
}

// reactivate lets a deactivated user sign in again. The user is invited to set a new
// password, because others might know the old one. A user with single sign-on has none.
func (u *User) reactivate() error {
	if u.Status != Deactivated {
		return fault.Conflict("The user is not deactivated. The status is %s.", u.Status).Detail("status", "state", "is %s", u.Status)
	}
	u.Status, u.PasswordHash = Invited, nil
	if u.SSOSubject != nil {
		u.Status = Active
	}
	return nil
}
