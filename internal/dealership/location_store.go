package dealership

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// FindLocation returns a location.
func FindLocation(ctx context.Context, tx *db.Tx, id string) (Location, error) {
	l, err := db.One[Location](ctx, tx, `SELECT {cols} FROM locations WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return l, fault.NotFound("location", id)
	}
	return l, err
}

// Locations are all of an environment, for those who meet many of them.
func Locations(ctx context.Context, tx *db.Tx) ([]Location, error) {
	return db.All[Location](ctx, tx, `SELECT {cols} FROM locations WHERE env = ? ORDER BY id`, tx.Env)
}

func listLocations(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[Location], error) {
	if err := q.Check("loc"); err != nil {
		return page.Page[Location]{}, err
	}
	var w db.Where
	w.And("env = ?", tx.Env)
	return db.List[Location](ctx, tx, db.From("locations"), q, &w)
}

func insertLocation(ctx context.Context, tx *db.Tx, l *Location) error {
	if err := codeIsFree(ctx, tx, *l); err != nil {
		return err
	}
	l.Env, l.ID, l.Version, l.CreatedAt, l.UpdatedAt = tx.Env, tx.NewID("loc"), 1, tx.Now, tx.Now
	return db.Insert(ctx, tx, "locations", *l)
}

func saveLocation(ctx context.Context, tx *db.Tx, l *Location) error {
	if err := codeIsFree(ctx, tx, *l); err != nil {
		return err
	}
	was := l.Version
	l.Version, l.UpdatedAt = was+1, tx.Now
	return db.Changed(db.Update(ctx, tx, "locations", l, "env = ? AND id = ? AND version = ?", l.Env, l.ID, was))
}

// codeIsFree names the location that has the code; the unique index is the guard.
func codeIsFree(ctx context.Context, tx *db.Tx, l Location) error {
	if l.Code == nil {
		return nil
	}
	other, err := db.All[string](ctx, tx, `SELECT id FROM locations WHERE env = ? AND code = ? AND id <> ?`, tx.Env, *l.Code, l.ID)
	if err != nil || len(other) == 0 {
		return err
	}
	return fault.Conflict("code %s is already used by location %s.", *l.Code, other[0]).Detail("code", "duplicate", "is already used by %s", other[0])
}

func removeLocation(ctx context.Context, tx *db.Tx, l Location) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM locations WHERE env = ? AND id = ?`, l.Env, l.ID)
	if db.IsForeignKey(err) {
		return fault.Conflict("The location has hulls. Move them to another location first.").
			Detail("location_id", "state", "must have no hulls").WithCause(err)
	}
	return err
}

// FirstAddressed returns the first location that has an address, the zero one
// if none has.
func FirstAddressed(ctx context.Context, tx *db.Tx) (Location, error) {
	l, err := db.One[Location](ctx, tx, `SELECT {cols} FROM locations WHERE env = ? AND address IS NOT NULL ORDER BY id LIMIT 1`, tx.Env)
	if db.IsNoRows(err) {
		return Location{}, nil
	}
	return l, err
}
