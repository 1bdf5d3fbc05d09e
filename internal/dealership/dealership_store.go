package dealership

import (
	"context"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
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
	for i, mode := range []auth.Mode{auth.Live, auth.Test} {
		d := Dealership{
			Env: auth.Env(last) + auth.Env(i) + 1, ID: id, Mode: mode,
			Name: f.Name, Plan: f.Plan, Timezone: "America/New_York", Settings: defaultSettings,
			Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		}
		tx := tx.In(d.Env)
		if err := db.Insert(ctx, tx, "dealerships", d); err != nil {
			return nil, nil, err
		}
		if err := audit.Begin(ctx, tx); err != nil {
			return nil, nil, err
		}
		owner, err := insertOwner(ctx, tx, f)
		if err != nil {
			return nil, nil, err
		}
		if err := events.Emit(ctx, tx, "dealership.created", d.ID, nil, d); err != nil {
			return nil, nil, err
		}
		founded, owners = append(founded, d), append(owners, owner)
	}
	return founded, owners, nil
}

func insertOwner(ctx context.Context, tx *db.Tx, f Founding) (User, error) {
	owner := User{Email: f.OwnerEmail, Name: f.OwnerName, Status: Active, PasswordHash: &f.PasswordHash}
	if err := owner.check(); err != nil {
		return owner, err
	}
	var held []Role
	for _, r := range builtIn {
		r.BuiltIn = true
		if err := insertRole(ctx, tx, &r); err != nil {
			return owner, err
		}
		if r.Name == ownerRole {
			held = append(held, r)
		}
	}
	if err := insertUser(ctx, tx, &owner, held); err != nil {
		return owner, err
	}
	return owner, events.Emit(ctx, tx, "user.provisioned", owner.ID, nil, owner)
}

// FindEnvironment returns one environment of a dealership, by the
// dealership's id.
func FindEnvironment(ctx context.Context, tx *db.Tx, id string, mode auth.Mode) (Dealership, error) {
	d, err := db.One[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE id = ? AND mode = ?`, id, mode)
	if db.IsNoRows(err) {
		return d, fault.NotFound("dealership", id)
	}
	return d, err
}

// Environments lists the environments of a dealership, or of all for "".
func Environments(ctx context.Context, tx *db.Tx, id string) ([]Dealership, error) {
	all, err := db.All[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE id = ? OR ? = '' ORDER BY env`, id, id)
	if err == nil && len(all) == 0 && id != "" {
		return nil, fault.NotFound("dealership", id)
	}
	return all, err
}

// Find returns an environment's dealership.
func Find(ctx context.Context, tx *db.Tx) (Dealership, error) {
	return db.One[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE env = ?`, tx.Env)
}

func save(ctx context.Context, tx *db.Tx, d *Dealership) error {
	was := d.Version
	d.Version, d.UpdatedAt = was+1, tx.Now
	return db.Changed(db.Update(ctx, tx, "dealerships", d, "env = ? AND version = ?", d.Env, was))
}
