package app

import (
	"context"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// lockRow locks a row of the test environment until unlock is called.
func lockRow(t *testing.T, s *testkit.Server, table, id string) (unlock func()) {
	t.Helper()
	env, locked, end, ended := s.TestEnv(), make(chan struct{}), make(chan struct{}), make(chan error)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	go func() {
		_, err := db.Write(ctx, s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
			_, err := db.One[string](ctx, tx, `SELECT id FROM `+table+` WHERE env = ? AND id = ? FOR UPDATE`, env, id)
			close(locked)
			<-end
			return struct{}{}, err
		})
		ended <- err
	}()
	<-locked
	return func() {
		t.Helper()
		close(end)
		if err := <-ended; err != nil {
			t.Errorf("the lock: %v", err)
		}
	}
}

// waitingWrites returns how many writes wait for others on the server.
func waitingWrites(s *testkit.Server) int {
	for _, l := range s.Router.Load() {
		if l.Class == "writes" {
			return l.Waiting
		}
	}
	return 0
}

// Requests that wait for a locked hull don't use the connections that others need.
func TestHotHull(t *testing.T) {
	s := testkit.OnPostgres(t)
	location := s.Test.Location()
	hot, other := s.Test.Hull(location, nil), s.Test.Hull(location, nil)
	unlock := lockRow(t, s, "hulls", hot)

	const requests = 60
	statuses := make(chan int, requests)
	for range requests {
		go func() {
			res, err := s.Test.Send("PATCH", "/v1/hulls/"+hot, `{"title": "Hot"}`)
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			statuses <- res.StatusCode
		}()
	}
	assert.Eventually(t, "the requests to wait", func() bool { return waitingWrites(s) == requests-1 })

	start := time.Now()
	s.Test.Patch("/v1/hulls/"+other, `{"title": "Cold"}`, 200, nil)
	if took := time.Since(start); took > time.Second {
		t.Errorf("got a response for another hull after %s, want less than a second", took)
	}

	unlock()
	tally := map[int]int{}
	for range requests {
		tally[<-statuses]++
	}
	if tally[200] == 0 || tally[200]+tally[429] != requests { // 429 if they waited for 4 seconds
		t.Errorf("got the statuses %v, want 200", tally)
	}
}
