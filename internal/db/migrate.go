package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// dialect is what the one set of migrations writes in braces, because the two
// databases say it differently.
var dialect = map[bool]*strings.Replacer{
	true: strings.NewReplacer( // SQLite
		"{id}", "TEXT", // compared byte by byte as it is
		"{clustered}", "WITHOUT ROWID", // the table is its primary key: a page of a list is one range of it
	),
	false: strings.NewReplacer( // PostgreSQL
		"{id}", `TEXT COLLATE "C"`,
		"{clustered}", "",
	),
}

// Migrate brings the schema up to date. Several nodes may do so at once.
func (d *DB) Migrate(ctx context.Context) error {
	files, err := translated(d.SQLite())
	if err != nil {
		return err
	}
	kind, opts := goose.DialectSQLite3, []goose.ProviderOption{goose.WithSlog(slog.New(slog.DiscardHandler))}
	if !d.SQLite() {
		// One node migrates, the others wait for it.
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		if err != nil {
			return err
		}
		kind, opts = goose.DialectPostgres, append(opts, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(kind, d.write, files, opts...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if _, err := provider.Up(ctx); err != nil {
		if failed, ok := errors.AsType[*goose.PartialError](err); ok {
			return fmt.Errorf("migration %s: %w", failed.Failed.Source.Path, failed.Err)
		}
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// translated is the migrations in the words of one database.
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
