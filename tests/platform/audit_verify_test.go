package platform

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

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
		"ip", "user_agent", "changes", "outcome", "mark", "link", "mac", "group_id", "number", "total"}
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
	"changed group_id":            set("group_id", "aud_00000000000000000000000000"),
	"changed number":              set("number", 2),
	"changed total":               set("total", 2),
	"emptied total":               set("total", nil),
	"emptied the numbers":         all(set("group_id", nil), set("number", nil), set("total", nil)),
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
	"cut short, ends and all": all(remove(func(ids []string) []string { return ids[len(ids)-1:] }),
		ends("last_link = last_link - 1, last_mac = "+macOf("audit_chains.last_link - 1"))),
	"cut at the front, ends and all": all(ends("first_link = 2, before_mac = "+macOf("1")),
		remove(func(ids []string) []string { return ids[:1] })),

	"the log of another dealership":  all(copyOf("audit_entries"), copyOf("audit_chains")),
	"the dealership: gone":           statement(`DELETE FROM dealerships WHERE env = ?`),
	"the dealership: another number": statement(`UPDATE dealerships SET env = 1000 WHERE env = ?`),
	"the dealership and the ends: gone": all(statement(`DELETE FROM dealerships WHERE env = ?`),
		statement(`DELETE FROM audit_chains WHERE env = ?`)),
	"the dealership and its log: gone":        removeDealership(func(env auth.Env) auth.Env { return env }),
	"the newest dealership and its log: gone": removeDealership(func(auth.Env) auth.Env { return 4 }),
}

// macOf is SQL for the signature of a link.
func macOf(link string) string {
	return "(SELECT e.mac FROM audit_entries e WHERE e.env = audit_chains.env AND e.link = " + link + ")"
}

// removeDealership removes an environment from all tables that the audit log uses.
func removeDealership(which func(auth.Env) auth.Env) tampering {
	return func(s *testkit.Server, env auth.Env, _ []string) {
		for _, table := range []string{"dealerships", "audit_chains", "audit_entries"} {
			s.Exec(`DELETE FROM `+table+` WHERE env = ?`, which(env))
		}
	}
}

// copyOf replaces the rows of a table by those of another environment.
func copyOf(table string) tampering {
	return func(s *testkit.Server, env auth.Env, _ []string) {
		s.Exec(`DELETE FROM `+table+` WHERE env = ?`, env)
		s.Exec(`UPDATE `+table+` SET env = ? WHERE env = ?`, env, env+1)
	}
}

// problem returns the first problem that `slipway audit verify` reports, or "".
func problem(t *testing.T, s *testkit.Server, known ...audit.Head) string {
	t.Helper()
	heads, err := audit.ParseHeads(audit.FormatHeads(known))
	assert.NoError(t, err)
	logs, err := s.VerifyAudit(t.Context(), "", heads)
	assert.NoError(t, err)
	for _, l := range logs {
		if l.Problem != "" {
			return l.Problem
		}
	}
	return ""
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
		tables := []string{"audit_entries", "audit_chains", "dealerships"}
		keep(s, tables)
		ids := testkit.Rows[string](s, `SELECT id FROM audit_entries WHERE env = ? ORDER BY link`, env)
		for name, tamper := range tamperings {
			tamper(s, env, ids)
			if problem(t, s) == "" {
				t.Errorf("%s: got no problem, want one", name)
			}
			if err := writeEntries(t.Context(), s.DB, env, 1); err != nil { // the service continues to write
				t.Fatal(err)
			}
			_, err := audit.Link(t.Context(), s.DB)
			if err = errors.Join(err, audit.Purge(t.Context(), s.DB)); err != nil {
				t.Logf("%s: %v", name, err) // it can refuse to link after a changed entry
			}
			if problem(t, s) == "" {
				t.Errorf("%s is no longer detected: got no problem, want one", name)
			}
			restore(t, s, tables)
			if problem(t, s) != "" {
				t.Fatalf("%s was not undone: %s", name, problem(t, s))
			}
			if v := verify(t, s, env); v.Problem != "" || v.Entries != int64(len(ids)) {
				t.Fatalf(`%s was not undone: got %+v; want v.Problem = "", v.Entries = %v`, name, v, int64(len(ids)))
			}
		}
	})
}

// keep saves tables, to restore them later.
func keep(s *testkit.Server, tables []string) {
	for _, table := range tables {
		s.Exec(`DROP TABLE IF EXISTS kept_` + table)
		s.Exec(`CREATE TABLE kept_` + table + ` AS SELECT * FROM ` + table)
	}
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

// An attacker removes entries before they are linked. A part of a transaction is
// noticed immediately, and a whole one as soon as the server links.
func TestRemovedBeforeLinked(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		tables := []string{"audit_entries", "audit_chains"}
		for name, c := range map[string]struct {
			written int
			removed []int
		}{
			"the first of three":  {3, []int{0}},
			"the second of three": {3, []int{1}},
			"the last of three":   {3, []int{2}},
			"two of three":        {3, []int{0, 2}},
			"the last of many":    {batch + 20, []int{batch + 19}},
			"the only one":        {1, []int{0}},
			"all three":           {3, []int{0, 1, 2}},
		} {
			assert.NoError(t, s.Settle(t.Context()))
			keep(s, tables)
			assert.NoError(t, writeEntries(t.Context(), s.DB, env, c.written))
			ids := testkit.Rows[string](s, `SELECT id FROM audit_entries WHERE env = ? AND link IS NULL ORDER BY id`, env)
			assert.Len(t, ids, c.written)
			for _, i := range c.removed {
				s.Exec(`DELETE FROM audit_entries WHERE env = ? AND id = ?`, env, ids[i])
			}
			if len(c.removed) < c.written {
				assert.Contains(t, problem(t, s), " are missing", name)
			}

			for range 2 { // and it stays noticed
				_, err := audit.Link(t.Context(), s.DB)
				assert.NoError(t, err)
				assert.Contains(t, problem(t, s), "was removed before it was linked", name)
			}
			reports := testkit.Rows[string](s, `SELECT target_id FROM audit_entries WHERE env = ? AND action = 'audit.entry_missing'`, env)
			assert.Len(t, reports, len(c.removed), name)
			restore(t, s, tables)
			assert.Equal(t, problem(t, s), "", name)
		}
	})
}

// An attacker restores an older copy, which is consistent, or lets the server
// continue from it. A head that was noted outside the database shows it.
func TestOlderCopyOfTheDatabase(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		tables := []string{"audit_entries", "audit_chains"}
		assert.NoError(t, s.Settle(t.Context()))
		old := verify(t, s, env).Head
		for name, c := range map[string]struct {
			after int // entries that are written after the copy is restored
			want  string
		}{
			"the copy as it is":   {0, "older copy"},
			"continued for a bit": {1, "older copy"},
			"as long as before":   {3, "replaced"},
			"longer than before":  {5, "replaced"},
		} {
			keep(s, tables)
			assert.NoError(t, writeEntries(t.Context(), s.DB, env, 3))
			assert.NoError(t, s.Settle(t.Context()))
			noted := verify(t, s, env).Head
			assert.Equal(t, noted.Link, old.Link+3, name)
			assert.Equal(t, problem(t, s, noted), "", name)
			assert.Equal(t, problem(t, s, old), "", name)

			restore(t, s, tables)
			if c.after > 0 {
				assert.NoError(t, writeEntries(t.Context(), s.DB, env, c.after))
				assert.NoError(t, s.Settle(t.Context()))
			}
			assert.Equal(t, problem(t, s), "", name, "without the head")
			assert.Equal(t, problem(t, s, old), "", name, "with a head from before the copy")
			assert.Contains(t, problem(t, s, noted), c.want, name)
			assert.Contains(t, problem(t, s, old, noted), c.want, name)
			restore(t, s, tables)
		}

		gone := audit.Head{Env: 99, Link: 5, MAC: "00"}
		assert.Contains(t, problem(t, s, gone), "is missing", "an environment that is gone everywhere")
		other := old
		other.MAC = strings.Repeat("0", 32)
		assert.Contains(t, problem(t, s, other), "replaced", "another signature")
	})
}

// An attacker keeps the record of the ends of the chain, to restore it later and
// remove what was linked since then.
func TestOlderEndsOfTheChain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		assert.NoError(t, s.Settle(t.Context()))
		keep(s, []string{"audit_chains"})
		for range 3 { // each in its own transaction
			assert.NoError(t, writeEntries(t.Context(), s.DB, env, 1))
		}
		assert.NoError(t, s.Settle(t.Context()))
		noted := verify(t, s, env).Head
		restore(t, s, []string{"audit_chains"})
		assert.Contains(t, problem(t, s), "is older than link")
		s.Exec(`DELETE FROM audit_entries WHERE env = ? AND link = ?`, env, noted.Link-1)
		assert.Contains(t, problem(t, s), "is older than link", "with a gap")

		s.Exec(`UPDATE audit_entries SET link = NULL, mac = NULL WHERE env = ? AND link > ?`, env, noted.Link-3)
		for range 2 {
			assert.Contains(t, problem(t, s, noted), "older copy", "links undone")
			assert.NoError(t, s.Settle(t.Context())) // the server links the rest again
		}
		assert.NoError(t, writeEntries(t.Context(), s.DB, env, 1))
		assert.NoError(t, s.Settle(t.Context()))
		assert.Contains(t, problem(t, s, noted), "replaced", "as long as before")
	})
}

// Heads that are older than the oldest entry don't fail.
func TestHeadOfPurgedEntry(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		assert.NoError(t, s.Settle(t.Context()))
		early := verify(t, s, env).Head
		assert.NoError(t, writeEntries(t.Context(), s.DB, env, 2))
		assert.NoError(t, s.Settle(t.Context()))
		last := verify(t, s, env).Head
		s.Advance(14 * 31 * 24 * time.Hour)
		assert.NoError(t, audit.Purge(t.Context(), s.DB))
		assert.Equal(t, verify(t, s, env).Entries, 0)
		for _, h := range []audit.Head{early, last} {
			assert.Equal(t, problem(t, s, h), "")
		}
		last.MAC = strings.Repeat("0", 32)
		assert.Contains(t, problem(t, s, last), "replaced")
	})
}

func TestParseHeads(t *testing.T) {
	heads := []audit.Head{{Env: 1, Link: 42, MAC: "9f3c"}, {Env: 2, Link: 0, MAC: "00"}}
	parsed, err := audit.ParseHeads(" " + audit.FormatHeads(heads) + ", 1.41.aaaa,")
	assert.NoError(t, err)
	assert.Equal(t, parsed, map[auth.Env]audit.Head{1: heads[0], 2: heads[1]})
	for _, invalid := range []string{"1", "1.2", "0.1.aa", "1.2.zz", "1.-2.aa", "a.1.aa", "1.2.aa.bb", "1.99999999999999999999.aa"} {
		if _, err := audit.ParseHeads(invalid); err == nil {
			t.Errorf("got no error for %q, want one", invalid)
		}
	}
}

// insertWithoutNumber adds an entry as earlier versions did.
func insertWithoutNumber(ctx context.Context, tx *db.Tx, action, targetID string) error {
	e := audit.Entry{
		Env: tx.Env, ID: tx.NewID("aud"), At: tx.Now, ActorType: "system", ActorID: "system", ActorLabel: "Slipway",
		Action: action, TargetType: "hull", TargetID: targetID, Changes: "{}", Outcome: "success",
	}
	e.Mark = site.Of(tx).MAC(e.Content())
	return db.Insert(ctx, tx, "audit_entries", e)
}

// Entries of earlier versions have no number. They can still be verified, and a
// number can't be added to them.
func TestEntriesWithoutNumber(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		assert.NoError(t, s.Settle(t.Context()))
		before := verify(t, s, env).Entries
		for i := range 3 {
			_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
				return 0, insertWithoutNumber(ctx, tx.In(env), "hull.updated", "hull_1")
			})
			assert.NoError(t, err)
			if i == 1 {
				assert.NoError(t, s.Settle(t.Context()))
			}
		}
		v := verify(t, s, env)
		assert.Equal(t, v.Problem, "")
		assert.Equal(t, v.Entries, before+2)
		assert.Equal(t, v.Waiting, 1)
		s.Exec(`UPDATE audit_entries SET group_id = id, number = 1, total = 1 WHERE env = ? AND group_id IS NULL`, env)
		assert.Contains(t, problem(t, s), "was changed")
	})
}

// The quick check at startup finds changes among the newest entries.
func TestVerifyNewest(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		env := environment(s)
		newest := func() string {
			v, err := audit.VerifyNewest(t.Context(), s.DB, env)
			assert.NoError(t, err)
			return v.Problem
		}
		assert.Equal(t, newest(), "", "not linked")
		for range 3 {
			assert.NoError(t, s.Settle(t.Context()))
			assert.Equal(t, newest(), "")
			assert.NoError(t, writeEntries(t.Context(), s.DB, env, 80))
			assert.Equal(t, newest(), "")
		}
		assert.NoError(t, s.Settle(t.Context()))
		last := testkit.Rows[int64](s, `SELECT last_link FROM audit_chains WHERE env = ?`, env)[0]
		for _, c := range []struct {
			link  int64
			found bool
		}{{last - 150, false}, {last - 50, true}, {last, true}} {
			s.Exec(`UPDATE audit_entries SET action = 'x' || action WHERE env = ? AND link = ?`, env, c.link)
			assert.Equal(t, newest() != "", c.found, c.link)
			s.Exec(`UPDATE audit_entries SET action = SUBSTR(action, 2) WHERE env = ? AND link = ?`, env, c.link)
			assert.Equal(t, newest(), "", c.link)
		}
		s.Exec(`DELETE FROM audit_entries WHERE env = ? AND link = ?`, env, last-100)
		assert.Contains(t, newest(), "is missing")
	})
}
