package dealership

import (
	"context"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Create adds a dealership with both of its environments.
func Create(ctx context.Context, tx *db.Tx, name string, plan Plan) ([]Dealership, error) {
	last, err := db.One[int64](ctx, tx, `SELECT COALESCE(MAX(env), 0) FROM dealerships`)
	if err != nil {
		return nil, err
	}

	var created []Dealership
	id := tx.NewID("dlr")
	for i, mode := range []auth.Mode{auth.Live, auth.Test} {
		d := Dealership{
			Env: auth.Env(last) + auth.Env(i) + 1, ID: id, Mode: mode,
			Name: name, Plan: plan, Timezone: "America/New_York", Settings: defaultSettings,
			Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		}
		tx := tx.In(d.Env)
		if err := db.Insert(ctx, tx, "dealerships", d); err != nil {
			return nil, err
		}
		if err := audit.StartChain(ctx, tx); err != nil {
			return nil, err
		}
		if err := events.Emit(ctx, tx, "dealership.created", d.ID, nil, d); err != nil {
			return nil, err
		}
		created = append(created, d)
	}
	return created, nil
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

// Lock makes transactions that change the same environment wait for each other.
func Lock(ctx context.Context, tx *db.Tx) error {
	return db.LockRow(ctx, tx, `SELECT env FROM dealerships WHERE env = ?`, tx.Env)
}
