package sso

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"slipway/internal/identity/people"
)

// identity is what a provider says about a user who signs in.
type identity struct {
	Issuer        string              `json:"issuer"`
	Subject       string              `json:"subject"`
	SubjectFormat string              `json:"subject_format"`
	SessionIndex  string              `json:"session_index"`
	ExpiresAt     time.Time           `json:"expires_at"` // zero: the provider doesn't say
	Attributes    map[string][]string `json:"attributes"`
	Overage       bool                `json:"overage"` // Entra ID left the groups out
	IDToken       string              `json:"id_token"`
	RefreshToken  string              `json:"refresh_token"`
	Problem       string              `json:"problem"` // of a test: why the sign-in failed
}

// profile is what Slipway reads from an identity.
type profile struct {
	Email    string
	Verified bool // the provider doesn't say that the address is unverified
	Name     string
	Groups   []string

	EmailName, NameName, GroupsName string // names of the attributes where it was found
}

// The usual names of attributes, in the order of preference.
var (
	emailNames = []string{
		"email", "mail", "emailAddress", "Email", "urn:oid:0.9.2342.19200300.100.1.3",
		"http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress", "http://schemas.xmlsoap.org/claims/EmailAddress",
	}
	nameNames = []string{
		"name", "displayName", "cn", "urn:oid:2.16.840.1.113730.3.1.241", "urn:oid:2.5.4.3",
		"http://schemas.microsoft.com/identity/claims/displayname", "http://schemas.goauthentik.io/2021/02/saml/username",
		"http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
	}
	groupNames = []string{
		"groups", "group", "memberOf", "Group", "Groups", "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups",
		"http://schemas.xmlsoap.org/claims/Group", "eduPersonAffiliation",
	}
	givenNames  = []string{"given_name", "givenName", "firstName", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname"}
	familyNames = []string{"family_name", "sn", "surname", "lastName", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname"}
)

// first returns the values of the first attribute that exists.
func first(attributes map[string][]string, chosen *string, usual []string) (name string, values []string) {
	if chosen != nil {
		usual = []string{*chosen}
	}
	for _, name := range usual {
		if values := attributes[name]; len(values) > 0 {
			return name, values
		}
	}
	return "", nil
}

// read returns the profile of an identity.
func (c Connection) read(id identity) (p profile) {
	names := c.AttributeNames
	found, emails := first(id.Attributes, names.Email, emailNames)
	if len(emails) == 0 && names.Email == nil && strings.HasSuffix(id.SubjectFormat, ":emailAddress") {
		found, emails = "NameID", []string{id.Subject}
	}
	if len(emails) == 1 { // with several, no one knows which is right
		if address, err := mail.ParseAddress(emails[0]); err == nil && address.Name == "" {
			p.Email, p.EmailName = strings.ToLower(address.Address), found
		}
	}
	p.Verified = true
	if verified := id.Attributes["email_verified"]; len(verified) > 0 {
		p.Verified = len(verified) == 1 && verified[0] == "true"
	}

	found, values := first(id.Attributes, names.Name, nameNames)
	p.Name, p.NameName = strings.TrimSpace(strings.Join(values, " ")), found
	if p.Name == "" && names.Name == nil {
		given, givenValues := first(id.Attributes, nil, givenNames)
		_, familyValues := first(id.Attributes, nil, familyNames)
		p.Name, p.NameName = strings.TrimSpace(strings.Join(slices.Concat(givenValues, familyValues), " ")), given
	}
	if p.Name == "" {
		p.Name, _, _ = strings.Cut(p.Email, "@")
	}
	p.Name = string([]rune(p.Name)[:min(len([]rune(p.Name)), 200)])
	p.GroupsName, p.Groups = first(id.Attributes, names.Groups, groupNames)
	return p
}

// errRejected is a sign-in that was rejected. The user sees only the heading and the
// text. The administrator sees the reason in the audit log and on the test page.
type errRejected struct {
	Heading, Text string
	Reason        string
}

func (e *errRejected) Error() string { return e.Reason }

// errFailed is for a sign-in that failed for a reason that the user can't fix.
func errFailed(format string, args ...any) *errRejected {
	return &errRejected{
		"The sign-in failed",
		"Your identity provider and Slipway don't work together as they should. Ask your administrator to check the audit log.",
		fmt.Sprintf(format, args...),
	}
}

// errDenied is for a user who is known to the provider but has no access here.
func (c Connection) errDenied(dealership, format string, args ...any) *errRejected {
	ask := "an administrator of " + dealership
	if c.SupportContact != nil {
		ask = *c.SupportContact
	}
	return &errRejected{
		"You don't have access", "You signed in, but you don't have access to " + dealership + ". To get access, ask " + ask + ".",
		fmt.Sprintf(format, args...),
	}
}

// googleIssuer is the issuer of all Google accounts, of companies and of people.
const googleIssuer = "https://accounts.google.com"

// checkEmail returns why the email address of an identity can't be used to create or
// link a user, or "".
func (c Connection) checkEmail(id identity, p profile) string {
	domain := domainOf(p.Email)
	i := slices.IndexFunc(c.Verifications, func(v Verification) bool { return v.Domain == domain })
	switch {
	case p.Email == "":
		return "The provider sent no email address. Send it in the claim or attribute email, or set attribute_names.email."
	case !p.Verified:
		return "The provider says that the email address is not verified (email_verified)."
	case i < 0:
		return "The email domain " + domain + " is not a domain of this connection. Add it to domains."
	case c.Verifications[i].VerifiedAt == nil:
		return "The email domain " + domain + " is not verified. Create its TXT record, or ask the operator to verify it."
	case id.Issuer == googleIssuer && !slices.Contains(id.Attributes["hd"], domain):
		// A personal Google account can have a work address, even after the person has left.
		return "The Google account is not managed by " + domain + " (claim hd)."
	}
	return ""
}

// rolesFor returns the roles that the groups of a user map to. Groups are compared
// exactly. It returns false if the user must be denied access.
func (c Connection) rolesFor(groups []string) (ids []string, ok bool) {
	for _, m := range c.GroupMapping {
		if slices.Contains(groups, m.Group) && !slices.Contains(ids, m.RoleID) {
			ids = append(ids, m.RoleID)
		}
	}
	if len(ids) == 0 && c.DefaultRoleID != nil {
		ids = append(ids, *c.DefaultRoleID)
	}
	return ids, len(ids) > 0
}

// withoutOwner removes the owner role, unless the mapping can assign it.
func (c Connection) withoutOwner(roles []people.Role) []people.Role {
	if c.AllowOwnerRole {
		return roles
	}
	return slices.DeleteFunc(slices.Clone(roles), people.Role.IsOwner)
}

const (
	// minSession and maxSession limit what a provider decides about a session.
	minSession = time.Minute
	maxSession = 30 * 24 * time.Hour
	// defaultSession is for a provider that doesn't decide.
	defaultSession = 12 * time.Hour
)

// expiry returns when a session of an identity ends.
func (id identity) expiry(now time.Time) time.Time {
	if id.ExpiresAt.IsZero() {
		return now.Add(defaultSession)
	}
	return now.Add(min(max(id.ExpiresAt.Sub(now), minSession), maxSession)).Truncate(time.Millisecond)
}
