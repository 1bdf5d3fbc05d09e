package db

import (
	"context"
	"reflect"

	"slipway/internal/page"
)

// Source is where the rows of a list come from.
type Source struct {
	From string // the table, or a join
	Cols string // how the query writes the row's columns: "h.cols"
	ID   string // the column that the list is ordered by: "h.id"
}

// Table is the source of a list of a table's rows.
func Table(name string) Source { return Source{name, "cols", "id"} }

// List returns one page of the rows that match, newest first. Rows are found
// by their place in an index, so a page costs the same at any depth.
func List[T any](ctx context.Context, tx *Tx, src Source, q page.Query, w *Where) (page.Page[T], error) {
	ahead, order, behind, back := " < ?", " DESC", " > ?", ""
	if q.Backwards() {
		ahead, order, behind, back = behind, back, ahead, order
	}
	on := w
	if q.Cursor() != "" {
		on = w.With(src.ID+ahead, q.Cursor())
	}
	query := "SELECT {" + src.Cols + "} FROM " + src.From + " WHERE " + on.String() + " ORDER BY " + src.ID + order + " LIMIT ?"
	rows, err := All[T](ctx, tx, query, append(on.Args, q.Limit+1)...)
	if err != nil {
		return page.Page[T]{}, err
	}
	beyond := false
	if q.Cursor() != "" && len(rows) > 0 {
		// The row under the cursor may be gone: what lies behind the page must be asked for.
		w = w.With(src.ID+behind, idOf(rows[0]))
		found, err := All[int](ctx, tx, "SELECT 1 FROM "+src.From+" WHERE "+w.String()+" ORDER BY "+src.ID+back+" LIMIT 1", w.Args...)
		if err != nil {
			return page.Page[T]{}, err
		}
		beyond = len(found) > 0
	}
	return page.Cut(rows, q, beyond, idOf[T]), nil
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
