package people

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var roles = db.Table[Role]{Name: "roles", Prefix: "role", Noun: "role"}

// findCustomRole returns a role that is not built in.
func findCustomRole(ctx context.Context, tx *db.Tx, id string) (Role, error) {
	r, err := roles.Find(ctx, tx, id)
	if err != nil {
		return r, err
	}
	return r, r.checkCustom()
}

func insertRole(ctx context.Context, tx *db.Tx, r *Role) error {
	if err := roles.CheckUnique(ctx, tx, r.ID, "name", r.Name); err != nil {
		return err
	}
	return roles.Insert(ctx, tx, r)
}

func saveRole(ctx context.Context, tx *db.Tx, r *Role) error {
	if err := roles.CheckUnique(ctx, tx, r.ID, "name", r.Name); err != nil {
		return err
	}
	return roles.Save(ctx, tx, r)
}

func deleteRole(ctx context.Context, tx *db.Tx, r Role) error {
	err := roles.Delete(ctx, tx, r.ID)
	if db.IsForeignKey(err) {
		return fault.Conflict("This role is assigned to users. Assign them another role first.").
			Detail("role_id", "state", "refers to a role that is assigned to users").WithCause(err)
	}
	return err
}

// findRoles returns the roles with these IDs. A role that does not exist is an
// error of the field role_ids.
func findRoles(ctx context.Context, tx *db.Tx, ids []string) ([]Role, error) {
	var found []Role
	var bad fault.Fields
	for _, id := range ids {
		r, err := roles.Find(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			bad.Add("role_ids", "not_found", "contains %s, which doesn't exist", id)
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, bad.Err()
}

// ScopesOf returns the scopes of all roles of a user.
func ScopesOf(ctx context.Context, tx *db.Tx, u User) ([]auth.Scope, error) {
	assigned, err := db.All[Role](ctx, tx, `SELECT {r.cols} FROM user_roles u JOIN roles r ON r.env = u.env AND r.id = u.role_id
		WHERE u.env = ? AND u.user_id = ?`, u.Env, u.ID)
	return scopesOf(assigned), err
}

// ActiveWith returns the IDs of up to 20 active users who have a scope.
func ActiveWith(ctx context.Context, tx *db.Tx, scope auth.Scope) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM users WHERE env = ? AND status = ? AND id IN (
			SELECT u.user_id FROM user_roles u JOIN roles r ON r.env = u.env AND r.id = u.role_id WHERE u.env = ? AND r.scopes LIKE ?)
		ORDER BY id LIMIT 20`, tx.Env, Active, tx.Env, `%"`+string(scope)+`"%`)
}

func scopesOf(roles []Role) (scopes []auth.Scope) {
	for _, r := range roles {
		scopes = append(scopes, r.Scopes...)
	}
	return scopes
}

// RolesByScope returns the names of the roles that have each scope, built-in roles first, for
// people who ask who can do something. At most 20 roles are read.
func RolesByScope(ctx context.Context, tx *db.Tx) (map[auth.Scope][]string, error) {
	all, err := db.All[Role](ctx, tx, `SELECT {cols} FROM roles WHERE env = ? ORDER BY built_in DESC, id LIMIT 20`, tx.Env)
	names := map[auth.Scope][]string{}
	for _, r := range all {
		for _, s := range r.Scopes {
			names[s] = append(names[s], r.Name)
		}
	}
	return names, err
}
