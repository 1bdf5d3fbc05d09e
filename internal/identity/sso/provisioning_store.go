package sso

import (
	"context"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// These functions let the scim package manage the users of a connection.

// Hooks are what single sign-on calls in features that depend on it.
type Hooks struct {
	// Provisioned returns what the provider of a connection has sent about a user with SCIM.
	Provisioned func(ctx context.Context, tx *db.Tx, connectionID, userID string) (Provisioned, error)
}

// Provisioned is what a provider has sent about a user with SCIM.
type Provisioned struct {
	Created bool     // the provider created the user
	Groups  []string // names and IDs of the groups
}

// Connect attaches the hooks to the database.
func (a *API) Connect(h Hooks) { a.DB.AttachHooks(h) }

// Find returns a connection with its domains. The dealership must have the fleet plan.
func (a *API) Find(ctx context.Context, tx *db.Tx, id string) (Connection, error) {
	if err := requireFleet(ctx, tx); err != nil {
		return Connection{}, err
	}
	return a.find(ctx, tx, id)
}

// As returns a context where a connection acts.
func (c Connection) As(ctx context.Context, d dealership.Dealership) context.Context {
	return located{c, d}.as(ctx)
}

// Owns reports whether an email address has a verified domain of the connection.
func (c Connection) Owns(email string) bool {
	return slices.ContainsFunc(c.Verifications, func(v Verification) bool { return v.Domain == domainOf(email) && v.VerifiedAt != nil })
}

// LinkedUsers returns the users who have signed in with a connection.
func LinkedUsers(ctx context.Context, tx *db.Tx, c Connection) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT user_id FROM sso_identities WHERE env = ? AND connection_id = ? ORDER BY user_id`, c.Env, c.ID)
}

// IsLinked reports whether a user has signed in with a connection.
func IsLinked(ctx context.Context, tx *db.Tx, c Connection, userID string) (bool, error) {
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM sso_identities WHERE env = ? AND connection_id = ? AND user_id = ?`, c.Env, c.ID, userID)
	return n > 0, err
}

// RolesFor returns the roles that a user gets by groups that the provider has sent with
// SCIM. A role with the admin scope that the user doesn't have is pending: an administrator
// must assign it, because the token of a connection is not proof.
func (c Connection) RolesFor(ctx context.Context, tx *db.Tx, u people.User, groups []string) (assigned, pending []people.Role, err error) {
	ids, _ := c.rolesFor(groups)
	if c.DefaultRoleID != nil && !slices.Contains(ids, *c.DefaultRoleID) {
		ids = append(ids, *c.DefaultRoleID)
	}
	all, err := findRoles(ctx, tx, ids)
	for _, r := range c.withoutOwner(all) {
		held := slices.ContainsFunc(u.Roles, func(h people.UserRole) bool { return h.ID == r.ID })
		isDefault := c.DefaultRoleID != nil && r.ID == *c.DefaultRoleID && !slices.ContainsFunc(c.GroupMapping, func(m GroupRole) bool {
			return m.RoleID == r.ID && slices.Contains(groups, m.Group)
		})
		switch {
		case isDefault && len(assigned) > 0:
		case r.IsAdmin() && !held:
			pending = append(pending, r)
		default:
			assigned = append(assigned, r)
		}
	}
	return assigned, pending, err
}

// EndSessionsOfUser ends the sessions that a connection opened for a user.
func EndSessionsOfUser(ctx context.Context, tx *db.Tx, c Connection, userID string) error {
	rows, err := db.All[linkedIdentity](ctx, tx, `SELECT {cols} FROM sso_identities WHERE env = ? AND connection_id = ? AND user_id = ?`,
		c.Env, c.ID, userID)
	if err != nil {
		return err
	}
	for _, i := range rows {
		if _, err := endSessionsAt(ctx, tx, c, i.Subject, nil); err != nil {
			return err
		}
	}
	return nil
}

// findProvisioned returns the user that the provider created with SCIM and who has not
// signed in yet, or "". Like a user who is created at the first sign-in, the user needs
// no confirmation by email. An administrator does, and so does a user with a password.
func findProvisioned(ctx context.Context, tx *db.Tx, l located, id identity, p profile) (userID string, err error) {
	if l.checkEmail(id, p) != "" {
		return "", nil
	}
	u, err := people.FindUserByEmail(ctx, tx, p.Email)
	if fault.KindOf(err) == fault.KindNotFound {
		return "", nil
	}
	if err != nil || u.Status != people.Active || u.PasswordHash != nil || u.SSOSubject != nil || u.IsAdmin() {
		return "", err
	}
	found, err := db.Attached[Hooks](tx).Provisioned(ctx, tx, l.ID, u.ID)
	if err != nil || !found.Created {
		return "", err
	}
	return u.ID, nil
}
