package imports

import (
	"context"
	"slices"
	"strconv"

	"slipway/internal/contacts"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

// duplicateRow is a stored duplicate.
type duplicateRow struct {
	Env      auth.Env `db:"env"`
	ImportID string   `db:"import_id"`
	ContactImportDuplicate
}

// choice is what a person chose for a row.
type choice struct {
	Env      auth.Env        `db:"env"`
	ImportID string          `db:"import_id"`
	Row      int64           `db:"row_no"`
	Action   DuplicateAction `db:"action"`
}

// findChoices returns what was chosen for rows from one number to another, by row.
func findChoices(ctx context.Context, tx *db.Tx, importID string, from, to int64) (map[int64]DuplicateAction, error) {
	all, err := db.All[choice](ctx, tx, `SELECT {cols} FROM contact_import_choices WHERE env = ? AND import_id = ? AND row_no >= ? AND row_no <= ?`,
		tx.Env, importID, from, to)
	chosen := map[int64]DuplicateAction{}
	for _, c := range all {
		chosen[c.Row] = c.Action
	}
	return chosen, err
}

func saveChoice(ctx context.Context, tx *db.Tx, i HullImport, d ContactImportDuplicate) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO contact_import_choices (env, import_id, row_no, action) VALUES (?, ?, ?, ?)
		ON CONFLICT (env, import_id, row_no) DO UPDATE SET action = excluded.action`, i.Env, i.ID, d.Row, d.Action)
	return err
}

// saveDuplicates replaces what is stored about a row that was repaired.
func saveDuplicates(ctx context.Context, tx *db.Tx, i HullImport, row int64, found []duplicateRow) error {
	if _, err := db.Exec(ctx, tx, `DELETE FROM contact_import_duplicates WHERE env = ? AND import_id = ? AND row_no = ?`, i.Env, i.ID, row); err != nil {
		return err
	}
	return db.Insert(ctx, tx, "contact_import_duplicates", found...)
}

// findDuplicate returns a row that is a duplicate.
func findDuplicate(ctx context.Context, tx *db.Tx, i HullImport, row int64) (ContactImportDuplicate, error) {
	d, err := db.One[duplicateRow](ctx, tx, `SELECT {cols} FROM contact_import_duplicates WHERE env = ? AND import_id = ? AND row_no = ?`, i.Env, i.ID, row)
	if db.IsNoRows(err) {
		return d.ContactImportDuplicate, fault.NotFound("duplicate", strconv.FormatInt(row, 10))
	}
	if err != nil {
		return d.ContactImportDuplicate, err
	}
	all, err := withContacts(ctx, tx, i, []duplicateRow{d})
	if err != nil {
		return d.ContactImportDuplicate, err
	}
	return all[0], nil
}

// withContacts fills in the names of the contacts and the actions.
func withContacts(ctx context.Context, tx *db.Tx, i HullImport, rows []duplicateRow) ([]ContactImportDuplicate, error) {
	all := []ContactImportDuplicate{}
	if len(rows) == 0 {
		return all, nil
	}
	var ids []string
	from, to := rows[0].Row, rows[0].Row
	for _, r := range rows {
		from, to = min(from, r.Row), max(to, r.Row)
		if r.ContactID != nil && !slices.Contains(ids, *r.ContactID) {
			ids = append(ids, *r.ContactID)
		}
	}
	known, err := contacts.FindAll(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	chosen, err := findChoices(ctx, tx, i.ID, from, to)
	for _, r := range rows {
		d := r.ContactImportDuplicate
		if d.ContactID != nil {
			d.ContactName = null.From(known[*d.ContactID].Name())
		}
		if d.Action, d.Chosen = chosen[d.Row], true; d.Action == "" {
			d.Action, d.Chosen = i.Duplicates, false
		}
		all = append(all, d)
	}
	return all, err
}

// pageOfDuplicates returns a page of the duplicates of an import, in the order of the rows. A
// cursor has the number of a row and the ID of the import.
func pageOfDuplicates(ctx context.Context, tx *db.Tx, i HullImport, q page.Query) (p page.Page[ContactImportDuplicate], err error) {
	const order, prefix = "duplicates", "imp"
	at, err := q.Position(order, prefix)
	if err != nil {
		return p, err
	}
	w, by := &db.Where{}, "row_no"
	w.And("import_id = ?", i.ID)
	if q.Backwards() {
		by = "row_no DESC"
		w.And("row_no < ?", at.Value)
	} else if at != nil {
		w.And("row_no > ?", at.Value)
	}
	rows, err := db.All[duplicateRow](ctx, tx, `SELECT {cols} FROM contact_import_duplicates WHERE env = ? AND `+w.String()+` ORDER BY `+by+` LIMIT ?`,
		slices.Concat([]any{tx.Env}, w.Args, []any{q.Limit + 1})...)
	if err != nil {
		return p, err
	}
	found := page.New(rows, q, at != nil, func(r duplicateRow) string { return page.Position{Value: r.Row, ID: i.ID}.Cursor(order) })
	p = page.Page[ContactImportDuplicate]{HasMore: found.HasMore, NextCursor: found.NextCursor, PrevCursor: found.PrevCursor}
	p.Data, err = withContacts(ctx, tx, i, found.Data)
	return p, err
}
