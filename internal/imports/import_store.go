package imports

import (
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"slipway/internal/imports/sheet"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/cell"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var table = db.Table[HullImport]{Name: "hull_imports", Prefix: "imp", Noun: "import"}

// findOf returns an import of hulls or of contacts. See findImport.
func findOf(ctx context.Context, tx *db.Tx, subject sheet.Subject, id string, lines int) (HullImport, error) {
	i, err := findImport(ctx, tx, id, lines)
	if err == nil && i.Subject != subject {
		err = fault.NotFound("import", id)
	}
	return i, err
}

// findImport returns an import with up to a number of its errors, notes, skipped
// rows and missing hulls.
func findImport(ctx context.Context, tx *db.Tx, id string, lines int) (HullImport, error) {
	i, err := table.Find(ctx, tx, id)
	if err != nil {
		return i, err
	}
	i.deriveProgress(tx.Now)
	i.SkippedRows, err = db.All[HullImportSkip](ctx, tx, `SELECT {cols} FROM hull_import_skips WHERE env = ? AND import_id = ?
		ORDER BY row_no LIMIT ?`, tx.Env, id, lines)
	if err != nil {
		return i, err
	}
	i.Notes, err = db.All[HullImportNote](ctx, tx, `SELECT {cols} FROM hull_import_notes WHERE env = ? AND import_id = ?
		ORDER BY number LIMIT ?`, tx.Env, id, lines)
	if err != nil {
		return i, err
	}
	i.MissingHulls, err = db.All[HullImportHull](ctx, tx, `SELECT {cols} FROM hull_import_missing WHERE env = ? AND import_id = ?
		ORDER BY hull_id LIMIT ?`, tx.Env, id, lines)
	if err != nil {
		return i, err
	}
	if i.PhotoCount > 0 {
		if i.Photos, err = countPhotos(ctx, tx, i); err != nil {
			return i, err
		}
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

// addLines stores the errors, the notes and the skipped rows of an outcome that is
// already counted.
func addLines(ctx context.Context, tx *db.Tx, i HullImport, out outcome) error {
	if err := addErrors(ctx, tx, i, out); err != nil {
		return err
	}
	if err := addNotes(ctx, tx, i, out.notes, i.Noted-out.noted); err != nil {
		return err
	}
	if err := addFigures(ctx, tx, i, out.figures); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "contact_import_duplicates", out.duplicates...); err != nil {
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

// addSkips stores skipped rows up to the limit. They are already counted.
func addSkips(ctx context.Context, tx *db.Tx, i HullImport, skips []HullImportSkip) error {
	type skipRow struct {
		Env      auth.Env `db:"env"`
		ImportID string   `db:"import_id"`
		HullImportSkip
	}
	var rows []skipRow
	before := i.Skipped - int64(len(skips))
	for _, skip := range skips[:min(int64(len(skips)), max(0, maxLines-before))] {
		rows = append(rows, skipRow{i.Env, i.ID, skip})
	}
	return db.Insert(ctx, tx, "hull_import_skips", rows...)
}

// linesPerRow is the maximum number of errors or notes of a row. It makes their
// numbers unique. The second half is for photos.
const linesPerRow = 1000

type errorRow struct {
	Env      auth.Env `db:"env"`
	ImportID string   `db:"import_id"`
	Number   int64    `db:"number"`
	HullImportError
}

// addErrors stores the errors of rows and the rows themselves.
func addErrors(ctx context.Context, tx *db.Tx, i HullImport, out outcome) error {
	var rows []errorRow
	last, n := int64(-1), int64(0)
	for _, line := range out.errors {
		if n++; line.Row != last {
			last, n = line.Row, 0
		}
		if n < linesPerRow {
			rows = append(rows, errorRow{i.Env, i.ID, line.Row*linesPerRow + n, line})
		}
	}
	if err := db.Insert(ctx, tx, "hull_import_errors", rows...); err != nil {
		return err
	}

	var failures []failure
	for _, r := range out.failures {
		failures = append(failures, failure{i.Env, i.ID, r.Number, sheet.Clip(string(r.Record), maxRecord)})
	}
	return db.Insert(ctx, tx, "hull_import_failures", failures...)
}

// addNotes stores notes on rows up to the limit. before is how many rows have notes
// already.
func addNotes(ctx context.Context, tx *db.Tx, i HullImport, notes []HullImportNote, before int64) error {
	var rows []noteRow
	last, n := int64(-1), int64(0)
	for _, note := range notes[:min(int64(len(notes)), max(0, maxLines-before))] {
		if n++; note.Row != last {
			last, n = note.Row, 0
		}
		if n < linesPerRow/2 {
			rows = append(rows, noteRow{i.Env, i.ID, note.Row*linesPerRow + n, note})
		}
	}
	return db.Insert(ctx, tx, "hull_import_notes", rows...)
}

type noteRow struct {
	Env      auth.Env `db:"env"`
	ImportID string   `db:"import_id"`
	Number   int64    `db:"number"`
	HullImportNote
}

// failure is a rejected row as it was in the file.
type failure struct {
	Env      auth.Env `db:"env"`
	ImportID string   `db:"import_id"`
	Row      int64    `db:"row_no"`
	Record   string   `db:"record"`
}

const (
	// maxRecord is how many bytes of a rejected row are stored.
	maxRecord = 64 << 10
	// failureBatch is how many rejected rows of a CSV file are in memory at a time.
	failureBatch = 500
)

// pageOfErrors returns a page of the errors of an import, in the order of the rows. A cursor has
// the number of an error and the ID of the import.
func pageOfErrors(ctx context.Context, tx *db.Tx, i HullImport, q page.Query) (p page.Page[HullImportError], err error) {
	const order, prefix = "errors", "imp"
	at, err := q.Position(order, prefix)
	if err != nil {
		return p, err
	}
	w, by := &db.Where{}, "number"
	w.And("import_id = ?", i.ID)
	if q.Backwards() {
		by = "number DESC"
		w.And("number < ?", at.Value)
	} else if at != nil {
		w.And("number > ?", at.Value)
	}
	rows, err := db.All[errorRow](ctx, tx, `SELECT {cols} FROM hull_import_errors WHERE env = ? AND `+w.String()+` ORDER BY `+by+` LIMIT ?`,
		slices.Concat([]any{tx.Env}, w.Args, []any{q.Limit + 1})...)
	found := page.New(rows, q, at != nil, func(r errorRow) string { return page.Position{Value: r.Number, ID: i.ID}.Cursor(order) })
	p = page.Page[HullImportError]{Data: []HullImportError{}, HasMore: found.HasMore, NextCursor: found.NextCursor, PrevCursor: found.PrevCursor}
	for _, r := range found.Data {
		p.Data = append(p.Data, r.HullImportError)
	}
	return p, err
}

// writeFailures writes the rejected rows of an import as CSV.
func writeFailures(ctx context.Context, d *db.DB, i HullImport, to io.Writer) error {
	w := csv.NewWriter(to)
	columns := i.Header
	if i.Format == ndjsonFormat {
		columns = []string{"record"}
	}
	if err := w.Write(append([]string{"row", "problem"}, columns...)); err != nil {
		return err
	}

	for after := int64(0); ; {
		rows, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([][]string, error) {
			failures, err := db.All[failure](ctx, tx, `SELECT {cols} FROM hull_import_failures WHERE env = ? AND import_id = ? AND row_no > ?
				ORDER BY row_no LIMIT ?`, i.Env, i.ID, after, failureBatch)
			if err != nil || len(failures) == 0 {
				return nil, err
			}
			last := failures[len(failures)-1].Row
			errors, err := db.All[HullImportError](ctx, tx, `SELECT {cols} FROM hull_import_errors
				WHERE env = ? AND import_id = ? AND number >= ? AND number < ? ORDER BY number`,
				i.Env, i.ID, (after+1)*linesPerRow, (last+1)*linesPerRow)
			problems := map[int64][]string{}
			for _, e := range errors {
				problems[e.Row] = append(problems[e.Row], e.Field+" "+e.Message)
			}
			after = last

			var rows [][]string
			for _, f := range failures {
				row := []string{strconv.FormatInt(f.Row, 10), cell.Escape(strings.Join(problems[f.Row], "; "))}
				for _, text := range sheet.Cells(f.Record, columns) {
					row = append(row, cell.Escape(text))
				}
				for len(row) < 2+len(columns) {
					row = append(row, "")
				}
				rows = append(rows, row)
			}
			return rows, err
		})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		if err := w.WriteAll(rows); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// pendingRow is a row of an atomic import that is saved when all rows are valid.
type pendingRow struct {
	Env      auth.Env       `db:"env"`
	ImportID string         `db:"import_id"`
	Number   int64          `db:"row_no"`
	Fields   map[string]any `db:"fields,json"`
	Record   string         `db:"record"`
}

func insertPending(ctx context.Context, tx *db.Tx, i HullImport, rows []sheet.Row) error {
	var pending []pendingRow
	for _, r := range rows {
		if len(r.Bad) == 0 {
			pending = append(pending, pendingRow{i.Env, i.ID, r.Number, r.Fields, sheet.Clip(string(r.Record), maxRecord)})
		}
	}
	return db.Insert(ctx, tx, "hull_import_rows", pending...)
}

func listPending(ctx context.Context, tx *db.Tx, i HullImport, after int64) (rows []sheet.Row, err error) {
	pending, err := db.All[pendingRow](ctx, tx, `SELECT {cols} FROM hull_import_rows WHERE env = ? AND import_id = ? AND row_no > ?
		ORDER BY row_no LIMIT ?`, i.Env, i.ID, after, importBatch)
	for _, p := range pending {
		rows = append(rows, sheet.Row{Number: p.Number, Fields: p.Fields, Record: []byte(p.Record)})
	}
	return rows, err
}

func deletePending(ctx context.Context, tx *db.Tx, i HullImport) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM hull_import_rows WHERE env = ? AND import_id = ?`, i.Env, i.ID)
	return err
}

// finishImport ends an import and releases its file.
func finishImport(ctx context.Context, tx *db.Tx, i *HullImport, state State, problem *string) error {
	i.State, i.Problem, i.FinishedAt = state, problem, &tx.Now
	isKept := i.Review && i.DryRun
	if isKept || i.Subject == sheet.Contacts {
		i.KeptUntil = new(tx.Now.Add(keptFor))
	}
	if state == importCompleted {
		i.BytesDone = i.Bytes
	}

	if err := saveImport(ctx, tx, i); err != nil {
		return err
	}
	if err := deletePending(ctx, tx, *i); err != nil {
		return err
	}
	if !isKept {
		if err := blobs.DeleteLater(ctx, tx, i.Blob); err != nil {
			return err
		}
	}

	found, err := findImport(ctx, tx, i.ID, 20) // the event contains only the first errors
	if err != nil {
		return err
	}
	event, object := found.event(string(state))
	return events.Emit(ctx, tx, event, i.ID, events.Change{After: object})
}

func insertMissing(ctx context.Context, tx *db.Tx, i HullImport, h HullImportHull) error {
	type missingRow struct {
		Env      auth.Env `db:"env"`
		ImportID string   `db:"import_id"`
		HullImportHull
	}
	return db.Insert(ctx, tx, "hull_import_missing", missingRow{i.Env, i.ID, h})
}

// importKey names an import of any environment.
type importKey struct {
	Env auth.Env `db:"env"`
	ID  string   `db:"id"`
}

// takeQuiet returns the imports that should run and don't, and lets no other job find
// them for a while.
func takeQuiet(ctx context.Context, tx *db.Tx) ([]importKey, error) {
	quiet, err := db.All[importKey](ctx, tx, `SELECT env, id FROM hull_imports WHERE state IN ('queued', 'running') AND beat_at <= ?`,
		tx.Now.Add(-importQuiet))
	for _, i := range quiet {
		if _, err := db.Exec(ctx, tx, `UPDATE hull_imports SET beat_at = ? WHERE env = ? AND id = ?`, tx.Now, i.Env, i.ID); err != nil {
			return nil, err
		}
	}
	return quiet, err
}
