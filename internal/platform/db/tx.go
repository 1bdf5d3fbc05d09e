package db

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"slipway/internal/vocab/auth"
)

// Tx is what queries run on: the environment they see and the single instant
// at which they happen.
type Tx struct {
	Now time.Time
	Env auth.Env // that of the caller; 0 in work that spans environments

	*session
}

// session is the part of a transaction that is the same in every environment.
type session struct {
	db     *DB
	pool   *sql.DB
	sql    *sql.Tx              // nil in Read: each statement is its own snapshot
	conn   *sql.Conn            // PostgreSQL writes only: the connection of sql
	notify bool                 // the relay is notified after the commit
	ran    map[string]*sql.Stmt // SQLite only: see repeated
}

// In returns the same transaction in an environment, for work that spans them.
func (tx *Tx) In(env auth.Env) *Tx { return &Tx{Now: tx.Now, Env: env, session: tx.session} }

// RequireEnv stops work that would happen in no environment: a bug.
func (tx *Tx) RequireEnv() {
	if tx.Env == 0 {
		panic("db: the transaction has no environment; use auth.InEnv or tx.In")
	}
}

// Func is the body of a transaction. It must use the ctx it is given, and it
// may run twice: nothing outside the database may change in it.
type Func[T any] func(ctx context.Context, tx *Tx) (T, error)

// Write runs fn in a transaction: committed if fn returns nil, undone if not.
//
// It runs fn again when a row was changed since fn read it or PostgreSQL asks
// for that (serialization, deadlock), and once when an index or a reference
// refused a row: fn's own look-up then finds what won the race and can name it.
func Write[T any](ctx context.Context, d *DB, fn Func[T]) (T, error) {
	ctx, cancel := d.bound(ctx)
	defer cancel()
	for try := 1; ; try++ {
		out, err := writeOnce(ctx, d, fn)
		again := isRetryable(err) && try < maxTries || lostRace(err) && try == 1
		if !again || ctx.Err() != nil {
			return out, err
		}
	}
}

// maxTries bounds how often a transaction gives way to others.
const maxTries = 20

func writeOnce[T any](ctx context.Context, d *DB, fn Func[T]) (out T, err error) {
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return out, err
	}
	defer conn.Close()
	sqlTx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return out, err
	}
	defer func() { _ = sqlTx.Rollback() }() // says only that it was committed
	// The instant is fixed once the transaction has its turn: on SQLite, ids
	// then rise in the order of commits.
	tx := &Tx{Now: d.now(), Env: auth.From(ctx).Env, session: &session{db: d, pool: d.write, sql: sqlTx, conn: conn}}
	if out, err = fn(ctx, tx); err != nil {
		return out, err
	}
	if err = sqlTx.Commit(); err == nil && tx.notify {
		select {
		case d.notifications <- struct{}{}:
		default: // it rings already
		}
	}
	return out, err
}

// NotifyRelay tells the outbox's relay, once this transaction has committed, that
// there is something for it.
func (tx *Tx) NotifyRelay() { tx.notify = true }

// Notifications gets a value after each commit that called NotifyRelay.
func (d *DB) Notifications() <-chan struct{} { return d.notifications }

// Read runs fn on the pool that cannot write. Every statement in it sees the
// newest data; nothing ties two of them together, which saves the two round
// trips that a transaction costs.
func Read[T any](ctx context.Context, d *DB, fn Func[T]) (T, error) {
	ctx, cancel := d.bound(ctx)
	defer cancel()
	return fn(ctx, &Tx{Now: d.now(), Env: auth.From(ctx).Env, session: &session{db: d, pool: d.read}})
}

type inTx struct{}

// bound gives a caller without a deadline the usual one.
func (d *DB) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Value(inTx{}) != nil {
		// On SQLite the inner one would wait for the outer one until the deadline.
		panic("db: transaction inside a transaction; pass the *Tx instead")
	}
	ctx = context.WithValue(ctx, inTx{}, true)
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d.DefaultTimeout)
}

func (d *DB) now() time.Time { return d.Now().UTC().Truncate(time.Millisecond) }

// NewID returns a fresh id. Ids given within one process rise.
func (tx *Tx) NewID(prefix string) string { return tx.db.ids.New(prefix, tx.Now) }

// MAC marks data so that only this installation can have written it.
func (tx *Tx) MAC(data []byte) []byte { return tx.db.MAC(data) }

// BaseURL is how strangers reach this installation.
func (tx *Tx) BaseURL() string { return tx.db.BaseURL }

// LockRow keeps other transactions off a row until this one ends. SQLite has
// one writer and needs nothing. The query selects the row.
func LockRow(ctx context.Context, tx *Tx, query string, args ...any) error {
	if tx.db.SQLite() {
		return nil
	}
	_, err := Exec(ctx, tx, query+" FOR UPDATE", args...)
	return err
}

// Claim returns rows that no other transaction holds, and holds them until this
// one ends.
func Claim[T any](ctx context.Context, tx *Tx, query string, args ...any) ([]T, error) {
	if !tx.db.SQLite() {
		query += " FOR UPDATE SKIP LOCKED"
	}
	return All[T](ctx, tx, query, args...)
}

// ForceCustomPlan makes PostgreSQL plan the statements that follow for the tables as
// they are. A plan that it has kept from when a queue was empty reads the whole
// queue.
func ForceCustomPlan(ctx context.Context, tx *Tx) error {
	if tx.db.SQLite() {
		return nil
	}
	_, err := Exec(ctx, tx, "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)")
	return err
}

// SharedClock is the time that all nodes agree on: the database server's. On
// SQLite there is one node, and the time is its own.
func SharedClock(ctx context.Context, tx *Tx) (time.Time, error) {
	if tx.db.SQLite() {
		return tx.Now, nil
	}
	return One[time.Time](ctx, tx, "SELECT clock_timestamp()")
}

// SetLockTimeout bounds how long the statements that follow wait for rows that other
// transactions hold; 0 lifts the bound. On SQLite nobody else holds any.
func SetLockTimeout(ctx context.Context, tx *Tx, d time.Duration) error {
	if tx.db.SQLite() {
		return nil
	}
	_, err := Exec(ctx, tx, "SELECT set_config('lock_timeout', ?, true)", strconv.FormatInt(d.Milliseconds(), 10))
	return err
}

// OnSQLite lends the transaction to the job queue; it is nil on PostgreSQL.
func (tx *Tx) OnSQLite() *sql.Tx {
	if tx.db.SQLite() {
		return tx.sql
	}
	return nil
}

// OnPostgres lends the transaction to the job queue as the kind it wants there.
func (tx *Tx) OnPostgres(fn func(pgx.Tx) error) error {
	return tx.conn.Raw(func(driverConn any) error {
		return fn(borrowed{driverConn.(*stdlib.Conn).Conn()})
	})
}

type pgxConn = pgx.Conn

// borrowed is a connection inside a transaction that somebody else ends.
type borrowed struct{ *pgxConn }

var errBorrowed = errors.New("db: a borrowed transaction is not the borrower's to end or nest")

func (b borrowed) Begin(context.Context) (pgx.Tx, error) { return nil, errBorrowed }
func (b borrowed) Commit(context.Context) error          { return errBorrowed }
func (b borrowed) Rollback(context.Context) error        { return errBorrowed }
func (b borrowed) LargeObjects() pgx.LargeObjects        { return pgx.LargeObjects{} }
func (b borrowed) Conn() *pgx.Conn                       { return b.pgxConn }
