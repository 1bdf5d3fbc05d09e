package people

import (
	"context"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// These functions let the identity provider of a connection create users and set
// their roles. The sso package decides whether it can.

// FindRole returns a role.
func FindRole(ctx context.Context, tx *db.Tx, id string) (Role, error) {
	return roles.Find(ctx, tx, id)
}

// IsOwner reports whether this is the built-in owner role.
func (r Role) IsOwner() bool { return r.BuiltIn && r.Name == ownerRole }

// IsOwner reports whether the user is an active owner.
func (u User) IsOwner() bool { return u.isOwner() }

// ProvisionSSO creates an active user without a password. The user has the subject at the
// identity provider.
func ProvisionSSO(ctx context.Context, tx *db.Tx, u User, assigned []Role) (User, error) {
	u.Status = Active
	if err := u.check(); err != nil {
		return u, err
	}
	if err := insertUser(ctx, tx, &u, assigned); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.provisioned", u.ID, events.Change{After: u})
}

// LinkSSO sets or clears the subject of a user at the identity provider. A user who
// has not accepted the invitation becomes active. Links to set a password end.
func LinkSSO(ctx context.Context, tx *db.Tx, u User, subject *string) (User, error) {
	before, event := u, "user.updated"
	u.SSOSubject = subject
	if subject != nil && u.Status == Invited {
		u.Status, event = Active, "user.activated"
	}
	if subject != nil { // a link to set a password that was sent earlier
		if err := endLinks(ctx, tx, u); err != nil {
			return u, err
		}
	}
	if err := saveUser(ctx, tx, &u); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, event, u.ID, events.Change{Before: before, After: u})
}

// SetSSORoles replaces the roles of a user with those of the groups at the identity
// provider. Unless the groups decide about the owner role, it stays as it is. The
// last owner always keeps it, because no one could give it back. The caller has
// locked the user.
func SetSSORoles(ctx context.Context, tx *db.Tx, u User, assigned []Role, withOwner bool) (User, error) {
	owner, err := db.One[Role](ctx, tx, `SELECT {cols} FROM roles WHERE env = ? AND built_in AND name = ?`, tx.Env, ownerRole)
	if err != nil {
		return u, err
	}
	had := slices.ContainsFunc(u.Roles, func(r UserRole) bool { return r.ID == owner.ID })
	gets := slices.ContainsFunc(assigned, func(r Role) bool { return r.ID == owner.ID })
	if had && !gets && withOwner && u.isOwner() {
		if withOwner, err = hasOtherOwner(ctx, tx, u); err != nil {
			return u, err
		}
	}
	if had && !gets && !withOwner {
		assigned = append(slices.Clone(assigned), owner)
	}
	if !had && gets && !withOwner {
		assigned = slices.DeleteFunc(slices.Clone(assigned), func(r Role) bool { return r.ID == owner.ID })
	}
	if sameRoles(u.Roles, assigned) {
		return u, nil
	}

	before := u
	if err := replaceRoles(ctx, tx, &u, assigned); err != nil {
		return u, err
	}
	if err := users.Save(ctx, tx, &u); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.roles_assigned", u.ID, events.Change{Before: before, After: u})
}

// hasOtherOwner reports whether the environment has another active owner. It locks
// the dealership, for the same reason as requireOwner.
func hasOtherOwner(ctx context.Context, tx *db.Tx, u User) (bool, error) {
	if err := dealership.Lock(ctx, tx); err != nil {
		return false, err
	}
	n, err := countOwners(ctx, tx, u.ID)
	return n > 0, err
}

func sameRoles(current []UserRole, assigned []Role) bool {
	if len(current) != len(assigned) {
		return false
	}
	return !slices.ContainsFunc(assigned, func(r Role) bool {
		return !slices.ContainsFunc(current, func(c UserRole) bool { return c.ID == r.ID })
	})
}

// ProvisionTestUser creates an active user without a password in the test environment,
// with the built-in roles of a live user.
func ProvisionTestUser(ctx context.Context, tx *db.Tx, live User) (User, error) {
	all, err := db.All[Role](ctx, tx, `SELECT {cols} FROM roles WHERE env = ? AND built_in ORDER BY id`, tx.Env)
	if err != nil {
		return User{}, err
	}
	var assigned []Role
	for _, r := range all {
		if slices.ContainsFunc(live.Roles, func(has UserRole) bool { return has.Name == r.Name }) {
			assigned = append(assigned, r)
		}
	}

	u := User{Email: live.Email, Name: live.Name, Status: Active}
	if err := insertUser(ctx, tx, &u, assigned); err != nil {
		return u, err
	}
	return u, events.Emit(ctx, tx, "user.provisioned", u.ID, events.Change{After: u})
}
