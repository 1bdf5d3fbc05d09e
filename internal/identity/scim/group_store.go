package scim

import (
	"context"
	"slices"
	"strings"

	"slipway/internal/identity/sso"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

var groups = db.Table[group]{Name: "scim_groups", Prefix: "grp", Noun: "group"}

// groupsOf returns the groups of a user, or of all users of a connection for "".
func groupsOf(ctx context.Context, tx *db.Tx, connectionID, userID string) (map[string][]group, error) {
	w := &db.Where{}
	w.And("m.env = ? AND g.env = ? AND g.connection_id = ?", tx.Env, tx.Env, connectionID)
	w.AndIf(userID != "", "m.user_id = ?", userID)
	found, err := db.All[struct {
		UserID string `db:"user_id"`
		group
	}](ctx, tx, `SELECT {cols} FROM (SELECT m.user_id, g.* FROM scim_members m JOIN scim_groups g ON g.env = m.env AND g.id = m.group_id
		WHERE `+w.String()+`) AS joined ORDER BY id`, w.Args...)
	byUser := map[string][]group{}
	for _, f := range found {
		byUser[f.UserID] = append(byUser[f.UserID], f.group)
	}
	return byUser, err
}

// findGroup returns a group of a connection with its members.
func findGroup(ctx context.Context, tx *db.Tx, c sso.Connection, id string) (group, error) {
	if checkText("id", id) != nil {
		return group{}, errNotFound("")
	}
	g, err := groups.Find(ctx, tx, id)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && g.ConnectionID != c.ID {
		return g, errNotFound(id)
	}
	if err != nil {
		return g, err
	}
	g.members, err = db.All[groupMember](ctx, tx, `SELECT {cols} FROM scim_members WHERE env = ? AND group_id = ? ORDER BY user_id`, tx.Env, id)
	return g, err
}

// listGroups returns the groups that match the query, and how many there are.
func listGroups(ctx context.Context, tx *db.Tx, c sso.Connection, q query, base string) (shown []resource, total int, err error) {
	more, args := "", []any{tx.Env, c.ID}
	if q.filter != nil {
		if id, ok := q.filter.required("id"); ok {
			more, args = more+" AND id = ?", append(args, id)
		}
		if name, ok := q.filter.required("displayname"); ok {
			more, args = more+" AND display_name_key = ?", append(args, strings.ToLower(name))
		}
	}
	all, err := db.All[group](ctx, tx, `SELECT {cols} FROM scim_groups WHERE env = ? AND connection_id = ?`+more+` ORDER BY id`, args...)
	if err != nil {
		return nil, 0, err
	}
	if q.wants("members") || q.filter != nil && q.filter.mentions("members") {
		if err := loadMembers(ctx, tx, c, all); err != nil {
			return nil, 0, err
		}
	}

	var found []resource
	for _, g := range all {
		r := g.resource(base)
		match, err := q.matches(r)
		if err != nil {
			return nil, 0, err
		}
		if match {
			found = append(found, r)
		}
	}
	return page(q, found), len(found), nil
}

// loadMembers fills in the members of groups.
func loadMembers(ctx context.Context, tx *db.Tx, c sso.Connection, all []group) error {
	if len(all) == 1 {
		g, err := findGroup(ctx, tx, c, all[0].ID)
		all[0] = g
		return err
	}
	byUser, err := groupsOf(ctx, tx, c.ID, "")
	if err != nil {
		return err
	}
	byGroup := map[string][]groupMember{}
	for userID, in := range byUser {
		for _, g := range in {
			byGroup[g.ID] = append(byGroup[g.ID], groupMember{g.ID, userID})
		}
	}
	for i, g := range all {
		all[i].members = byGroup[g.ID]
		slices.SortFunc(all[i].members, func(a, b groupMember) int { return strings.Compare(a.UserID, b.UserID) })
	}
	return nil
}

// saveGroup creates or changes a group and assigns the roles of its members.
func (a *API) saveGroup(ctx context.Context, tx *db.Tx, c sso.Connection, before group, n newGroup) (group, error) {
	g := before
	g.ConnectionID, g.DisplayName, g.NameKey, g.ExternalID = c.ID, n.displayName, strings.ToLower(n.displayName), n.externalID
	other, err := db.All[string](ctx, tx, `SELECT id FROM scim_groups WHERE env = ? AND connection_id = ? AND display_name_key = ? AND id <> ?`,
		tx.Env, c.ID, g.NameKey, g.ID)
	if err != nil {
		return g, err
	}
	if len(other) > 0 {
		return g, errDuplicate("displayName %s is already used by another group.", n.displayName)
	}

	g.members = nil
	for _, id := range n.userIDs {
		g.members = append(g.members, groupMember{g.ID, id})
	}
	changed := changedMembers(before, g)
	if before.ID != "" && len(changed) == 0 && before.DisplayName == g.DisplayName && before.ExternalID == g.ExternalID {
		return before, nil
	}
	action, save := "scim_group.updated", groups.Save
	if before.ID == "" {
		action, save = "scim_group.created", groups.Insert
	}
	if err := save(ctx, tx, &g); err != nil {
		return g, err
	}
	if err := replaceMembers(ctx, tx, c, before, &g); err != nil {
		return g, err
	}
	if err := assignRolesOf(ctx, tx, c, changed); err != nil {
		return g, err
	}
	return g, audit.Record(ctx, tx, action, g.ID, audit.Changes(before.audited(), g.audited()))
}

// audited is what the audit log shows of a group.
type audited struct {
	ConnectionID string   `json:"connection_id"`
	DisplayName  string   `json:"display_name"`
	ExternalID   string   `json:"external_id"`
	Members      []string `json:"members"`
}

func (g group) audited() audited {
	return audited{g.ConnectionID, g.DisplayName, g.ExternalID, g.userIDs()}
}

// replaceMembers stores the members of a group. New ones must be users that the provider
// sees, and then belong to the connection.
func replaceMembers(ctx context.Context, tx *db.Tx, c sso.Connection, before group, g *group) error {
	had := map[string]bool{}
	for _, id := range before.userIDs() {
		had[id] = true
	}
	for i, id := range g.userIDs() {
		if g.members[i].GroupID = g.ID; had[id] {
			delete(had, id)
			continue
		}
		m, err := findMemberForUpdate(ctx, tx, c, id)
		if isNotFound(err) {
			return errInvalid("invalidValue", "members contains %s, which is not a user of this connection.", id)
		}
		if err != nil {
			return err
		}
		if m.Version == 0 {
			if err := m.save(ctx, tx); err != nil {
				return err
			}
		}
		if _, err := db.Exec(ctx, tx, `INSERT INTO scim_members (env, group_id, user_id) VALUES (?, ?, ?)`, tx.Env, g.ID, id); err != nil {
			return err
		}
	}
	for id := range had {
		if _, err := db.Exec(ctx, tx, `DELETE FROM scim_members WHERE env = ? AND group_id = ? AND user_id = ?`, tx.Env, g.ID, id); err != nil {
			return err
		}
	}
	return nil
}

// assignRolesOf sets the roles of users by their groups.
func assignRolesOf(ctx context.Context, tx *db.Tx, c sso.Connection, ids []string) error {
	for _, id := range ids {
		m, err := findMemberForUpdate(ctx, tx, c, id)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := assignRoles(ctx, tx, c, m.user); err != nil {
			return err
		}
	}
	return nil
}

// deleteGroup deletes a group. Its members lose the roles that only it gave them.
func deleteGroup(ctx context.Context, tx *db.Tx, c sso.Connection, g group) error {
	if err := groups.Delete(ctx, tx, g.ID); err != nil {
		return err
	}
	if err := assignRolesOf(ctx, tx, c, g.userIDs()); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "scim_group.deleted", g.ID, audit.Changes(g.audited(), audited{}))
}

// leaveGroups removes a user from all groups. The groups get a new version.
func leaveGroups(ctx context.Context, tx *db.Tx, m member) error {
	for _, g := range m.groups {
		if err := groups.Save(ctx, tx, &g); err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM scim_members WHERE env = ? AND user_id = ?`, tx.Env, m.user.ID)
	return err
}

// countGroups returns the number of groups of a connection.
func countGroups(ctx context.Context, tx *db.Tx, connectionID string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM scim_groups WHERE env = ? AND connection_id = ?`, tx.Env, connectionID)
}

// countUsers returns the number of users that the provider of a connection has changed.
func countUsers(ctx context.Context, tx *db.Tx, connectionID string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM scim_users WHERE env = ? AND connection_id = ? AND deleted_at IS NULL`, tx.Env, connectionID)
}
