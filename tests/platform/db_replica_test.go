package platform

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/testkit/postgres"
	"slipway/internal/vocab/page"
)

// withReplica starts a node that reads from the standby of a pair. It returns when the
// standby is used.
func (p *pair) withReplica() *db.DB {
	p.t.Helper()
	d := p.open(p.a)
	if err := d.OpenReplica(p.t.Context(), p.b.URL("postgres")); err != nil {
		p.t.Fatal(err)
	}
	p.waitForReplica(d)
	return d
}

// waitForReplica reads until the replica is used.
func (p *pair) waitForReplica(d *db.DB) {
	p.t.Helper()
	for end := time.Now().Add(30 * time.Second); !usesReplica(p.t, d); {
		if time.Now().After(end) {
			p.t.Fatal("the replica was not used within 30 s, expected it after it has caught up")
		}
	}
}

// usesReplica reports whether a read uses a standby.
func usesReplica(t *testing.T, d *db.DB) bool {
	t.Helper()
	return fromReplica(t, d, func(ctx context.Context, tx *db.Tx) (bool, error) {
		return db.One[bool](ctx, tx, `SELECT pg_is_in_recovery()`)
	})
}

func fromReplica[T any](t *testing.T, d *db.DB, fn db.Func[T]) T {
	t.Helper()
	out, err := db.ReadReplica(t.Context(), d, fn)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func countBoats(ctx context.Context, tx *db.Tx) (int, error) {
	return db.One[int](ctx, tx, `SELECT COUNT(*) FROM boats`)
}

// on runs a statement on a server itself.
func (p *pair) on(server *postgres.Cluster, query string) {
	p.t.Helper()
	d, err := db.Open(p.t.Context(), server.URL("postgres"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	read(p.t, d, func(ctx context.Context, tx *db.Tx) ([]string, error) { return db.All[string](ctx, tx, query) })
}

func TestReplicaSeesOwnWrites(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	nodes := []*db.DB{p.withReplica(), p.withReplica()}

	const writers, writes = 4, 100
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range writes {
				name := fmt.Sprintf("%d-%d", w, i)
				if err := add(t, nodes[i%2], name); err != nil {
					t.Errorf("write: %v", err)
					return
				}
				found, err := db.ReadReplica(t.Context(), nodes[(i+1)%2], func(ctx context.Context, tx *db.Tx) (int, error) {
					return db.One[int](ctx, tx, `SELECT COUNT(*) FROM boats WHERE name = ?`, name)
				})
				if err != nil || found != 1 {
					t.Errorf("a read on the other node after the write of %s found %d rows (%v), expected 1", name, found, err)
				}
			}
		})
	}
	wg.Wait()

	for _, d := range nodes {
		p.waitForReplica(d) // nothing is written anymore
	}
}

func TestReplicaBehind(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	d := p.withReplica()

	p.on(p.b, `SELECT pg_wal_replay_pause()::text`)
	if err := add(t, d, "Kestrel"); err != nil {
		t.Fatal(err)
	}
	if n := fromReplica(t, d, countBoats); n != 1 {
		t.Errorf("a read found %d boats while the replica was behind, expected 1 from the primary", n)
	}
	if used, skipped := d.ReplicaReads(); used == 0 || skipped == 0 {
		t.Errorf("counted %d reads on the replica and %d on the primary, expected some of both", used, skipped)
	}

	p.on(p.b, `SELECT pg_wal_replay_resume()::text`)
	p.waitForReplica(d)
	if n := fromReplica(t, d, countBoats); n != 1 {
		t.Errorf("a read found %d boats after the replica caught up, expected 1", n)
	}
}

// TestReplicaFollow checks that a followed list uses the primary: only the primary knows
// which transactions are not committed yet.
func TestReplicaFollow(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	d := p.withReplica()

	type row struct {
		ID      string `db:"id"`
		Standby bool   `db:"standby"`
	}
	src := db.Source{From: "(SELECT 'boat_00' AS id, pg_is_in_recovery() AS standby) AS boats", Cols: "cols", ID: "id"}
	where := &db.Where{}
	where.And("id <> ?", "")
	onStandby := func(q page.Query) bool {
		rows := fromReplica(t, d, func(ctx context.Context, tx *db.Tx) ([]row, error) {
			got, _, err := db.Slice[row](ctx, tx, src, q, where)
			return got, err
		})
		if len(rows) != 1 {
			t.Fatalf("list with %+v returned %+v, expected one row", q, rows)
		}
		return rows[0].Standby
	}

	// The primary also writes on its own, so some reads use it.
	for end := time.Now().Add(30 * time.Second); !onStandby(page.Query{Limit: 1}); {
		if time.Now().After(end) {
			t.Fatal("no list used the replica within 30 s, expected it after it has caught up")
		}
	}
	for range 10 {
		p.waitForReplica(d)
		if onStandby(page.Query{Limit: 1, EndingBefore: "boat_0"}) {
			t.Error("a followed list used the replica, expected the primary")
		}
	}
}

func TestReplicaFails(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	d := p.withReplica()

	if err := p.b.Pause(); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the first ones wait for the replica, then for the primary
		fromReplica(t, d, countBoats)
	}
	if err := p.b.Resume(); err != nil {
		t.Fatal(err)
	}
	p.waitForReplica(d)

	if err := p.b.Kill(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		fromReplica(t, d, countBoats)
	}
	if err := p.b.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.waitForReplica(d)
}

// TestReplicaPromoted checks that a standby that became a primary of its own is not used.
func TestReplicaPromoted(t *testing.T) {
	t.Parallel()
	p := startPair(t)
	d := p.withReplica()

	if err := p.b.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := p.open(p.b)
	if err := add(t, other, "Stray"); err != nil {
		t.Fatal(err)
	}
	if n := fromReplica(t, d, countBoats); n != 0 {
		t.Fatalf("a read found %d boats, expected none: it used a standby that was promoted", n)
	}
}

func TestReplicaRequiresPostgres(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), "sqlite:"+t.TempDir()+"/boats.db")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := d.OpenReplica(t.Context(), "postgres://localhost/slipway"); err == nil {
		t.Error("a replica of SQLite was accepted, expected an error")
	}
}
