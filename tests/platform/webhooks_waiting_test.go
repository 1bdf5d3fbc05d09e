package platform

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// Events in the outbox are found through the marks of their environments. SQLite has none there.

// emit adds an event in an environment.
func emit(ctx context.Context, tx *db.Tx, env auth.Env) error {
	tx = tx.In(env)
	return events.Emit(auth.InEnv(ctx, env), tx, "hull.updated", tx.NewID("hull"), events.Change{After: struct{}{}})
}

// writeEvent emits an event in a transaction of its own. Wait is called before the commit.
func writeEvent(s *testkit.Server, env auth.Env, wait func()) error {
	_, err := db.Write(context.Background(), s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		if err := emit(ctx, tx, env); err != nil || wait == nil {
			return struct{}{}, err
		}
		err := events.Redact(ctx, tx.In(env), "hull_none") // saves the event
		wait()
		return struct{}{}, err
	})
	return err
}

// publish moves the events that a server finds without knowing their environments.
func publish(t *testing.T, s *testkit.Server) (envs []auth.Env) {
	t.Helper()
	moved, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([]events.Event, error) {
		waiting, err := events.Waiting(ctx, tx, `SELECT env FROM event_feeds`)
		if err != nil {
			return nil, err
		}
		return events.Publish(ctx, tx, 1000, waiting)
	})
	assert.NoError(t, err)
	for _, e := range moved {
		envs = append(envs, e.Env)
	}
	slices.Sort(envs)
	return envs
}

// old makes all marks old enough to be removed.
const old = `UPDATE waiting_work SET due_at = '2020-01-01'`

func marks(s *testkit.Server) []auth.Env {
	return testkit.Rows[auth.Env](s, `SELECT env FROM waiting_work WHERE kind = 'events' ORDER BY env`)
}

// A mark is set with the first event, stays for a while, and is removed.
func TestMarks(t *testing.T) {
	s := testkit.OnPostgres(t)
	s.Exec(old)
	assert.NoError(t, events.RemoveMarks(t.Context(), s.DB))
	assert.Len(t, marks(s), 0)

	assert.NoError(t, writeEvent(s, 1, nil))
	assert.NoError(t, writeEvent(s, 2, nil))
	assert.NoError(t, writeEvent(s, 1, nil))
	assert.Equal(t, marks(s), []auth.Env{1, 2})
	assert.NoError(t, events.RemoveMarks(t.Context(), s.DB))
	assert.Equal(t, publish(t, s), []auth.Env{1, 1, 2})
	assert.Equal(t, marks(s), []auth.Env{1, 2}, "marks for the next events")
	assert.Len(t, publish(t, s), 0)

	s.Advance(time.Hour)
	assert.NoError(t, events.RemoveMarks(t.Context(), s.DB))
	assert.Len(t, marks(s), 0)
	assert.NoError(t, writeEvent(s, 2, nil))
	assert.Equal(t, marks(s), []auth.Env{2})
	assert.Equal(t, publish(t, s), []auth.Env{2})
}

// A mark isn't removed while a transaction adds an event, and not while there is one.
func TestMarkIsNotRemovedDuringAWrite(t *testing.T) {
	s := testkit.OnPostgres(t)
	assert.NoError(t, writeEvent(s, 1, nil))
	assert.Len(t, publish(t, s), 1)
	s.Exec(old)

	added, finish, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- writeEvent(s, 1, func() { close(added); <-finish })
	}()
	<-added
	assert.NoError(t, events.RemoveMarks(t.Context(), s.DB))
	assert.Equal(t, marks(s), []auth.Env{1}, "while a transaction has the mark")
	close(finish)
	assert.NoError(t, <-done)

	s.Exec(old)
	assert.NoError(t, events.RemoveMarks(t.Context(), s.DB))
	assert.Equal(t, marks(s), []auth.Env{1}, "with an event in the outbox")
	assert.Equal(t, publish(t, s), []auth.Env{1})
}

// If the mark was removed since the server set it, the transaction sets it again.
func TestRemovedMarkIsSetAgain(t *testing.T) {
	s := testkit.OnPostgres(t)
	assert.NoError(t, writeEvent(s, 1, nil))
	assert.Len(t, publish(t, s), 1)
	s.Exec(`DELETE FROM waiting_work`)
	assert.NoError(t, writeEvent(s, 1, nil))
	assert.Equal(t, marks(s), []auth.Env{1})
	assert.Equal(t, publish(t, s), []auth.Env{1})
}

// Servers of the last release don't mark environments.
func TestEventsWithoutMarkAreFound(t *testing.T) {
	s := testkit.OnPostgres(t)
	assert.NoError(t, writeEvent(s, 2, nil))
	s.Exec(`UPDATE outbox SET mark = NULL`)
	s.Exec(`DELETE FROM waiting_work`)
	assert.Equal(t, publish(t, s), []auth.Env{2})
}

// Servers write and remove marks at the same time. No event is lost, and none appears twice.
func TestNoEventIsLost(t *testing.T) {
	s := testkit.OnPostgres(t)
	other := s.Node()
	assert.Len(t, publish(t, s), 0)
	before := testkit.Rows[int](s, `SELECT COUNT(*) FROM events`)[0]

	const writers, each = 4, 40
	var writing, removing sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for range each {
				if err := writeEvent([]*testkit.Server{s, other}[i%2], auth.Env(i%2+1), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	stop := make(chan struct{})
	removing.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			s.Exec(old)
			if err := events.RemoveMarks(context.Background(), s.DB); err != nil {
				t.Error(err)
			}
			publish(t, other)
		}
	})
	writing.Wait()
	close(stop)
	removing.Wait()
	publish(t, s)
	assert.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM events`)[0]-before, writers*each)
	assert.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM outbox`)[0], 0)
}
