//go:build citus

// Package citus tests a database that is distributed with Citus. Run it with make test-citus.
package citus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/shards"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// writing are clients that create contacts and repeat each request with its key until it
// is confirmed.
type writing struct {
	mu     sync.Mutex
	ids    map[string]bool
	slow   time.Duration // the longest time until a request was confirmed
	retry  int
	others map[int]int // statuses other than 201 and 503
}

func (w *writing) run(s *testkit.Server, client int, stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		c := s.Test.With("Idempotency-Key", fmt.Sprintf("00000000-0000-4000-8000-%04d%08d", client, n))
		begin := time.Now() //nolint:forbidigo // a duration of the real clock
		for {
			var contact struct{ ID string }
			res, err := c.Send("POST", "/v1/contacts", map[string]any{"first_name": fmt.Sprint("Move ", client), "last_name": fmt.Sprint(n)})
			if err == nil && res.StatusCode == 201 {
				err = json.Unmarshal(res.Bytes, &contact)
			}
			took := time.Since(begin) //nolint:forbidigo // a duration of the real clock
			w.mu.Lock()
			if contact.ID != "" {
				w.ids[contact.ID] = true
				w.slow = max(w.slow, took)
			} else {
				w.retry++
				if err == nil && res.StatusCode != 503 {
					w.others[res.StatusCode]++
				}
			}
			w.mu.Unlock()
			if contact.ID != "" {
				break
			}
			if took > time.Minute {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// placement returns the worker with the rows of an environment.
func placement(s *testkit.Server, env auth.Env) string {
	return testkit.Rows[string](s, fmt.Sprintf(`SELECT n.nodename || ':' || n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
		WHERE p.shardid = get_shard_id_for_distribution_column('locations', %d::bigint) AND n.noderole = 'primary'`, env))[0]
}

// A dealership moves to another worker while it writes: nothing is lost, and nothing doubled.
func TestMoveWhileWriting(t *testing.T) {
	s := testkit.OnPostgres(t)
	s.RunJobs()
	s.RunRelay()
	env := s.TestEnv()
	workers := testkit.Workers()
	target := workers[0]
	if placement(s, env) == target {
		target = workers[1]
	}

	w := &writing{ids: map[string]bool{}, others: map[int]int{}}
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() { w.run(s, i, stop) })
	}
	time.Sleep(2 * time.Second)
	begin := time.Now() //nolint:forbidigo // a duration of the real clock
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	err := shards.Isolate(ctx, s.DB, []auth.Env{env, env - 1}, target, func(text string) { t.Log(text) })
	took := time.Since(begin) //nolint:forbidigo // a duration of the real clock
	time.Sleep(time.Second)
	close(stop)
	clients.Wait()
	assert.NoError(t, err)
	assert.Equal(t, placement(s, env), target)
	t.Logf("%d contacts, the move took %s, the longest request %s, %d repeated, other statuses: %v", len(w.ids), took, w.slow, w.retry, w.others)

	stored := testkit.Rows[string](s, `SELECT id FROM contacts WHERE first_name LIKE 'Move %' ORDER BY id`)
	assert.Equal(t, stored, slices.Sorted(maps.Keys(w.ids)), "the contacts")
	assert.Eventually(t, "an event for each", func() bool {
		return testkit.Rows[int](s, `SELECT COUNT(*) FROM outbox`)[0] == 0
	})
	emitted := testkit.Rows[string](s, `SELECT object_id FROM events WHERE type = 'contact.created' ORDER BY object_id`)
	assert.Equal(t, emitted, stored, "the events")
	if len(stored) < 20 {
		t.Errorf("%d contacts, want more", len(stored))
	}
	if n := len(w.others); n > 0 {
		t.Errorf("other statuses: %v", w.others)
	}

	// Doing it again changes nothing.
	assert.NoError(t, shards.Isolate(t.Context(), s.DB, []auth.Env{env, env - 1}, target, func(text string) { t.Error(text) }))
}

// A restore point exists on all servers.
func TestRestorePoint(t *testing.T) {
	s := testkit.OnPostgres(t)
	point := testkit.Rows[string](s, `SELECT citus_create_restore_point('before_update')::text`)
	assert.Len(t, point, 1)
	again, err := shards.Plan(t.Context(), s.DB, shards.Settings{Workers: testkit.Workers()})
	assert.NoError(t, err)
	assert.Len(t, again, 0, "the steps of a second init")
}
