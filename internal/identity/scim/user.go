package scim

import (
	"fmt"
	"net/mail"
	"strings"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/vocab/auth"
)

// managed is what the provider of a connection says about a user, as it was sent.
type managed struct {
	Env          auth.Env   `db:"env"`
	UserID       string     `db:"user_id"`
	ConnectionID string     `db:"connection_id"`
	UserName     string     `db:"user_name"`
	NameKey      string     `db:"user_name_key"` // in lower case, or the ID of a user who was deleted
	ExternalID   string     `db:"external_id"`
	DisplayName  string     `db:"display_name"`
	Formatted    string     `db:"formatted_name"`
	GivenName    string     `db:"given_name"`
	FamilyName   string     `db:"family_name"`
	Provisioned  bool       `db:"provisioned"` // created by the provider; otherwise the user existed before
	Version      int64      `db:"version"`     // 0 if it is not stored
	CreatedAt    time.Time  `db:"created_at"`
	UpdatedAt    time.Time  `db:"updated_at"`
	DeletedAt    *time.Time `db:"deleted_at"`
}

// member is a user as the provider of a connection sees them.
type member struct {
	managed
	user   people.User
	groups []group // without members
}

// adopted returns what a provider sees of a user that it has not changed yet.
func adopted(connectionID string, u people.User) managed {
	return managed{
		Env: u.Env, UserID: u.ID, ConnectionID: connectionID, UserName: u.Email, NameKey: u.Email, DisplayName: u.Name, Formatted: u.Name,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}
}

// active reports whether the provider sees the user as active. An invited user is.
func (m member) active() bool { return m.user.Status != people.Deactivated }

// email returns the address that the provider set, even if the user has not confirmed it.
func (m member) email() string {
	if m.user.PendingEmail != nil {
		return *m.user.PendingEmail
	}
	return m.user.Email
}

// version changes with the user and with what the provider says about the user.
func (m member) version() string { return fmt.Sprintf(`W/"%d.%d"`, m.user.Version, m.Version) }

// resource returns the user for a response.
func (m member) resource(base string) resource {
	r := resource{
		"schemas": []string{userSchema}, "id": m.user.ID, "userName": m.UserName, "active": m.active(),
		"emails": []any{map[string]any{"value": m.email(), "type": "work", "primary": true}},
		"meta":   m.meta().describe(base),
	}
	name := map[string]any{}
	for field, value := range map[string]string{"formatted": m.Formatted, "givenName": m.GivenName, "familyName": m.FamilyName} {
		if value != "" {
			name[field] = value
		}
	}
	if len(name) > 0 {
		r["name"] = name
	}
	if m.ExternalID != "" {
		r["externalId"] = m.ExternalID
	}
	if m.DisplayName != "" {
		r["displayName"] = m.DisplayName
	}
	var groups []any
	for _, g := range m.groups {
		groups = append(groups, map[string]any{"value": g.ID, "$ref": base + "/Groups/" + g.ID, "display": g.DisplayName, "type": "direct"})
	}
	if groups != nil {
		r["groups"] = groups
	}
	return r
}

func (m member) meta() meta {
	modified := m.user.UpdatedAt
	if m.UpdatedAt.After(modified) {
		modified = m.UpdatedAt
	}
	return meta{"User", "/Users/" + m.user.ID, m.user.CreatedAt, modified, m.version()}
}

// profile is a user as the provider sends it.
type profile struct {
	userName, externalID                       string
	displayName, formatted, givenName, famName string
	email                                      string
	active                                     *bool // nil if it is missing
}

// parseProfile reads a user. Attributes that Slipway doesn't have are ignored.
func parseProfile(o object) (p profile, err error) {
	name, _ := o["name"].(object)
	for _, field := range []struct {
		to   *string
		in   object
		attr string
	}{
		{&p.userName, o, "username"}, {&p.externalID, o, "externalid"}, {&p.displayName, o, "displayname"},
		{&p.formatted, name, "formatted"}, {&p.givenName, name, "givenname"}, {&p.famName, name, "familyname"},
	} {
		if *field.to, err = field.in.text(field.attr); err != nil {
			return p, err
		}
	}
	if p.userName == "" {
		return p, errInvalid("invalidValue", "userName is required.")
	}
	if o["active"] != nil {
		active, ok := toBool(o["active"])
		if !ok {
			return p, errInvalid("invalidValue", "active must be true or false.")
		}
		p.active = &active
	}
	p.email, err = parseEmail(o)
	return p, err
}

// parseEmail returns the address of a user: the primary one, the one for work, or the
// first. Without any, userName is the address.
func parseEmail(o object) (string, error) {
	best, rank := "", 0
	for _, v := range o.list("emails") {
		e, ok := v.(object)
		if !ok {
			return "", errInvalid("invalidValue", "emails must be objects with a value.")
		}
		value, err := e.text("value")
		if err != nil {
			return "", err
		}
		kind, _ := e["type"].(string)
		this := 1
		if primary, _ := toBool(e["primary"]); primary {
			this = 3
		} else if strings.EqualFold(kind, "work") {
			this = 2
		}
		if value != "" && this > rank {
			best, rank = value, this
		}
	}
	if best == "" {
		best, _ = o["username"].(string)
	}
	address, err := mail.ParseAddress(best)
	if err != nil || address.Name != "" || len(address.Address) > 254 {
		return "", errInvalid("invalidValue", "emails must contain an email address, unless userName is one.")
	}
	return strings.ToLower(address.Address), nil
}

// name returns the name of the user in Slipway.
func (p profile) name() string {
	local, _, _ := strings.Cut(p.email, "@")
	for _, name := range []string{p.displayName, p.formatted, p.givenName + " " + p.famName} {
		if name = strings.TrimSpace(name); name != "" {
			return string([]rune(name)[:min(len([]rune(name)), 200)])
		}
	}
	return local
}

// to stores what the provider sent.
func (p profile) to(m *managed) {
	m.UserName, m.NameKey, m.ExternalID = p.userName, strings.ToLower(p.userName), p.externalID
	m.DisplayName, m.Formatted, m.GivenName, m.FamilyName = p.displayName, p.formatted, p.givenName, p.famName
}

// same reports whether two users are stored in the same way.
func (m managed) same(o managed) bool {
	return m.UserName == o.UserName && m.ExternalID == o.ExternalID && m.DisplayName == o.DisplayName && m.Formatted == o.Formatted &&
		m.GivenName == o.GivenName && m.FamilyName == o.FamilyName && m.DeletedAt == nil && o.DeletedAt == nil
}
