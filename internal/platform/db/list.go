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
	Kept string // the table of the rows if they are kept in memory, or ""

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
	query, args, err := src.page(ctx, tx, q, w)
	if err != nil {
		return nil, false, err
	}
	rows, err = listed[T](ctx, tx, src, query, args)
	if err != nil || q.Cursor() == "" {
		return rows, false, err
	}
	beyond, err = src.beyond(ctx, tx, q, w)
	return rows, beyond, err
}

// page returns the query for the rows of a page.
func (src Source) page(ctx context.Context, tx *Tx, q page.Query, w *Where) (string, []any, error) {
	ahead, order := " < ?", " DESC"
	if q.Backwards() {
		ahead, order = " > ?", ""
	}
	if q.Cursor() != "" {
		w = w.With(src.ID+ahead, q.Cursor())
	}
	if q.Backwards() && !src.InOrder && !tx.db.SQLite() {
		before, err := src.settledBefore(ctx, tx, q.Cursor(), w)
		if err != nil {
			return "", nil, err
		}
		w = w.With(src.ID+" < ?", before)
	}
	query := "SELECT {" + src.Cols + "} FROM " + src.From + " WHERE " + w.String() + " ORDER BY " + src.ID + order + " LIMIT ?"
	return query, append(w.Args, q.Limit+1), nil
}

// beyond reports whether there are rows on the other side of the cursor. Its row might be
// deleted, so this needs its own query.
func (src Source) beyond(ctx context.Context, tx *Tx, q page.Query, w *Where) (bool, error) {
	behind, back := " >= ?", ""
	if q.Backwards() {
		behind, back = " <= ?", " DESC"
	}
	w = w.With(src.ID+behind, q.Cursor())
	found, err := All[int](ctx, tx, "SELECT 1 FROM "+src.From+" WHERE "+w.String()+" ORDER BY "+src.ID+back+" LIMIT 1", w.Args...)
	return len(found) > 0, err
}

// IDOf returns the value of the id column.
func IDOf[T any](row T) string { return idOf(reflect.ValueOf(row)) }

func idOf(v reflect.Value) string {
	for _, c := range columnsOf(v.Type()) {
		if c.name == "id" {
			return v.FieldByIndex(c.index).String()
		}
	}
	panic("db: a list of rows without an id")
}
