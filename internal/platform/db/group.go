package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"slipway/internal/vocab/auth"
)

// group lets writers share transactions on SQLite, which has one writer. A commit waits
// for the disk, so writers that wait for their turn run one after the other in the same
// transaction, each under a savepoint. They return after its commit.
type group struct {
	mu      sync.Mutex
	busy    bool            // a writer has the turn
	waiting []chan struct{} // writers in the order of arrival; closed when it is their turn

	// Only the writer that has the turn uses these.
	open       *batch               // the transaction of the writers before, if it is still open
	statements map[string]*sql.Stmt // of the writing pool
	seen       map[string]bool      // queries to prepare when they come again
	repeated   []string             // queries to prepare after the commit
}

// A shared transaction is committed after this many writers, or when this much time has
// passed and a writer is finished.
const (
	maxBatch = 64
	shareFor = 10 * time.Millisecond
)

// maxStatements and maxStatement limit the prepared statements of the writer, and the
// length of each.
const maxStatements, maxStatement = 500, 16 << 10

// batch is a transaction that writers share.
type batch struct {
	group   *group
	ctx     context.Context //nolint:containedctx // without the end of the first writer's
	conn    *sql.Conn
	tx      *sql.Tx
	stmts   map[string]*sql.Stmt // of this transaction
	members int                  // writers whose changes it contains
	started time.Time
	lost    bool // SQLite has rolled it back

	done chan struct{} // closed after the commit
	err  error         // of the commit
}

// errLost means that SQLite rolled a transaction back because of another writer.
var errLost = errors.New("the shared transaction was rolled back")

// errNotFinished means that a writer panicked.
var errNotFinished = errors.New("the writer has not finished")

type separate struct{}

// Separate marks a transaction that takes long, such as a part of an import. On SQLite, it
// doesn't share the transaction of the writers before it, because they would wait for it.
// Those that came in the meantime share its own, so that they wait for one commit, not two.
func Separate(ctx context.Context) context.Context { return context.WithValue(ctx, separate{}, true) }

// transactShared is transactOnce on SQLite.
func (d *DB) transactShared(ctx context.Context, fn work) (err error) {
	b, err := d.group.join(ctx, d.write)
	if err != nil {
		return err
	}
	// The time is read after the turn has started, so that IDs increase in the order of commits.
	tx := &Tx{Now: d.now(), Env: auth.From(ctx).Env, session: &session{db: d, pool: d.write, sql: b.tx, batch: b}}
	earlier, broken := b.members > 0, false
	func() {
		defer func() {
			err = b.finish(earlier, err)
			broken = b.lost // a lost transaction is not passed on, so this writer has lost it
			if ctx.Value(separate{}) != nil {
				b.started = time.Now() //nolint:forbidigo // a duration of the real clock
			}
			d.group.leave(d.write, b)
		}()
		if earlier {
			if err = b.exec("SAVEPOINT writer"); err != nil {
				return
			}
		}
		err = errNotFinished // in case of a panic
		if err = fn(ctx, tx); err == nil {
			err = tx.beforeCommit(ctx)
		}
	}()

	// An error can be the result of changes of an earlier writer. It waits for them too.
	if err != nil && (!earlier || broken) {
		return err
	}
	<-b.done
	if b.err != nil {
		return b.err
	}
	if err == nil {
		tx.afterCommit()
	}
	return err
}

// join waits for the turn of a writer and returns the transaction to use.
func (g *group) join(ctx context.Context, pool *sql.DB) (b *batch, err error) {
	if err := g.wait(ctx); err != nil {
		return nil, err
	}
	b, g.open = g.open, nil
	if b != nil && (ctx.Err() != nil || ctx.Value(separate{}) != nil) {
		g.end(b)
		b = nil
	}
	if err = ctx.Err(); err == nil && b == nil {
		b, err = g.begin(ctx, pool)
	}
	if err != nil {
		g.pass(nil)
	}
	return b, err
}

// wait returns when it is the turn of the writer, or when ctx ends before.
func (g *group) wait(ctx context.Context) error {
	g.mu.Lock()
	if !g.busy {
		g.busy = true
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, w := range g.waiting {
		if w == turn {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return ctx.Err()
		}
	}
	return nil // it just got the turn, and has to pass it on
}

// pass lets the next writer use an open transaction, or start its own if b is nil. It
// reports whether there is one. Without one, only a nil b ends the turn.
func (g *group) pass(b *batch) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.busy = b != nil
		return false
	}
	g.open = b
	close(g.waiting[0])
	g.waiting = g.waiting[1:]
	return true
}

// begin starts a transaction. It doesn't end with ctx: other writers will share it.
func (g *group) begin(ctx context.Context, pool *sql.DB) (*batch, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &batch{
		group: g, ctx: ctx, conn: conn, tx: tx, stmts: map[string]*sql.Stmt{}, done: make(chan struct{}),
		started: time.Now(), //nolint:forbidigo // a duration of the real clock
	}, nil
}

// finish keeps the changes of a writer, or takes back only them.
func (b *batch) finish(savepoint bool, err error) error {
	switch {
	case err == nil && savepoint:
		err = b.exec("RELEASE writer")
	case err != nil && savepoint && !b.lost:
		if back := errors.Join(b.exec("ROLLBACK TO writer"), b.exec("RELEASE writer")); back != nil {
			b.lost = true
		}
	case err != nil && !savepoint: // it is the only one
		b.lost = true
	}
	if err == nil && b.lost {
		err = errLost
	}
	if err == nil {
		b.members++
	}
	return err
}

// leave lets the next writer use the transaction, or commits it.
func (g *group) leave(pool *sql.DB, b *batch) {
	full := b.members >= maxBatch || time.Since(b.started) > shareFor //nolint:forbidigo // a duration of the real clock
	if !full && !b.lost && g.pass(b) {
		return
	}
	g.end(b)
	g.prepare(b.ctx, pool)
	g.pass(nil)
}

// end commits a transaction and tells its writers.
func (g *group) end(b *batch) {
	if b.lost {
		b.err = errors.Join(errLost, b.tx.Rollback())
	} else {
		b.err = b.tx.Commit()
	}
	if b.err != nil { // SQLite can leave the transaction open
		_, _ = b.conn.ExecContext(b.ctx, "ROLLBACK")
	}
	_ = b.conn.Close() // back to the pool
	close(b.done)
}

// ---- statements ---------------------------------------------------------------

// statement returns a prepared statement of the transaction. Compiling one takes about
// as long as running it.
func (b *batch) statement(query string) (stmt *sql.Stmt, err error) {
	if stmt = b.stmts[query]; stmt != nil {
		return stmt, nil
	}
	if prepared := b.group.statements[query]; prepared != nil {
		stmt = b.tx.StmtContext(b.ctx, prepared)
	} else if stmt, err = b.tx.PrepareContext(b.ctx, query); err != nil {
		return nil, err
	} else {
		b.group.remember(query)
	}
	b.stmts[query] = stmt
	return stmt, nil
}

// remember prepares a query after the commit if it came before: many queries, such as
// those with a list of IDs, come only once.
func (g *group) remember(query string) {
	switch {
	case len(query) > maxStatement || len(g.statements) >= maxStatements:
	case g.seen[query]:
		g.repeated = append(g.repeated, query)
	case len(g.seen) < 10*maxStatements:
		g.seen[query] = true
	}
}

// prepare prepares the queries that came again. The connection must be free.
func (g *group) prepare(ctx context.Context, pool *sql.DB) {
	for _, query := range g.repeated {
		if g.statements[query] != nil { // two transactions used it before this one could be prepared
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		if stmt, err := pool.PrepareContext(ctx, query); err == nil { //nolint:sqlclosecheck // kept
			g.statements[query] = stmt
		}
		cancel()
	}
	g.repeated = nil
}

// exec runs a statement without arguments.
func (b *batch) exec(query string) error {
	stmt, err := b.statement(query) //nolint:sqlclosecheck // ends with the transaction
	if err == nil {
		_, err = stmt.ExecContext(b.ctx)
	}
	return b.check(err)
}

// run runs a statement of a writer. The statement doesn't end with ctx: SQLite would
// roll back the changes of all writers. A writer that was canceled ends before its next
// statement.
func run[R any](ctx context.Context, b *batch, query string, args []any, call func(*sql.Stmt, context.Context, ...any) (R, error)) (out R, err error) {
	if err = ctx.Err(); err == nil && b.lost {
		err = errLost
	}
	if err != nil {
		return out, err
	}
	stmt, err := b.statement(query)
	if err != nil {
		return out, b.check(err)
	}
	out, err = call(stmt, context.WithoutCancel(ctx), args...)
	return out, b.check(err)
}

// check notes errors after which SQLite has rolled back the transaction.
func (b *batch) check(err error) error {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() & 0xff { // the primary code, without its extension
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_INTERRUPT:
			b.lost = true
		}
	}
	return err
}

// WaitingWriters returns how many writers wait for their turn on SQLite.
func (d *DB) WaitingWriters() int {
	d.group.mu.Lock()
	defer d.group.mu.Unlock()
	return len(d.group.waiting)
}
