package app

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A client that follows a list sees a row only when no older row can appear anymore.
func TestFollowWaitsForOlderWriters(t *testing.T) {
	s := testkit.OnPostgres(t)
	first := s.Test.Location()

	began, finish, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
			close(began)
			<-finish
			return "", nil
		})
		done <- err
	}()
	<-began
	s.Test.Location()
	follow := url.Values{"ending_before": {first}}
	assert.Len(t, walk(t, s.Test, "/v1/locations", follow, "ending_before"), 0, "while an older transaction writes")

	var newest listing
	s.Test.Get("/v1/locations?limit=1", 200, &newest)
	assert.Equal(t, newest.ids()[0] > first, true, "the newest page shows what is new")

	close(finish)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	assert.Len(t, walk(t, s.Test, "/v1/locations", follow, "ending_before"), 1, "after it ended")
}

// Clients that follow the lists of hulls and of audit entries miss nothing while six
// clients and an import write. SLIPWAY_TEST_FOLLOW is the number of hulls.
func TestFollowMissesNothing(t *testing.T) {
	s := testkit.OnPostgres(t)
	other := s.Node()
	useDatabaseClock(s, other)
	s.RunJobs()
	hullsEach := 50
	if n, err := strconv.Atoi(os.Getenv("SLIPWAY_TEST_FOLLOW")); err == nil {
		hullsEach = n / 7
	}
	location := s.Test.Location()

	lists := map[string]string{"/v1/hulls": "hulls", "/v1/audit": "audit_entries"}
	type follower struct {
		start, last string
		seen        map[string]bool
	}
	look := func(path string, f *follower) {
		for _, id := range walk(t, s.Test, path, url.Values{"ending_before": {f.last}, "limit": {"100"}}, "ending_before") {
			f.seen[id], f.last = true, id
		}
	}
	all := map[string]*follower{}
	stop := make(chan struct{})
	var followers, writers sync.WaitGroup
	for path := range lists {
		f := &follower{start: "hull_00000000000000000000000000", seen: map[string]bool{}}
		if path == "/v1/audit" {
			var newest listing
			s.Test.Get(path+"?limit=1", 200, &newest)
			f.start = newest.ids()[0]
		}
		f.last = f.start
		all[path] = f
		followers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					look(path, f)
				}
			}
		})
	}

	for i := range 6 {
		c := []*testkit.Server{s, other}[i%2].As(s.Test.Key)
		writers.Go(func() {
			for range hullsEach {
				c.Hull(location, nil)
			}
		})
	}
	writers.Go(func() { importHulls(t, s, location, hullsEach) })
	writers.Wait()

	written := map[string][]string{} // before the last look: background work can still write
	for path, table := range lists {
		written[path] = testkit.Rows[string](s, `SELECT id FROM `+table+` WHERE env = ? AND id > ?`,
			s.Env("locations", location), all[path].start)
		assert.Equal(t, len(written[path]) >= 7*hullsEach, true, path, "has at least one row for each hull")
	}
	close(stop)
	followers.Wait()

	// What still writes in the background can hide the newest rows for a moment.
	for path, ids := range written {
		assert.Eventually(t, path+" shows each row", func() bool {
			look(path, all[path])
			ids = slices.DeleteFunc(ids, func(id string) bool { return all[path].seen[id] })
			return len(ids) == 0
		})
	}
}

// useDatabaseClock lets servers take the time of writes from PostgreSQL, as in production. The
// clock of the last server is five seconds behind.
func useDatabaseClock(all ...*testkit.Server) {
	for i, s := range all {
		s.DB.OwnClock = false
		if i == len(all)-1 {
			s.DB.Now = func() time.Time { return time.Now().Add(-5 * time.Second) }
		}
	}
}

// A person who goes back a page sees rows that are only milliseconds old, and of nodes whose
// clocks differ.
func TestPageBackToYoungRows(t *testing.T) {
	s := testkit.OnPostgres(t)
	other := s.Node()
	useDatabaseClock(s, other)
	last := s.Test.Location()
	for i := range 20 {
		c := []*testkit.Client{other.Test, s.Test}[i%2]
		next, start := c.Location(), time.Now()
		got := walk(t, s.Test, "/v1/locations", url.Values{"ending_before": {last}}, "ending_before")
		assert.Equal(t, got, []string{next}, "the row that was just created")
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("got the row after %s, want it at once", took)
		}
		last = next
	}
}

// A page waits for a write that is about to end, and shows its row.
func TestPageBackWaitsForAWrite(t *testing.T) {
	s := testkit.OnPostgres(t)
	useDatabaseClock(s)
	first := s.Test.Location()
	began, done := make(chan struct{}), make(chan error)
	go func() {
		_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
			close(began)
			_, err := db.Exec(ctx, tx, `SELECT pg_sleep(0.1)`)
			return "", err
		})
		done <- err
	}()
	<-began
	second := s.Test.Location()
	assert.Equal(t, walk(t, s.Test, "/v1/locations", url.Values{"ending_before": {first}}, "ending_before"), []string{second})
	assert.NoError(t, <-done)
}

// importHulls imports hulls and waits for the end.
func importHulls(t *testing.T, s *testkit.Server, location string, n int) {
	lines := []string{"Stock #,HIN,Make,Model,Year,Length,Price,Location\n"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("FOLLOW-%d,GRT%05dC424,Grady-White,Freedom 235,2024,23.58,124900,%s\n", i, i, location))
	}
	var i struct{ ID, State string }
	s.Test.Post("/v1/hull_imports", testkit.File{Type: "text/csv", Bytes: []byte(strings.Join(lines, ""))}, 202, &i)
	assert.Eventually(t, "imported", func() bool {
		s.Test.Get("/v1/hull_imports/"+i.ID, 200, &i)
		return i.State == "completed"
	})
}
