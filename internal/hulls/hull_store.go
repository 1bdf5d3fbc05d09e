package hulls

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Find returns a hull.
func Find(ctx context.Context, tx *db.Tx, id string) (Hull, error) {
	h, err := db.One[Hull](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return h, fault.NotFound("hull", id)
	}
	complete(tx, &h)
	return h, err
}

// complete fills in what is not in the row: what depends on the moment.
func complete(tx *db.Tx, h *Hull) {
	h.derive(tx.Now)
	if h.PrimaryPhoto != nil {
		h.PrimaryPhotoURL = new(photoURL(tx, *h.PrimaryPhoto, "full"))
	} else {
		h.PrimaryPhotoURL = nil
	}
}

// insert adds a hull with its first price, its first line of history and the
// words it is found by.
func insert(ctx context.Context, tx *db.Tx, h *Hull) error {
	h.Env, h.ID, h.Version, h.CreatedAt, h.UpdatedAt = tx.Env, tx.NewID("hull"), 1, tx.Now, tx.Now
	if err := checkReferences(ctx, tx, *h, nil); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "hulls", *h); err != nil {
		return err
	}
	if err := indexTerms(ctx, tx, *h); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "hull_pricing", firstPricing(*h)); err != nil {
		return err
	}
	if err := recordPrice(ctx, tx, *h, nil, nil); err != nil {
		return err
	}
	if err := recordChange(ctx, tx, nil, *h, nil); err != nil {
		return err
	}
	if err := follow(ctx, tx, h, true); err != nil {
		return err
	}
	complete(tx, h)
	return events.Emit(ctx, tx, "hull.created", h.ID, nil, *h)
}

// save writes a changed hull, the history of what moved, and the event. Every
// change of a hull passes here, so here its listings follow.
func save(ctx context.Context, tx *db.Tx, before Hull, h *Hull, event string, reason *string) error {
	if err := checkReferences(ctx, tx, *h, &before); err != nil {
		return err
	}
	h.Version, h.UpdatedAt = before.Version+1, tx.Now
	if err := db.Changed(db.Update(ctx, tx, "hulls", h, "env = ? AND id = ? AND version = ?", h.Env, h.ID, before.Version)); err != nil {
		return err
	}
	if err := reindexTerms(ctx, tx, before, *h); err != nil {
		return err
	}
	if before.Status != h.Status || before.LocationID != h.LocationID {
		if err := recordChange(ctx, tx, &before, *h, reason); err != nil {
			return err
		}
	}
	if err := follow(ctx, tx, h, differs(before, *h)); err != nil {
		return err
	}
	complete(tx, h)
	return events.Emit(ctx, tx, event, h.ID, before, *h)
}

func recordChange(ctx context.Context, tx *db.Tx, before *Hull, h Hull, reason *string) error {
	c := firstChange(tx, h, auth.From(ctx).Actor)
	c.Reason = reason
	if before != nil {
		c.From, c.FromLocationID = &before.Status, &before.LocationID
	}
	return db.Insert(ctx, tx, "hull_history", c)
}

// firstChange is the line of the history that a new hull begins with.
func firstChange(tx *db.Tx, h Hull, by auth.Actor) HullChange {
	return HullChange{Env: h.Env, ID: tx.NewID("hst"), HullID: h.ID, To: h.Status, LocationID: h.LocationID, Actor: by, At: tx.Now}
}

// checkReferences refuses a location or an earlier hull that is not there, and
// a HIN or stock number that another hull has: the unique indexes are the
// guard, this names the other hull. What did not change is not checked again.
func checkReferences(ctx context.Context, tx *db.Tx, h Hull, before *Hull) error {
	var bad fault.Fields
	if before == nil || before.LocationID != h.LocationID {
		_, err := dealership.FindLocation(ctx, tx, h.LocationID)
		if err := missing(&bad, "location_id", err); err != nil {
			return err
		}
	}
	if h.PreviousHullID != nil && (before == nil || deref(before.PreviousHullID) != *h.PreviousHullID) {
		_, err := Find(ctx, tx, *h.PreviousHullID)
		if err := missing(&bad, "previous_hull_id", err); err != nil {
			return err
		}
	}
	if err := bad.Err(); err != nil {
		return err
	}
	if h.Status == Archived || h.Status == Delivered {
		return nil
	}
	for _, u := range []struct {
		column string
		value  *string
	}{{"hin", h.HIN}, {"stock_number", h.StockNumber}} {
		if u.value == nil {
			continue
		}
		other, err := db.All[string](ctx, tx, `SELECT id FROM hulls WHERE env = ? AND `+u.column+` = ? AND id <> ?
			AND status NOT IN ('archived', 'delivered')`, h.Env, *u.value, h.ID)
		if err != nil {
			return err
		}
		if len(other) > 0 {
			return fault.Conflict("Hull %s has the %s %s.", other[0], u.column, *u.value).Detail(u.column, "duplicate", "is that of %s", other[0])
		}
	}
	return nil
}

// missing turns "not found" into a complaint about the field that names it.
func missing(bad *fault.Fields, field string, err error) error {
	if fault.KindOf(err) == fault.KindNotFound {
		bad.Add(field, "not_found", "does not exist")
		return nil
	}
	return err
}
