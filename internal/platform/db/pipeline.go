package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"slipway/internal/platform/trace"
)

// pipeline is the connection of a transaction on PostgreSQL. A statement whose result nobody
// needs waits for the next one that returns something, or for the commit. They go out
// together, in one round trip: between two machines, these take most of the time of a write.
type pipeline struct {
	db      *DB
	conn    *sql.Conn
	waiting pgx.Batch
	failed  error // of the first statement that failed
	ended   bool  // by COMMIT
}

// rows are the rows of a query, of either driver.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// begin starts a transaction and returns the time of the database, which is also the time in the
// transaction's IDs. See settledBefore.
func (d *DB) begin(ctx context.Context) (p *pipeline, now time.Time, err error) {
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return nil, now, err
	}
	p = &pipeline{db: d, conn: conn}
	defer func() {
		if err != nil {
			p.end(ctx)
		}
	}()

	p.send("BEGIN", nil)
	query := "SELECT clock_timestamp()"
	if d.direct != nil {
		query = setTransaction
	} else if d.OwnClock {
		return p, d.now(), p.flush(ctx)
	}
	err = p.ask(ctx, query, nil, func(r rows) error {
		for r.Next() {
			if err := r.Scan(&now); err != nil {
				return err
			}
		}
		return r.Err()
	})
	if d.OwnClock {
		now = d.now()
	}
	return p, now.UTC().Truncate(time.Millisecond), err
}

// send adds a statement that waits. If it fails, the next one that doesn't wait returns the error.
func (p *pipeline) send(text string, args []any) *pgx.QueuedQuery {
	return p.waiting.Queue(text, args...)
}

// ask sends the statements that wait and one more, and reads its rows.
func (p *pipeline) ask(ctx context.Context, text string, args []any, read func(rows) error) error {
	p.send(text, args).Query(func(found pgx.Rows) error { return read(found) })
	return p.flush(ctx)
}

// exec sends the statements that wait and one more, and returns what it did, such as "INSERT 0 1".
func (p *pipeline) exec(ctx context.Context, text string, args []any) (tag pgconn.CommandTag, err error) {
	p.send(text, args).Exec(func(t pgconn.CommandTag) error {
		tag = t
		return nil
	})
	return tag, p.flush(ctx)
}

// flush sends the statements that wait.
func (p *pipeline) flush(ctx context.Context) error {
	return p.use(ctx, func(*pgx.Conn) error { return nil })
}

// use sends the statements that wait, and then lends the connection.
func (p *pipeline) use(ctx context.Context, fn func(conn *pgx.Conn) error) error {
	if p.failed != nil {
		return p.failed
	}
	batch := p.waiting
	p.waiting = pgx.Batch{}
	p.trace(ctx, &batch)
	p.failed = p.raw(func(conn *pgx.Conn) error {
		if batch.Len() > 0 {
			if err := conn.SendBatch(ctx, &batch).Close(); err != nil {
				return err
			}
		}
		return fn(conn)
	})
	return p.failed
}

// trace adds a span to each statement.
func (p *pipeline) trace(ctx context.Context, batch *pgx.Batch) {
	if trace.From(ctx) == nil {
		return
	}
	for _, q := range batch.QueuedQueries {
		read := q.Fn
		if read == nil {
			read = func(results pgx.BatchResults) error {
				_, err := results.Exec()
				return err
			}
		}
		q.Fn = func(results pgx.BatchResults) error {
			_, span := p.db.trace(ctx, q.SQL)
			err := read(results)
			endSpan(span, err)
			return err
		}
	}
}

// commit sends the statements that wait, and commits.
func (p *pipeline) commit(ctx context.Context) error {
	tag, err := p.exec(ctx, "COMMIT", nil)
	if err == nil && tag.String() == "ROLLBACK" {
		err = pgx.ErrTxCommitRollback
	}
	p.ended = err == nil
	return err
}

// rollbackTime limits how long a rollback takes. After that, the server notices that the
// connection is closed.
const rollbackTime = 2 * time.Second

// end rolls back, unless the transaction was committed, and gives the connection back to its pool.
func (p *pipeline) end(ctx context.Context) {
	if !p.ended {
		_ = p.raw(func(conn *pgx.Conn) error {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
			defer cancel()
			if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
				return driver.ErrBadConn // the pool closes it
			}
			return nil
		})
	}
	_ = p.conn.Close()
}

func (p *pipeline) raw(fn func(*pgx.Conn) error) error {
	return p.conn.Raw(func(conn any) error { return fn(conn.(*stdlib.Conn).Conn()) })
}

// ---- statements that wait ---------------------------------------------------------

// Send runs a statement whose result nobody needs. On PostgreSQL, it waits for the next one that
// returns something, or for the commit: if it fails, the transaction fails there.
func Send(ctx context.Context, tx *Tx, query string, args ...any) error {
	if tx.pipe == nil {
		_, err := tx.exec(ctx, query, args)
		return err
	}
	tx.bind(args)
	tx.wrote = tx.wrote || !isRead(query)
	tx.pipe.send(tx.db.text(query, nil, nil), args)
	return ctx.Err()
}

// Asked is a query whose rows are needed later.
type Asked[T any] struct {
	rows []T
	err  error
	send func() error // nil if the rows are there
}

// Ask starts a query. On PostgreSQL, several take one round trip if all are asked before the rows of
// the first one are needed.
func Ask[T any](ctx context.Context, tx *Tx, query string, args ...any) *Asked[T] {
	a := &Asked[T]{}
	if tx.pipe == nil {
		a.rows, a.err = All[T](ctx, tx, query, args...)
		return a
	}
	a.rows = []T{}
	tx.ask(query, args, reflect.TypeFor[T](), a.next)
	a.send = func() error { return tx.pipe.flush(ctx) }
	return a
}

// All returns the rows.
func (a *Asked[T]) All() ([]T, error) {
	if a.send != nil {
		a.err, a.send = a.send(), nil
	}
	return a.rows, a.err
}

func (a *Asked[T]) next() reflect.Value {
	a.rows = append(a.rows, *new(T))
	return reflect.ValueOf(&a.rows[len(a.rows)-1]).Elem()
}

// ask adds a query that waits to those of PostgreSQL.
func (tx *Tx) ask(query string, args []any, t reflect.Type, next func() reflect.Value) {
	cols := columnsOf(t)
	tx.bind(args)
	tx.pipe.send(tx.db.text(query, cols, t), args).Query(func(found pgx.Rows) error { return read(found, cols, next) })
}
