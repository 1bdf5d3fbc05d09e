package hulls

import (
	"context"
	"reflect"
	"slices"

	"slipway/internal/platform/db"
)

// Follower is a feature that depends on hulls and acts on each change of a
// hull, in the transaction of the change. It can set PublishedChannels.
type Follower struct {
	// Insert is called before new hulls are written. The function that it
	// returns is called after they are written, with their events.
	Insert func(ctx context.Context, tx *db.Tx, hulls []*Hull) (inserted func() error, err error)
	// Save is called after a hull is written. The row is locked. Visible means
	// that a listing of the hull must be published again.
	Save func(ctx context.Context, tx *db.Tx, h *Hull, visible bool) error
}

// Touch records a change that is not in the hull's row, such as a photo or the
// specifications. The hull gets a new version, and is listed again if the change is
// visible, so that clients and partners who look for changes find it. The hull must
// be locked.
func Touch(ctx context.Context, tx *db.Tx, h *Hull, visible bool) error {
	if err := hulls.Save(ctx, tx, h); err != nil {
		return err
	}
	return follow(ctx, tx, h, visible)
}

func follow(ctx context.Context, tx *db.Tx, h *Hull, visible bool) error {
	before := slices.Clone(h.PublishedChannels)
	if err := db.Attached[Hooks](tx).Listings.Save(ctx, tx, h, visible); err != nil {
		return err
	}

	if slices.Equal(before, h.PublishedChannels) {
		return nil
	}
	return db.Changed(db.Update(ctx, tx, "hulls", h, "env = ? AND id = ?", h.Env, h.ID))
}

// SaveChannels writes a locked hull after its PublishedChannels changed. The
// listings have their own events, so the hull has none.
func SaveChannels(ctx context.Context, tx *db.Tx, h *Hull) error {
	h.Version, h.UpdatedAt = h.Version+1, tx.Now
	return db.Changed(db.Update(ctx, tx, "hulls", h, "env = ? AND id = ?", h.Env, h.ID))
}

// shown is what a listing shows of a hull. It lists what is public, so that a new field
// is secret until it is added. Specifications and captions of photos have other rows.
type shown struct {
	HIN, StockNumber, Title, Description, ReceivedOn, PrimaryPhoto *string
	Make, Model, LocationID                                        string

	Condition      Condition
	Category       Category
	PriceType      PriceType
	BoatClass      *BoatClass
	Status         Status
	Year, PriceUSD int64
	PhotoCount     int64
	LengthFt       float64
	PriceHidden    bool
	MSRPUSD        *int64
}

func (h Hull) shown() shown {
	s := shown{
		HIN: h.HIN, StockNumber: h.StockNumber, Title: h.Title, Description: h.Description, ReceivedOn: h.ReceivedOn, PrimaryPhoto: h.PrimaryPhoto,
		Make: h.Make, Model: h.Model, Condition: h.Condition, Category: h.Category, LocationID: h.LocationID, PriceType: h.PriceType,
		BoatClass: h.BoatClass, Status: h.Status, Year: h.Year, PriceUSD: h.PriceUSD, PhotoCount: h.PhotoCount, LengthFt: h.LengthFt,
		PriceHidden: h.PriceHidden, MSRPUSD: h.MSRPUSD,
	}
	if h.PriceHidden || h.PriceType == Call {
		s.PriceUSD = 0
	}
	return s
}

// visiblyChanged reports whether a change affects what a listing of the hull shows.
func visiblyChanged(before, after Hull) bool {
	return !reflect.DeepEqual(before.shown(), after.shown())
}
