package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

// environment is the first dealership's test environment.
func environment(s *testkit.Server) auth.Env {
	return testkit.Rows[auth.Env](s, `SELECT env FROM dealerships WHERE name = 'Acme Marine' AND mode = 'test'`)[0]
}

func verify(t *testing.T, s *testkit.Server, env auth.Env) audit.Verification {
	t.Helper()
	v, err := audit.Verify(t.Context(), s.DB, env)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// batch is how many entries are linked or purged at a time.
const batch = 500

// write makes n entries in one transaction.
func write(ctx context.Context, d *db.DB, env auth.Env, n int) error {
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
		testkit.Equal(t, v.Problem, "", "before anything is linked")
		testkit.Equal(t, v.Entries, 0, "before anything is linked")
		testkit.Equal(t, v.Waiting, count(), "before anything is linked")
		s.Test.Location()
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		v = verify(t, s, env)
		testkit.Equal(t, v.Problem, "")
		testkit.Equal(t, v.Entries, count())
		testkit.Equal(t, v.Waiting, 0)
		s.Test.Location()
		v = verify(t, s, env)
		testkit.Equal(t, v.Problem, "", "after a new one")
		testkit.Equal(t, v.Entries, count()-1, "after a new one")
		testkit.Equal(t, v.Waiting, 1, "after a new one")
		if n, err := audit.Link(t.Context(), s.DB); n != 1 || err != nil {
			t.Errorf("linked %d, %v; want n = 1, no error", n, err)
		}
		if n, err := audit.Link(t.Context(), s.DB); n != 0 || err != nil {
			t.Errorf("nothing is left, and %d, %v; want n = 0, no error", n, err)
		}
	})
}

// tampering lists changes by an attacker who can write to the database but does
// not have the master key. The functions receive the IDs of the chain in order.
type tampering func(s *testkit.Server, env auth.Env, ids []string)

// set changes a column of one entry, in the middle.
func set(column string, value any) tampering {
	return func(s *testkit.Server, env auth.Env, ids []string) {
		s.Exec(`UPDATE audit_entries SET `+column+` = ? WHERE env = ? AND id = ?`, value, env, ids[len(ids)/2])
	}
}

// remove takes entries out of the chain.
func remove(which func(ids []string) []string) tampering {
	return func(s *testkit.Server, env auth.Env, ids []string) {
		for _, id := range which(ids) {
			s.Exec(`DELETE FROM audit_entries WHERE env = ? AND id = ?`, env, id)
		}
	}
}

// insert slips an entry in: a copy of another, but for the columns given.
func insert(changes map[string]string) tampering {
	columns := []string{"env", "id", "at", "actor_type", "actor_id", "actor_label", "action", "target_type", "target_id", "request_id",
		"ip", "user_agent", "changes", "outcome", "mark", "link", "mac"}
	return func(s *testkit.Server, env auth.Env, ids []string) {
		values := slices.Clone(columns)
		for i, c := range columns {
			if v, ok := changes[c]; ok {
				values[i] = v
			}
		}
		s.Exec(`INSERT INTO audit_entries (`+strings.Join(columns, ", ")+`) SELECT `+strings.Join(values,
			", ")+` FROM audit_entries WHERE env = ? AND id = ?`, env, ids[len(ids)/2])
	}
}

// swap exchanges columns of two neighbors.
func swap(columns ...string) tampering {
	return func(s *testkit.Server, env auth.Env, ids []string) {
		a, b := ids[2], ids[3]
		s.Exec(`CREATE TABLE swapped AS SELECT * FROM audit_entries WHERE env = ? AND id IN (?, ?)`, env, a, b)
		s.Exec(`UPDATE audit_entries SET link = -link WHERE env = ? AND id IN (?, ?)`, env, a, b) // links are unique
		for _, c := range append(columns, "link") {
			for id, other := range map[string]string{a: b, b: a} {
				if !slices.Contains(columns, c) {
					other = id // back in its place
				}
				s.Exec(`UPDATE audit_entries SET `+c+` = (SELECT `+c+` FROM swapped WHERE id = ?) WHERE env = ? AND id = ?`, other, env, id)
			}
		}
		s.Exec(`DROP TABLE swapped`)
	}
}

// ends changes a column of the record of the chain's ends.
func ends(change string) tampering {
	return func(s *testkit.Server, env auth.Env, _ []string) {
		s.Exec(`UPDATE audit_chains SET `+change+` WHERE env = ?`, env)
	}
}

func all(steps ...tampering) tampering {
	return func(s *testkit.Server, env auth.Env, ids []string) {
		for _, step := range steps {
			step(s, env, ids)
		}
	}
}

func statement(text string) tampering {
	return func(s *testkit.Server, env auth.Env, _ []string) { s.Exec(text, env) }
}

var tamperings = map[string]tampering{
	"changed env":                 func(s *testkit.Server, env auth.Env, ids []string) { set("env", int64(env)+1)(s, env, ids) },
	"changed id":                  set("id", "aud_00000000000000000000000000"),
	"changed at":                  set("at", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)),
	"changed actor_type":          set("actor_type", "user"),
	"changed actor_id":            set("actor_id", "key_00000000000000000000000000"),
	"changed actor_label":         set("actor_label", "Another user"),
	"changed action":              set("action", "audit.read"),
	"changed target_type":         set("target_type", "boat"),
	"changed target_id":           set("target_id", "hull_1"),
	"changed request_id":          set("request_id", "req_00000000000000000000000000"),
	"emptied request_id":          set("request_id", nil),
	"changed ip":                  set("ip", "192.0.2.1"),
	"changed user_agent":          set("user_agent", "curl"),
	"blank user_agent for none":   func(s *testkit.Server, env auth.Env, ids []string) { set("user_agent", "")(s, env, ids[:1]) },
	"changed changes":             set("changes", `{}`),
	"changed outcome":             set("outcome", "failure"),
	"changed mark":                set("mark", []byte("mark")),
	"changed mac":                 set("mac", []byte("mac")),
	"emptied mac":                 set("mac", nil),
	"changed link":                set("link", 1_000_000),
	"emptied link":                set("link", nil),
	"emptied link and mac":        all(set("link", nil), set("mac", nil)),
	"something moved next door":   all(set("actor_label", ""), set("action", "testlocation.created")),
	"removed the first":           remove(func(ids []string) []string { return ids[:1] }),
	"removed one in the middle":   remove(func(ids []string) []string { return ids[3:4] }),
	"removed the last":            remove(func(ids []string) []string { return ids[len(ids)-1:] }),
	"removed all":                 remove(func(ids []string) []string { return ids }),
	"inserted, to be linked":      insert(map[string]string{"id": "'aud_7zzzzzzzzzzzzzzzzzzzzzzzzz'", "link": "NULL", "mac": "NULL"}),
	"inserted among the oldest":   insert(map[string]string{"id": "'aud_00000000000000000000000000'", "link": "NULL", "mac": "NULL"}),
	"inserted with a forged mark": insert(map[string]string{"id": "'aud_7zzzzzzzzzzzzzzzzzzzzzzzzz'", "link": "NULL", "mark": "mac"}),
	"inserted at the end": insert(map[string]string{"id": "'aud_7zzzzzzzzzzzzzzzzzzzzzzzzz'",
		"link": "(SELECT last_link + 1 FROM audit_chains c WHERE c.env = audit_entries.env)"}),
	"inserted before the first":  insert(map[string]string{"id": "'aud_7zzzzzzzzzzzzzzzzzzzzzzzzz'", "link": "0"}),
	"reordered by link":          swap("link"),
	"reordered by link and mac":  swap("link", "mac"),
	"reordered by mark":          swap("mark"),
	"swapped the actions":        swap("action", "changes", "target_id", "target_type"),
	"the ends: first link":       ends("first_link = first_link + 1"),
	"the ends: before mac":       ends("before_mac = last_mac"),
	"the ends: last link":        ends("last_link = last_link - 1"),
	"the ends: last mac":         ends("last_mac = before_mac"),
	"the ends: seal":             ends("seal = last_mac"),
	"the ends: those of another": ends("seal = (SELECT o.seal FROM audit_chains o WHERE o.env = audit_chains.env + 1)"),
	"the ends: gone":             statement(`DELETE FROM audit_chains WHERE env = ?`),
	"everything gone": all(statement(`DELETE FROM audit_chains WHERE env = ?`),
		statement(`DELETE FROM audit_entries WHERE env = ?`)),
	"the ends gone, links undone": all(remove(func(ids []string) []string { return ids[3:4] }),
		statement(`DELETE FROM audit_chains WHERE env = ?`), statement(`UPDATE audit_entries SET link = NULL, mac = NULL WHERE env = ?`)),
	"cut short, ends and all": all(remove(func(ids []string) []string { return ids[len(ids)-1:] }), ends(
		"last_link = last_link - 1, last_mac = (SELECT e.mac FROM audit_entries e WHERE e.env = audit_chains.env AND e.link = audit_chains.last_link - 1)")),
	"cut at the front, ends and all": all(ends("first_link = 2, before_mac = (SELECT e.mac FROM audit_entries e WHERE e.env = audit_chains.env AND e.link = 1)"),
		remove(func(ids []string) []string { return ids[:1] })),
}

// Each change is detected, both immediately and after the service has
// gone on to link and purge.
func TestTamperingShows(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		for range 4 {
			s.Test.Location() // entries with all that a request leaves
		}
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		tables := []string{"audit_entries", "audit_chains"}
		for _, table := range tables {
			s.Exec(`CREATE TABLE kept_` + table + ` AS SELECT * FROM ` + table)
		}
		ids := testkit.Rows[string](s, `SELECT id FROM audit_entries WHERE env = ? ORDER BY link`, env)
		for name, tamper := range tamperings {
			tamper(s, env, ids)
			if v := verify(t, s, env); v.Problem == "" {
				t.Errorf(`%s: got %+v, want v.Problem != ""`, name, v)
			}
			if err := write(t.Context(), s.DB, env, 1); err != nil { // the service continues to write
				t.Fatal(err)
			}
			_, err := audit.Link(t.Context(), s.DB)
			if err = errors.Join(err, audit.Purge(t.Context(), s.DB)); err != nil {
				t.Logf("%s: %v", name, err) // it can refuse to link after a changed entry
			}
			if v := verify(t, s, env); v.Problem == "" {
				t.Errorf(`%s is no longer detected: got %+v, want v.Problem != ""`, name, v)
			}
			restore(t, s, tables)
			if v := verify(t, s, env); v.Problem != "" || v.Entries != int64(len(ids)) {
				t.Fatalf(`%s was not undone: got %+v; want v.Problem = "", v.Entries = %v`, name, v, int64(len(ids)))
			}
		}
	})
}

// restore restores the saved tables.
func restore(t *testing.T, s *testkit.Server, tables []string) {
	t.Helper()
	_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (n int64, err error) {
		for _, table := range tables {
			for _, statement := range []string{`DELETE FROM ` + table, `INSERT INTO ` + table + ` SELECT * FROM kept_` + table} {
				if n, err = db.Exec(ctx, tx, statement); err != nil {
					return n, err
				}
			}
		}
		return n, nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
			testkit.Equal(t, v.Problem, "")
			testkit.Equal(t, v.Waiting, 0)
		}
	})
}

// Entries are deleted after 13 months, and the rest can still be verified.
func TestPurge(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		if err := write(t.Context(), s.DB, env, batch+20); err != nil {
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
		if err := write(t.Context(), s.DB, env, 5); err != nil {
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
		if err := write(t.Context(), s.DB, env, 3); err != nil {
			t.Fatal(err)
		}
		settle()
		v := verify(t, s, env)
		testkit.Equal(t, v.Problem, "", "what comes after")
		testkit.Equal(t, v.Entries, 3, "what comes after")
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
					if err := write(t.Context(), s.DB, env, each); err != nil {
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
					if v, err := audit.Verify(t.Context(), s.DB, env); err != nil || v.Problem != "" {
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
