package db

import (
	"context"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// minCopied is the number of rows from which Insert copies them to PostgreSQL. A statement
// with a long list of values takes longer to plan than to run.
const minCopied = 8

// copyRows adds rows to a table of PostgreSQL without a statement for them.
func copyRows(ctx context.Context, tx *Tx, table string, cols []column, rows reflect.Value) (err error) {
	ctx, span := tx.db.trace(ctx, "COPY "+table)
	defer func() { endSpan(span, err) }()

	fields := make([]string, len(cols))
	for i, c := range cols {
		fields[i] = c.name
	}
	source := pgx.CopyFromSlice(rows.Len(), func(i int) ([]any, error) {
		row := argsOf(cols, rows.Index(i), make([]any, 0, len(cols)))
		tx.bind(row)
		return row, nil
	})
	return tx.conn.Raw(func(conn any) error {
		_, err := conn.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, fields, source)
		return err
	})
}
