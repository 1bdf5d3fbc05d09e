package dealership

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/page"
)

// ByLocation is the path parameter of a location.
type ByLocation struct {
	LocationID string `path:"location_id" doc:"ID of the location." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) listLocations(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Location], error) {
	return locations.List(ctx, tx, in.Query, nil)
}

func (a *API) createLocation(ctx context.Context, tx *db.Tx, in *struct{ Body LocationCreate }) (Location, error) {
	l := in.Body.location()
	if err := in.Body.Check(tx.Now); err != nil {
		return l, err
	}
	err := insertLocation(ctx, tx, &l)
	return l, err
}

func (a *API) getLocation(ctx context.Context, tx *db.Tx, in *ByLocation) (Location, error) {
	return FindLocation(ctx, tx, in.LocationID)
}

func (a *API) updateLocation(ctx context.Context, tx *db.Tx, in *struct {
	ByLocation
	Body LocationPatch
}) (Location, error) {
	return rest.Change(ctx, tx, FindLocation, in.LocationID, func(before Location, l *Location) error {
		if err := in.Body.apply(l); err != nil {
			return err
		}
		return saveLocation(ctx, tx, before, l)
	})
}

func (a *API) deleteLocation(ctx context.Context, tx *db.Tx, in *ByLocation) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, FindLocation, in.LocationID, func(l Location, _ *Location) error {
		return deleteLocation(ctx, tx, l)
	})
	return none, err
}
