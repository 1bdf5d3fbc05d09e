package dealership

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/page"
)

// ByLocation names a location.
type ByLocation struct {
	LocationID string `path:"location_id" example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listLocations(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Location], error) {
	return listLocations(ctx, tx, in.Query)
}

func (a *API) createLocation(ctx context.Context, tx *db.Tx, in *struct{ Body LocationCreate }) (Location, error) {
	l := in.Body.location()
	if err := in.Body.Check(tx.Now); err != nil {
		return l, err
	}
	if err := insertLocation(ctx, tx, &l); err != nil {
		return l, err
	}
	return l, events.Emit(ctx, tx, "location.created", l.ID, nil, l)
}

func (a *API) getLocation(ctx context.Context, tx *db.Tx, in *ByLocation) (Location, error) {
	return FindLocation(ctx, tx, in.LocationID)
}

func (a *API) updateLocation(ctx context.Context, tx *db.Tx, in *struct {
	ByLocation
	Body LocationPatch
}) (Location, error) {
	l, err := FindLocation(ctx, tx, in.LocationID)
	if err != nil {
		return l, err
	}
	if err := rest.CheckIfMatch(ctx, l.Version); err != nil {
		return l, err
	}
	before := l
	if err := in.Body.apply(&l); err != nil {
		return l, err
	}
	if err := saveLocation(ctx, tx, &l); err != nil {
		return l, err
	}
	return l, events.Emit(ctx, tx, "location.updated", l.ID, before, l)
}

func (a *API) deleteLocation(ctx context.Context, tx *db.Tx, in *ByLocation) (none rest.None, err error) {
	l, err := FindLocation(ctx, tx, in.LocationID)
	if err != nil {
		return none, err
	}
	if err := rest.CheckIfMatch(ctx, l.Version); err != nil {
		return none, err
	}
	if err := removeLocation(ctx, tx, l); err != nil {
		return none, err
	}
	return none, events.Emit(ctx, tx, "location.deleted", l.ID, nil, l)
}
