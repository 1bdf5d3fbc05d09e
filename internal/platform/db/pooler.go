package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// OpenPooled opens a PostgreSQL database whose transactions go through a pooler such as
// PgBouncer in transaction mode. Each transaction can then be on another connection, so
// nothing is left on one: no parameters, no prepared statements and no locks. What needs a
// session connects directly: migrations, the notifications of the job queue, and the
// comparison of timelines.
func OpenPooled(ctx context.Context, pooler, direct string) (*DB, error) {
	d, err := Open(ctx, direct)
	if err != nil {
		return d, err
	}
	if d.SQLite() {
		return d, errors.Join(errors.New("a pooler requires PostgreSQL"), d.Close())
	}
	return d, d.usePooler(pooler)
}

// directConnections is enough for a migration with its lock.
const directConnections = 2

func (d *DB) usePooler(dsn string) error {
	pooled, err := stdlibConfig(dsn)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	most := d.write.Stats().MaxOpenConnections
	d.direct = d.write
	limit(d.direct, directConnections)
	if err := d.read.Close(); err != nil {
		return err
	}

	d.plaintext = d.plaintext || isPlaintext(pooled)
	pooled.RuntimeParams["timezone"] = "UTC" // PgBouncer keeps track of these two
	reading := pooled.Copy()
	pooled.RuntimeParams["application_name"] = writer
	pooled.ValidateConnect = d.timelines.validate(pooled.ValidateConnect, true)
	reading.ValidateConnect = d.timelines.validate(reading.ValidateConnect, false)
	reset := stdlib.OptionResetSession(d.timelines.reusable)
	d.write, d.read = stdlib.OpenDB(*pooled, reset), stdlib.OpenDB(*reading, reset)
	limit(d.write, most)
	limit(d.read, most)
	return nil
}

// stdlibConfig parses the URL of a pooler. Statements have no names: pgx remembers the types
// of their arguments, and not a statement on a connection.
func stdlibConfig(dsn string) (*pgx.ConnConfig, error) {
	conn, err := pgx.ParseConfig(dsn)
	if err != nil {
		// pgx quotes the URL in its error, password included.
		return nil, errors.New("DATABASE_URL is not a PostgreSQL URL")
	}
	if conn.ConnectTimeout == 0 || conn.ConnectTimeout > defaultTimeout-time.Second {
		conn.ConnectTimeout = defaultTimeout - time.Second
	}
	conn.DefaultQueryExecMode, conn.StatementCacheCapacity = pgx.QueryExecModeCacheDescribe, 0
	return conn, nil
}

// migrating returns the pool for migrations, which lock a session.
func (d *DB) migrating() *sql.DB {
	if d.direct != nil {
		return d.direct
	}
	return d.write
}

// setTransaction sets in a transaction what setSession sets for a session, because a pooler
// has none. It returns the time of the database.
const setTransaction = `SELECT clock_timestamp() FROM (SELECT set_config('statement_timeout', '60000', true),
	set_config('idle_in_transaction_session_timeout', '60000', true)) AS settings`

// explainPooler names the setting that is missing if a pooler rejects a connection.
func explainPooler(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "08P01" {
		return fmt.Errorf("the database is behind a pooler such as PgBouncer. Set SLIPWAY_DATABASE_DIRECT_URL to the URL of PostgreSQL itself: %w", err)
	}
	return err
}
