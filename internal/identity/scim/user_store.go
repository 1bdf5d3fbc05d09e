package scim

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"slipway/internal/identity/people"
	"slipway/internal/identity/sso"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// Provisioned returns what the provider of a connection has sent about a user.
func Provisioned(ctx context.Context, tx *db.Tx, connectionID, userID string) (p sso.Provisioned, err error) {
	row, ok, err := findManaged(ctx, tx, userID)
	if err != nil || !ok || row.ConnectionID != connectionID || row.DeletedAt != nil {
		return p, err
	}
	groups, err := groupsOf(ctx, tx, connectionID, userID)
	return sso.Provisioned{Created: row.Provisioned, Groups: names(groups[userID])}, err
}

// findManaged returns what a provider says about a user. It returns false if none has changed
// the user.
func findManaged(ctx context.Context, tx *db.Tx, userID string) (managed, bool, error) {
	m, err := db.One[managed](ctx, tx, `SELECT {cols} FROM scim_users WHERE env = ? AND user_id = ?`, tx.Env, userID)
	if db.IsNoRows(err) {
		return m, false, nil
	}
	return m, err == nil, err
}

// save stores what the provider says about a user.
func (m *managed) save(ctx context.Context, tx *db.Tx) error {
	m.Version, m.UpdatedAt = m.Version+1, tx.Now
	if m.Version == 1 {
		m.CreatedAt = tx.Now
		return db.Insert(ctx, tx, "scim_users", *m)
	}
	return db.Changed(db.Update(ctx, tx, "scim_users", m, "env = ? AND user_id = ? AND version = ?", tx.Env, m.UserID, m.Version-1))
}

// see returns a user as a provider sees them. It returns false for a user who belongs to
// another connection or to none.
func see(ctx context.Context, tx *db.Tx, c sso.Connection, u people.User) (m member, ok bool, err error) {
	m.user = u
	if m.managed, ok, err = findManaged(ctx, tx, u.ID); err != nil {
		return m, false, err
	}
	if ok {
		return m, m.ConnectionID == c.ID && m.DeletedAt == nil, nil
	}
	m.managed = adopted(c.ID, u)
	if c.Owns(u.Email) {
		return m, true, nil
	}
	ok, err = sso.IsLinked(ctx, tx, c, u.ID)
	return m, ok, err
}

// findMember returns a user by ID.
func findMember(ctx context.Context, tx *db.Tx, c sso.Connection, id string) (m member, err error) {
	return memberBy(ctx, tx, c, id, people.FindUser)
}

// findMemberForUpdate returns a user by ID and locks it until the transaction ends.
func findMemberForUpdate(ctx context.Context, tx *db.Tx, c sso.Connection, id string) (m member, err error) {
	return memberBy(ctx, tx, c, id, people.FindUserForUpdate)
}

func memberBy(ctx context.Context, tx *db.Tx, c sso.Connection, id string,
	find func(ctx context.Context, tx *db.Tx, id string) (people.User, error),
) (m member, err error) {
	if checkText("id", id) != nil {
		return m, errNotFound("")
	}
	u, err := find(ctx, tx, id)
	if fault.KindOf(err) == fault.KindNotFound {
		return m, errNotFound(id)
	}
	if err != nil {
		return m, err
	}
	m, ok, err := see(ctx, tx, c, u)
	if err == nil && !ok {
		err = errNotFound(id)
	}
	if err != nil {
		return m, err
	}
	groups, err := groupsOf(ctx, tx, c.ID, id)
	m.groups = groups[id]
	return m, err
}

// listMembers returns the users that match the query, and how many there are. It evaluates
// the filter here: a dealership has few users, and filters of providers find one of them by
// an index.
func listMembers(ctx context.Context, tx *db.Tx, c sso.Connection, q query, base string) (shown []resource, total int, err error) {
	all, err := findCandidates(ctx, tx, c, q)
	if err != nil {
		return nil, 0, err
	}
	groups, err := groupsOf(ctx, tx, c.ID, "")
	if err != nil {
		return nil, 0, err
	}
	var found []resource
	for _, m := range all {
		m.groups = groups[m.user.ID]
		r := m.resource(base)
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

// matches reports whether a resource fulfills the filter of a query.
func (q query) matches(r resource) (bool, error) {
	if q.filter == nil {
		return true, nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	o, err := parseObject(text)
	return err == nil && q.filter.matches(o), err
}

// findCandidates returns the users that the filter of a query can match.
func findCandidates(ctx context.Context, tx *db.Tx, c sso.Connection, q query) ([]member, error) {
	if q.filter == nil {
		return allMembers(ctx, tx, c)
	}
	if id, ok := q.filter.required("id"); ok {
		return membersWith(ctx, tx, c, []string{id})
	}
	if name, ok := q.filter.required("username"); ok {
		ids, err := idsByName(ctx, tx, c, name)
		if err != nil {
			return nil, err
		}
		return membersWith(ctx, tx, c, ids)
	}
	if external, ok := q.filter.required("externalid"); ok {
		ids, err := db.All[string](ctx, tx, `SELECT user_id FROM scim_users WHERE env = ? AND connection_id = ? AND external_id = ? ORDER BY user_id`,
			tx.Env, c.ID, external)
		if err != nil {
			return nil, err
		}
		return membersWith(ctx, tx, c, ids)
	}
	return allMembers(ctx, tx, c)
}

// idsByName returns the users who have a userName, or whose email address it is if the
// provider has not changed them yet.
func idsByName(ctx context.Context, tx *db.Tx, c sso.Connection, name string) ([]string, error) {
	ids, err := db.All[string](ctx, tx, `SELECT user_id FROM scim_users WHERE env = ? AND connection_id = ? AND user_name_key = ? AND deleted_at IS NULL`,
		tx.Env, c.ID, strings.ToLower(name))
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	u, err := people.FindUserByEmail(ctx, tx, name)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, ok, err := see(ctx, tx, c, u)
	if err != nil || !ok || m.Version > 0 {
		return nil, err
	}
	return []string{u.ID}, nil
}

// membersWith returns the users with these IDs that the provider sees.
func membersWith(ctx context.Context, tx *db.Tx, c sso.Connection, ids []string) (all []member, err error) {
	for _, id := range ids {
		m, err := findMember(ctx, tx, c, id)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// allMembers returns all users that the provider sees, oldest first.
func allMembers(ctx context.Context, tx *db.Tx, c sso.Connection) (all []member, err error) {
	users, err := people.AllUsers(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows, err := db.All[managed](ctx, tx, `SELECT {cols} FROM scim_users WHERE env = ?`, tx.Env)
	if err != nil {
		return nil, err
	}
	linked, err := sso.LinkedUsers(ctx, tx, c)
	if err != nil {
		return nil, err
	}

	byID := map[string]managed{}
	for _, m := range rows {
		byID[m.UserID] = m
	}
	for _, u := range users {
		m, ok := byID[u.ID]
		switch {
		case ok && m.ConnectionID == c.ID && m.DeletedAt == nil:
			all = append(all, member{managed: m, user: u})
		case !ok && (c.Owns(u.Email) || slices.Contains(linked, u.ID)):
			all = append(all, member{managed: adopted(c.ID, u), user: u})
		}
	}
	return all, nil
}

// checkUserName returns an error if another user of the connection has the userName.
func checkUserName(ctx context.Context, tx *db.Tx, c sso.Connection, name, userID string) error {
	ids, err := idsByName(ctx, tx, c, name)
	if err == nil && slices.ContainsFunc(ids, func(id string) bool { return id != userID }) {
		err = errDuplicate("userName %s is already used by another user.", name)
	}
	return err
}

// createUser creates a user, or creates a user again who was deleted.
func (a *API) createUser(ctx context.Context, tx *db.Tx, c sso.Connection, p profile) (m member, err error) {
	if err := checkUserName(ctx, tx, c, p.userName, ""); err != nil {
		return m, err
	}
	if err := checkDomain(c, p.email); err != nil {
		return m, err
	}
	u, err := people.FindUserByEmail(ctx, tx, p.email)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		return a.provision(ctx, tx, c, p)
	case err != nil:
		return m, err
	}

	if u, err = people.FindUserForUpdate(ctx, tx, u.ID); err != nil {
		return m, err
	}
	row, ok, err := findManaged(ctx, tx, u.ID)
	if err != nil {
		return m, err
	}
	if !ok || row.ConnectionID != c.ID || row.DeletedAt == nil {
		return m, errDuplicate("The email address %s is already used by another user.", p.email)
	}
	row.DeletedAt = nil
	if p.active == nil {
		p.active = new(true)
	}
	return a.updateUser(ctx, tx, c, member{managed: row, user: u}, p)
}

// provision creates a user who doesn't exist.
func (a *API) provision(ctx context.Context, tx *db.Tx, c sso.Connection, p profile) (m member, err error) {
	roles, _, err := c.RolesFor(ctx, tx, people.User{}, nil)
	if err != nil {
		return m, err
	}
	if m.user, err = people.ProvisionSSO(ctx, tx, people.User{Email: p.email, Name: p.name()}, roles); err != nil {
		return m, err
	}
	m.managed = managed{Env: tx.Env, UserID: m.user.ID, ConnectionID: c.ID, Provisioned: true}
	p.to(&m.managed)
	if err := m.save(ctx, tx); err != nil {
		return m, err
	}
	if p.active != nil && !*p.active {
		m.user, err = people.Deactivate(ctx, tx, m.user, people.Leaving{})
	}
	return m, err
}

func checkDomain(c sso.Connection, email string) error {
	if !c.Owns(email) {
		return errInvalid("invalidValue", "The domain of %s is not a verified domain of this connection.", email)
	}
	return nil
}

// updateUser changes a user. The name and the email address of an administrator stay as
// they are, because a token of a connection is not proof.
func (a *API) updateUser(ctx context.Context, tx *db.Tx, c sso.Connection, m member, p profile) (member, error) {
	if err := checkUserName(ctx, tx, c, p.userName, m.user.ID); err != nil {
		return m, err
	}
	before, err := m.managed, error(nil)
	if !m.user.IsAdmin() {
		if p.email != m.email() && p.email != m.user.Email {
			if err := checkDomain(c, p.email); err != nil {
				return m, err
			}
		}
		if m.user, err = a.People.UpdateProvisioned(ctx, tx, m.user, p.name(), p.email); err != nil {
			return m, err
		}
	}

	switch active := m.active(); {
	case p.active == nil || *p.active == active:
	case active:
		m.user, err = people.Deactivate(ctx, tx, m.user, people.Leaving{})
	default:
		if m.user, err = people.ReactivateProvisioned(ctx, tx, m.user); err == nil {
			m.user, err = assignRoles(ctx, tx, c, m.user)
		}
	}
	if err != nil {
		return m, err
	}

	if p.to(&m.managed); m.Version > 0 && m.same(before) {
		return m, nil
	}
	if err := m.save(ctx, tx); err != nil {
		return m, err
	}
	return m, audit.Record(ctx, tx, "user.scim_updated", m.user.ID, map[string][2]any{
		"connection_id": {c.ID, c.ID}, "user_name": {before.UserName, m.UserName}, "external_id": {before.ExternalID, m.ExternalID},
	})
}

// deleteUser deactivates a user, whom the provider then no longer sees. The user stays,
// because deals and messages refer to them.
func deleteUser(ctx context.Context, tx *db.Tx, c sso.Connection, m member) (err error) {
	if m.active() {
		if m.user, err = people.Deactivate(ctx, tx, m.user, people.Leaving{}); err != nil {
			return err
		}
	}
	if err := leaveGroups(ctx, tx, m); err != nil {
		return err
	}
	row := managed{
		Env: tx.Env, UserID: m.user.ID, ConnectionID: c.ID, NameKey: m.user.ID, Provisioned: m.Provisioned,
		Version: m.Version, CreatedAt: m.managed.CreatedAt, DeletedAt: &tx.Now,
	}
	if err := row.save(ctx, tx); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "user.scim_deleted", m.user.ID, map[string][2]any{
		"connection_id": {c.ID, nil}, "user_name": {m.UserName, nil}, "external_id": {m.ExternalID, nil},
	})
}

// assignRoles sets the roles of a user by the user's groups, as a sign-in does.
func assignRoles(ctx context.Context, tx *db.Tx, c sso.Connection, u people.User) (people.User, error) {
	if len(c.GroupMapping) == 0 {
		return u, nil
	}
	groups, err := groupsOf(ctx, tx, c.ID, u.ID)
	if err != nil {
		return u, err
	}
	assigned, _, err := c.RolesFor(ctx, tx, u, names(groups[u.ID]))
	if err != nil {
		return u, err
	}
	if u, err = people.SetSSORoles(ctx, tx, u, assigned, c.AllowOwnerRole); err != nil || len(assigned) > 0 {
		return u, err
	}
	return u, sso.EndSessionsOfUser(ctx, tx, c, u.ID)
}
