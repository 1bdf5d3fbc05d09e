package platform

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/backup"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/testkit/assert"
)

// copying is an SQLite database with a table of numbers, and its copies.
type copying struct {
	t     *testing.T
	path  string
	store blobs.Store
	work  string
	now   time.Time

	db     *db.DB
	copier *backup.Copier
	n      int64
}

func newCopying(t *testing.T, store blobs.Store) *copying {
	t.Helper()
	c := &copying{
		t: t, path: filepath.Join(t.TempDir(), "slipway.db"), store: store, work: t.TempDir(),
		now: time.Date(2026, 11, 18, 3, 0, 0, 0, time.UTC),
	}
	c.open()
	c.exec(`CREATE TABLE numbers (n BIGINT PRIMARY KEY, content TEXT NOT NULL)`)
	t.Cleanup(c.stop)
	return c
}

func (c *copying) open() {
	c.t.Helper()
	d, err := db.Open(c.t.Context(), "sqlite:"+c.path)
	assert.NoError(c.t, err)
	pages, err := d.FollowPages()
	assert.NoError(c.t, err)
	c.db = d
	c.copier = &backup.Copier{Store: c.store, Pages: pages, Now: func() time.Time { return c.now }, Work: c.work, Keep: 72 * time.Hour}
}

func (c *copying) stop() {
	assert.NoError(c.t, c.copier.Pages.Close(context.Background()))
	assert.NoError(c.t, c.db.Close())
}

func (c *copying) exec(query string, args ...any) {
	c.t.Helper()
	_, err := db.Write(c.t.Context(), c.db, func(ctx context.Context, tx *db.Tx) (int64, error) { return db.Exec(ctx, tx, query, args...) })
	assert.NoError(c.t, err)
}

// write adds a number with content of a size.
func (c *copying) write(size int) {
	c.t.Helper()
	c.n++
	c.exec(`INSERT INTO numbers (n, content) VALUES (?, ?)`, c.n, strings.Repeat("x", size))
}

// copy copies, a second later.
func (c *copying) copy() {
	c.t.Helper()
	c.now = c.now.Add(time.Second)
	assert.NoError(c.t, c.copier.Copy(c.t.Context()))
}

// restored returns how many numbers a copy has, all of which must be there and undamaged.
func (c *copying) restored(at time.Time) (n int64) {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "restored.db")
	_, err := backup.RestoreCopy(c.t.Context(), c.store, at, path)
	assert.NoError(c.t, err)
	d, err := db.Open(c.t.Context(), "sqlite:"+path)
	assert.NoError(c.t, err)
	defer func() { assert.NoError(c.t, d.Close()) }()
	assert.NoError(c.t, backup.CheckDatabase(c.t.Context(), d))
	type counts struct {
		N   int64 `db:"n"`
		Max int64 `db:"max"`
	}
	got, err := db.Read(c.t.Context(), d, func(ctx context.Context, tx *db.Tx) (counts, error) {
		return db.One[counts](ctx, tx, `SELECT COUNT(*) AS n, COALESCE(MAX(n), 0) AS max FROM numbers`)
	})
	assert.NoError(c.t, err)
	assert.Equal(c.t, got.N, got.Max, "numbers without a gap")
	return got.N
}

// A copy has exactly what was committed at its time.
func TestCopiesToPointInTime(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := newCopying(t, store)
			c.copy()
			want := map[time.Time]int64{c.now: c.n}
			for i := range 30 {
				for range i % 4 {
					c.write(3000)
				}
				c.copy()
				want[c.now] = c.n
			}
			for at, n := range want {
				assert.Equal(t, c.restored(at), n, at.String())
			}
			_, err := backup.RestoreCopy(t.Context(), c.store, c.now.Add(-time.Hour), filepath.Join(t.TempDir(), "none.db"))
			assert.Contains(t, fmt.Sprint(err), "there is no copy of the database from before")
		})
	}
}

// The copies survive restarts of the log, other processes, long readers, kills and errors, in
// a random order.
func TestCopiesSurvive(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			c := newCopying(t, stores(t)[[]string{"folder", "bucket"}[seed%2]])
			c.copy()
			restarts := 0
			for range 40 {
				switch random.IntN(12) {
				case 0: // a large transaction, which lets the log grow beyond its limit
					c.write(5 << 20)
				case 1: // another process, such as a command
					other, err := db.Open(t.Context(), "sqlite:"+c.path)
					assert.NoError(t, err)
					mine := c.db
					c.db = other
					for range 20 {
						c.write(100_000)
					}
					c.db = mine
					assert.NoError(t, other.Close())
				case 2: // a kill between any two copies
					c.kill()
					c.open()
					restarts++
				case 3: // rows are deleted, and the file becomes smaller
					c.exec(`DELETE FROM numbers`)
					c.n = 0
					pool, _ := c.db.JobPools()
					_, err := pool.ExecContext(t.Context(), "VACUUM")
					assert.NoError(t, err)
				default:
					c.write(random.IntN(20_000))
				}
				if random.IntN(3) > 0 {
					copied := c.n
					c.now = c.now.Add(time.Second)
					if err := c.copier.Copy(t.Context()); err != nil { // another process started the log over
						c.copy()
					}
					assert.Equal(t, c.restored(c.now), copied)
				}
			}
			if restarts == 0 {
				t.Log("no kill with this seed")
			}
		})
	}
}

// kill ends the process as far as the files show: what it had in memory is lost, and its log
// stays. Closing the last connection would delete the log.
func (c *copying) kill() {
	c.t.Helper()
	saved := filepath.Join(c.t.TempDir(), "slipway.db")
	for _, end := range []string{"", "-wal"} {
		content, err := os.ReadFile(c.path + end)
		assert.NoError(c.t, err)
		assert.NoError(c.t, os.WriteFile(saved+end, content, 0o600))
	}
	c.stop()
	c.path = saved
}

// While a long read such as a backup uses the log, copies continue, and so do writes.
func TestCopiesDuringLongRead(t *testing.T) {
	c := newCopying(t, stores(t)["folder"])
	c.write(100)
	c.copy()
	c.write(100)
	reader, err := sql.Open("sqlite", "file:"+c.path)
	assert.NoError(t, err)
	defer reader.Close()
	conn, err := reader.Conn(t.Context())
	assert.NoError(t, err)
	defer conn.Close()
	for _, query := range []string{"BEGIN", "SELECT COUNT(*) FROM numbers"} {
		_, err := conn.ExecContext(t.Context(), query)
		assert.NoError(t, err)
	}
	c.now = c.now.Add(25 * time.Hour) // a new series is due
	for range 5 {
		c.write(2 << 20)
		c.now = c.now.Add(11 * time.Second)
		c.copy()
		assert.Equal(t, c.restored(c.now), c.n)
	}
	names, err := c.store.List(t.Context(), "copies")
	assert.NoError(t, err)
	assert.Equal(t, len(names), 6, "one series with five parts")
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	assert.NoError(t, err)
	c.now = c.now.Add(11 * time.Second)
	c.copy()
	c.write(100)
	c.copy()
	assert.Equal(t, c.restored(c.now), c.n)
}

// A missing or damaged part is an error, and never a database with a gap.
func TestDamagedCopies(t *testing.T) {
	c := newCopying(t, stores(t)["folder"])
	c.copy()
	for range 5 {
		c.write(5000)
		c.copy()
	}
	names, err := c.store.List(t.Context(), "copies")
	assert.NoError(t, err)
	assert.Equal(t, len(names), 6, "a snapshot and five parts")
	assert.NoError(t, c.store.Remove(t.Context(), names[2]))
	_, err = backup.RestoreCopy(t.Context(), c.store, c.now, filepath.Join(t.TempDir(), "gap.db"))
	assert.Contains(t, fmt.Sprint(err), "A part is missing")
	assert.NoError(t, c.store.Put(t.Context(), names[2], strings.NewReader("not a part")))
	_, err = backup.RestoreCopy(t.Context(), c.store, c.now, filepath.Join(t.TempDir(), "damaged.db"))
	assert.Contains(t, fmt.Sprint(err), "is damaged")
}

// A series ends after a day, and is deleted when no restore within the time to keep needs it.
func TestOldCopies(t *testing.T) {
	c := newCopying(t, stores(t)["folder"])
	for range 6 {
		c.write(100)
		c.copy()
		c.now = c.now.Add(25 * time.Hour)
	}
	names, err := c.store.List(t.Context(), "copies")
	assert.NoError(t, err)
	assert.Equal(t, len(names), 4, "snapshots for three days")
	assert.Equal(t, c.restored(c.now.Add(-72*time.Hour)) > 0, true)
}
