package dealership

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

var locations = db.Table[Location]{Name: "locations", Prefix: "loc", Noun: "location"}

// FindLocation returns a location.
func FindLocation(ctx context.Context, tx *db.Tx, id string) (Location, error) {
	return locations.Find(ctx, tx, id)
}

// LocationOf returns the ID of a location that exists.
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	l, err := FindLocation(ctx, tx, id)
	return l.ID, err
}

// Locations returns all locations of the environment, for callers that need
// many of them.
func Locations(ctx context.Context, tx *db.Tx) ([]Location, error) {
	return db.All[Location](ctx, tx, `SELECT {cols} FROM locations WHERE env = ? ORDER BY id`, tx.Env)
}

// ZoneOf returns the IANA time zone of a location.
func ZoneOf(ctx context.Context, tx *db.Tx, locationID string) (string, error) {
	return AskZone(ctx, tx, locationID)()
}

// AskZone is ZoneOf with the answer later. See db.Ask.
func AskZone(ctx context.Context, tx *db.Tx, locationID string) func() (string, error) {
	asked := db.Ask[string](ctx, tx, `SELECT COALESCE(l.timezone, d.timezone) FROM locations l JOIN dealerships d ON d.env = l.env
		WHERE l.env = ? AND l.id = ?`, tx.Env, locationID)
	return func() (string, error) {
		zones, err := asked.All()
		if err != nil {
			return "", err
		}
		if len(zones) == 0 {
			return "", fault.NotFound(locations.Noun, locationID)
		}
		return zones[0], nil
	}
}

// Zones returns the IANA time zones of all locations, by location ID.
func Zones(ctx context.Context, tx *db.Tx) (map[string]string, error) {
	type row struct {
		ID   string `db:"id"`
		Zone string `db:"timezone"`
	}
	all, err := db.All[row](ctx, tx, `SELECT {cols} FROM (SELECT l.id, COALESCE(l.timezone, d.timezone) AS timezone
		FROM locations l JOIN dealerships d ON d.env = l.env WHERE l.env = ?) AS zones`, tx.Env)
	zones := map[string]string{}
	for _, r := range all {
		zones[r.ID] = r.Zone
	}
	return zones, err
}

func zonesChanged(ctx context.Context, tx *db.Tx) error {
	hooks := db.Attached[Hooks](tx)
	if err := hooks.UpdateHulls(ctx, tx); err != nil {
		return err
	}
	return hooks.UpdateAppointments(ctx, tx)
}

func insertLocation(ctx context.Context, tx *db.Tx, l *Location) error {
	if err := checkCode(ctx, tx, *l); err != nil {
		return err
	}
	if err := locations.Insert(ctx, tx, l); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "location.created", l.ID, events.Change{After: *l})
}

func saveLocation(ctx context.Context, tx *db.Tx, before Location, l *Location) error {
	if err := checkCode(ctx, tx, *l); err != nil {
		return err
	}
	if err := locations.Save(ctx, tx, l); err != nil {
		return err
	}
	if before.Timezone != l.Timezone { // it was set, perhaps to the same value
		if err := zonesChanged(ctx, tx); err != nil {
			return err
		}
	}
	return events.Emit(ctx, tx, "location.updated", l.ID, events.Change{Before: before, After: *l})
}

// checkCode returns an error that names the location with the same code. The
// unique index guards the rule.
func checkCode(ctx context.Context, tx *db.Tx, l Location) error {
	if l.Code == nil {
		return nil
	}
	return locations.CheckUnique(ctx, tx, l.ID, "code", *l.Code)
}

func deleteLocation(ctx context.Context, tx *db.Tx, l Location) error {
	err := locations.Delete(ctx, tx, l.ID)
	if db.IsForeignKey(err) {
		return fault.Conflict("The location has hulls. Move them to another location first.").
			Detail("location_id", "state", "must have no hulls").WithCause(err)
	}
	if err != nil {
		return err
	}
	return events.Emit(ctx, tx, "location.deleted", l.ID, events.Change{After: l})
}

// FirstAddressed returns the first location that has an address, or a zero
// location if none has one.
func FirstAddressed(ctx context.Context, tx *db.Tx) (Location, error) {
	l, err := db.One[Location](ctx, tx, `SELECT {cols} FROM locations WHERE env = ? AND address IS NOT NULL ORDER BY id LIMIT 1`, tx.Env)
	if db.IsNoRows(err) {
		return Location{}, nil
	}
	return l, err
}
