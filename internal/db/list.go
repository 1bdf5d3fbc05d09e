package db

import (
	"context"
	"reflect"

	"slipway/internal/page"
)

// List returns one page of the rows that match, newest first. Rows are found
// by their place in the primary key, so a page costs the same at any depth.
// From is the table, with its alias if the conditions use one; ids is the name
// of its id column there.
func List[T any](ctx context.Context, tx *Tx, from, ids string, q page.Query, w *Where) (page.Page[T], error) {
	narrow, order, back := " < ?", " DESC", " > ?"
	if q.Backwards() {
		narrow, order, back = " > ?", "", " < ?"
	}
	on := w
	if q.Cursor() != "" {
		on = w.With(ids+narrow, q.Cursor())
	}
	alias := ids[:len(ids)-len("id")]
	query := "SELECT {" + alias + "cols} FROM " + from + " WHERE " + on.String() + " ORDER BY " + ids + order + " LIMIT ?"
	rows, err := All[T](ctx, tx, query, append(on.Args, q.Limit+1)...)
	if err != nil {
		return page.Page[T]{}, err
	}
	beyond := false
	if q.Cursor() != "" && len(rows) > 0 {
		// The row under the cursor may be gone: what lies beyond the page must be asked for.
		w = w.With(ids+back, idOf(rows[0]))
		found, err := All[int](ctx, tx, "SELECT 1 FROM "+from+" WHERE "+w.String()+" ORDER BY "+ids+reverse(order)+" LIMIT 1", w.Args...)
		if err != nil {
			return page.Page[T]{}, err
		}
		beyond = len(found) > 0
	}
	return page.Cut(rows, q, beyond, idOf[T]), nil
}

func reverse(order string) string {
	if order == "" {
		return " DESC"
	}
	return ""
}

// idOf is the value of the row's id column.
func idOf[T any](row T) string {
	v := reflect.ValueOf(row)
	for _, c := range columnsOf(v.Type()) {
		if c.name == "id" {
			return v.FieldByIndex(c.index).String()
		}
	}
	panic("db: a list of rows without an id")
}
