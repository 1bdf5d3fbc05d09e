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

// openQueue returns a queue of a node with workers for both kinds.
func openQueue(t *testing.T, s *testkit.Server, host string, work func(ctx context.Context, kind string) error) *jobs.Queue {
	t.Helper()
	q := jobs.New(s.DB, host)
	jobs.On(q, func(ctx context.Context, _ quick) error { return work(ctx, "quick") })
	jobs.On(q, func(ctx context.Context, _ slow) error { return work(ctx, "slow") })
	assert.NoError(t, q.Open(slog.New(slog.DiscardHandler)))
	return q
}

func enqueue(t *testing.T, s *testkit.Server, q *jobs.Queue, all ...jobs.Args) {
	t.Helper()
	for _, args := range all {
		_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
			return struct{}{}, q.Enqueue(ctx, tx, args, tx.Now)
		})
		assert.NoError(t, err)
	}
}

// A job of a server that was killed runs again when another one starts, and not when its
// timeout of an hour is over. What the server had claimed is released first.
func TestJobsAfterKill(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var ran, released atomic.Int64
		q := openQueue(t, s, "this", func(context.Context, string) error {
			ran.Add(1)
			return nil
		})
		jobs.OnTakeover(q, func(_ context.Context, _ *db.Tx, node string) error {
			assert.Equal(t, node, testkit.KilledNode)
			released.Add(1)
			return nil
		})
		enqueue(t, s, q, quick{}, slow{})
		s.KillJobs("quick", "slow")

		for range 2 { // again after maintenance
			assert.NoError(t, q.Start(context.Background()))
			assert.Eventually(t, "both jobs ran again", func() bool { return ran.Load() == 2 })
			assert.NoError(t, q.Stop(context.Background()))
		}
		assert.Equal(t, ran.Load(), 2)
		assert.Equal(t, released.Load(), 1)
	})
}

// The jobs of a server that runs are its own. When it is silent for a while, the others take
// them over, and so does a process that has started on the same host.
func TestJobsOfOtherNodes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if s.DB.SQLite() {
			return // one process at a time
		}
		enqueue(t, s, openQueue(t, s, "another", nil), slow{})
		s.KillJobs("slow")

		for _, c := range []struct {
			host   string
			silent time.Duration
			left   int
		}{{"here", 29 * time.Second, 1}, {"another", 5 * time.Second, 1}, {"another", 7 * time.Second, 0}} {
			s.Exec(`UPDATE job_nodes SET seen_at = ? WHERE id = ?`, s.DB.Now().Add(-c.silent), testkit.KilledNode)
			q := openQueue(t, s, c.host, func(context.Context, string) error { return nil })
			assert.NoError(t, q.Start(context.Background()))
			assert.NoError(t, q.Stop(context.Background()))
			assert.Len(t, testkit.Rows[string](s, `SELECT state FROM river_job WHERE state = 'running'`), c.left, c.host, c.silent)
		}
	})
}

// A job that killed the server a few times waits, so that the server can start.
func TestJobThatKillsTheServerWaits(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		q := openQueue(t, s, "this", func(_ context.Context, kind string) error {
			assert.Equal(t, kind, "slow", "the kind of a job that ran immediately")
			return nil
		})
		enqueue(t, s, q, quick{}, slow{})
		s.KillJobs("quick", "slow")
		now := "now()"
		if s.DB.SQLite() {
			now = "datetime('now')"
		}
		s.Exec(`UPDATE river_job SET attempt = 4, attempted_at = ` + now + ` WHERE kind = 'quick'`)

		assert.NoError(t, q.Start(context.Background()))
		assert.Eventually(t, "the other job ran", func() bool {
			return testkit.Rows[string](s, `SELECT state FROM river_job WHERE kind = 'slow'`)[0] == "completed"
		})
		assert.NoError(t, q.Stop(context.Background()))
	})
}
