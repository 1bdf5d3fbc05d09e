package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// timelines prevents writes to an old primary. A failover starts a new timeline. If
// the old primary comes back, it is still writable, but its writes are lost.
//
// A node remembers the newest timeline that it has seen on any host of the URL, and
// uses no connection to a server on an older one. The newest timeline is also stored
// in the database. So a node that can reach a standby of the new primary, but not the
// new primary, still learns that the old primary is outdated.
type timelines struct {
	mu      sync.Mutex
	cluster int64 // identifier, 0 before the first connection
	newest  int64
	stored  int64 // the newest one that is stored in the database
	primary int   // index of the host with the newest timeline, -1 if unknown

	hosts    []*pgconn.Config // of the URL, if it has several
	begin    sync.Once
	compared chan struct{} // closed when each host has responded or failed once
	watch    context.Context
	stop     context.CancelFunc
	watchers sync.WaitGroup
}

const (
	// watchEvery is how often each host is asked for its timeline.
	watchEvery = time.Second
	// watchTimeout is short, because the first connection waits for all hosts.
	watchTimeout = time.Second
)

func newTimelines(ctx context.Context, conn *pgx.ConnConfig) *timelines {
	t := &timelines{hosts: hostsOf(conn), compared: make(chan struct{}), primary: -1}
	t.watch, t.stop = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// hostsOf returns one config for each host of the URL, or none if it has only one.
// pgx lists the alternatives of a host, such as without TLS, as fallbacks.
func hostsOf(conn *pgx.ConnConfig) []*pgconn.Config {
	var hosts []*pgconn.Config
	for _, a := range alternatives(&conn.Config) {
		if n := len(hosts); n > 0 && hosts[n-1].Host == a.Host && hosts[n-1].Port == a.Port {
			hosts[n-1].Fallbacks = append(hosts[n-1].Fallbacks, a)
			continue
		}
		host := conn.Config.Copy()
		host.Host, host.Port, host.TLSConfig = a.Host, a.Port, a.TLSConfig
		host.Fallbacks, host.ValidateConnect = nil, nil // standbys too
		hosts = append(hosts, host)
	}
	if len(hosts) < 2 {
		return nil
	}
	return hosts
}

// alternatives returns the hosts in the order in which pgx tries them.
func alternatives(conn *pgconn.Config) []*pgconn.FallbackConfig {
	first := &pgconn.FallbackConfig{Host: conn.Host, Port: conn.Port, TLSConfig: conn.TLSConfig}
	return append([]*pgconn.FallbackConfig{first}, conn.Fallbacks...)
}

// sort puts the primary first. Otherwise, each new connection waits for an isolated
// host that comes earlier in the URL, and pgx gives up at a standby that doesn't have
// the database yet.
func (t *timelines) sort(ctx context.Context, conn *pgx.ConnConfig) error {
	if err := t.waitForHosts(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.primary < 0 {
		return nil
	}
	sorted := alternatives(t.hosts[t.primary])
	for i, host := range t.hosts {
		if i != t.primary {
			sorted = append(sorted, alternatives(host)...)
		}
	}
	conn.Host, conn.Port, conn.TLSConfig, conn.Fallbacks = sorted[0].Host, sorted[0].Port, sorted[0].TLSConfig, sorted[1:]
	return nil
}

// validate returns a function that rejects a new connection to an old primary, so that
// pgx continues with the next host of the URL. It also calls next, unless it is nil.
func (t *timelines) validate(next pgconn.ValidateConnectFunc, canStore bool) pgconn.ValidateConnectFunc {
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		if next != nil {
			if err := next(ctx, conn); err != nil {
				return err
			}
		}
		s, err := readState(ctx, conn)
		if err != nil {
			return err
		}
		if s.standby && len(t.hosts) > 0 {
			return errors.New("server is a standby")
		}
		if err := t.admit(s); err != nil {
			return err
		}
		conn.CustomData()["timeline"] = s.timeline
		if canStore && t.isNew(s) {
			return t.store(ctx, conn, s)
		}
		return nil
	}
}

// admit rejects an old primary, and remembers the timeline of the others.
func (t *timelines) admit(s state) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cluster != 0 && s.cluster != t.cluster {
		return errors.New("server belongs to another PostgreSQL cluster. Restart Slipway if you moved the database")
	}
	t.cluster, t.newest = s.cluster, max(t.newest, s.timeline, s.stored)
	if !s.standby && s.timeline < t.newest {
		return fmt.Errorf("server is on timeline %d, a later one (%d) exists: it is an old primary", s.timeline, t.newest)
	}
	return nil
}

// reusable returns driver.ErrBadConn for a connection to a server that was admitted
// before the node saw a newer timeline.
func (t *timelines) reusable(_ context.Context, conn *pgx.Conn) error {
	id, ok := conn.PgConn().CustomData()["timeline"].(int64)
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok && id != 0 && id < t.newest {
		return driver.ErrBadConn
	}
	return nil
}

func (t *timelines) isNew(s state) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.hasTable && !s.standby && s.timeline > max(t.stored, s.stored)
}

// store doesn't wait for standbys. Otherwise, reads would be unavailable while
// synchronous replication blocks writes.
func (t *timelines) store(ctx context.Context, conn *pgconn.PgConn, s state) error {
	err := conn.Exec(ctx, fmt.Sprintf(`BEGIN READ WRITE; SET LOCAL synchronous_commit TO local;
		INSERT INTO timelines (cluster, id) VALUES (%d, %d) ON CONFLICT DO NOTHING; COMMIT`, s.cluster, s.timeline)).Close()
	if err != nil {
		return fmt.Errorf("store the server's timeline: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stored = max(t.stored, s.timeline)
	return nil
}

// waitForHosts waits until all hosts of the URL were compared once. A new node doesn't
// know which timeline is the newest.
func (t *timelines) waitForHosts(ctx context.Context) error {
	if len(t.hosts) == 0 {
		return nil
	}
	t.begin.Do(func() { //nolint:contextcheck // the watchers end with close, not with the first connection
		var first sync.WaitGroup
		first.Add(len(t.hosts))
		for i := range t.hosts {
			t.watchers.Go(func() { t.follow(i, sync.OnceFunc(first.Done)) })
		}
		t.watchers.Go(func() {
			first.Wait()
			close(t.compared)
		})
	})
	select {
	case <-t.compared:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow reads the timeline of a host until close. A failover can happen while all
// connections to the old primary still work.
func (t *timelines) follow(host int, tried func()) {
	var conn *pgconn.PgConn
	for {
		var s state
		conn, s = t.ask(t.hosts[host], conn)
		t.note(host, conn != nil && t.admit(s) == nil && !s.standby)
		tried()
		select {
		case <-t.watch.Done():
			if conn != nil {
				_ = conn.Conn().Close() // without waiting for the server, which might be paused
			}
			return
		case <-time.After(watchEvery):
		}
	}
}

// note remembers whether a host is the primary.
func (t *timelines) note(host int, isPrimary bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if isPrimary {
		t.primary = host
	} else if t.primary == host {
		t.primary = -1
	}
}

// ask reads the state of a host, and returns the connection for the next time. The
// connection is nil if the host is unavailable.
func (t *timelines) ask(host *pgconn.Config, conn *pgconn.PgConn) (*pgconn.PgConn, state) {
	ctx, cancel := context.WithTimeout(t.watch, watchTimeout)
	defer cancel()
	var err error
	if conn == nil {
		if conn, err = pgconn.ConnectConfig(ctx, host); err != nil {
			return nil, state{}
		}
	}
	s, err := readState(ctx, conn)
	if err != nil {
		_ = conn.Conn().Close()
		return nil, state{}
	}
	return conn, s
}

func (t *timelines) close() {
	t.stop()
	t.watchers.Wait()
}

// state is what a server knows about timelines.
type state struct {
	cluster  int64
	standby  bool
	timeline int64 // of the WAL that the server writes, 0 on a standby
	hasTable bool  // false until the migration
	stored   int64 // the newest one in the table
}

// readState reads the timeline of the WAL that is being written. The timeline in
// pg_control_checkpoint changes only with the first checkpoint after a promotion,
// which can take minutes.
func readState(ctx context.Context, conn *pgconn.PgConn) (s state, err error) {
	row, err := readRow(ctx, conn, `SELECT (SELECT system_identifier FROM pg_control_system()),
		CASE WHEN pg_is_in_recovery() THEN '0' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
		to_regclass('timelines') IS NOT NULL`)
	if err != nil {
		return s, err
	}
	cluster, clusterErr := strconv.ParseInt(row[0], 10, 64)
	id, idErr := strconv.ParseInt(row[1], 16, 64)
	s = state{cluster: cluster, standby: id == 0, timeline: id, hasTable: row[2] == "t"}
	if err := errors.Join(clusterErr, idErr); err != nil || !s.hasTable {
		return s, err
	}

	row, err = readRow(ctx, conn, fmt.Sprintf(`SELECT coalesce(max(id), 0) FROM timelines WHERE cluster = %d`, cluster))
	if err != nil {
		return s, err
	}
	s.stored, err = strconv.ParseInt(row[0], 10, 64)
	return s, err
}

func readRow(ctx context.Context, conn *pgconn.PgConn, query string) ([]string, error) {
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the server's timeline: %w", err)
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return nil, errors.New("read the server's timeline: want one row")
	}
	row := make([]string, 0, len(results[0].Rows[0]))
	for _, value := range results[0].Rows[0] {
		row = append(row, string(value))
	}
	return row, nil
}

// storeTimeline stores the timeline right after the migration that creates the table.
// Later ones are stored with the first connection.
func (d *DB) storeTimeline(ctx context.Context) error {
	conn, err := d.migrating().Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driverConn any) error {
		pg := driverConn.(*stdlib.Conn).Conn().PgConn()
		s, err := readState(ctx, pg)
		if err != nil || !d.timelines.isNew(s) {
			return err
		}
		return d.timelines.store(ctx, pg, s)
	})
}
