package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"slipway/internal/vocab/auth"
)

// replica is a standby that serves reads. It is only used if it has replayed everything
// that the primary had committed when the read began. So a read sees the writes of every
// client, no matter which node they used. If that is not known, the primary is used.
type replica struct {
	pool    *sql.DB
	primary *sql.DB // the reading pool
	usable  atomic.Bool
	used    atomic.Int64 // reads on the replica
	skipped atomic.Int64 // reads on the primary instead

	mu      sync.Mutex
	pending *question  // for the primary, not asked yet
	asking  sync.Mutex // one question at a time

	watch    context.Context
	stop     context.CancelFunc
	watchers sync.WaitGroup
}

// replicaTimeout limits how long a read waits for a position or a new connection.
const replicaTimeout = time.Second

// position is a place in the WAL. Positions are comparable on the same timeline.
type position struct {
	Timeline int64
	LSN      int64
}

// covers reports whether everything up to q was replayed at p.
func (p position) covers(q position) bool { return p.Timeline == q.Timeline && p.LSN >= q.LSN }

// OpenReplica adds a standby of the PostgreSQL server for reads. It does not connect yet.
func (d *DB) OpenReplica(ctx context.Context, dsn string) error {
	if d.SQLite() {
		return errors.New("a replica requires PostgreSQL")
	}
	conn, err := pgx.ParseConfig(dsn)
	if err != nil {
		// pgx quotes the URL in its error, password included.
		return errors.New("DATABASE_REPLICA_URL is not a PostgreSQL URL")
	}
	d.plaintext = d.plaintext || isPlaintext(conn)
	conn.ConnectTimeout = replicaTimeout
	setSession(conn)
	conn.RuntimeParams["default_transaction_read_only"] = "on"

	r := &replica{pool: stdlib.OpenDB(*conn), primary: d.read}
	limit(r.pool, d.read.Stats().MaxOpenConnections)
	r.watch, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.watchers.Go(r.follow)
	d.replica = r
	return nil
}

// ReplicaReads returns how many reads used the replica, and how many used the primary
// because the replica was behind or unavailable.
func (d *DB) ReplicaReads() (used, skipped int64) {
	if d.replica == nil {
		return 0, 0
	}
	return d.replica.used.Load(), d.replica.skipped.Load()
}

// ReadReplica is Read on the replica, if there is one and it is up to date. If the replica
// fails, fn runs again on the primary.
func ReadReplica[T any](ctx context.Context, d *DB, fn Func[T]) (out T, err error) {
	if d.replica == nil {
		return Read(ctx, d, fn)
	}
	err = d.readReplica(ctx, func(ctx context.Context, tx *Tx) (err error) {
		out, err = fn(ctx, tx)
		return err
	})
	return out, err
}

func (d *DB) readReplica(ctx context.Context, fn work) error {
	ctx, cancel := d.bound(ctx)
	defer cancel()
	tx := &Tx{Now: d.now(), Env: auth.From(ctx).Env, session: &session{db: d, pool: d.read}}

	if conn := d.replica.conn(ctx); conn != nil {
		tx.replica = conn
		err := withHalfOfTheTime(ctx, func(ctx context.Context) error { return fn(ctx, tx) })
		_ = conn.Close() // back to the pool
		if !isReplicaError(err) || ctx.Err() != nil {
			d.replica.count(tx.replica != nil)
			return err
		}
		d.replica.usable.Store(!IsUnavailable(err))
		tx.replica = nil
	}
	d.replica.count(false)
	return fn(ctx, tx)
}

// withHalfOfTheTime leaves time to use the primary if the replica hangs.
func withHalfOfTheTime(ctx context.Context, fn func(context.Context) error) error {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2) //nolint:forbidigo // deadlines use the real clock
		defer cancel()
	}
	return fn(ctx)
}

// isReplicaError reports that the primary might be able to answer: the replica is
// unavailable, or canceled the query because it conflicted with what it replays.
func isReplicaError(err error) bool { return IsUnavailable(err) || isRetryable(err) }

func (r *replica) count(used bool) {
	if used {
		r.used.Add(1)
	} else {
		r.skipped.Add(1)
	}
}

func (r *replica) close() error {
	r.stop()
	r.watchers.Wait()
	return r.pool.Close()
}

// conn returns a connection to the replica, or nil to use the primary.
func (r *replica) conn(ctx context.Context) *sql.Conn {
	if s := r.pool.Stats(); !r.usable.Load() || s.InUse >= s.MaxOpenConnections {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	committed, err := r.committed(ctx)
	if err != nil {
		return nil // the read finds out what is wrong with the primary
	}
	conn, replayed, err := r.open(ctx)
	switch {
	case err != nil:
		r.usable.Store(false)
		return nil
	case !replayed.covers(committed):
		r.usable.Store(replayed.LSN >= 0) // a promoted standby
		_ = conn.Close()
		return nil
	}
	return conn
}

// open returns a connection and how far its server has replayed. It asks each time: the
// connections of a pool can lead to different servers, and a standby can be promoted.
func (r *replica) open(ctx context.Context) (*sql.Conn, position, error) {
	conn, err := r.pool.Conn(ctx)
	if err != nil {
		return nil, position{}, err
	}
	var at position
	err = conn.QueryRowContext(ctx, `SELECT (pg_control_checkpoint()).timeline_id::bigint,
		CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint ELSE -1 END`).Scan(&at.Timeline, &at.LSN)
	if err != nil {
		_ = conn.Close()
		return nil, position{}, err
	}
	return conn, at, nil
}

// ---- the position of the primary ---------------------------------------------

// question is a question for the position of the primary. All reads that arrive before
// it is asked share the answer.
type question struct {
	answered chan struct{}
	at       position
	err      error
}

// committed returns a position after everything that was committed before the call.
func (r *replica) committed(ctx context.Context) (position, error) {
	r.mu.Lock()
	q := r.pending
	if q == nil {
		q = &question{answered: make(chan struct{})}
		r.pending = q
		r.watchers.Go(func() { r.ask(q) }) //nolint:contextcheck // others wait for the answer too
	}
	r.mu.Unlock()
	select {
	case <-q.answered:
		return q.at, q.err
	case <-ctx.Done():
		return position{}, ctx.Err()
	}
}

func (r *replica) ask(q *question) {
	r.asking.Lock()
	defer r.asking.Unlock()
	r.mu.Lock()
	r.pending = nil // reads that arrive from now on need a later position
	r.mu.Unlock()

	ctx, cancel := context.WithTimeout(r.watch, replicaTimeout)
	defer cancel()
	q.err = r.primary.QueryRowContext(ctx, `SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint,
		(pg_current_wal_flush_lsn() - '0/0')::bigint`).Scan(&q.at.Timeline, &q.at.LSN)
	close(q.answered)
}

// follow checks every second whether a replica that failed is available again.
func (r *replica) follow() {
	for r.watch.Err() == nil {
		if !r.usable.Load() {
			ctx, cancel := context.WithTimeout(r.watch, replicaTimeout)
			if conn, at, err := r.open(ctx); err == nil {
				r.usable.Store(at.LSN >= 0) // it is a standby
				_ = conn.Close()
			}
			cancel()
		}
		select {
		case <-r.watch.Done():
		case <-time.After(watchEvery):
		}
	}
}
