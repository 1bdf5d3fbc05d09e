package platform

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

type kind string

type inner struct {
	A string   `json:"a"`
	N *float64 `json:"n"`
}

type embedded struct {
	Embedded string `db:"embedded"`
}

// sample has a column of every type that our tables use.
type sample struct {
	embedded
	ID      string            `db:"id"`
	Kind    kind              `db:"kind"`
	N       int64             `db:"n"`
	F       float64           `db:"f"`
	OK      bool              `db:"ok"`
	At      time.Time         `db:"at"`
	End     *time.Time        `db:"ended_at"`
	Note    *string           `db:"note"`
	Count   *int64            `db:"count"`
	Bytes   []byte            `db:"bytes"`
	Tags    []string          `db:"tags,json"`
	Extra   map[string]string `db:"extra,json"`
	Struct  inner             `db:"struct,json"`
	Pointer *inner            `db:"pointer,json"`
}

const ddl = `CREATE TABLE samples (embedded TEXT NOT NULL, id TEXT PRIMARY KEY, kind TEXT NOT NULL, n BIGINT NOT NULL, f DOUBLE PRECISION NOT NULL,
	ok BOOLEAN NOT NULL, at TIMESTAMPTZ NOT NULL, ended_at TIMESTAMPTZ, note TEXT, count BIGINT, bytes BYTEA NOT NULL,
	tags TEXT NOT NULL, extra TEXT NOT NULL, struct TEXT NOT NULL, pointer TEXT)`

// each runs a test on both databases, with an empty table of samples.
func each(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		write(t, s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) { return db.Exec(ctx, tx, ddl) })
		test(t, s.DB)
	})
}

func write[T any](t *testing.T, d *db.DB, fn db.Func[T]) T {
	t.Helper()
	out, err := db.Write(t.Context(), d, fn)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read[T any](t *testing.T, d *db.DB, fn db.Func[T]) T {
	t.Helper()
	out, err := db.Read(t.Context(), d, fn)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func allSamples(ctx context.Context, tx *db.Tx) ([]sample, error) {
	return db.All[sample](ctx, tx, `SELECT {cols} FROM samples ORDER BY id`)
}

func TestEveryColumnTypeSurvives(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		now := time.Date(2026, 11, 15, 1, 2, 3, 456e6, time.UTC)
		note := "it's; -- \"quoted\" \\ \t\n Ünïcödé 🛥 $1"
		want := []sample{
			{embedded{"e"}, "a", "x", -1, 0.1, true, now, &now, &note, new(int64(math.MaxInt64)), []byte{0, 255, 1},
				[]string{"p", `"q"`}, map[string]string{"k": "v"}, inner{"s", new(1e-9)}, &inner{A: "p"}},
			{embedded{""}, "b", "", math.MinInt64, -1e300, false, now.Add(-100 * 365 * 24 * time.Hour), nil, nil, nil, []byte{7},
				[]string{}, map[string]string{}, inner{}, nil},
		}
		write(t, d, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, db.Insert(ctx, tx, "samples", want...) })
		for name, got := range map[string][]sample{"write": write(t, d, allSamples), "read": read(t, d, allSamples)} {
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(sample{})); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
		changed := want[1]
		changed.Note, changed.End, changed.Tags = &note, &now, []string{"changed"}
		n := write(t, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return db.Update(ctx, tx, "samples", &changed, "id = ?", "b")
		})
		diff := cmp.Diff(changed, read(t, d, allSamples)[1], cmp.AllowUnexported(sample{}))
		assert.Equal(t, n, 1)
		assert.Equal(t, diff, "")
	})
}

func TestTimesCompareAsTimes(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		seed := rand.Uint64()
		t.Log("seed", seed)
		r := rand.New(rand.NewPCG(seed, 0))
		base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("east", 5*3600))
		middle := base.Add(123 * time.Millisecond)
		want := 0
		var rows []sample
		for i := range 60 {
			at := base.Add(time.Duration(r.IntN(2000)-1000) * time.Millisecond)
			if at.After(middle) {
				want++
			}
			rows = append(rows, sample{ID: string(rune('a'+i%26)) + time.Duration(i).String(), At: at, Bytes: []byte{}, Tags: []string{},
				Extra: map[string]string{}})
		}
		write(t, d, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, db.Insert(ctx, tx, "samples", rows...) })
		sorted := read(t, d, func(ctx context.Context, tx *db.Tx) ([]sample, error) {
			return db.All[sample](ctx, tx, `SELECT {s.cols} FROM samples s ORDER BY s.at`)
		})
		if !slices.IsSortedFunc(sorted, func(a, b sample) int { return a.At.Compare(b.At) }) {
			t.Error("not in the order of time")
		}
		after := read(t, d, func(ctx context.Context, tx *db.Tx) ([]sample, error) {
			return db.All[sample](ctx, tx, `SELECT {cols} FROM samples WHERE at > ?`, middle)
		})
		if len(after) != want {
			t.Errorf("%d after the middle, want %d", len(after), want)
		}
	})
}

func TestWriteIsAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		broken := errors.New("broken")
		_, err := db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (int, error) {
			if err := db.Insert(ctx, tx, "samples", blank("a")); err != nil {
				return 0, err
			}
			return 0, broken
		})
		assert.Equal(t, errors.Is(err, broken), true, "a failed transaction left something")
		assert.Len(t, read(t, d, allSamples), 0, "a failed transaction left something")
		func() {
			defer func() { _ = recover() }()
			_, _ = db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (int, error) {
				_ = db.Insert(ctx, tx, "samples", blank("a"))
				panic("in the middle")
			})
		}()
		if len(read(t, d, allSamples)) != 0 {
			t.Error("a panic left something")
		}
	})
}

// A rejection commits what the attempt changed. It is not retried, whatever its cause is,
// and what a rolled back attempt rejected is forgotten.
func TestCommittedErrorCommits(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		stale := db.Changed(0, nil)
		runs, notified := 0, false
		out, err := db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (string, error) {
			runs++
			tx.AfterCommit(func() { notified = true })
			return "out", errors.Join(db.Insert(ctx, tx, "samples", blank("a")), db.Committed(stale))
		})
		assert.Equal(t, out, "out")
		assert.Equal(t, runs, 1)
		assert.Equal(t, notified, true)
		assert.Equal(t, errors.Is(err, stale) && db.IsCommitted(err), true)
		assert.Equal(t, fault.KindOf(err), fault.KindConflict)
		assert.Len(t, read(t, d, allSamples), 1)

		runs = 0
		_, err = db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (int, error) {
			if runs++; runs == 1 {
				return 0, stale // runs again
			}
			return 0, nil
		})
		assert.Equal(t, err, nil)
		assert.Equal(t, db.IsCommitted(stale), false)
	})
}

// A look-up before an insert can lose a race. The second run of the
// transaction sees who won.
func TestUniqueViolationRunsOnceMore(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		write(t, d, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, db.Insert(ctx, tx, "samples", blank("a")) })
		runs := 0
		_, err := db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (int, error) {
			if runs++; runs == 2 {
				return 0, fault.Conflict("taken")
			}
			return 0, db.Insert(ctx, tx, "samples", blank("a"))
		})
		assert.Equal(t, runs, 2)
		assert.Equal(t, fault.KindOf(err), fault.KindConflict)
		runs = 0
		_, err = db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (int, error) {
			runs++
			return 0, db.Insert(ctx, tx, "samples", blank("a"))
		})
		if runs != 2 || !db.IsUnique(err) {
			t.Errorf("got %d runs, %v; want 2 and a unique violation", runs, err)
		}
	})
}

// A transaction can run several times. What it leaves outside the database is left once, by
// the last attempt, also if it is rolled back.
func TestAtEnd(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		stale, broken := db.Changed(0, nil), errors.New("broken")
		for name, last := range map[string]error{"committed": nil, "rejected": db.Committed(broken), "rolled back": broken} {
			var left []int
			runs := 0
			_, err := db.Write(t.Context(), d, func(_ context.Context, tx *db.Tx) (int, error) {
				runs++
				run := runs
				tx.AtEnd(func() { left = append(left, run) })
				assert.Len(t, left, 0, name)
				if runs < 3 {
					return 0, stale // runs again
				}
				return 0, last
			})
			assert.Equal(t, errors.Is(err, last), true, name)
			assert.Equal(t, left, []int{3}, name)
		}

		left := 0
		read(t, d, func(_ context.Context, tx *db.Tx) (int, error) {
			tx.AtEnd(func() { left++ })
			return 0, nil
		})
		assert.Equal(t, left, 1, "in a read")
	})
}

// Both pools of SQLite overwrite deleted rows, so that erased data can't be read
// from the file.
// PostgreSQL rolls back when the time runs out, also between two statements. The next
// statement or the commit then only reports that the transaction has ended. It is
// an outage, as it is during a statement, and not a bug.
func TestTimeRunsOutBetweenStatements(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		for name, next := range map[string]func(ctx context.Context, tx *db.Tx) error{
			"commit": func(context.Context, *db.Tx) error { return nil },
			"statement": func(ctx context.Context, tx *db.Tx) error {
				_, err := db.Exec(context.WithoutCancel(ctx), tx, `DELETE FROM samples`)
				return err
			},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			_, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
				if n, err := db.Exec(ctx, tx, `DELETE FROM samples`); err != nil {
					return n, err
				}
				time.Sleep(200 * time.Millisecond) // database/sql rolls back in the background
				return 0, next(ctx, tx)
			})
			cancel()
			if d.SQLite() && err == nil {
				continue // a transaction that others share doesn't end with the time of one writer
			}
			if !db.IsUnavailable(err) {
				t.Errorf("%s: got %v, want an error that means unavailable", name, err)
			}
		}
	})
}

func TestSecureDelete(t *testing.T) {
	s := testkit.OnSQLite(t)
	pragma := func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.One[int64](ctx, tx, `PRAGMA secure_delete`)
	}
	type runner func(context.Context, *db.DB, db.Func[int64]) (int64, error)
	for name, run := range map[string]runner{"write": db.Write[int64], "read": db.Read[int64]} {
		on, err := run(t.Context(), s.DB, pragma)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, on, 1, name)
	}
}

func TestReadCannotWrite(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		_, err := db.Read(t.Context(), d,
			func(ctx context.Context, tx *db.Tx) (int, error) { return 0, db.Insert(ctx, tx, "samples", blank("a")) })
		if err == nil {
			t.Error("Exec in Read")
		}
		_, err = db.Read(t.Context(), d, func(ctx context.Context, tx *db.Tx) ([]string, error) {
			return db.All[string](ctx, tx, `DELETE FROM samples RETURNING id`)
		})
		if err == nil {
			t.Error("a query that writes in Read")
		}
	})
}

func TestNestedTransactionPanics(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		defer func() {
			p, _ := recover().(string)
			assert.Contains(t, p, "inside a transaction")
		}()
		_, _ = db.Write(t.Context(), d, func(ctx context.Context, _ *db.Tx) (int, error) {
			return db.Read(ctx, d, func(context.Context, *db.Tx) (int, error) { return 0, nil })
		})
	})
}

func TestMigrateTwice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
		// One that is missing isn't skipped. Its tables exist already.
		s.Exec(`DELETE FROM goose_db_version WHERE version_id = (SELECT MIN(version_id) FROM goose_db_version WHERE version_id > 100)`)
		if s.Migrate(t.Context()) == nil {
			t.Error("a missing migration was not noticed")
		}
	})
}

// A database that a newer version has migrated is refused and not changed.
func TestMigrateRefusesNewerSchema(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9001, TRUE)`)
		err := s.Migrate(t.Context())
		if !errors.Is(err, db.ErrNewerSchema) {
			t.Fatalf("got %v, want ErrNewerSchema", err)
		}
		assert.Contains(t, err.Error(), "its schema is 9001")
	})
}

func blank(id string) sample {
	return sample{ID: id, Bytes: []byte{}, Tags: []string{}, Extra: map[string]string{}}
}

func TestChunks(t *testing.T) {
	for n, want := range map[int][]int{0: nil, 1: {1}, 3: {2, 1}, 8: {8}, 23: {8, 8, 4, 2, 1}} {
		var sizes []int
		next := 0
		for _, chunk := range db.Chunks(slices.Collect(numbers(n)), 10) {
			sizes = append(sizes, len(chunk))
			for _, v := range chunk {
				assert.Equal(t, v, next)
				next++
			}
		}
		assert.Equal(t, sizes, want, n)
		assert.Equal(t, next, n)
	}
	assert.Equal(t, len(db.Chunks([]int{1, 2, 3}, 0)), 3, "at least one row each")
}

func numbers(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}
