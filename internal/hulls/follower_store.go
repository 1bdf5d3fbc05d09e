package hulls

import (
	"context"
	"reflect"
	"slices"
	"time"

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

// Followers are the features that follow hulls. They are attached to the
// database, because deals and imports change hulls without an API value.
type Followers []Follower

// Touch records a change that is not in the hull's row, such as a photo or the
// specifications. The hull gets a new version and is listed again, so that
// clients and partners who look for changes find it. The hull must be locked.
func Touch(ctx context.Context, tx *db.Tx, h *Hull) error {
	if err := hulls.Save(ctx, tx, h); err != nil {
		return err
	}
	return follow(ctx, tx, h, true)
}

func follow(ctx context.Context, tx *db.Tx, h *Hull, visible bool) error {
	before := slices.Clone(h.PublishedChannels)
	for _, f := range db.Attached[Followers](tx) {
		if err := f.Save(ctx, tx, h, visible); err != nil {
			return err
		}
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

// visiblyChanged reports whether a change affects what a listing of the hull shows.
func visiblyChanged(before, after Hull) bool {
	for _, h := range []*Hull{&before, &after} {
		h.Version, h.UpdatedAt, h.PublishedChannels, h.Hold, h.DealID, h.Metadata, h.StatusBefore = 0, time.Time{}, nil, nil, nil, nil, nil
		h.DaysInStock, h.PrimaryPhotoURL, h.HINWarnings, h.ReceivedOn, h.SoldAt, h.PreviousHullID = nil, nil, nil, nil, nil, nil
	}
	return !reflect.DeepEqual(before, after)
}
