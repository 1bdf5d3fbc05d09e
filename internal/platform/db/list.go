package db

import (
	"context"
	"reflect"

	"slipway/internal/vocab/page"
)

// Source is where the rows of a list come from.
type Source struct {
	From string // the table, or a join
	Cols string // how the query writes the row's columns: "h.cols"
	ID   string // the column that the list is ordered by: "h.id"

	// InOrder is set if rows appear in the order of their IDs on both databases.
	InOrder bool
}

// From is the source of a list of a table's rows.
func From(name string) Source { return Source{From: name, Cols: "cols", ID: "id"} }

// List returns one page of the rows that match, newest first. Rows are found
// by their position in an index, so a page takes the same time at any depth.
func List[T any](ctx context.Context, tx *Tx, src Source, q page.Query, w *Where) (page.Page[T], error) {
	rows, beyond, err := Slice[T](ctx, tx, src, q, w)
	if err != nil {
		return page.Page[T]{}, err
	}
	return page.New(rows, q, beyond, IDOf[T]), nil
}

// Slice returns the rows of a page in the requested direction, with one extra
// row if there are more, and whether there are rows on the other side.
func Slice[T any](ctx context.Context, tx *Tx, src Source, q page.Query, w *Where) (rows []T, beyond bool, err error) {
	ahead, order, behind, back := " < ?", " DESC", " >= ?", ""
	if q.Backwards() {
		ahead, order, behind, back = " > ?", "", " <= ?", " DESC"
	}
	on := w
	if q.Cursor() != "" {
		on = w.With(src.ID+ahead, q.Cursor())
	}
	if q.Backwards() && !src.InOrder && !tx.db.SQLite() {
		before, err := settledBefore(ctx, tx, q.Cursor())
		if err != nil {
			return nil, false, err
		}
		on = on.With(src.ID+" < ?", before)
	}
	query := "SELECT {" + src.Cols + "} FROM " + src.From + " WHERE " + on.String() + " ORDER BY " + src.ID + order + " LIMIT ?"
	rows, err = All[T](ctx, tx, query, append(on.Args, q.Limit+1)...)
	if err != nil || q.Cursor() == "" {
		return rows, false, err
	}
	// The row of the cursor might be deleted, so this needs its own query.
	w = w.With(src.ID+behind, q.Cursor())
	found, err := All[int](ctx, tx, "SELECT 1 FROM "+src.From+" WHERE "+w.String()+" ORDER BY "+src.ID+back+" LIMIT 1", w.Args...)
	return rows, len(found) > 0, err
}

// IDOf returns the value of the id column.
func IDOf[T any](row T) string {
	v := reflect.ValueOf(row)
	for _, c := range columnsOf(v.Type()) {
		if c.name == "id" {
			return v.FieldByIndex(c.index).String()
		}
	}
	panic("db: a list of rows without an id")
}
