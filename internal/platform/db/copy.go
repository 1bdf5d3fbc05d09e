package db

import (
	"context"
	"reflect"

	"github.com/jackc/pgx/v5"
)

// minCopied is the number of rows from which Insert copies them to PostgreSQL. A statement
// with a long list of values takes longer to plan than to run, but COPY takes round trips.
const minCopied = 50

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
	return tx.pipe.use(ctx, func(conn *pgx.Conn) error {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{table}, fields, source)
		return err
	})
}

// Chunks splits rows for statements with a list of values. Each chunk has a power of two
// rows and at most the given number, so that lists of all lengths share a few statements:
// both databases take as long to compile a new one as to run it.
func Chunks[T any](rows []T, most int) (chunks [][]T) {
	for len(rows) > 0 {
		n := chunk(len(rows), most)
		chunks, rows = append(chunks, rows[:n:n]), rows[n:]
	}
	return chunks
}

// chunk returns the length of the next chunk.
func chunk(rows, most int) int {
	n := 1
	for 2*n <= min(rows, most) {
		n *= 2
	}
	return n
}
