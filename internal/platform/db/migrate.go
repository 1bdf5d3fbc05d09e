package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// dialect translates the words in braces, which differ between the databases.
var dialect = map[bool]*strings.Replacer{
	true: strings.NewReplacer( // SQLite
		"{id}", "TEXT", // compared byte by byte as it is
		"{sqlite}", "",
		"{postgres}", "--", // a line for the other
		"{clustered}", "WITHOUT ROWID", // the table is its primary key: a page of a list is one range of it
	),
	false: strings.NewReplacer( // PostgreSQL
		"{id}", `TEXT COLLATE "C"`,
		"{sqlite}", "--",
		"{postgres}", "",
		"{clustered}", "",
	),
}

// Migrate updates the schema. Several nodes can call it at the same time. If nothing is missing,
// which is so at nearly each start, it takes one query.
func (d *DB) Migrate(ctx context.Context) error {
	if d.isCurrent(ctx) {
		if d.SQLite() {
			return nil
		}
		return d.storeTimeline(ctx)
	}
	provider, err := d.migrations()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	if err := d.snapshotBefore(ctx, provider); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		if failed, ok := errors.AsType[*goose.PartialError](err); ok {
			return fmt.Errorf("migration %s: %w", failed.Failed.Source.Path, failed.Err)
		}
		return fmt.Errorf("migrate: %w", err)
	}
	if d.SQLite() {
		_, err = d.write.ExecContext(ctx, assumptions)
		return err
	}
	return d.storeTimeline(ctx)
}

// isCurrent reports whether exactly the migrations of this version have run. If it can't find out,
// it reports false.
func (d *DB) isCurrent(ctx context.Context) bool {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return false
	}
	var done, newest int64
	err = d.migrating().QueryRowContext(ctx, `SELECT COUNT(DISTINCT version_id), COALESCE(MAX(version_id), 0) FROM goose_db_version
		WHERE version_id > 0 AND is_applied`).Scan(&done, &newest)
	if err != nil {
		return false
	}
	number, _, _ := strings.Cut(path.Base(names[len(names)-1]), "_")
	last, err := strconv.ParseInt(number, 10, 64)
	return err == nil && done == int64(len(names)) && newest == last
}

// migrations returns the migrations of this version.
func (d *DB) migrations() (*goose.Provider, error) {
	files, err := translated(d.SQLite())
	if err != nil {
		return nil, err
	}
	kind, opts := goose.DialectSQLite3, []goose.ProviderOption{goose.WithSlog(slog.New(slog.DiscardHandler))}
	if !d.SQLite() {
		// One node migrates, the others wait for it.
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		if err != nil {
			return nil, err
		}
		kind, opts = goose.DialectPostgres, append(opts, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(kind, d.migrating(), files, opts...)
}

// ErrNewerSchema means that a newer version of Slipway has migrated the database.
var ErrNewerSchema = errors.New("a newer version of Slipway has migrated this database")

// refuseNewer returns ErrNewerSchema before this version can write what a newer one
// doesn't expect. Servers that already run continue, so that they can be updated one
// after the other.
func refuseNewer(ctx context.Context, provider *goose.Provider) error {
	current, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", explainPooler(err))
	}
	sources := provider.ListSources()
	if newest := sources[len(sources)-1].Version; current > newest {
		return fmt.Errorf("%w: its schema is %d, and this version supports up to %d. "+
			"Start the newer version, or restore a backup from before the update", ErrNewerSchema, current, newest)
	}
	return nil
}

// assumptions are statistics of large tables for SQLite's planner. Without
// statistics it assumes that ten rows have the same env, and reads a whole
// environment instead of using an index. Unlike measured statistics, fixed ones
// always result in the same plans. They assume a million rows, 100,000 per
// environment, then 1,000 for each value of the next column, or 100 if the index
// is unique.
const assumptions = `
	ANALYZE sqlite_schema; -- creates the tables of statistics
	DELETE FROM sqlite_stat1;
	INSERT INTO sqlite_stat1 (tbl, idx, stat)
	SELECT t.name, CASE WHEN l.origin = 'pk' AND t.wr THEN t.name ELSE l.name END, (
		SELECT '1000000 ' || group_concat(CASE
			WHEN l."unique" AND i.seqno = (SELECT MAX(seqno) FROM pragma_index_info(l.name)) THEN 1
			WHEN i.seqno = 0 THEN 100000
			WHEN i.seqno > 1 THEN 10
			WHEN l."unique" THEN 100
			ELSE 1000 END, ' ')
		FROM pragma_index_info(l.name) i)
	FROM pragma_table_list t JOIN pragma_index_list(t.name) l
	WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'river_%' AND t.name NOT LIKE 'goose_%';
	ANALYZE sqlite_schema; -- loads them`

// translated returns the migrations for one database.
func translated(sqlite bool) (fs.FS, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[strings.TrimPrefix(name, "migrations/")] = &fstest.MapFile{Data: []byte(dialect[sqlite].Replace(string(text)))}
	}
	return files, nil
}
