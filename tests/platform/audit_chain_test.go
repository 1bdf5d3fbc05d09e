package platform

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// environment is the first dealership's test environment.
func environment(s *testkit.Server) auth.Env {
	return testkit.Rows[auth.Env](s, `SELECT env FROM dealerships WHERE name = 'Acme Marine' AND mode = 'test'`)[0]
}

func verify(t *testing.T, s *testkit.Server, env auth.Env) audit.Verification {
	t.Helper()
	v, err := audit.Verify(t.Context(), s.DB, env, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// batch is how many entries are linked or purged at a time.
const batch = 500

// writeEntries makes n entries in one transaction.
func writeEntries(ctx context.Context, d *db.DB, env auth.Env, n int) error {
	_, err := db.Write(auth.InEnv(ctx, env), d, func(ctx context.Context, tx *db.Tx) (int, error) {
		for i := range n {
			if err := audit.Record(ctx, tx, "hull.updated", fmt.Sprintf("hull_%d", i), map[string][2]any{"title": {nil, "A"}}); err != nil {
				return 0, err
			}
		}
		return n, nil
	})
	return err
}

func TestCleanChain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		count := func() int64 {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE env = ?`, env)[0]
		}
		v := verify(t, s, env)
		assert.Equal(t, v.Problem, "", "before anything is linked")
		assert.Equal(t, v.Entries, 0, "before anything is linked")
		assert.Equal(t, v.Waiting, count(), "before anything is linked")
		s.Test.Location()
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		v = verify(t, s, env)
		assert.Equal(t, v.Problem, "")
		assert.Equal(t, v.Entries, count())
		assert.Equal(t, v.Waiting, 0)
		s.Test.Location()
		v = verify(t, s, env)
		assert.Equal(t, v.Problem, "", "after a new one")
		assert.Equal(t, v.Entries, count()-1, "after a new one")
		assert.Equal(t, v.Waiting, 1, "after a new one")
		if n, err := audit.Link(t.Context(), s.DB); n != 1 || err != nil {
			t.Errorf("linked %d, %v; want n = 1, no error", n, err)
		}
		if n, err := audit.Link(t.Context(), s.DB); n != 0 || err != nil {
			t.Errorf("nothing is left, and %d, %v; want n = 0, no error", n, err)
		}
	})
}

// A broken log does not keep the others from being linked and purged.
func TestBrokenChainStandsAlone(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Exec(`UPDATE audit_chains SET last_link = last_link + 1 WHERE env = ?`, env)
		s.Test.Location()
		s.Other.Location()
		if n, err := audit.Link(t.Context(), s.DB); n != 1 || err == nil {
			t.Errorf("linked %d, %v; want n = 1, an error", n, err)
		}
		for _, other := range testkit.Rows[auth.Env](s, `SELECT env FROM dealerships WHERE env <> ?`, env) {
			v := verify(t, s, other)
			assert.Equal(t, v.Problem, "")
			assert.Equal(t, v.Waiting, 0)
		}
	})
}

// Entries are deleted after 13 months, and the rest can still be verified.
func TestPurgeAudit(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		if err := writeEntries(t.Context(), s.DB, env, batch+20); err != nil {
			t.Fatal(err)
		}
		settle := func() {
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		settle()
		start := s.DB.Now()
		old := verify(t, s, env).Entries
		s.Advance(200 * 24 * time.Hour)
		if err := writeEntries(t.Context(), s.DB, env, 5); err != nil {
			t.Fatal(err)
		}
		settle()
		for _, c := range []struct {
			at   time.Time
			left int64
		}{
			{start.AddDate(0, 13, -4), old + 5}, // months have different lengths
			{start.AddDate(0, 13, +4), 5},
			{start.AddDate(0, 13, +4), 5},
			{start.AddDate(0, 13, 190), 5},
			{start.AddDate(0, 13, 210), 0},
		} {
			s.Advance(c.at.Sub(s.DB.Now()))
			if err := audit.Purge(t.Context(), s.DB); err != nil {
				t.Fatal(err)
			}
			if v := verify(t, s, env); v.Problem != "" || v.Entries != c.left || v.Waiting != 0 {
				t.Errorf("at %s: %+v, want %d", c.at, v, c.left)
			}
		}
		if err := writeEntries(t.Context(), s.DB, env, 3); err != nil {
			t.Fatal(err)
		}
		settle()
		v := verify(t, s, env)
		assert.Equal(t, v.Problem, "", "what comes after")
		assert.Equal(t, v.Entries, 3, "what comes after")
		s.Exec(`DELETE FROM audit_entries WHERE env = ? AND link = (SELECT first_link FROM audit_chains WHERE env = ?)`, env, env)
		if v := verify(t, s, env); v.Problem == "" {
			t.Errorf(`the first that was not purged is gone: got %+v, want v.Problem != ""`, v)
		}
	})
}

// Entries with a false earlier date are not purged.
func TestPurgeRemovesOnlyWhatIsOld(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Exec(`UPDATE audit_entries SET at = ? WHERE env = ?`, s.DB.Now().AddDate(-3, 0, 0), env)
		before := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries`)[0]
		if err := audit.Purge(t.Context(), s.DB); err == nil {
			t.Error("purged changed entries")
		}
		if after := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries`)[0]; after != before || verify(t, s, env).Problem == "" {
			t.Errorf(`%d entries became %d: got %+v; want after = %v, verify(t, s, env).Problem != ""`, before, after, verify(t, s, env), before)
		}
	})
}

// Writers that commit in any order and nodes that link concurrently create one chain
// without a gap.
func TestConcurrentWritersAndLinkers(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const writers, rounds, each = 8, 6, 8
		env := environment(s)
		before := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE env = ?`, env)[0]
		var writing, linking sync.WaitGroup
		for range writers {
			writing.Go(func() {
				for range rounds {
					if err := writeEntries(t.Context(), s.DB, env, each); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		done := make(chan struct{})
		for range 2 {
			linking.Go(func() {
				for {
					if _, err := audit.Link(t.Context(), s.DB); err != nil {
						t.Error(err)
						return
					}
					if v, err := audit.Verify(t.Context(), s.DB, env, nil); err != nil || v.Problem != "" {
						t.Errorf(`on the way: got %+v, %v; want no error, v.Problem = ""`, v, err)
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		writing.Wait()
		close(done)
		linking.Wait()
		if _, err := audit.Link(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		want := before + writers*rounds*each
		if v := verify(t, s, env); v.Problem != "" || v.Entries != want || v.Waiting != 0 {
			t.Errorf("%+v, want %d", v, want)
		}
		for i, link := range testkit.Rows[int64](s, `SELECT link FROM audit_entries WHERE env = ? ORDER BY link`, env) {
			if link != int64(i)+1 {
				t.Fatalf("link %d is at place %d, want %v", link, i+1, int64(i)+1)
			}
		}
	})
}
