// Package db opens the database and runs transactions on it.
//
// SQL is written once, in the subset SQLite and PostgreSQL share, with ? for
// an argument. The few places where the two differ live in this package and
// nowhere else.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the "sqlite" driver

	"slipway/internal/vocab/id"
)

// defaultTimeout makes sure that an unavailable database is reported within five
// seconds.
const defaultTimeout = 4 * time.Second

// DB is an open database: a pool that writes and a pool that cannot.
type DB struct {
	write, read   *sql.DB
	direct        *sql.DB       // nil without a pooler; see OpenPooled
	jobs          *pgxpool.Pool // PostgreSQL only: for the job queue
	path          string        // SQLite only
	group         *group        // SQLite only
	versions      *versions     // SQLite only
	statements    sync.Map      // SQLite only: query → *sql.Stmt of the reading pool
	texts         sync.Map      // query as written → as sent
	cached        atomic.Int64  // entries in the two
	ids           *id.Source
	notifications chan struct{}
	full          atomic.Bool // a write failed because the disk is full
	attached      map[reflect.Type]any
	plaintext     bool       // PostgreSQL only: the password and the data can be read on the network
	timelines     *timelines // PostgreSQL only
	replica       *replica   // PostgreSQL only: nil without one
	kept          *kept

	// Now is the clock. Tests and the demo replace it.
	Now func() time.Time

	// OwnClock is set if writes use Now on PostgreSQL too, as in tests that move the clock.
	// Otherwise they use the clock of the database, which all nodes share.
	OwnClock bool

	// DefaultTimeout limits database work for a caller without a deadline.
	DefaultTimeout time.Duration
}

// Open opens "sqlite:path" or "postgres://…". It does not connect yet, so a
// server can start before its database.
func Open(ctx context.Context, dsn string) (*DB, error) {
	d := &DB{Now: time.Now, DefaultTimeout: defaultTimeout, ids: id.NewSource(), kept: newKept(DefaultKept), notifications: make(chan struct{}, 1)}
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		return d, d.openSQLite(path)
	}
	return d, d.openPostgres(ctx, dsn)
}

// openSQLite opens one writer, because SQLite has one and a queue here is
// fairer than the file lock, and as many readers as there are cores, because
// more only starve the writer. The pragmas are in the DSN to reach every
// pooled connection; the timeout comes first so that it covers the others.
// synchronous=FULL makes an acknowledged write survive a power cut: in WAL
// mode, NORMAL returns before anything has reached the disk. secure_delete
// overwrites deleted content, so that erased data can't be read from the file.
// temp_store=MEMORY keeps what a savepoint needs in memory. Readers use the mapped file
// and need little cache; the writer copies the pages that it changes.
func (d *DB) openSQLite(path string) (err error) {
	d.path = path
	dsn := sqliteDSN(path)
	if d.write, err = sql.Open("sqlite", dsn+"&_pragma=cache_size(-16384)&_pragma=temp_store(2)&_txlock=immediate"); err != nil {
		return err
	}
	if d.read, err = sql.Open("sqlite", dsn+"&_pragma=cache_size(-4096)&_pragma=query_only(1)"); err != nil {
		return err
	}
	watch, err := sql.Open("sqlite", dsn+"&_pragma=cache_size(-100)&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	d.versions = &versions{pool: watch}
	limit(watch, 1)
	d.group = &group{statements: map[string]*sql.Stmt{}, seen: map[string]bool{}}
	limit(d.write, 1)
	limit(d.read, max(2, runtime.GOMAXPROCS(0)))
	return nil
}

// sqliteDSN returns the name of a database for the driver.
func sqliteDSN(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(3500)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
		"&_pragma=foreign_keys(1)&_pragma=secure_delete(1)&_pragma=mmap_size(268435456)"
}

// Plaintext reports whether the connection to a remote PostgreSQL server is not
// always encrypted.
func (d *DB) Plaintext() bool { return d.plaintext }

// isPlaintext reports whether any host of the URL is remote and used without TLS.
// pgx lists the alternatives of a host, such as without TLS, as fallbacks.
func isPlaintext(conn *pgx.ConnConfig) bool {
	remote := func(host string) bool {
		ip := net.ParseIP(host)
		return host != "localhost" && !strings.HasPrefix(host, "/") && (ip == nil || !ip.IsLoopback())
	}
	plain := conn.TLSConfig == nil && remote(conn.Host)
	for _, f := range conn.Fallbacks {
		plain = plain || f.TLSConfig == nil && remote(f.Host)
	}
	return plain
}

// openPostgres opens three bounded pools: one that writes, one that is
// read-only as on SQLite, and a small one for the job queue, so that neither
// can starve the other. With several hosts in the URL all choose the primary
// with the newest timeline. pool_max_conns in the URL bounds each of the first two.
func (d *DB) openPostgres(ctx context.Context, dsn string) error {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// pgx quotes the URL in its error, password included.
		return errors.New("DATABASE_URL is not a PostgreSQL URL")
	}
	conn := cfg.ConnConfig
	d.plaintext = isPlaintext(conn)
	if conn.ConnectTimeout == 0 || conn.ConnectTimeout > defaultTimeout-time.Second {
		conn.ConnectTimeout = defaultTimeout - time.Second
	}
	setSession(conn)
	d.timelines = newTimelines(ctx, conn)

	reading := conn.Copy()
	conn.RuntimeParams["application_name"] = writer
	reading.RuntimeParams["default_transaction_read_only"] = "on"
	if reading.ValidateConnect != nil {
		// A read-only session looks like a standby to "read-write"; "primary" checks the server itself.
		reading.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	reading.ValidateConnect = d.timelines.validate(reading.ValidateConnect, false)
	conn.ValidateConnect = d.timelines.validate(conn.ValidateConnect, true)
	most := max(16, int(cfg.MaxConns))
	options := []stdlib.OptionOpenDB{stdlib.OptionBeforeConnect(d.timelines.sort), stdlib.OptionResetSession(d.timelines.reusable)}
	d.write = stdlib.OpenDB(*conn, options...)
	d.read = stdlib.OpenDB(*reading, options...)
	limit(d.write, most)
	limit(d.read, most)

	cfg.MaxConns, cfg.BeforeConnect = 6, d.timelines.sort
	cfg.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		return d.timelines.reusable(ctx, conn) == nil, nil
	}
	d.jobs, err = pgxpool.NewWithConfig(ctx, cfg)
	return err
}

// setSession sets the parameters of each session.
func setSession(conn *pgx.ConnConfig) {
	conn.RuntimeParams["statement_timeout"] = "60000"
	conn.RuntimeParams["idle_in_transaction_session_timeout"] = "60000"
	conn.RuntimeParams["timezone"] = "UTC"
}

func limit(pool *sql.DB, n int) {
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
}

// Close closes the database.
func (d *DB) Close() error {
	var err error
	if d.replica != nil {
		err = d.replica.close()
	}
	err = errors.Join(err, d.read.Close(), d.write.Close())
	if d.direct != nil {
		err = errors.Join(err, d.direct.Close())
	}
	if d.versions != nil {
		err = errors.Join(err, d.versions.close(), d.versions.pool.Close())
	}
	if d.jobs != nil {
		d.jobs.Close()
		d.timelines.close()
	}
	return err
}

// SQLite reports whether this is the embedded database.
func (d *DB) SQLite() bool { return d.jobs == nil }

// JobPools returns the pools of the job queue: the writer on SQLite, its own
// pool on PostgreSQL.
func (d *DB) JobPools() (sqlite *sql.DB, postgres *pgxpool.Pool) { return d.write, d.jobs }

// Ping checks that the database responds.
func (d *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.DefaultTimeout)
	defer cancel()
	var one int
	if err := d.read.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("ping: %w", explainPooler(err))
	}
	return nil
}
