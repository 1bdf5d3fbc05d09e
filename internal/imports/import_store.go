package imports

import (
	"context"
	"fmt"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var table = db.Table[HullImport]{Name: "hull_imports", Prefix: "imp", Noun: "import"}

// findImport returns an import with up to a number of its errors and of the rows
// that were skipped.
func findImport(ctx context.Context, tx *db.Tx, id string, lines int) (HullImport, error) {
	i, err := table.Find(ctx, tx, id)
	if err != nil {
		return i, err
	}
	i.SkippedRows, err = db.All[HullImportSkip](ctx, tx, `SELECT {cols} FROM hull_import_skips WHERE env = ? AND import_id = ?
		ORDER BY row_no LIMIT ?`, tx.Env, id, lines)
	if err != nil {
		return i, err
	}
	i.Errors, err = db.All[HullImportError](ctx, tx, `SELECT {cols} FROM hull_import_errors WHERE env = ? AND import_id = ?
		ORDER BY number LIMIT ?`, tx.Env, id, lines)
	return i, err
}

func insertImport(ctx context.Context, tx *db.Tx, i *HullImport) error {
	i.BeatAt = tx.Now
	if err := table.Insert(ctx, tx, i); err != nil {
		return err
	}
	return blobs.Keep(ctx, tx, i.Blob)
}

// saveImport writes an import. It doesn't use table.Save, because the transaction
// must not run again if another run took over the import.
func saveImport(ctx context.Context, tx *db.Tx, i *HullImport) error {
	was := i.Version
	i.Version, i.UpdatedAt, i.BeatAt = was+1, tx.Now, tx.Now
	n, err := db.Update(ctx, tx, "hull_imports", i, "env = ? AND id = ? AND version = ?", i.Env, i.ID, was)
	if err == nil && n == 0 {
		err = errOvertaken
	}
	return err
}

// addLines stores the errors and the skipped rows of an outcome.
func addLines(ctx context.Context, tx *db.Tx, i HullImport, out outcome) error {
	if err := addErrors(ctx, tx, i, out.errors); err != nil {
		return err
	}
	return addSkips(ctx, tx, i, out.skips)
}

// replaceSkips replaces the skipped rows of the first pass of an atomic import.
// A boat can be delivered between the passes.
func replaceSkips(ctx context.Context, tx *db.Tx, i HullImport, skips []HullImportSkip) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM hull_import_skips WHERE env = ? AND import_id = ?`, i.Env, i.ID); err != nil {
		return err
	}
	return addSkips(ctx, tx, i, skips)
}

// addSkips stores skipped rows up to the limit.
func addSkips(ctx context.Context, tx *db.Tx, i HullImport, skips []HullImportSkip) error {
	type skipRow struct {
		Env      auth.Env `db:"env"`
		ImportID string   `db:"import_id"`
		HullImportSkip
	}
	if len(skips) == 0 {
		return nil
	}
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM hull_import_skips WHERE env = ? AND import_id = ?`, i.Env, i.ID)
	if err != nil {
		return err
	}

	var rows []skipRow
	for _, skip := range skips[:min(len(skips), max(0, maxImportErrors-int(n)))] {
		rows = append(rows, skipRow{i.Env, i.ID, skip})
	}
	return db.Insert(ctx, tx, "hull_import_skips", rows...)
}

// addErrors stores the errors of rows up to the limit.
func addErrors(ctx context.Context, tx *db.Tx, i HullImport, lines []HullImportError) error {
	type errorRow struct {
		Env      auth.Env `db:"env"`
		ImportID string   `db:"import_id"`
		Number   int64    `db:"number"`
		HullImportError
	}
	n, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM hull_import_errors WHERE env = ? AND import_id = ?`, i.Env, i.ID)
	if err != nil {
		return err
	}

	var rows []errorRow
	for _, line := range lines[:min(len(lines), max(0, maxImportErrors-int(n)))] {
		rows = append(rows, errorRow{i.Env, i.ID, n + int64(len(rows)), line})
	}
	return db.Insert(ctx, tx, "hull_import_errors", rows...)
}

// pendingRow is a row of an atomic import that is saved when all rows are valid.
type pendingRow struct {
	Env      auth.Env       `db:"env"`
	ImportID string         `db:"import_id"`
	Number   int64          `db:"row_no"`
	Fields   map[string]any `db:"fields,json"`
}

func insertPending(ctx context.Context, tx *db.Tx, i HullImport, rows []sheet.Row) error {
	var pending []pendingRow
	for _, r := range rows {
		if len(r.Bad) == 0 {
			pending = append(pending, pendingRow{i.Env, i.ID, r.Number, r.Fields})
		}
	}
	return db.Insert(ctx, tx, "hull_import_rows", pending...)
}

func listPending(ctx context.Context, tx *db.Tx, i HullImport, after int64) (rows []sheet.Row, err error) {
	pending, err := db.All[pendingRow](ctx, tx, `SELECT {cols} FROM hull_import_rows WHERE env = ? AND import_id = ? AND row_no > ?
		ORDER BY row_no LIMIT ?`, i.Env, i.ID, after, importBatch)
	for _, p := range pending {
		rows = append(rows, sheet.Row{Number: p.Number, Fields: p.Fields})
	}
	return rows, err
}

func deletePending(ctx context.Context, tx *db.Tx, i HullImport) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM hull_import_rows WHERE env = ? AND import_id = ?`, i.Env, i.ID)
	return err
}

// outcome is the result of some rows.
type outcome struct {
	created, updated, failed int64
	errors                   []HullImportError
	skips                    []HullImportSkip
}

func (o *outcome) add(more outcome) {
	o.created += more.created
	o.updated += more.updated
	o.failed += more.failed
	o.errors = append(o.errors, more.errors...)
	o.skips = append(o.skips, more.skips...)
}

// skip counts a row whose number belongs to a closed hull.
func (o *outcome) skip(r sheet.Row, field string, h hulls.Closed) {
	o.skips = append(o.skips, HullImportSkip{r.Number, field, h.ID, fmt.Sprintf("is already used by %s, which is %s", h.ID, h.Status)})
}

// reject counts a row as failed. It returns errors that are not about the row.
func (o *outcome) reject(r sheet.Row, err error) error {
	lines, ok := errorsOf(r, err)
	if !ok {
		return err
	}
	o.failed++
	o.errors = append(o.errors, lines...)
	return nil
}

// applyRows imports a batch of rows. A row that is rejected changes nothing,
// because rules are checked before anything is written.
func applyRows(ctx context.Context, tx *db.Tx, i HullImport, rows []sheet.Row) (out outcome, err error) {
	if err := db.ForceCustomPlan(ctx, tx); err != nil { // the inventory might have been empty a minute ago
		return out, err
	}
	locations, err := dealership.Locations(ctx, tx)
	if err != nil {
		return out, err
	}
	zones, err := dealership.Zones(ctx, tx)
	if err != nil {
		return out, err
	}
	known, err := findHulls(ctx, tx, rows)
	if err != nil {
		return out, err
	}

	var added []hulls.Hull
	var addedFrom []sheet.Row
	for _, r := range rows {
		err := r.Bad.Err()
		if err == nil {
			setLocation(r, locations, i.LocationID)
			earlier, field, closed := known.earlier(r)
			if h, ok := known.active[r.Text("stock_number")]; ok {
				if err = updateHull(ctx, tx, h, r, i); err == nil {
					out.updated++
				}
			} else if closed && !i.Reacquire {
				out.skip(r, field, earlier)
			} else {
				var h hulls.Hull
				if h, err = newHull(tx, r, zones); err == nil {
					if closed && h.PreviousHullID == nil && sameBoat(earlier, r) {
						h.PreviousHullID = &earlier.ID
					}
					added, addedFrom = append(added, h), append(addedFrom, r)
				}
			}
		}
		if err != nil {
			if err := out.reject(r, err); err != nil {
				return out, err
			}
		}
	}

	rejected, err := hulls.InsertAll(ctx, tx, added)
	if err != nil {
		return out, err
	}
	out.created += int64(len(added) - len(rejected))
	for n, r := range addedFrom {
		if err := rejected[n]; err != nil {
			if err := out.reject(r, err); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// newHull returns the new hull of a row. zones has all locations.
func newHull(tx *db.Tx, r sheet.Row, zones map[string]string) (h hulls.Hull, err error) {
	fields := createFields(r, tx.Now.Year())
	bad := validateCreate(fields)
	checkHours(&bad, r)
	if len(bad) > 0 {
		return h, bad.Err()
	}

	c, err := createOf(r, fields)
	if err != nil {
		return h, err
	}
	zone, exists := zones[c.LocationID]
	if h, err = hulls.New(c, tx, zone); err != nil {
		return h, err
	}

	if !exists {
		bad.Add("location_id", "not_found", "does not exist")
	}
	return h, bad.Err()
}

// updateHull changes a hull to match its row.
func updateHull(ctx context.Context, tx *db.Tx, h hulls.Hull, r sheet.Row, i HullImport) error {
	bad := validatePatch(patchFields(r))
	checkHours(&bad, r)
	price, priced := r.Fields["price_usd"]
	if priced {
		bad = append(bad, slices.DeleteFunc(validateCreate(map[string]any{"price_usd": price}), func(d fault.Detail) bool {
			return d.Field != "price_usd"
		})...)
	}
	if len(bad) > 0 {
		return bad.Err()
	}

	p, err := patchOf(r)
	if err != nil {
		return err
	}
	u := hulls.Update{Patch: p, Status: hulls.Status(r.Text("status")), Reason: "import " + i.ID}
	if price, ok := price.(float64); ok {
		u.PriceUSD = new(int64(price))
	}
	return u.Apply(ctx, tx, h)
}

// findHulls returns the existing hulls of rows.
func findHulls(ctx context.Context, tx *db.Tx, rows []sheet.Row) (k known, err error) {
	var hins, stockNumbers []string
	for _, r := range rows {
		if len(r.Bad) > 0 {
			continue
		}
		if s := r.Text("stock_number"); s != "" {
			stockNumbers = append(stockNumbers, s)
		}
		if s := normalHIN(r); s != "" {
			hins = append(hins, s)
		}
	}

	if k.active, err = hulls.FindByStockNumber(ctx, tx, stockNumbers); err != nil {
		return k, err
	}
	k.closed, err = hulls.FindClosed(ctx, tx, hins, stockNumbers)
	return k, err
}

// finishImport ends an import and releases its file.
func finishImport(ctx context.Context, tx *db.Tx, i *HullImport, state string, problem *string) error {
	i.State, i.Problem, i.FinishedAt = state, problem, &tx.Now
	if state == importCompleted {
		i.BytesDone = i.Bytes
	}

	if err := saveImport(ctx, tx, i); err != nil {
		return err
	}
	if err := deletePending(ctx, tx, *i); err != nil {
		return err
	}
	if err := blobs.DeleteLater(ctx, tx, i.Blob); err != nil {
		return err
	}

	object, err := findImport(ctx, tx, i.ID, 20) // the event contains only the first errors
	if err != nil {
		return err
	}
	return events.Emit(ctx, tx, "import."+state, i.ID, nil, object)
}
