package dealership

import (
	"context"
	"strings"

	"slipway/internal/db"
	"slipway/internal/events"
	"slipway/internal/fault"
	"slipway/internal/principal"
	"slipway/internal/scope"
)

// Founding is what a new dealership starts with.
type Founding struct {
	Name         string
	Plan         Plan
	OwnerEmail   string
	OwnerName    string
	PasswordHash string
}

// Found creates a dealership with both environments, the built-in roles and an
// owner in each. It returns the owners.
func Found(ctx context.Context, tx *db.Tx, f Founding) ([]Dealership, []User, error) {
	last, err := db.One[int64](ctx, tx, `SELECT COALESCE(MAX(env), 0) FROM dealerships`)
	if err != nil {
		return nil, nil, err
	}
	var founded []Dealership
	var owners []User
	id := tx.NewID("dlr")
	for i, mode := range []principal.Mode{principal.Live, principal.Test} {
		d := Dealership{
			Env: principal.Env(last) + principal.Env(i) + 1, ID: id, Mode: mode,
			Name: f.Name, Plan: f.Plan, Timezone: "America/New_York", Settings: defaultSettings,
			Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		}
		if err := db.Insert(ctx, tx, "dealerships", d); err != nil {
			return nil, nil, err
		}
		owner, err := insertOwner(ctx, tx, d.Env, f)
		if err != nil {
			return nil, nil, err
		}
		if err := events.Emit(ctx, tx, d.Env, "dealership.created", d.ID, nil, d); err != nil {
			return nil, nil, err
		}
		founded, owners = append(founded, d), append(owners, owner)
	}
	return founded, owners, nil
}

func insertOwner(ctx context.Context, tx *db.Tx, env principal.Env, f Founding) (User, error) {
	owner := User{
		Env: env, ID: tx.NewID("usr"), Email: strings.ToLower(f.OwnerEmail), Name: f.OwnerName, Status: "active",
		PasswordHash: &f.PasswordHash, Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	if err := db.Insert(ctx, tx, "users", owner); err != nil {
		return owner, err
	}
	for _, r := range builtIn {
		r.Env, r.ID, r.BuiltIn, r.Version, r.CreatedAt, r.UpdatedAt = env, tx.NewID("role"), true, 1, tx.Now, tx.Now
		if err := db.Insert(ctx, tx, "roles", r); err != nil {
			return owner, err
		}
		if r.Name != "owner" {
			continue
		}
		if _, err := db.Exec(ctx, tx, `INSERT INTO user_roles (env, user_id, role_id) VALUES (?, ?, ?)`, env, owner.ID, r.ID); err != nil {
			return owner, err
		}
	}
	return owner, events.Emit(ctx, tx, env, "user.provisioned", owner.ID, nil, owner)
}

// FindEnvironment returns one environment of a dealership, by the
// dealership's id.
func FindEnvironment(ctx context.Context, tx *db.Tx, id string, mode principal.Mode) (Dealership, error) {
	d, err := db.One[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE id = ? AND mode = ?`, id, mode)
	if db.IsNoRows(err) {
		return d, fault.NotFound("dealership", id)
	}
	return d, err
}

// Find returns an environment's dealership.
func Find(ctx context.Context, tx *db.Tx, env principal.Env) (Dealership, error) {
	return db.One[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE env = ?`, env)
}

// FindUserByEmail returns a user.
func FindUserByEmail(ctx context.Context, tx *db.Tx, env principal.Env, email string) (User, error) {
	u, err := db.One[User](ctx, tx, `SELECT {cols} FROM users WHERE env = ? AND email = ?`, env, strings.ToLower(email))
	if db.IsNoRows(err) {
		return u, fault.NotFound("user", email)
	}
	return u, err
}

// ScopesOf are all that a user's roles allow.
func ScopesOf(ctx context.Context, tx *db.Tx, u User) ([]scope.Scope, error) {
	roles, err := db.All[Role](ctx, tx, `SELECT {r.cols} FROM user_roles u JOIN roles r ON r.env = u.env AND r.id = u.role_id
		WHERE u.env = ? AND u.user_id = ?`, u.Env, u.ID)
	var scopes []scope.Scope
	for _, r := range roles {
		scopes = append(scopes, r.Scopes...)
	}
	return scopes, err
}
