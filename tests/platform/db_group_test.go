package platform

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

var errRejected = errors.New("rejected")

// Many writers run at the same time. Some fail, some are canceled, and some panic. What
// Write reports is what is in the table, and each transaction is complete.
func TestSharedTransactions(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Exec(`CREATE TABLE pairs (id TEXT NOT NULL, half INTEGER NOT NULL, PRIMARY KEY (id, half))`)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var mu sync.Mutex
		saved, committed := map[string]bool{}, map[string]bool{}
		var all sync.WaitGroup
		for worker := range 16 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(worker)))
				for n := range 40 {
					id := fmt.Sprintf("%d-%d", worker, n)
					err := writePair(t, s.DB, r, id, func() {
						mu.Lock()
						defer mu.Unlock()
						committed[id] = true
					})
					mu.Lock()
					saved[id] = err == nil
					mu.Unlock()
				}
			})
		}
		all.Wait()

		counts := map[string]int{}
		for _, id := range testkit.Rows[string](s, `SELECT id FROM pairs`) {
			counts[id]++
		}
		for id, want := range saved {
			if want && counts[id] != 2 || !want && counts[id] != 0 || committed[id] != want {
				t.Errorf("%s: %d rows, want both exactly if it was saved (%v) and reported as committed (%v)", id, counts[id], want, committed[id])
			}
		}
	})
}

// writePair writes two rows, and fails in one of several ways in between.
func writePair(t *testing.T, d *db.DB, r *rand.Rand, id string, committed func()) (err error) {
	how := r.IntN(8)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if r.IntN(8) == 0 {
		ctx = db.Separate(ctx)
	}
	defer func() {
		if recover() != nil {
			err = errRejected
		}
	}()

	_, err = db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		if _, err := db.Exec(ctx, tx, `INSERT INTO pairs (id, half) VALUES (?, 1)`, id); err != nil {
			return 0, err
		}
		switch how {
		case 0:
			return 0, errRejected
		case 1:
			cancel()
		case 2:
			panic("a bug in a writer")
		case 3: // an error of the database
			return db.Exec(ctx, tx, `INSERT INTO pairs (id, half) VALUES (?, 1)`, id)
		}
		tx.AfterCommit(committed)
		return db.Exec(ctx, tx, `INSERT INTO pairs (id, half) VALUES (?, 2)`, id)
	})
	return err
}

// hold takes the turn of the writer, so that others wait. It returns when it has the
// turn. The function ends it.
func hold(t *testing.T, d *db.DB) (release func()) {
	t.Helper()
	holding, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		write(t, d, func(context.Context, *db.Tx) (int64, error) {
			close(holding)
			<-end
			return 0, nil
		})
	}()
	<-holding
	return func() {
		close(end)
		<-ended
	}
}

// A writer that waits doesn't lose its place to later ones, and one that gives up leaves
// nothing behind.
func TestWritersWaitInOrder(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Exec(`CREATE TABLE turns (n INTEGER NOT NULL)`)
	var all sync.WaitGroup
	insert := func(ctx context.Context, n int) error {
		_, err := db.Write(ctx, s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return db.Exec(ctx, tx, `INSERT INTO turns (n) VALUES (?)`, n)
		})
		return err
	}
	release := hold(t, s.DB)

	gone, giveUp := context.WithCancel(t.Context())
	for n := range 10 {
		ctx := t.Context()
		if n == 4 {
			ctx = gone
		}
		all.Go(func() {
			if err := insert(ctx, n); (err != nil) != (n == 4) {
				t.Errorf("writer %d: %v", n, err)
			}
		})
		assert.Eventually(t, "waits", func() bool { return s.DB.WaitingWriters() == n+1 })
	}
	giveUp()
	assert.Eventually(t, "given up", func() bool { return s.DB.WaitingWriters() == 9 })
	release()
	all.Wait()
	assert.Equal(t, testkit.Rows[int](s, `SELECT n FROM turns ORDER BY rowid`), []int{0, 1, 2, 3, 5, 6, 7, 8, 9}, "turns")
}

// A writer that shares a transaction returns after the commit, and not when the next writer
// starts.
func TestWritersReturnAfterCommit(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Exec(`CREATE TABLE turns (n INTEGER NOT NULL)`)
	for n, shared := 0, false; !shared; n++ { // on a busy machine, the first writer can take too long to share
		var all sync.WaitGroup
		returned := make(chan struct{})
		release := hold(t, s.DB)
		all.Go(func() {
			defer close(returned)
			write(t, s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
				return db.Exec(ctx, tx, `INSERT INTO turns (n) VALUES (?)`, n)
			})
		})
		assert.Eventually(t, "waits", func() bool { return s.DB.WaitingWriters() == 1 })
		all.Go(func() {
			write(t, s.DB, func(context.Context, *db.Tx) (int64, error) {
				if shared = !slices.Contains(testkit.Rows[int](s, `SELECT n FROM turns`), n); !shared { //nolint:contextcheck // another connection
					return 0, nil
				}
				select {
				case <-returned:
					t.Error("the first writer has returned before the commit")
				case <-time.After(100 * time.Millisecond):
				}
				return 0, nil
			})
		})
		assert.Eventually(t, "waits", func() bool { return s.DB.WaitingWriters() == 2 })
		release()
		all.Wait()
	}
}

// If the disk is full for one writer, SQLite rolls back the shared transaction. The
// others run again.
func TestLostTransactionRunsAgain(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Exec(`CREATE TABLE blobs (id INTEGER NOT NULL, data BLOB NOT NULL)`)
	pages := testkit.Rows[int](s, `SELECT page_count FROM pragma_page_count()`)[0]
	s.Exec(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+200))
	var all sync.WaitGroup
	release := hold(t, s.DB)
	for n := range 9 {
		all.Go(func() {
			size := 100
			if n == 5 {
				size = 10 << 20
			}
			_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
				return db.Exec(ctx, tx, `INSERT INTO blobs (id, data) VALUES (?, zeroblob(?))`, n, size)
			})
			if (err != nil) != (n == 5) || n == 5 && !db.IsUnavailable(err) {
				t.Errorf("writer %d: got %v, want an error only for 5, about the full disk", n, err)
			}
		})
		assert.Eventually(t, "waits", func() bool { return s.DB.WaitingWriters() == n+1 })
	}
	release()
	all.Wait()
	assert.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM blobs`)[0], 8, "rows")
}

// A long transaction doesn't delay the writers that were before it.
func TestSeparateTransaction(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Exec(`CREATE TABLE turns (n INTEGER NOT NULL)`)
	inside, finish := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	release := hold(t, s.DB)
	first := make(chan struct{})
	all.Go(func() {
		defer close(first)
		write(t, s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return db.Exec(ctx, tx, `INSERT INTO turns (n) VALUES (1)`)
		})
	})
	assert.Eventually(t, "waits", func() bool { return s.DB.WaitingWriters() == 1 })
	all.Go(func() {
		_, err := db.Write(db.Separate(t.Context()), s.DB, func(context.Context, *db.Tx) (int64, error) {
			close(inside)
			<-finish
			return 0, nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	assert.Eventually(t, "waits", func() bool { return s.DB.WaitingWriters() == 2 })
	release()
	<-inside
	select {
	case <-first:
	case <-time.After(10 * time.Second):
		t.Error("the writer before the long transaction waits for it")
	}
	close(finish)
	all.Wait()
}

// Writers that wait for a long transaction share its commit.
func TestSharedWithSeparate(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Exec(`CREATE TABLE turns (n INTEGER NOT NULL)`)
	insert := func(ctx context.Context, tx *db.Tx, n int) (int64, error) {
		return db.Exec(ctx, tx, `INSERT INTO turns (n) VALUES (?)`, n)
	}
	inside, finish := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, err := db.Write(db.Separate(t.Context()), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			close(inside)
			<-finish
			return insert(ctx, tx, 1)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	all.Go(func() {
		write(t, s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			assert.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM turns`)[0], 0, "committed rows") //nolint:contextcheck // another connection
			return insert(ctx, tx, 2)
		})
	})
	assert.Eventually(t, "waits", func() bool { return s.DB.WaitingWriters() == 1 })
	close(finish)
	all.Wait()
	assert.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM turns`)[0], 2, "rows")
}
