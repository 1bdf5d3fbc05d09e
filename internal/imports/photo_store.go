package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"slipway/internal/imports/sheet"
	"slipway/internal/platform/db"
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// maxRowPhotos is the maximum number of photos of a row.
const maxRowPhotos = 50

// The states of a photo that is downloaded.
const (
	photoQueued = "queued"
	photoAdded  = "added"
	photoFailed = "failed"
)

// photo is a photo of a row. It is stored by its hull, so that the next file with the
// same URL doesn't download it again.
type photo struct {
	Env      auth.Env  `db:"env"`
	HullID   string    `db:"hull_id"`
	URLHash  string    `db:"url_hash"`
	URL      string    `db:"url"`
	ImportID string    `db:"import_id"`
	Row      int64     `db:"row_no"`
	Position int64     `db:"position"`
	State    string    `db:"state"`
	Attempts int64     `db:"attempts"`
	DueAt    time.Time `db:"due_at"`
}

// photosOf returns the URLs of a row that can be downloaded. The others are noted.
func photosOf(r *sheet.Row) (urls []string) {
	list, _ := r.Fields["photo_urls"].([]any)
	for _, value := range list {
		url, _ := value.(string)
		var bad fault.Fields
		if outbound.CheckURL(&bad, "photo_urls", url, false); len(bad) > 0 || len(url) > 2000 {
			r.Note("photo_urls", "photo", fmt.Sprintf("%q is not a URL of a photo and was ignored", sheet.Clip(url, 100)))
			continue
		}
		if len(urls) == maxRowPhotos {
			r.Note("photo_urls", "photo", fmt.Sprintf("has more than %d photos; the others were ignored", maxRowPhotos))
			break
		}
		urls = append(urls, url)
	}
	return urls
}

// queuePhotos stores the photos of rows that their hulls don't have yet, and those
// that failed before. It returns how many of each row.
func queuePhotos(ctx context.Context, tx *db.Tx, i HullImport, rows []change) ([]int64, error) {
	queued := make([]int64, len(rows))
	var ids []string
	wanted := make([][]string, len(rows))
	for n := range rows {
		if wanted[n] = photosOf(&rows[n].row); len(wanted[n]) > 0 {
			ids = append(ids, rows[n].hullID)
		}
	}
	if len(ids) == 0 {
		return queued, nil
	}

	marks, args := db.In(ids)
	before, err := db.All[photo](ctx, tx, `SELECT {cols} FROM hull_import_photos WHERE env = ? AND hull_id IN `+marks,
		append([]any{tx.Env}, args...)...)
	if err != nil {
		return nil, err
	}
	stored := map[string]string{} // states
	for _, p := range before {
		stored[p.HullID+p.URLHash] = p.State
	}

	var added []photo
	for n, urls := range wanted {
		for at, url := range urls {
			sum := sha256.Sum256([]byte(url))
			p := photo{
				Env: tx.Env, HullID: rows[n].hullID, URLHash: hex.EncodeToString(sum[:16]), URL: url, ImportID: i.ID,
				Row: rows[n].row.Number, Position: int64(at), State: photoQueued, DueAt: tx.Now,
			}
			state, exists := stored[p.HullID+p.URLHash]
			stored[p.HullID+p.URLHash] = photoQueued
			switch {
			case !exists:
				added = append(added, p)
			case state == photoFailed:
				if err := savePhoto(ctx, tx, p); err != nil {
					return nil, err
				}
			default:
				continue
			}
			queued[n]++
		}
	}
	return queued, db.Insert(ctx, tx, "hull_import_photos", added...)
}

func savePhoto(ctx context.Context, tx *db.Tx, p photo) error {
	return db.Changed(db.Update(ctx, tx, "hull_import_photos", &p, "env = ? AND hull_id = ? AND url_hash = ?", p.Env, p.HullID, p.URLHash))
}

// duePhotos returns the next photos of an import to download.
func duePhotos(ctx context.Context, tx *db.Tx, importID string, n int) ([]photo, error) {
	return db.All[photo](ctx, tx, `SELECT {cols} FROM hull_import_photos WHERE env = ? AND import_id = ? AND state = 'queued' AND due_at <= ?
		ORDER BY row_no, position LIMIT ?`, tx.Env, importID, tx.Now, n)
}

// nextPhotoAt returns when the next photo of an import is due. ok is false if none is
// queued.
func nextPhotoAt(ctx context.Context, tx *db.Tx, importID string) (at time.Time, ok bool, err error) {
	due, err := db.All[time.Time](ctx, tx, `SELECT due_at FROM hull_import_photos WHERE env = ? AND import_id = ? AND state = 'queued'
		ORDER BY due_at LIMIT 1`, tx.Env, importID)
	if err != nil || len(due) == 0 {
		return at, false, err
	}
	return due[0], true, nil
}

func countPhotos(ctx context.Context, tx *db.Tx, i HullImport) (c HullImportPhotos, err error) {
	type group struct {
		State string `db:"state"`
		Count int64  `db:"n"`
	}
	groups, err := db.All[group](ctx, tx, `SELECT state, COUNT(*) AS n FROM hull_import_photos WHERE env = ? AND import_id = ?
		GROUP BY state`, i.Env, i.ID)
	for _, g := range groups {
		switch g.State {
		case photoQueued:
			c.Queued = g.Count
		case photoAdded:
			c.Added = g.Count
		case photoFailed:
			c.Failed = g.Count
		}
	}
	return c, err
}

func insertNote(ctx context.Context, tx *db.Tx, line noteRow) error {
	return db.Insert(ctx, tx, "hull_import_notes", line)
}
