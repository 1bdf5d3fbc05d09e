package platform

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

type quick struct{}

func (quick) Kind() string { return "quick" }

type slow struct{}

func (slow) Kind() string { return "slow" }

func (slow) Timeout() time.Duration { return time.Hour }

// A job that was running when the server was killed runs again, and not an hour later: on
// SQLite when the server starts, on PostgreSQL when the job must have ended. Until then,
// another server might still run it.
func TestJobsAfterKill(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var ranQuick, ranSlow, released atomic.Int64
		q := jobs.New(s.DB)
		jobs.On(q, func(context.Context, quick) error {
			ranQuick.Add(1)
			return nil
		})
		jobs.On(q, func(context.Context, slow) error {
			ranSlow.Add(1)
			return nil
		})
		jobs.OnRestart(q, func(context.Context, *db.Tx) (struct{}, error) {
			released.Add(1)
			return struct{}{}, nil
		})
		if err := q.Open(slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		for _, args := range []jobs.Args{quick{}, slow{}} {
			_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
				return struct{}{}, q.Enqueue(ctx, tx, args, tx.Now)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		s.KillJobs("quick", "slow")

		start := func() (stop func()) {
			if err := q.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			return func() {
				if err := q.Stop(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
		stop := start()
		assert.Eventually(t, "the quick job ran again", func() bool { return ranQuick.Load() == 1 })
		want := int64(0) // within its timeout, another server might run it
		if s.DB.SQLite() {
			want = 1
			assert.Eventually(t, "the slow job ran again", func() bool { return ranSlow.Load() == 1 })
		}
		stop()
		start()() // after maintenance

		assert.Equal(t, ranQuick.Load(), 1)
		assert.Equal(t, ranSlow.Load(), want)
		assert.Equal(t, released.Load(), want)
	})
}

// A job that killed the server a few times waits, so that the server can start.
func TestJobThatKillsTheServerWaits(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if !s.DB.SQLite() {
			return // each job waits there
		}
		q := jobs.New(s.DB)
		jobs.On(q, func(context.Context, quick) error {
			t.Error("the job ran immediately, want it to wait")
			return nil
		})
		jobs.On(q, func(context.Context, slow) error { return nil })
		if err := q.Open(slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		for _, args := range []jobs.Args{quick{}, slow{}} {
			_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
				return struct{}{}, q.Enqueue(ctx, tx, args, tx.Now)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		s.KillJobs("quick", "slow")
		s.Exec(`UPDATE river_job SET attempt = 4, attempted_at = created_at WHERE kind = 'quick'`) // just now

		if err := q.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		assert.Eventually(t, "the other job ran", func() bool {
			return testkit.Rows[string](s, `SELECT state FROM river_job WHERE kind = 'slow'`)[0] == "completed"
		})
		if err := q.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}
