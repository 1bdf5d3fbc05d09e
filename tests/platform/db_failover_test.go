package platform

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/postgres"
)

// pair is a primary and its standby.
type pair struct {
	t    *testing.T
	a, b *postgres.Cluster
}

// startPair starts a migrated primary and a standby. Both are private, because the test
// kills them.
func startPair(t *testing.T) *pair {
	t.Helper()
	a, err := postgres.Start(t.Context(), postgres.Durable()) // a standby can only be copied with full_page_writes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Stop)
	p := &pair{t: t, a: a}
	d := p.open(a)
	write(t, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `CREATE TABLE boats (name TEXT NOT NULL PRIMARY KEY)`)
	})
	p.b = p.standby(a)
	return p
}

func (p *pair) standby(of *postgres.Cluster) *postgres.Cluster {
	p.t.Helper()
	s, err := of.Standby(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(s.Stop)
	return s
}

// open starts a node with the hosts of these servers in its URL.
func (p *pair) open(servers ...*postgres.Cluster) *db.DB {
	p.t.Helper()
	d, err := db.Open(p.t.Context(), addresses(p.t, servers...))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = d.Close() })
	if err := d.Migrate(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return d
}

func addresses(t *testing.T, servers ...*postgres.Cluster) string {
	t.Helper()
	var hosts []string
	for _, s := range servers {
		u, err := url.Parse(s.URL("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, u.Host)
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") + "/postgres?sslmode=disable&target_session_attrs=read-write"
}

func add(t *testing.T, d *db.DB, name string) error {
	t.Helper()
	_, err := db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `INSERT INTO boats (name) VALUES (?)`, name)
	})
	return err
}

// boats returns the rows of one server, without the guard of a node.
func (p *pair) boats(server *postgres.Cluster) []string {
	p.t.Helper()
	d, err := db.Open(p.t.Context(), server.URL("postgres"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	return read(p.t, d, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return db.All[string](ctx, tx, `SELECT name FROM boats ORDER BY name`)
	})
}

// failOver kills the primary and promotes the standby.
func (p *pair) failOver() {
	p.t.Helper()
	if err := p.a.Kill(); err != nil {
		p.t.Fatal(err)
	}
	if err := p.b.Promote(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// bringBack starts the old primary. It is writable and still on the old timeline.
func (p *pair) bringBack() {
	p.t.Helper()
	if err := p.a.Restart(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// terminate closes all connections to a server, so that nodes must choose again.
func (p *pair) terminate(server *postgres.Cluster) {
	p.t.Helper()
	d, err := db.Open(p.t.Context(), server.URL("postgres"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	write(p.t, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
	})
}

// An old primary that comes back writable gets no writes: not from a node that has seen
// the failover, not from a node that starts later, and not in any order of the hosts.
func TestOldPrimaryGetsNoWrites(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	running := p.open(p.a, p.b)
	if err := add(t, running, "before"); err != nil {
		t.Fatal(err)
	}
	assert.Eventually(t, "the standby to replicate", func() bool { return slices.Contains(p.boats(p.b), "before") })

	p.failOver()
	assert.Eventually(t, "a write after the failover", func() bool { return add(t, running, "after the failover") == nil })
	p.bringBack()
	want := []string{"after the failover", "before"}
	for i := range 5 {
		p.terminate(p.b)
		name := fmt.Sprintf("running %d", i)
		assert.Eventually(t, "a write of the running node", func() bool { return add(t, running, name) == nil })
		want = append(want, name)
	}
	for i, hosts := range [][]*postgres.Cluster{{p.a, p.b}, {p.b, p.a}} {
		name := fmt.Sprintf("started %d", i)
		if err := add(t, p.open(hosts...), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want = append(want, name)
	}

	assert.Equal(t, p.boats(p.a), []string{"before"}, "the old primary")
	assert.Equal(t, p.boats(p.b), want, "the new primary")
}

// A node that can't reach the new primary learns the timeline from one of its standbys.
func TestStandbyKnowsTheTimeline(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	c := p.standby(p.b)
	p.failOver()
	if err := add(t, p.open(p.a, p.b), "after the failover"); err != nil {
		t.Fatal(err)
	}
	assert.Eventually(t, "the other standby to replicate", func() bool { return len(p.boats(c)) == 1 })
	p.bringBack()
	if err := p.b.Kill(); err != nil {
		t.Fatal(err)
	}

	d, err := db.Open(t.Context(), addresses(t, p.a, p.b, c))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	err = add(t, d, "lost")
	if !db.IsUnavailable(err) || !strings.Contains(err.Error(), "old primary") {
		t.Errorf("got %v, want an error that names the old primary", err)
	}
	assert.Equal(t, len(p.boats(p.a)), 0, "rows of the old primary")
}

// A node leaves an old primary whose connections still work.
func TestNodeLeavesIsolatedPrimary(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	d := p.open(p.a, p.b)
	if err := add(t, d, "before"); err != nil {
		t.Fatal(err)
	}
	assert.Eventually(t, "the standby to replicate", func() bool { return slices.Contains(p.boats(p.b), "before") })
	if err := p.b.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}

	tries := 0
	assert.Eventually(t, "a write to the new primary", func() bool {
		tries++
		name := fmt.Sprintf("try %d", tries)
		return add(t, d, name) == nil && slices.Contains(p.boats(p.b), name)
	})
	lost := len(p.boats(p.a))
	if err := add(t, d, "after"); err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, len(p.boats(p.a)), lost, "rows of the old primary")
}
