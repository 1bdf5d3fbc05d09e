package access

import (
	"context"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Locate returns the location that an object belongs to, or "" if it belongs to none. An object
// that doesn't exist is a not-found error.
type Locate func(ctx context.Context, tx *db.Tx, id string) (string, error)

// CheckLocations fails if a request is about an object at a location that is not one of the
// caller's.
func (a *Authenticator) CheckLocations(ctx context.Context, ids []string) error {
	_, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (none struct{}, err error) {
		return none, CheckObjects(ctx, tx, ids)
	})
	return err
}

// CheckObjects fails if one of the objects belongs to a location that is not one of the caller's.
// Objects that don't exist are left to the operation.
func CheckObjects(ctx context.Context, tx *db.Tx, ids []string) error {
	caller := auth.From(ctx)
	if caller.Locations == nil {
		return nil
	}
	for _, id := range ids {
		prefix, _, _ := strings.Cut(id, "_")
		locate := db.Attached[Hooks](tx).Locate[prefix]
		if locate == nil {
			continue
		}
		at, err := locate(ctx, tx, id)
		switch {
		case fault.KindOf(err) == fault.KindNotFound || err == nil && caller.Reaches(at):
			continue
		case err != nil:
			return err
		}
		return fault.Forbidden("%s belongs to another location. Your roles are limited to your own locations.", id).
			Detail("Authorization", "other_location", "doesn't include the location of %s", id)
	}
	return nil
}
