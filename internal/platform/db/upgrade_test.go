package db

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

// A migration only adds, so that servers of the version before keep working while you replace
// them. One that removes something must raise the floor, so that they become unready.
func TestMigrationsExpand(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	contracting := 0
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !contracts(string(text)) {
			continue
		}
		contracting++
		number := strings.TrimPrefix(name, "migrations/")[:4]
		if number >= "0131" && !strings.Contains(string(text), "UPDATE schema_floor SET version = "+strings.TrimLeft(number, "0")) {
			t.Errorf("%s removes, renames or requires something. Do it one release after the code that needs it is gone, and add: "+
				"UPDATE schema_floor SET version = %s WHERE id = 1;", name, strings.TrimLeft(number, "0"))
		}
	}
	if contracting < 3 {
		t.Errorf("found %d migrations that remove something, want those of the first releases", contracting)
	}
}

func TestContracts(t *testing.T) {
	for text, want := range map[string]bool{
		"ALTER TABLE deals ADD COLUMN note TEXT;":                                      false,
		"ALTER TABLE deals ADD COLUMN n BIGINT NOT NULL DEFAULT 0;":                    false,
		"ALTER TABLE deals ADD COLUMN n BIGINT NOT NULL;":                              true,
		"ALTER TABLE deals DROP COLUMN note;":                                          true,
		"ALTER TABLE deals RENAME COLUMN a TO b;":                                      true,
		"ALTER TABLE deals RENAME TO old_deals;":                                       true,
		"DROP TABLE deals;":                                                            true,
		"-- DROP TABLE deals":                                                          false,
		"CREATE TABLE t (a BIGINT NOT NULL); CREATE INDEX i ON t (a); DROP INDEX old;": false,
	} {
		if got := contracts(text); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
	if got := strings.Join(tablesOf("UPDATE a SET b = 1; CREATE INDEX i ON c (d);\n-- FROM e\nINSERT INTO a SELECT 1 FROM f"), " "); got != "a c f" {
		t.Errorf("got the tables %s, want a c f", got)
	}
}

// Before the schema of an SQLite database changes, it is copied. The copy opens with the schema
// from before, and stays until a later start.
func TestSnapshotBeforeUpgrade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slipway.db")
	d, err := Open(t.Context(), "sqlite:"+path)
	assert.NoError(t, err)
	defer func() { assert.NoError(t, d.Close()) }()
	provider, err := d.migrations()
	assert.NoError(t, err)
	copies := func() []string {
		found, err := filepath.Glob(path + ".before-schema-*")
		assert.NoError(t, err)
		return found
	}
	assert.NoError(t, d.snapshotBefore(t.Context(), provider))
	assert.Equal(t, len(copies()), 0, "copies of a new database")
	_, err = provider.UpTo(t.Context(), 131)
	assert.NoError(t, err)

	pending, err := d.PendingMigrations(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, pending[0].Name, "0132_schema_floor")
	assert.Equal(t, pending[0].Contract, false)
	assert.NoError(t, d.Migrate(t.Context()))
	assert.Equal(t, copies(), []string{path + ".before-schema-131"})
	info, err := os.Stat(copies()[0])
	assert.NoError(t, err)
	assert.Equal(t, info.Mode().Perm(), os.FileMode(0o600))

	before, err := Open(t.Context(), "sqlite:"+copies()[0])
	assert.NoError(t, err)
	pending, err = before.PendingMigrations(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, len(pending) > 0, true, "the copy has the schema from before")
	assert.NoError(t, before.Close())

	assert.NoError(t, d.RemoveSnapshots(time.Now().Add(-time.Hour)))
	assert.Equal(t, len(copies()) > 0, true, "a new copy stays")
	assert.NoError(t, d.RemoveSnapshots(time.Now().Add(time.Hour)))
	assert.Equal(t, len(copies()), 0)
}
