// Package sso lets users of a dealership sign in with its identity provider: SAML 2.0
// and OpenID Connect connections, users who are created at their first sign-in, roles
// by group, and logout in both directions.
package sso

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// Protocol is how a connection talks to its provider.
type Protocol string

// The protocols.
const (
	SAML Protocol = "saml"
	OIDC Protocol = "oidc"
)

var allProtocols = enum.Of("ConnectionProtocol", "Protocol of an identity provider.",
	SAML, OIDC)

func (Protocol) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allProtocols.Describe(s)
}

// Connection is a connection to an identity provider.
type Connection struct {
	_ struct{} `doc:"A connection to an identity provider, for single sign-on." columns:"id name protocol domains enforce / issuer created_at" privacy:"plain"`

	Env      auth.Env `json:"-" db:"env"`
	ID       string   `json:"id" db:"id" doc:"Identifies the connection. Starts with sso_." example:"sso_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name     string   `json:"name" db:"name" doc:"Shown on the sign-in page." example:"Acme Okta"`
	Protocol Protocol `json:"protocol" db:"protocol" doc:"Protocol of the identity provider."`

	Issuer         *string `json:"issuer" db:"issuer" doc:"OIDC: issuer of the provider. SAML: entity ID of the provider, from its metadata." example:"https://acme.okta.com"`
	ClientID       *string `json:"client_id" db:"client_id" doc:"OIDC: ID of this client at the provider. Null for SAML."`
	IDPMetadataURL *string `json:"idp_metadata_url" db:"idp_metadata_url" doc:"SAML: where the metadata of the provider is fetched from, every day. Null for OIDC, or if you sent the XML."`

	Domains        []string       `json:"domains" nullable:"false" doc:"Email domains of the users."`
	Verifications  []Verification `json:"domain_verifications" nullable:"false" doc:"How to verify the domains. Only verified domains create users, link users and turn passwords off." audit:"-"`
	JIT            bool           `json:"jit" db:"jit" doc:"Whether users are created at their first sign-in."`
	DefaultRoleID  *string        `json:"default_role_id" db:"default_role_id" doc:"Role of users without a matching group. If it is null, they are denied access."`
	GroupMapping   []GroupRole    `json:"group_mapping" db:"group_mapping,json" nullable:"false" doc:"Roles by group at the provider. Set at every sign-in. If it is empty, you manage the roles in Slipway, and new users get the default role."`
	AttributeNames AttributeNames `json:"attribute_names" db:"attribute_names,json" doc:"Names of the claims or attributes with the email address, the name and the groups."`
	AllowOwnerRole bool           `json:"allow_owner_role" db:"allow_owner_role" doc:"Whether the group mapping can assign and remove the owner role. Otherwise the role stays as it is."`
	Enforce        bool           `json:"enforce" db:"enforce" doc:"Whether password sign-in is off for users with a verified domain. Owners with a two-factor method can still use it."`

	AllowIDPInitiated bool    `json:"allow_idp_initiated" db:"allow_idp_initiated" doc:"SAML: whether a sign-in can start at the provider."`
	AllowCBC          bool    `json:"allow_cbc" db:"allow_cbc" doc:"SAML: whether assertions can be encrypted with AES-CBC, which doesn't detect changes."`
	SupportContact    *string `json:"support_contact" db:"support_contact" doc:"Whom users without access can ask. Shown on the page that denies access." example:"it@example.com"`

	SPEntityID            *string `json:"sp_entity_id" doc:"SAML: entity ID (audience) of this connection. Null for OIDC."`
	SPMetadataURL         *string `json:"sp_metadata_url" doc:"SAML: metadata for the provider. Null for OIDC."`
	ACSURL                *string `json:"acs_url" doc:"SAML: where the provider sends assertions. Null for OIDC."`
	SLOURL                *string `json:"slo_url" doc:"SAML: where the provider sends logout requests and responses. Null for OIDC."`
	RedirectURI           *string `json:"redirect_uri" doc:"OIDC: where users return after they sign in. Null for SAML."`
	PostLogoutRedirectURI *string `json:"post_logout_redirect_uri" doc:"OIDC: where users return after they sign out. Null for SAML."`
	BackchannelLogoutURI  *string `json:"backchannel_logout_uri" doc:"OIDC: where the provider sends logout tokens. Null for SAML."`
	FrontchannelLogoutURI *string `json:"frontchannel_logout_uri" doc:"OIDC: page that the provider opens in a frame to end a session. Null for SAML."`
	LoginURL              string  `json:"login_url" doc:"Page that starts a sign-in."`
	TestURL               string  `json:"test_url" doc:"Page that tests the connection without signing in. Only for administrators."`

	MetadataRefreshedAt *time.Time `json:"metadata_refreshed_at" db:"metadata_refreshed_at" doc:"SAML: when the metadata of the provider was last read. Null for OIDC." audit:"-"`
	MetadataError       *string    `json:"metadata_error" db:"metadata_error" doc:"SAML: why the last refresh failed. The previous metadata stays in use. Null if it succeeded." audit:"-"`

	Metadata string `json:"-" db:"idp_metadata"`
	Secrets  []byte `json:"-" db:"secrets"`

	Version   int64     `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt time.Time `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version.
func (c Connection) Revision() int64 { return c.Version }

// GroupRole assigns a role to the members of a group.
type GroupRole struct {
	_ struct{} `doc:"The role of the members of a group at the identity provider." privacy:"plain"`

	Group  string `json:"group" minLength:"1" maxLength:"500" doc:"Name or ID of the group, exactly as the provider sends it. Case and Unicode form matter." example:"Boat Sales"`
	RoleID string `json:"role_id" maxLength:"64" doc:"Role that members of the group have." example:"role_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// AttributeNames are the names of claims or attributes.
type AttributeNames struct {
	_ struct{} `doc:"Names under which the identity provider sends a user's data." privacy:"plain"`

	Email  *string `json:"email" required:"false" maxLength:"300" doc:"Null means the usual names, such as email."`
	Name   *string `json:"name" required:"false" maxLength:"300" doc:"Null means the usual names, such as name."`
	Groups *string `json:"groups" required:"false" maxLength:"300" doc:"Null means the usual names, such as groups."`
}

// Verification is the state of a domain.
type Verification struct {
	_ struct{} `doc:"How to verify a domain, and whether it is verified."`

	Domain      string          `json:"domain" doc:"Email domain to verify." example:"example.com"`
	VerifiedAt  *time.Time      `json:"verified_at" doc:"When the domain was verified. Null if it is not."`
	VerifiedBy  *DomainVerifier `json:"verified_by" doc:"Whether a TXT record or the operator verified the domain. Null if it is not verified."`
	RecordName  string          `json:"record_name" doc:"Name of the TXT record to create." example:"_slipway.example.com"`
	RecordValue string          `json:"record_value" doc:"Value of the TXT record to create." example:"slipway-domain-verification=..."`
}

// DomainVerifier is what verified a domain.
type DomainVerifier string

// The values.
const (
	byDNS      DomainVerifier = "dns"
	byOperator DomainVerifier = "operator"
)

var allDomainVerifiers = enum.Of("DomainVerifier", "What verified a domain: a TXT record or the operator.", byDNS, byOperator)

func (DomainVerifier) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDomainVerifiers.Describe(s)
}

// LinkUser links a user to an identity at the provider.
type LinkUser struct {
	_ struct{} `doc:"A link between a user and an identity at the provider."`

	UserID  string  `json:"user_id" maxLength:"64" doc:"User to link." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Subject *string `json:"subject" maxLength:"1000" doc:"sub or NameID of the user at the provider. Null removes the link."`
}

// ConnectionCreate is the body for a new connection.
type ConnectionCreate struct {
	_ struct{} `doc:"A new SSO connection."`

	Name     string   `json:"name" minLength:"1" maxLength:"100" doc:"Name of the connection. Shown on the sign-in page."`
	Protocol Protocol `json:"protocol" required:"false" doc:"Defaults to oidc if you send issuer, otherwise to saml. It can't be changed later."`

	Issuer       *string `json:"issuer" required:"false" maxLength:"500" doc:"Required for OIDC. Exactly as in the provider's discovery document."`
	ClientID     *string `json:"client_id" required:"false" maxLength:"500" doc:"ID of this client at the provider. Required for OIDC."`
	ClientSecret *string `json:"client_secret" privacy:"secret" required:"false" maxLength:"2000" doc:"Secret of this client at the provider. Required for OIDC. It is never returned."`

	IDPMetadataURL *string `json:"idp_metadata_url" required:"false" maxLength:"2000" doc:"For SAML, send either this or idp_metadata_xml."`
	IDPMetadataXML *string `json:"idp_metadata_xml" required:"false" maxLength:"500000" doc:"For SAML, the metadata of the provider as XML. It is not refreshed."`

	Domains           []string       `json:"domains,omitempty" maxItems:"50" uniqueItems:"true" doc:"Email domains of the users. Each must be verified with a TXT record."`
	JIT               bool           `json:"jit,omitempty" doc:"Whether users are created at their first sign-in. Defaults to false."`
	DefaultRoleID     *string        `json:"default_role_id" required:"false" maxLength:"64" doc:"Role of users without a matching group. Without one, they are denied access."`
	GroupMapping      []GroupRole    `json:"group_mapping,omitempty" maxItems:"500" doc:"Roles by group at the provider. Set at every sign-in."`
	AttributeNames    AttributeNames `json:"attribute_names" required:"false" doc:"Names of the claims or attributes with the email address, the name and the groups."`
	AllowOwnerRole    bool           `json:"allow_owner_role,omitempty" doc:"Required to map a group to the owner role. Defaults to false."`
	Enforce           bool           `json:"enforce,omitempty" doc:"Whether password sign-in is off for users with a verified domain. Defaults to false. Test the connection first."`
	AllowIDPInitiated bool           `json:"allow_idp_initiated,omitempty" doc:"Whether a sign-in can start at the provider. Defaults to false, because another site could then sign a user in to an account that the user did not choose."`
	AllowCBC          bool           `json:"allow_cbc,omitempty" doc:"Whether assertions can be encrypted with AES-CBC. Defaults to false, because it doesn't detect changes. Use AES-GCM if your provider can."`
	SupportContact    *string        `json:"support_contact" required:"false" maxLength:"200" doc:"Whom users without access can ask. Shown on the page that denies access."`

	MFAToken *string `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required if a role has the admin scope, and for enforce. Must be from an administrator."`
}

// ConnectionPatch changes a connection.
type ConnectionPatch struct {
	_ struct{} `doc:"Changes to an SSO connection. Omitted fields keep their values."`

	Name              patch.Value[string]         `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Name of the connection. Shown on the sign-in page."`
	Issuer            patch.Value[string]         `json:"issuer,omitzero" maxLength:"500" doc:"OIDC only. Users of another issuer are other identities, so they must be linked again."`
	ClientID          patch.Value[string]         `json:"client_id,omitzero" maxLength:"500" doc:"OIDC only. ID of this client at the provider."`
	ClientSecret      patch.Value[string]         `json:"client_secret,omitzero" privacy:"secret" maxLength:"2000" doc:"OIDC only. Secret of this client at the provider. It is never returned."`
	IDPMetadataURL    patch.Null[string]          `json:"idp_metadata_url,omitzero" maxLength:"2000" doc:"SAML only. Null stops the refresh and keeps the metadata."`
	IDPMetadataXML    patch.Value[string]         `json:"idp_metadata_xml,omitzero" maxLength:"500000" doc:"SAML only. Replaces idp_metadata_url."`
	Domains           patch.Value[[]string]       `json:"domains,omitzero" maxItems:"50" uniqueItems:"true" doc:"Unverified domains are checked again."`
	JIT               patch.Value[bool]           `json:"jit,omitzero" doc:"Whether users are created at their first sign-in."`
	DefaultRoleID     patch.Null[string]          `json:"default_role_id,omitzero" maxLength:"64" doc:"Role of users without a matching group. Null denies them access."`
	GroupMapping      patch.Value[[]GroupRole]    `json:"group_mapping,omitzero" maxItems:"500" doc:"Replaces the roles by group at the provider."`
	AttributeNames    patch.Value[AttributeNames] `json:"attribute_names,omitzero" doc:"Names of the claims or attributes with the email address, the name and the groups."`
	AllowOwnerRole    patch.Value[bool]           `json:"allow_owner_role,omitzero" doc:"Whether the group mapping can assign and remove the owner role."`
	Enforce           patch.Value[bool]           `json:"enforce,omitzero" doc:"Whether password sign-in is off for users with a verified domain."`
	AllowIDPInitiated patch.Value[bool]           `json:"allow_idp_initiated,omitzero" doc:"SAML only. Whether a sign-in can start at the provider."`
	AllowCBC          patch.Value[bool]           `json:"allow_cbc,omitzero" doc:"SAML only. Whether assertions can be encrypted with AES-CBC."`
	SupportContact    patch.Null[string]          `json:"support_contact,omitzero" maxLength:"200" doc:"Whom users without access can ask. Null removes it."`

	LinkUsers []LinkUser `json:"link_users,omitempty" maxItems:"100" doc:"Links existing users to identities at the provider. Users can also link themselves: they sign in, and confirm it by email."`
	MFAToken  *string    `json:"mfa_token" privacy:"secret" required:"false" maxLength:"100" doc:"Required if a role or a linked user has the admin scope, and for enforce. Must be from an administrator."`
}

// protocol returns the protocol of a new connection.
func (b ConnectionCreate) protocol() Protocol {
	switch {
	case b.Protocol != "":
		return b.Protocol
	case b.Issuer != nil:
		return OIDC
	}
	return SAML
}

// connection returns the new connection. Check it.
func (b ConnectionCreate) connection() Connection {
	c := Connection{
		Name: b.Name, Protocol: b.protocol(), Issuer: b.Issuer, ClientID: b.ClientID, IDPMetadataURL: b.IDPMetadataURL, Domains: b.Domains,
		JIT: b.JIT, DefaultRoleID: b.DefaultRoleID, GroupMapping: b.GroupMapping, AttributeNames: b.AttributeNames,
		AllowOwnerRole: b.AllowOwnerRole, Enforce: b.Enforce, AllowIDPInitiated: b.AllowIDPInitiated, AllowCBC: b.AllowCBC, SupportContact: b.SupportContact,
	}
	if c.GroupMapping == nil {
		c.GroupMapping = []GroupRole{}
	}
	return c
}

// apply changes the connection. Check it.
func (p ConnectionPatch) apply(c *Connection) {
	p.Name.To(&c.Name)
	if p.Issuer.Set {
		c.Issuer = &p.Issuer.V
	}
	if p.ClientID.Set {
		c.ClientID = &p.ClientID.V
	}
	p.IDPMetadataURL.To(&c.IDPMetadataURL)
	if p.IDPMetadataXML.Set {
		c.IDPMetadataURL = nil
	}
	p.Domains.To(&c.Domains)
	p.JIT.To(&c.JIT)
	p.DefaultRoleID.To(&c.DefaultRoleID)
	p.GroupMapping.To(&c.GroupMapping)
	p.AttributeNames.To(&c.AttributeNames)
	p.AllowOwnerRole.To(&c.AllowOwnerRole)
	p.Enforce.To(&c.Enforce)
	p.AllowIDPInitiated.To(&c.AllowIDPInitiated)
	p.AllowCBC.To(&c.AllowCBC)
	p.SupportContact.To(&c.SupportContact)
}

// checkFields reports fields that belong to the other protocol, and missing ones.
func (b ConnectionCreate) checkFields(bad *fault.Fields) {
	switch b.protocol() {
	case OIDC:
		for name, value := range map[string]*string{"issuer": b.Issuer, "client_id": b.ClientID, "client_secret": b.ClientSecret} {
			if value == nil || *value == "" {
				bad.Add(name, "required", "is required for OIDC")
			}
		}
		otherProtocol(bad, "OIDC", map[string]bool{
			"idp_metadata_url": b.IDPMetadataURL != nil, "idp_metadata_xml": b.IDPMetadataXML != nil, "allow_idp_initiated": b.AllowIDPInitiated, "allow_cbc": b.AllowCBC,
		})
	case SAML:
		if (b.IDPMetadataURL == nil) == (b.IDPMetadataXML == nil) {
			bad.Add("idp_metadata_url", "required", "or idp_metadata_xml is required, but not both")
		}
		otherProtocol(bad, "SAML", map[string]bool{
			"issuer": b.Issuer != nil, "client_id": b.ClientID != nil, "client_secret": b.ClientSecret != nil,
		})
	}
}

// checkFields reports fields that belong to the other protocol.
func (p ConnectionPatch) checkFields(bad *fault.Fields, c Connection) {
	if c.Protocol == OIDC {
		otherProtocol(bad, "OIDC", map[string]bool{
			"idp_metadata_url": p.IDPMetadataURL.Set, "idp_metadata_xml": p.IDPMetadataXML.Set,
			"allow_idp_initiated": p.AllowIDPInitiated.Set && p.AllowIDPInitiated.V, "allow_cbc": p.AllowCBC.Set && p.AllowCBC.V,
		})
		return
	}
	otherProtocol(bad, "SAML", map[string]bool{"issuer": p.Issuer.Set, "client_id": p.ClientID.Set, "client_secret": p.ClientSecret.Set})
	if p.IDPMetadataURL.Set && p.IDPMetadataURL.V != nil && p.IDPMetadataXML.Set {
		bad.Add("idp_metadata_xml", "conflict", "can't be sent together with idp_metadata_url")
	}
}

func otherProtocol(bad *fault.Fields, protocol string, sent map[string]bool) {
	for name, set := range sent {
		if set {
			bad.Add(name, "conflict", "can't be used with %s", protocol)
		}
	}
}

// check normalizes the connection and checks rules that the schema can't express.
func (c *Connection) check(bad *fault.Fields, live bool) {
	if c.Name = strings.TrimSpace(c.Name); c.Name == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	if strings.ContainsFunc(c.Name, func(r rune) bool { return unicode.Is(unicode.C, r) }) {
		bad.Add("name", "pattern", "must not contain control characters")
	}
	if c.Protocol == OIDC && c.Issuer != nil {
		outbound.CheckURL(bad, "issuer", *c.Issuer, live)
		if strings.ContainsAny(*c.Issuer, "?#") {
			bad.Add("issuer", "format", "must not contain a query")
		}
	}
	if c.IDPMetadataURL != nil {
		outbound.CheckURL(bad, "idp_metadata_url", *c.IDPMetadataURL, live)
	}

	domains := make([]string, 0, len(c.Domains))
	for _, text := range c.Domains {
		domain, problem := normalizeDomain(text)
		if problem != "" {
			bad.Add("domains", "format", "contains %q, which %s", text, problem)
		} else if !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	slices.Sort(domains)
	c.Domains = domains
	if c.Enforce && len(domains) == 0 {
		bad.Add("enforce", "state", "requires a domain")
	}
}

// roleIDs returns the roles that the connection can assign.
func (c Connection) roleIDs() []string {
	var ids []string
	if c.DefaultRoleID != nil {
		ids = append(ids, *c.DefaultRoleID)
	}
	for _, m := range c.GroupMapping {
		if !slices.Contains(ids, m.RoleID) {
			ids = append(ids, m.RoleID)
		}
	}
	return ids
}

// derive fills in the URLs. Site is the URL of the pages, without a slash at the end.
func (c *Connection) derive(site string) {
	base := site + "/sso/" + string(c.Protocol) + "/" + c.ID
	c.LoginURL, c.TestURL = base+"/login", site+"/sso/test/"+c.ID
	if c.Protocol == SAML {
		c.SPEntityID, c.SPMetadataURL, c.ACSURL, c.SLOURL = new(base+"/metadata"), new(base+"/metadata"), new(base+"/acs"), new(base+"/slo")
		return
	}
	c.RedirectURI, c.PostLogoutRedirectURI = new(base+"/callback"), new(site+"/sso/signed-out")
	c.BackchannelLogoutURI, c.FrontchannelLogoutURI = new(base+"/backchannel_logout"), new(base+"/frontchannel_logout")
}

// issuer returns the issuer, or "" before the metadata is read.
func (c Connection) issuer() string {
	if c.Issuer == nil {
		return ""
	}
	return *c.Issuer
}
