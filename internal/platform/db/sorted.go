package db

import (
	"context"

	"slipway/internal/vocab/page"
)

// Order is an order of a list that is not by ID. Rows with the same value are in the
// order of their IDs.
type Order[T any] struct {
	Name   string // of the cursors, such as "price"
	Column string // or an expression. An index starts with env, this and the ID.
	IsExpr bool   // Column is an expression
	Desc   bool
	Prefix string // of the IDs

	// Value returns the value of a row as a number, and Argument the value of a number.
	Value    func(T) int64
	Argument func(int64) any
}

// Cursor returns the position of a row.
func (o Order[T]) Cursor(row T) string {
	return page.Position{Value: o.Value(row), ID: IDOf(row)}.Cursor(o.Name)
}

// List returns one page of the rows that match, in this order.
func (o Order[T]) List(ctx context.Context, tx *Tx, src Source, q page.Query, w *Where) (page.Page[T], error) {
	at, err := q.Position(o.Name, o.Prefix)
	if err != nil {
		return page.Page[T]{}, err
	}
	down := o.Desc != q.Backwards()
	from := w
	if at != nil {
		from = o.after(w, src, down, "", *at)
	}

	query := "SELECT {" + src.Cols + "} FROM " + src.From + " WHERE " + from.String() + " ORDER BY " + o.by(src, down) + " LIMIT ?"
	rows, err := listed[T](ctx, tx, src, query, append(from.Args, q.Limit+1))
	if err != nil || at == nil {
		return page.New(rows, q, false, o.Cursor), err
	}
	w = o.after(w, src, !down, "=", *at)
	found, err := All[int](ctx, tx, "SELECT 1 FROM "+src.From+" WHERE "+w.String()+" ORDER BY "+o.by(src, !down)+" LIMIT 1", w.Args...)
	return page.New(rows, q, len(found) > 0, o.Cursor), err
}

// after adds the condition that a row comes after a position, or at it.
func (o Order[T]) after(w *Where, src Source, down bool, or string, at page.Position) *Where {
	sign := " >"
	if down {
		sign = " <"
	}
	if o.IsExpr { // SQLite doesn't find pairs with an expression in an index
		w = w.With(o.Column+sign+"= ?", o.Argument(at.Value))
	}
	return w.With("("+o.Column+", "+src.ID+")"+sign+or+" (?, ?)", o.Argument(at.Value), at.ID)
}

func (o Order[T]) by(src Source, down bool) string {
	if down {
		return o.Column + " DESC, " + src.ID + " DESC"
	}
	return o.Column + ", " + src.ID
}
