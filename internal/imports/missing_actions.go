package imports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// comparePage is how many hulls are compared with a file at a time.
const comparePage = 500

// inventory counts the active hulls that are in a file and those that are missing
// from it, by location.
type inventory struct{ present, missing map[string]int64 }

// covers reports whether a file has the boats of a location. A file with no boat of
// any location covers all of them: it is probably the wrong file.
func (v inventory) covers(location string) bool {
	return len(v.present) == 0 || v.present[location] > 0
}

// problem returns why a file must not be imported without force, or "".
func (v inventory) problem() string {
	missing, all := int64(0), int64(0)
	for location, n := range v.missing {
		if v.covers(location) {
			missing, all = missing+n, all+n
		}
	}
	for _, n := range v.present {
		all += n
	}
	if missing*100 <= all*maxMissingPercent {
		return ""
	}
	return fmt.Sprintf("%d of %d hulls are missing from the file, which is more than %d %%. Nothing was imported. Send force=true to import it.",
		missing, all, maxMissingPercent)
}

// checkMissing reads the rest of a file and returns why it must not be imported, or "".
func (a *API) checkMissing(ctx context.Context, i HullImport, rows *sheet.Reader) (string, error) {
	if i.Force {
		return "", nil
	}
	f := contents{seen: sheet.Seen{}}
	for {
		batch, err := f.next(rows, importBatch)
		if err != nil {
			return "", err
		}
		if len(batch) == 0 {
			break
		}
	}
	v, err := a.takeInventory(ctx, f.seen)
	return v.problem(), err
}

// takeInventory compares all active hulls that have a number with a file.
func (a *API) takeInventory(ctx context.Context, seen sheet.Seen) (v inventory, err error) {
	v = inventory{map[string]int64{}, map[string]int64{}}
	for after := ""; ; {
		page, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]hulls.Numbered, error) {
			return hulls.ActiveAfter(ctx, tx, after, comparePage)
		})
		if err != nil || len(page) == 0 {
			return v, err
		}
		for _, h := range page {
			if seen.Has(h.StockNumber, h.HIN) {
				v.present[h.LocationID]++
			} else {
				v.missing[h.LocationID]++
			}
		}
		after = page[len(page)-1].ID
	}
}

// compareInventory records the hulls that are missing from the file, and archives
// them. As with rows, a part takes a short time, and the progress is saved with it.
func (a *API) compareInventory(ctx context.Context, i *HullImport, f contents) error {
	v, err := a.takeInventory(ctx, f.seen)
	if err != nil {
		return err
	}
	archive := i.Missing == missingArchive && f.unidentified == 0

	for size, done := firstBatch, false; !done; {
		started := time.Now() //nolint:forbidigo // a duration of the real clock
		found := 0
		after, err := db.Write(db.Separate(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (HullImport, error) {
			i := *i
			i.Stage, found = stageMissing, 0
			page, err := hulls.ActiveAfter(ctx, tx, i.ComparedTo, comparePage)
			if err != nil {
				return i, err
			}
			done = len(page) == 0
			for _, h := range page {
				if i.ComparedTo = h.ID; seen(v, f, h) {
					continue
				}
				if err := recordMissing(ctx, tx, &i, h, archive); err != nil {
					return i, err
				}
				if found++; found == size {
					break
				}
			}
			if done && i.Missing == missingArchive && !archive {
				text := fmt.Sprintf("Nothing was archived, because %d rejected rows have no stock number or HIN", f.unidentified)
				if err := addNotes(ctx, tx, i, []HullImportNote{{Row: 0, Field: "missing", Code: "not_archived", Message: text}}, 0); err != nil {
					return i, err
				}
			}
			err = saveImport(ctx, tx, &i)
			return i, err
		})
		if err != nil {
			return err
		}
		*i = after
		if found > 0 {
			size = nextBatch(size, time.Since(started), a.batchTakes()) //nolint:forbidigo // as above
		}
	}
	return nil
}

// seen reports whether a hull is in the file, or at a location that the file doesn't
// cover.
func seen(v inventory, f contents, h hulls.Numbered) bool {
	return f.seen.Has(h.StockNumber, h.HIN) || !v.covers(h.LocationID)
}

// recordMissing stores a hull that is missing from the file, and archives it.
func recordMissing(ctx context.Context, tx *db.Tx, i *HullImport, n hulls.Numbered, archive bool) error {
	line := HullImportHull{HullID: n.ID, StockNumber: n.StockNumber, HIN: n.HIN}
	if archive {
		h, err := hulls.FindForUpdate(ctx, tx, n.ID)
		if err != nil {
			return err
		}
		err = h.CheckArchive()
		if err == nil && !i.DryRun {
			err = hulls.Archive(ctx, tx, h, "import "+i.ID)
		}
		f, rejected := errors.AsType[*fault.Error](err)
		switch {
		case err == nil:
			line.Archived = true
			i.Archived++
		case rejected && f.Kind == fault.KindConflict && h.CheckArchive() != nil:
			line.Message = &f.Message
		default:
			return err
		}
	}

	i.MissingCount++
	return insertMissing(ctx, tx, *i, line)
}
