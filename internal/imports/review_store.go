package imports

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"slipway/internal/imports/sheet"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// readingRow is how files with the same columns were read the last time.
type readingRow struct {
	Env       auth.Env          `db:"env"`
	Headers   string            `db:"headers"`
	Map       map[string]string `db:"map,json"`
	Words     sheet.Words       `db:"words,json"`
	UpdatedAt time.Time         `db:"updated_at"`
}

// findReading returns how files with these columns were read. ok is false if there was none.
func findReading(ctx context.Context, tx *db.Tx, header []string) (r readingRow, ok bool, err error) {
	r, err = db.One[readingRow](ctx, tx, `SELECT {cols} FROM hull_import_readings WHERE env = ? AND headers = ?`, tx.Env, headersOf(header))
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	return r, err == nil, err
}

// keepReading stores how a file was read, for the next one with the same columns.
func keepReading(ctx context.Context, tx *db.Tx, i HullImport) error {
	names, err := json.Marshal(i.Map)
	if err != nil {
		return err
	}
	words, err := json.Marshal(i.Words)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx, `INSERT INTO hull_import_readings (env, headers, map, words, updated_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (env, headers) DO UPDATE SET map = excluded.map, words = excluded.words, updated_at = excluded.updated_at`,
		tx.Env, headersOf(i.Header), string(names), string(words), tx.Now)
	return err
}

// repairRow is a repaired row.
type repairRow struct {
	Env      auth.Env          `db:"env"`
	ImportID string            `db:"import_id"`
	Row      int64             `db:"row_no"`
	Cells    []string          `db:"cells,json"`
	Fields   map[string]string `db:"fields,json"`
}

// findRepairs returns the repaired rows of an import.
func findRepairs(ctx context.Context, tx *db.Tx, importID string) (map[int64]sheet.Repair, error) {
	rows, err := db.All[repairRow](ctx, tx, `SELECT {cols} FROM hull_import_repairs WHERE env = ? AND import_id = ?`, tx.Env, importID)
	repairs := map[int64]sheet.Repair{}
	for _, r := range rows {
		repairs[r.Row] = sheet.Repair{Cells: r.Cells, Fields: r.Fields}
	}
	return repairs, err
}

// saveRepair replaces the repair of a row and its errors.
func saveRepair(ctx context.Context, tx *db.Tx, i HullImport, r repairRow, errors []HullImportError) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM hull_import_repairs WHERE env = ? AND import_id = ? AND row_no = ?`, i.Env, i.ID, r.Row); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "hull_import_repairs", r); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `DELETE FROM hull_import_errors WHERE env = ? AND import_id = ? AND number >= ? AND number < ?`,
		i.Env, i.ID, r.Row*linesPerRow, (r.Row+1)*linesPerRow); err != nil {
		return err
	}
	return addErrors(ctx, tx, i, outcome{errors: errors})
}

// listBroken returns the texts of the first rows with errors, in their order.
func listBroken(ctx context.Context, tx *db.Tx, importID string, n int) ([]failure, error) {
	return db.All[failure](ctx, tx, `SELECT {cols} FROM hull_import_failures WHERE env = ? AND import_id = ? ORDER BY row_no LIMIT ?`,
		tx.Env, importID, n)
}

// findBroken returns the text of a row with errors.
func findBroken(ctx context.Context, tx *db.Tx, importID string, row int64) (failure, error) {
	return db.One[failure](ctx, tx, `SELECT {cols} FROM hull_import_failures WHERE env = ? AND import_id = ? AND row_no = ?`, tx.Env, importID, row)
}

// errorsOfRows returns the errors of the rows up to a number, by row.
func errorsOfRows(ctx context.Context, tx *db.Tx, importID string, from, to int64) (map[int64][]HullImportError, error) {
	lines, err := db.All[HullImportError](ctx, tx, `SELECT {cols} FROM hull_import_errors WHERE env = ? AND import_id = ? AND number >= ? AND number < ?
		ORDER BY number`, tx.Env, importID, from*linesPerRow, (to+1)*linesPerRow)
	byRow := map[int64][]HullImportError{}
	for _, e := range lines {
		byRow[e.Row] = append(byRow[e.Row], e)
	}
	return byRow, err
}

// deleteLines deletes what the last run found in the file.
func deleteLines(ctx context.Context, tx *db.Tx, i HullImport) error {
	for _, statement := range []string{
		`DELETE FROM hull_import_errors WHERE env = ? AND import_id = ?`,
		`DELETE FROM hull_import_failures WHERE env = ? AND import_id = ?`,
		`DELETE FROM hull_import_notes WHERE env = ? AND import_id = ?`,
		`DELETE FROM hull_import_skips WHERE env = ? AND import_id = ?`,
		`DELETE FROM hull_import_missing WHERE env = ? AND import_id = ?`,
		`DELETE FROM contact_import_duplicates WHERE env = ? AND import_id = ?`,
	} {
		if _, err := db.Exec(ctx, tx, statement, i.Env, i.ID); err != nil {
			return err
		}
	}
	return nil
}

// keptFile is a file of a check that was not started.
type keptFile struct {
	Env     auth.Env      `db:"env"`
	ID      string        `db:"id"`
	Blob    string        `db:"blob"`
	DryRun  bool          `db:"dry_run"`
	Subject sheet.Subject `db:"subject"`
}

// deleteOldReviews deletes files and repairs of checks that were not started, and the texts of
// contacts.
func deleteOldReviews(ctx context.Context, tx *db.Tx) error {
	old, err := db.All[keptFile](ctx, tx, `SELECT {cols} FROM hull_imports WHERE env > 0 AND kept_until <= ?`, tx.Now)
	if err != nil {
		return err
	}
	for _, k := range old {
		if k.DryRun {
			if err := blobs.DeleteLater(ctx, tx.In(k.Env), k.Blob); err != nil {
				return err
			}
		}
		if k.Subject == sheet.Contacts {
			if err := deleteLines(ctx, tx, HullImport{Env: k.Env, ID: k.ID}); err != nil {
				return err
			}
		}
		if _, err := db.Exec(ctx, tx, `DELETE FROM hull_import_repairs WHERE env = ? AND import_id = ?`, k.Env, k.ID); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `UPDATE hull_imports SET kept_until = NULL WHERE env = ? AND id = ?`, k.Env, k.ID); err != nil {
			return err
		}
	}
	return nil
}
