package app

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// An installation can be distributed by environment if each row names its
// environment, and nothing connects rows of two. See docs/scaling.md. The exceptions
// are reviewed, with their reasons.

// installationTables are the same for all environments.
var installationTables = map[string]string{
	"site_keys":        "the keys of the installation",
	"auth_refusals":    "rejected credentials, which belong to no environment",
	"timelines":        "the history of the PostgreSQL cluster",
	"acme_state":       "the certificates of the installation",
	"maintenance":      "whether the installation is in maintenance",
	"job_nodes":        "the servers that run jobs",
	"provider_outages": "the providers that don't answer",
	"backup_runs":      "backups of the whole installation",
	"backup_turns":     "the lock for them",
	"schema_floor":     "the versions of Slipway that can use the database",
	"rate_limits":      "what the servers allowed, by a hash of the caller",
}

// foreignReferences are references to rows of another environment.
var foreignReferences = map[string]string{
	"installs(app_env,app_id)": "an app of one dealership is installed by another",
}

// lookups are unique indexes that find an environment. Each server has a copy of these tables.
var lookups = map[string]string{
	"apps(id)":             "the client ID of an OAuth app",
	"dealerships(id,mode)": "the two environments of a dealership",
	"websites(slug)":       "the path of a website",
}

// constraint is a primary key, a foreign key or a unique index, as table(columns).
type constraint struct {
	Kind    string `db:"kind"` // p, f or u
	Table   string `db:"tab"`
	Columns string `db:"cols"`
}

func (c constraint) String() string { return c.Table + "(" + c.Columns + ")" }

const ownTables = ` NOT LIKE 'river%' AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'`

// constraintsOf reads the constraints of the real schema.
func constraintsOf(s *testkit.Server) []constraint {
	if s.DB.SQLite() {
		const tables = `FROM sqlite_master t `
		list := func(rows string) string { return `(SELECT group_concat(name, ',') FROM (` + rows + `))` }
		return slices.Concat(
			testkit.Rows[constraint](s, `SELECT 'p', t.name, `+list(`SELECT name FROM pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk`)+
				tables+`WHERE t.type = 'table' AND t.name`+strings.ReplaceAll(ownTables, " name", " t.name")),
			testkit.Rows[constraint](s, `SELECT 'f', t.name, group_concat(f."from", ',') `+tables+
				`JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table' GROUP BY t.name, f.id`),
			testkit.Rows[constraint](s, `SELECT 'u', t.name, `+list(`SELECT name FROM pragma_index_info(l.name) ORDER BY seqno`)+
				tables+`JOIN pragma_index_list(t.name) l WHERE t.type = 'table' AND l."unique" AND l.origin <> 'pk' AND t.name`+
				strings.ReplaceAll(ownTables, " name", " t.name")),
		)
	}

	list := func(relation, keys string) string {
		return `(SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(` + keys + `) WITH ORDINALITY k (num, n)
			JOIN pg_attribute a ON a.attrelid = ` + relation + ` AND a.attnum = k.num)`
	}
	own := `AND t.relnamespace = 'public'::regnamespace AND t.relname` + strings.ReplaceAll(ownTables, " name", " t.relname")
	return slices.Concat(
		testkit.Rows[constraint](s, `SELECT c.contype::text, t.relname::text, `+list("c.conrelid", "c.conkey")+` FROM pg_constraint c
			JOIN pg_class t ON t.oid = c.conrelid WHERE c.contype IN ('p', 'f') `+own),
		testkit.Rows[constraint](s, `SELECT 'u', t.relname::text, `+list("i.indrelid", "i.indkey::int2[]")+` FROM pg_index i
			JOIN pg_class t ON t.oid = i.indrelid WHERE i.indisunique AND NOT i.indisprimary `+own),
		testkit.Rows[constraint](s, `SELECT 'p', t.relname::text, '' FROM pg_class t WHERE t.relkind = 'r'
			AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'p') `+own),
	)
}

// unsharded returns the constraints that connect environments and are not reviewed, and
// the reviewed exceptions that no longer exist.
func unsharded(all []constraint) (wrong []string) {
	kinds := map[string]struct {
		text     string
		reviewed map[string]string
	}{
		"p": {"primary key without env", installationTables}, "f": {"foreign key without env", foreignReferences},
		"u": {"unique index without env", lookups},
	}
	unused := map[string]bool{}
	for _, k := range kinds {
		for name := range k.reviewed {
			unused[name] = true
		}
	}

	for _, c := range all {
		k, name := kinds[c.Kind], c.String()
		if c.Kind == "p" {
			name = c.Table
		}
		hasEnv := slices.Contains(strings.Split(c.Columns, ","), "env")
		_, reviewed := k.reviewed[name]
		_, ofInstallation := installationTables[c.Table]
		delete(unused, name)
		if !hasEnv && !reviewed && !ofInstallation {
			wrong = append(wrong, k.text+": "+c.String())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		wrong = append(wrong, "no longer needed: "+name)
	}
	return wrong
}

func TestTablesCanBeSharded(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		all := constraintsOf(s)
		if len(all) < 80 {
			t.Fatalf("got %d constraints, want at least 80", len(all))
		}
		for _, wrong := range unsharded(all) {
			t.Error(wrong)
		}
	})
}

// The check finds each kind of mistake in a real schema.
func TestUnshardedTablesAreFound(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Exec(`CREATE TABLE docks (env BIGINT NOT NULL, id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL)`)
		s.Exec(`CREATE UNIQUE INDEX docks_name ON docks (name)`)
		s.Exec(`CREATE TABLE slips (env BIGINT NOT NULL, id TEXT NOT NULL, dock_id TEXT NOT NULL REFERENCES docks (id), PRIMARY KEY (env, id))`)
		got := unsharded(constraintsOf(s))
		slices.Sort(got)
		assert.Equal(t, got, []string{"foreign key without env: slips(dock_id)", "primary key without env: docks(id)",
			"unique index without env: docks(name)"})
	})
}
