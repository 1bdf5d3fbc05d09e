package scim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
)

// group is a group at the identity provider of a connection.
type group struct {
	Env          auth.Env  `db:"env"`
	ID           string    `db:"id"`
	ConnectionID string    `db:"connection_id"`
	DisplayName  string    `db:"display_name"`
	NameKey      string    `db:"display_name_key"` // in lower case
	ExternalID   string    `db:"external_id"`
	Version      int64     `db:"version"`
	CreatedAt    time.Time `db:"created_at"`
	UpdatedAt    time.Time `db:"updated_at"`

	members []groupMember
}

// groupMember is a user in a group.
type groupMember struct {
	GroupID string `db:"group_id"`
	UserID  string `db:"user_id"`
}

func (g group) version() string { return fmt.Sprintf(`W/"%d"`, g.Version) }

// userIDs returns the members.
func (g group) userIDs() []string {
	ids := make([]string, 0, len(g.members))
	for _, m := range g.members {
		ids = append(ids, m.UserID)
	}
	return ids
}

// resource returns the group for a response.
func (g group) resource(base string) resource {
	r := resource{
		"schemas": []string{groupSchema}, "id": g.ID, "displayName": g.DisplayName,
		"meta": meta{"Group", "/Groups/" + g.ID, g.CreatedAt, g.UpdatedAt, g.version()}.describe(base),
	}
	if g.ExternalID != "" {
		r["externalId"] = g.ExternalID
	}
	members := []any{}
	for _, id := range g.userIDs() {
		members = append(members, map[string]any{"value": id, "$ref": base + "/Users/" + id, "type": "User"})
	}
	r["members"] = members
	return r
}

// names are what a role mapping can call the groups. Some providers send the name at a
// sign-in, and others the ID.
func names(groups []group) (all []string) {
	for _, g := range groups {
		all = append(all, g.DisplayName)
		if g.ExternalID != "" {
			all = append(all, g.ExternalID)
		}
	}
	return all
}

// maxMembers is how many users a group can have.
const maxMembers = 5000

// newGroup is a group as the provider sends it.
type newGroup struct {
	displayName, externalID string
	userIDs                 []string
}

// parseGroup reads a group.
func parseGroup(o object) (g newGroup, err error) {
	if g.displayName, err = o.text("displayname"); err != nil {
		return g, err
	}
	if g.externalID, err = o.text("externalid"); err != nil {
		return g, err
	}
	if strings.TrimSpace(g.displayName) == "" {
		return g, errInvalid("invalidValue", "displayName is required.")
	}
	members := o.list("members")
	if len(members) > maxMembers {
		return g, errInvalid("tooMany", "A group can have at most %d members.", maxMembers)
	}
	for _, v := range members {
		id, ok := v.(string)
		if m, isObject := v.(object); isObject {
			id, ok = m["value"].(string)
		}
		if !ok || id == "" || checkText("members", id) != nil {
			return g, errInvalid("invalidValue", "members must be objects with the ID of a user as the value.")
		}
		g.userIDs = append(g.userIDs, id)
	}
	slices.Sort(g.userIDs)
	g.userIDs = slices.Compact(g.userIDs)
	return g, nil
}

// changedMembers returns the users whose groups change. If the group has another name, it
// is all of them.
func changedMembers(before, after group) (ids []string) {
	renamed := before.DisplayName != after.DisplayName || before.ExternalID != after.ExternalID
	in := map[string]int{} // 1: before, 2: after
	for _, id := range before.userIDs() {
		in[id] |= 1
	}
	for _, id := range after.userIDs() {
		in[id] |= 2
	}
	for id, when := range in {
		if renamed || when != 3 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids) // users are locked in this order
	return ids
}
