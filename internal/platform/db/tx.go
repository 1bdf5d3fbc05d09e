package db

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"slipway/internal/platform/trace"
	"slipway/internal/vocab/auth"
)

// Tx is a transaction in an environment. All its statements use the same time.
type Tx struct {
	Now time.Time
	Env auth.Env // the environment of the caller, or 0 for work in several environments

	*session
}

// session is the part of a transaction that is the same in every environment.
type session struct {
	db      *DB
	pool    *sql.DB
	sql     *sql.Tx   // SQLite writes only
	pipe    *pipeline // PostgreSQL writes only
	replica *sql.Conn // PostgreSQL reads only: a replica to use instead of pool
	notify  bool      // the relay is notified after the commit
	wrote   bool      // see HasWritten
	again   bool      // see Again
	batch   *batch    // SQLite writes only

	deferred  map[reflect.Type]any              // see Deferred
	finish    []func(ctx context.Context) error // before the commit
	committed []func()                          // after the commit
	ended     []func()                          // see AtEnd
}

// writes reports whether this is a transaction. In Read, each statement is its own snapshot.
func (s *session) writes() bool { return s.sql != nil || s.pipe != nil }

// Again reports whether Write runs its function again, because the database rejected the last attempt.
func (tx *Tx) Again() bool { return tx.again }

// HasWritten reports whether the transaction has changed anything since it began, or since
// ForgetWrites.
func (tx *Tx) HasWritten() bool { return tx.wrote }

// ForgetWrites is for what a request writes before its handler runs.
func (tx *Tx) ForgetWrites() { tx.wrote = false }

// In returns the same transaction in another environment.
func (tx *Tx) In(env auth.Env) *Tx { return &Tx{Now: tx.Now, Env: env, session: tx.session} }

// RequireEnv panics if the transaction has no environment, which is a bug.
func (tx *Tx) RequireEnv() {
	if tx.Env == 0 {
		panic("db: the transaction has no environment; use auth.InEnv or tx.In")
	}
}

// Func is the body of a transaction. It must use the ctx of its argument. It can
// run twice, so it must not change anything outside the database.
type Func[T any] func(ctx context.Context, tx *Tx) (T, error)

// Write runs fn in a transaction and commits it if fn returns nil, or an error of
// Committed. Any other error rolls it back.
//
// It runs fn again when a row was changed since fn read it or PostgreSQL asks
// for that (serialization, deadlock), and once when an index or a reference
// rejected a row: fn's own check then finds the conflicting row and can name it.
func Write[T any](ctx context.Context, d *DB, fn Func[T]) (out T, err error) {
	err = d.transact(ctx, func(ctx context.Context, tx *Tx) (err error) {
		out, err = fn(ctx, tx)
		return err
	})
	return out, err
}

// work is a Func that keeps its result. Code that uses it is compiled once, and not for
// each type.
type work func(ctx context.Context, tx *Tx) error

func (d *DB) transact(ctx context.Context, fn work) error {
	ctx, cancel := d.bound(ctx)
	defer cancel()
	ctx, span := trace.Start(ctx, trace.Internal, "transaction")
	defer span.End()
	var last *session
	defer func() {
		if last != nil {
			last.end()
		}
	}()
	var rejected error
	for try := 1; ; try++ {
		err := d.transactOnce(ctx, func(ctx context.Context, tx *Tx) error {
			last, tx.again = tx.session, try > 1
			err := fn(ctx, tx)
			if rejected = nil; IsCommitted(err) {
				rejected, err = err, nil
			}
			return err
		})
		if err == nil {
			return rejected
		}
		if isFull(err) {
			d.full.Store(true)
		}
		again := isRetryable(err) && try < maxTries || lostRace(err) && try == 1
		if !again || ctx.Err() != nil {
			return err
		}
	}
}

// maxTries limits how often a transaction is retried.
const maxTries = 20

func (d *DB) transactOnce(ctx context.Context, fn work) error {
	if d.SQLite() {
		return d.transactShared(ctx, fn)
	}
	pipe, now, err := d.begin(ctx)
	if err != nil {
		return err
	}
	defer pipe.end(ctx)
	tx := &Tx{Now: now, Env: auth.From(ctx).Env, session: &session{db: d, pool: d.write, pipe: pipe}}
	if err = fn(ctx, tx); err != nil {
		return err
	}
	if err = tx.beforeCommit(ctx); err != nil {
		return err
	}
	if err = pipe.commit(ctx); err != nil {
		return err
	}
	tx.afterCommit()
	return nil
}

func (s *session) beforeCommit(ctx context.Context) error {
	for _, finish := range s.finish {
		if err := finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) afterCommit() {
	for _, fn := range s.committed {
		fn()
	}
	if s.notify { // the relay reads what committed has left for it
		select {
		case s.db.notifications <- struct{}{}:
		default: // a notification is already waiting
		}
	}
}

func (s *session) end() {
	for _, fn := range s.ended {
		fn()
	}
}

// Deferred returns the value of a type that belongs to the transaction, in all
// environments. The first call creates it. Finish then runs before the commit. It
// can save what the transaction collected, such as its audit entries.
func Deferred[T any](tx *Tx, finish func(ctx context.Context, tx *Tx, value *T) error) *T {
	if !tx.writes() {
		panic("db: deferred work outside of Write")
	}
	key := reflect.TypeFor[T]()
	if value, ok := tx.deferred[key].(*T); ok {
		return value
	}
	value := new(T)
	if tx.deferred == nil {
		tx.deferred = map[reflect.Type]any{}
	}
	tx.deferred[key] = value
	tx.finish = append(tx.finish, func(ctx context.Context) error { return finish(ctx, tx, value) })
	return value
}

// AfterCommit runs fn after the transaction has committed.
func (tx *Tx) AfterCommit(fn func()) { tx.committed = append(tx.committed, fn) }

// AtEnd runs fn once, after the last attempt of Write, whether it was committed or not. It is
// for what a rejection leaves outside the database. In Read, it runs immediately.
func (tx *Tx) AtEnd(fn func()) {
	if !tx.writes() {
		fn()
		return
	}
	tx.ended = append(tx.ended, fn)
}

// NotifyRelay wakes the relay of the outbox after this transaction commits.
func (tx *Tx) NotifyRelay() { tx.notify = true }

// Notifications receives a value after each commit that called NotifyRelay.
func (d *DB) Notifications() <-chan struct{} { return d.notifications }

// Read runs fn on the read-only pool, without a transaction: every statement
// sees the newest data. That saves two round trips.
func Read[T any](ctx context.Context, d *DB, fn Func[T]) (T, error) {
	ctx, cancel := d.bound(ctx)
	defer cancel()
	return fn(ctx, &Tx{Now: d.now(), Env: auth.From(ctx).Env, session: &session{db: d, pool: d.read}})
}

type inTx struct{}

// bound sets the default deadline for a caller without one.
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

// NewID returns a new ID. The IDs of one process always increase.
func (tx *Tx) NewID(prefix string) string { return tx.db.ids.New(prefix, tx.Now) }

// LockRow locks the row that the query selects until the transaction ends, before the next
// statement runs. It does nothing on SQLite, which has one writer.
func LockRow(ctx context.Context, tx *Tx, query string, args ...any) error {
	if tx.db.SQLite() {
		return nil
	}
	return Send(ctx, tx, query+" FOR UPDATE", args...)
}

// Claim returns rows that no other transaction has locked, and locks them until
// this one ends.
func Claim[T any](ctx context.Context, tx *Tx, query string, args ...any) ([]T, error) {
	if !tx.db.SQLite() {
		query += " FOR UPDATE SKIP LOCKED"
	}
	return All[T](ctx, tx, query, args...)
}

// ForceCustomPlan makes PostgreSQL plan the following statements for the tables
// as they are now. A plan cached while a queue was empty reads the whole queue.
func ForceCustomPlan(ctx context.Context, tx *Tx) error {
	if tx.db.SQLite() {
		return nil
	}
	return Send(ctx, tx, "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)")
}

// Analyze makes PostgreSQL count what is in a table that has just grown. It does so by
// itself, but only once a minute, and until then it reads all rows of an environment to
// find a few. SQLite doesn't need it.
func (d *DB) Analyze(ctx context.Context, table string) error {
	if d.SQLite() {
		return nil
	}
	_, err := d.write.ExecContext(ctx, "ANALYZE "+table)
	return err
}

// SharedClock returns the time of the database server, which is the same for all
// nodes. On SQLite there is only one node.
func SharedClock(ctx context.Context, tx *Tx) (time.Time, error) {
	if tx.db.SQLite() {
		return tx.Now, nil
	}
	return One[time.Time](ctx, tx, "SELECT clock_timestamp()")
}

// SetLockTimeout limits how long the following statements wait for locked rows;
// 0 removes the limit. SQLite has no row locks.
func SetLockTimeout(ctx context.Context, tx *Tx, d time.Duration) error {
	if tx.db.SQLite() {
		return nil
	}
	return Send(ctx, tx, "SELECT set_config('lock_timeout', ?, true)", strconv.FormatInt(d.Milliseconds(), 10))
}

// CommitsInOrder reports whether transactions commit in the order of their IDs and
// times, as on SQLite, which has one writer.
func (tx *Tx) CommitsInOrder() bool { return tx.db.SQLite() }

// OnSQLite returns the transaction for the job queue; it is nil on PostgreSQL.
func (tx *Tx) OnSQLite() *sql.Tx {
	if tx.db.SQLite() {
		return tx.sql
	}
	return nil
}

// OnPostgres passes the transaction to the job queue as a pgx transaction.
func (tx *Tx) OnPostgres(ctx context.Context, fn func(pgx.Tx) error) error {
	return tx.pipe.use(ctx, func(conn *pgx.Conn) error { return fn(borrowed{conn}) })
}

type pgxConn = pgx.Conn

// borrowed is a connection inside a transaction that its owner ends.
type borrowed struct{ *pgxConn }

var errBorrowed = errors.New("db: a borrowed transaction cannot be ended or nested")

func (b borrowed) Begin(context.Context) (pgx.Tx, error) { return nil, errBorrowed }
func (b borrowed) Commit(context.Context) error          { return errBorrowed }
func (b borrowed) Rollback(context.Context) error        { return errBorrowed }
func (b borrowed) LargeObjects() pgx.LargeObjects        { return pgx.LargeObjects{} }
func (b borrowed) Conn() *pgx.Conn                       { return b.pgxConn }
