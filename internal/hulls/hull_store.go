package hulls

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/hulls/photolink"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

var hulls = db.Table[Hull]{Name: "hulls", Prefix: "hull", Noun: "hull", Kept: true, Unique: "status NOT IN ('archived', 'delivered')", Loaded: Derive}

// Find returns a hull.
func Find(ctx context.Context, tx *db.Tx, id string) (Hull, error) { return hulls.Find(ctx, tx, id) }

// FindAll returns the hulls with these IDs that exist, by ID.
func FindAll(ctx context.Context, tx *db.Tx, ids []string) (map[string]Hull, error) {
	found := map[string]Hull{}
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := db.In(ids)
	all, err := db.All[Hull](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
	for _, h := range all {
		Derive(tx, &h)
		found[h.ID] = h
	}
	return found, err
}

// FindForUpdate returns a hull and locks it until the transaction ends.
func FindForUpdate(ctx context.Context, tx *db.Tx, id string) (Hull, error) {
	return hulls.FindForUpdate(ctx, tx, id)
}

// IDsAfter returns up to n IDs of hulls in ascending order.
func IDsAfter(ctx context.Context, tx *db.Tx, after string, n int) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT id FROM hulls WHERE env = ? AND id > ? ORDER BY id LIMIT ?`, tx.Env, after, n)
}

// Derive fills in the fields that are not columns. They depend on the current time.
func Derive(tx *db.Tx, h *Hull) {
	h.derive(tx.Now)
	h.PrimaryPhotoURL = nil
	if h.PrimaryPhoto != nil {
		h.PrimaryPhotoURL = new(photolink.URL(tx, *h.PrimaryPhoto, "full"))
	}
}

// insert adds one hull.
func insert(ctx context.Context, tx *db.Tx, h *Hull) error {
	if err := checkReferences(ctx, tx, h, nil); err != nil {
		return err
	}
	a := Addition{Hull: *h}
	err := insertRows(ctx, tx, &a)
	*h = a.Hull
	return err
}

// insertRows adds hulls with their first prices, the first lines of their
// history and their search terms, in a few statements for all of them.
func insertRows(ctx context.Context, tx *db.Tx, additions ...*Addition) error {
	added := make([]*Hull, len(additions))
	var terms []termRow
	var prices []HullPricing
	var priceChanges []PriceChange
	var history []HullChange
	actor := auth.From(ctx).Actor
	for i, a := range additions {
		h := &a.Hull
		added[i] = h
		hulls.Stamp(tx, h)
		pricing := firstPricing(*h, a.Cost)
		h.CostCents = pricing.totalCost()
		terms = append(terms, termRows(*h)...)
		prices = append(prices, pricing)
		priceChanges = append(priceChanges, firstPrice(tx, *h, actor))
		history = append(history, firstChange(tx, *h, actor))
	}

	inserted, err := db.Attached[Hooks](tx).Listings.Insert(ctx, tx, added)
	if err != nil {
		return err
	}
	rows := make([]Hull, len(added))
	for i, h := range added {
		Derive(tx, h)
		rows[i] = *h
	}

	for _, write := range []func() error{
		func() error { return db.Insert(ctx, tx, "hulls", rows...) },
		func() error { return db.Insert(ctx, tx, "hull_terms", terms...) },
		func() error { return db.Insert(ctx, tx, "hull_pricing", prices...) },
		func() error { return db.Insert(ctx, tx, "hull_price_changes", priceChanges...) },
		func() error { return db.Insert(ctx, tx, "hull_history", history...) },
	} {
		if err := write(); err != nil {
			return err
		}
	}

	for _, h := range rows {
		if err := events.Emit(ctx, tx, "hull.created", h.ID, events.Change{After: h}); err != nil {
			return err
		}
	}
	if err := inserted(); err != nil {
		return err
	}
	return insertSpecs(ctx, tx, additions)
}

// Cause is why a hull changed: the event that reports it, and the reason for its history.
type Cause struct {
	Event  string
	Reason *string
}

// Save writes a changed hull, its history and the event. Each change of a hull
// goes through here, so that followers see all of them.
func Save(ctx context.Context, tx *db.Tx, before Hull, h *Hull, c Cause) error {
	if err := checkReferences(ctx, tx, h, &before); err != nil {
		return err
	}

	h.setStockState()
	h.Version = before.Version
	if err := hulls.Save(ctx, tx, h); err != nil {
		return err
	}
	if err := updateTerms(ctx, tx, before, *h); err != nil {
		return err
	}
	if before.Status != h.Status || before.StockState != h.StockState || before.LocationID != h.LocationID {
		if err := recordChange(ctx, tx, before, *h, c.Reason); err != nil {
			return err
		}
	}

	if err := follow(ctx, tx, h, visiblyChanged(before, *h)); err != nil {
		return err
	}
	Derive(tx, h)
	return events.Emit(ctx, tx, c.Event, h.ID, events.Change{Before: before, After: *h})
}

func recordChange(ctx context.Context, tx *db.Tx, before, h Hull, reason *string) error {
	c := firstChange(tx, h, auth.From(ctx).Actor)
	c.From, c.FromLocationID, c.Reason = new(string(before.Status)), &before.LocationID, reason
	if before.Status == h.Status && before.StockState != h.StockState {
		c.From, c.To = new(string(before.StockState)), string(h.StockState)
	}
	if h.Hold != nil {
		if c.HeldFor = h.Hold.ContactID; c.HeldFor == nil {
			c.HeldFor = h.Hold.LeadID
		}
	}
	return db.Insert(ctx, tx, "hull_history", c)
}

// firstChange is the first line in the history of a new hull.
func firstChange(tx *db.Tx, h Hull, by auth.Actor) HullChange {
	return HullChange{Env: h.Env, ID: tx.NewID("hst"), HullID: h.ID, To: string(h.Status), LocationID: h.LocationID, Actor: by, At: tx.Now}
}

// checkReferences rejects a location or previous hull that does not exist, and
// a HIN or stock number that another hull uses. The unique indexes are the
// guard. This check names the other hull. Unchanged references are not checked.
// It sets the time zone of a new location. A new hull that has one was checked.
func checkReferences(ctx context.Context, tx *db.Tx, h *Hull, before *Hull) error {
	var zone func() (string, error)
	if before == nil && h.Timezone == "" || before != nil && before.LocationID != h.LocationID {
		zone = dealership.AskZone(ctx, tx, h.LocationID)
	}
	var unique []func() error
	if h.Status != Archived && h.Status != Delivered {
		if h.HIN != nil {
			unique = append(unique, hulls.AskUnique(ctx, tx, h.ID, "hin", *h.HIN))
		}
		if h.StockNumber != nil {
			unique = append(unique, hulls.AskUnique(ctx, tx, h.ID, "stock_number", *h.StockNumber))
		}
	}

	var bad fault.Fields
	if zone != nil {
		name, err := zone()
		if err := bad.AddNotFound("location_id", err); err != nil {
			return err
		}
		h.Timezone = name
	}
	if h.PreviousHullID != nil && (before == nil || null.Text(before.PreviousHullID) != *h.PreviousHullID) {
		_, err := Find(ctx, tx, *h.PreviousHullID)
		if err := bad.AddNotFound("previous_hull_id", err); err != nil {
			return err
		}
	}
	if err := bad.Err(); err != nil {
		return err
	}
	for _, check := range unique {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// zoneOf returns the time zone of a location, or "" if it doesn't exist. The error
// is then returned with those of the other references.
func zoneOf(ctx context.Context, tx *db.Tx, locationID string) (string, error) {
	zone, err := dealership.ZoneOf(ctx, tx, locationID)
	if fault.KindOf(err) == fault.KindNotFound {
		return "", nil
	}
	return zone, err
}

// zone returns the time zone of the new location, or "" if the location of the
// hull doesn't change.
func (p HullPatch) zone(ctx context.Context, tx *db.Tx, h Hull) (string, error) {
	if !p.LocationID.Set || p.LocationID.V == h.LocationID {
		return "", nil
	}
	return zoneOf(ctx, tx, p.LocationID.V)
}

// FollowZones updates the hulls of locations whose time zone has changed. The new
// version stops transactions that read the hull before.
func FollowZones(ctx context.Context, tx *db.Tx) error {
	zones, err := dealership.Zones(ctx, tx)
	if err != nil {
		return err
	}
	for location, zone := range zones {
		if _, err := db.Exec(ctx, tx, `UPDATE hulls SET timezone = ?, version = version + 1
			WHERE env = ? AND location_id = ? AND timezone <> ?`, zone, tx.Env, location, zone); err != nil {
			return err
		}
	}
	return nil
}
