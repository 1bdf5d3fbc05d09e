package people

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// FindRole returns a role.
func FindRole(ctx context.Context, tx *db.Tx, id string) (Role, error) {
	r, err := db.One[Role](ctx, tx, `SELECT {cols} FROM roles WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return r, fault.NotFound("role", id)
	}
	return r, err
}

func listRoles(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[Role], error) {
	if err := q.Check("role"); err != nil {
		return page.Page[Role]{}, err
	}
	w := &db.Where{}
	w.And("env = ?", tx.Env)
	return db.List[Role](ctx, tx, db.From("roles"), q, w)
}

func insertRole(ctx context.Context, tx *db.Tx, r *Role) error {
	if err := roleNameIsFree(ctx, tx, *r); err != nil {
		return err
	}
	r.Env, r.ID, r.Version, r.CreatedAt, r.UpdatedAt = tx.Env, tx.NewID("role"), 1, tx.Now, tx.Now
	return db.Insert(ctx, tx, "roles", *r)
}

func saveRole(ctx context.Context, tx *db.Tx, r *Role) error {
	if err := roleNameIsFree(ctx, tx, *r); err != nil {
		return err
	}
	was := r.Version
	r.Version, r.UpdatedAt = was+1, tx.Now
	return db.Changed(db.Update(ctx, tx, "roles", r, "env = ? AND id = ? AND version = ?", r.Env, r.ID, was))
}

// roleNameIsFree names the role that has the name; the unique index is the guard.
func roleNameIsFree(ctx context.Context, tx *db.Tx, r Role) error {
	other, err := db.All[string](ctx, tx, `SELECT id FROM roles WHERE env = ? AND name = ? AND id <> ?`, tx.Env, r.Name, r.ID)
	if err != nil || len(other) == 0 {
		return err
	}
	return fault.Conflict("name %s is already used by role %s.", r.Name, other[0]).Detail("name", "duplicate", "is already used by %s", other[0])
}

func removeRole(ctx context.Context, tx *db.Tx, r Role) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM roles WHERE env = ? AND id = ?`, r.Env, r.ID)
	if db.IsForeignKey(err) {
		return fault.Conflict("This role is assigned to users. Assign them another role first.").Detail("role_id", "state", "must have no users").WithCause(err)
	}
	return err
}

// rolesByID returns the roles of these ids, or blames the field for one that
// is not there.
func rolesByID(ctx context.Context, tx *db.Tx, ids []string) ([]Role, error) {
	var roles []Role
	var bad fault.Fields
	for _, id := range ids {
		r, err := FindRole(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			bad.Add("role_ids", "not_found", "contains %s, which doesn't exist", id)
			continue
		}
		if err != nil {
			return nil, err
		}
		roles = append(roles, r)
	}
	return roles, bad.Err()
}

// ScopesOf are all that a user's roles allow.
func ScopesOf(ctx context.Context, tx *db.Tx, u User) ([]auth.Scope, error) {
	roles, err := db.All[Role](ctx, tx, `SELECT {r.cols} FROM user_roles u JOIN roles r ON r.env = u.env AND r.id = u.role_id
		WHERE u.env = ? AND u.user_id = ?`, u.Env, u.ID)
	return scopesOf(roles), err
}

func scopesOf(roles []Role) (scopes []auth.Scope) {
	for _, r := range roles {
		scopes = append(scopes, r.Scopes...)
	}
	return scopes
}
