package photos

import (
	"context"
	"strings"

	"slipway/internal/hulls"
	"slipway/internal/hulls/photolink"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

var table = db.Table[HullPhoto]{Name: "hull_photos", Prefix: "pho", Noun: "photo"}

// findPhoto returns a photo of a hull.
func findPhoto(ctx context.Context, tx *db.Tx, h hulls.Hull, id string) (HullPhoto, error) {
	p, err := db.One[HullPhoto](ctx, tx, `SELECT {cols} FROM hull_photos WHERE env = ? AND id = ? AND hull_id = ?`, h.Env, id, h.ID)
	if db.IsNoRows(err) {
		return p, fault.NotFound("photo", id)
	}
	derive(tx, h, &p)
	return p, err
}

// derive fills in the fields that are not columns.
func derive(tx *db.Tx, h hulls.Hull, p *HullPhoto) {
	p.IsPrimary, p.URLs = null.Text(h.PrimaryPhoto) == p.Blob, nil
	if p.State == photoReady {
		p.URLs = &PhotoURLs{Thumb: photolink.URL(tx, p.Blob, "thumb"), Card: photolink.URL(tx, p.Blob, "card"), Full: photolink.URL(tx, p.Blob, "full")}
	}
}

// photosOf returns all photos of a hull in display order.
func photosOf(ctx context.Context, tx *db.Tx, h hulls.Hull) ([]HullPhoto, error) {
	photos, err := db.All[HullPhoto](ctx, tx, `SELECT {cols} FROM hull_photos WHERE env = ? AND hull_id = ?
		ORDER BY position, id`, h.Env, h.ID)
	for i := range photos {
		derive(tx, h, &photos[i])
	}
	return photos, err
}

// samePhoto returns the photo of a hull with the same file.
func samePhoto(ctx context.Context, tx *db.Tx, h hulls.Hull, sha256 string) (HullPhoto, bool, error) {
	p, err := db.One[HullPhoto](ctx, tx, `SELECT {cols} FROM hull_photos WHERE env = ? AND hull_id = ? AND sha256 = ?`, h.Env, h.ID, sha256)
	if db.IsNoRows(err) {
		return p, false, nil
	}
	derive(tx, h, &p)
	return p, err == nil, err
}

// insertPhoto adds a photo to a locked hull. Position 0 is the end.
func insertPhoto(ctx context.Context, tx *db.Tx, h *hulls.Hull, p *HullPhoto) error {
	if h.PhotoCount >= maxPhotos {
		var bad fault.Fields
		bad.Add("file", "too_many", "exceeds the limit of %d photos for a hull", maxPhotos)
		return bad.Err()
	}

	last := h.PhotoCount + 1
	if p.Position == 0 || p.Position > last {
		p.Position = last
	}
	if err := shift(ctx, tx, *h, positions{p.Position, last}, 1); err != nil {
		return err
	}

	p.HullID = h.ID
	if err := table.Insert(ctx, tx, p); err != nil {
		return err
	}
	if err := blobs.Keep(ctx, tx, p.Blob); err != nil {
		return err
	}

	before := *h
	h.PhotoCount++
	return hulls.Save(ctx, tx, before, h, hulls.Cause{Event: "hull.photos_added"})
}

// positions is a range of photos, including both ends.
type positions struct{ from, to int64 }

// shift moves the photos in a range of positions by one.
func shift(ctx context.Context, tx *db.Tx, h hulls.Hull, r positions, by int64) error {
	_, err := db.Exec(ctx, tx, `UPDATE hull_photos SET position = position + ?
		WHERE env = ? AND hull_id = ? AND position >= ? AND position <= ?`, by, h.Env, h.ID, r.from, r.to)
	return err
}

// movePhoto changes the position of a photo of a locked hull. The others move.
func movePhoto(ctx context.Context, tx *db.Tx, h hulls.Hull, p *HullPhoto, to int64) error {
	to = min(to, h.PhotoCount)
	from := p.Position
	p.Position = to
	if to > from {
		return shift(ctx, tx, h, positions{from + 1, to}, -1)
	}
	return shift(ctx, tx, h, positions{to, from - 1}, 1)
}

// deletePhoto deletes a photo of a locked hull. A job deletes its blobs.
func deletePhoto(ctx context.Context, tx *db.Tx, h *hulls.Hull, p HullPhoto) error {
	if err := table.Delete(ctx, tx, p.ID); err != nil {
		return err
	}
	if err := shift(ctx, tx, *h, positions{p.Position + 1, h.PhotoCount}, -1); err != nil {
		return err
	}
	if err := blobs.DeleteLater(ctx, tx, p.Blob); err != nil {
		return err
	}
	if err := events.Emit(ctx, tx, "hull_photo.deleted", p.ID, events.Change{After: p}); err != nil {
		return err
	}

	before := *h
	h.PhotoCount--
	if err := choosePrimary(ctx, tx, h); err != nil {
		return err
	}
	return hulls.Save(ctx, tx, before, h, hulls.Cause{Event: "hull.updated"})
}

// choosePrimary makes the first photo that is ready the primary photo.
func choosePrimary(ctx context.Context, tx *db.Tx, h *hulls.Hull) error {
	first, err := db.All[string](ctx, tx, `SELECT blob FROM hull_photos WHERE env = ? AND hull_id = ? AND state = 'ready'
		ORDER BY position LIMIT 1`, h.Env, h.ID)
	h.PrimaryPhoto = nil
	if len(first) > 0 {
		h.PrimaryPhoto = &first[0]
	}
	return err
}

// photosChanged updates the primary photo of a locked hull, and its listings.
func photosChanged(ctx context.Context, tx *db.Tx, h *hulls.Hull) error {
	before := *h
	if err := choosePrimary(ctx, tx, h); err != nil {
		return err
	}
	if null.Text(before.PrimaryPhoto) == null.Text(h.PrimaryPhoto) {
		return hulls.Touch(ctx, tx, h, true)
	}
	return hulls.Save(ctx, tx, before, h, hulls.Cause{Event: "hull.updated"})
}

// FindAllReady returns the photos of hulls that are ready, in display order, by
// hull ID. Their links stay the same as long as the boat is for sale. The statement
// depends on the number of IDs.
func FindAllReady(ctx context.Context, tx *db.Tx, hullIDs []string) (map[string][]HullPhoto, error) {
	args := []any{tx.Env}
	for _, id := range hullIDs {
		args = append(args, id)
	}
	list := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(hullIDs)), ", ") + ")"
	all, err := db.All[HullPhoto](ctx, tx, `SELECT {cols} FROM hull_photos WHERE env = ? AND hull_id IN `+list+
		` AND state = 'ready' ORDER BY hull_id, position`, args...)
	byHull := map[string][]HullPhoto{}
	for _, p := range all {
		public := func(size string) string { return photolink.Public(tx, p.HullID, p.Blob, size) }
		p.URLs = &PhotoURLs{Thumb: public("thumb"), Card: public("card"), Full: public("full")}
		byHull[p.HullID] = append(byHull[p.HullID], p)
	}
	return byHull, err
}

func endClaim(ctx context.Context, tx *db.Tx, p HullPhoto) (int64, error) {
	return db.Exec(ctx, tx, `UPDATE hull_photos SET attempts = 0, claimed_until = NULL WHERE env = ? AND id = ?`, p.Env, p.ID)
}
