package scim

import "time"

// Provisioning is how the identity provider of a connection manages users.
type Provisioning struct {
	_ struct{} `doc:"SCIM of an SSO connection: how its identity provider manages users and groups." columns:"connection_id enabled user_count group_count last_change_at / base_url"`

	ConnectionID   string        `json:"connection_id" doc:"SSO connection." example:"sso_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Enabled        bool          `json:"enabled" doc:"Whether the connection has a token."`
	BaseURL        string        `json:"base_url" doc:"URL to enter at the identity provider." example:"https://api.example.com/scim/v2"`
	TokenCreatedAt *time.Time    `json:"token_created_at" doc:"When the token was created. Null if there is none."`
	TokenCreatedBy *string       `json:"token_created_by" doc:"User or API key that created the token. Null if there is none." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LastChangeAt   *time.Time    `json:"last_change_at" doc:"When the provider last changed something with this token. Null if never."`
	UserCount      int64         `json:"user_count" doc:"Users that the provider manages."`
	GroupCount     int64         `json:"group_count" doc:"Groups that the provider has sent."`
	PendingRoles   []PendingRole `json:"pending_roles" nullable:"false" doc:"Roles with the admin scope that groups map to, and that the users don't have yet. SCIM never assigns them: an administrator does, with an mfa_token."`
}

// PendingRole is a role that an administrator must assign.
type PendingRole struct {
	_ struct{} `doc:"A role that a group maps to, and that an administrator must assign."`

	UserID   string `json:"user_id" doc:"User in the group." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	UserName string `json:"user_name" doc:"Full name of the user." example:"Ann Bell"`
	RoleID   string `json:"role_id" doc:"Role with the admin scope." example:"role_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	RoleName string `json:"role_name" doc:"Name of the role." example:"owner"`
}

// ProvisioningToken is the state of a connection with its new token.
type ProvisioningToken struct {
	_ struct{} `doc:"SCIM of an SSO connection with its new token, which is only returned once."`

	Provisioning
	Token string `json:"token" doc:"The token. It is not shown again." privacy:"secret" example:"scim_test_..."`
}

// ProvisioningTokenCreate is the body for a new token.
type ProvisioningTokenCreate struct {
	_ struct{} `doc:"A new SCIM token."`

	MFAToken *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required. Must be from an administrator."`
}
