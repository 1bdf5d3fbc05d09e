package backup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"slipway/internal/platform/db"
)

// copyDatabase copies an SQLite database as it is at this time, while others write to it,
// and opens the copy.
func copyDatabase(ctx context.Context, d *db.DB, path string) (*db.DB, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	source, _ := d.JobPools()
	if _, err := source.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return nil, fmt.Errorf("copy the database: %w", err)
	}
	return db.Open(ctx, "sqlite:"+path)
}

// keysIn returns the keys of all blobs that the database refers to, sorted. Failed photos
// and finished imports have none.
func keysIn(ctx context.Context, d *db.DB) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	keys, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return db.All[string](ctx, tx, `
			SELECT blob FROM hull_photos WHERE env > 0 AND state <> 'failed'
			UNION ALL SELECT blob FROM hull_imports WHERE env > 0 AND (state IN ('queued', 'running') OR kept_until IS NOT NULL)
			UNION ALL SELECT blob FROM documents WHERE env > 0 AND blob IS NOT NULL`)
	})
	slices.Sort(keys)
	return keys, err
}

// Schema returns the version of the schema of a database.
func Schema(ctx context.Context, d *db.DB) (int64, error) {
	version, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.One[int64](ctx, tx, "SELECT MAX(version_id) FROM goose_db_version")
	})
	if err != nil {
		err = fmt.Errorf("the database has no tables of Slipway: %w", err)
	}
	return version, err
}

// CheckDatabase returns an error if the file of an SQLite database is damaged.
func CheckDatabase(ctx context.Context, d *db.DB) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	problems, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return db.All[string](ctx, tx, "PRAGMA quick_check(1)")
	})
	if err != nil {
		return err
	}
	if len(problems) != 1 || problems[0] != "ok" {
		return fmt.Errorf("the database is damaged: %v", problems)
	}
	return nil
}

// Verify checks an archive: its hashes, its database, and that it has each file that the
// database refers to. It extracts the database to the folder work.
func Verify(ctx context.Context, path, work string) (Manifest, error) {
	m, err := read(ctx, path, extractTo(work, databaseName))
	if err != nil {
		return m, err
	}
	return m, check(ctx, m, work)
}

// check checks the database that was extracted to a folder.
func check(ctx context.Context, m Manifest, work string) (err error) {
	if m.Database != SQLite {
		return nil
	}
	d, err := db.Open(ctx, "sqlite:"+filepath.Join(work, databaseName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := CheckDatabase(ctx, d); err != nil {
		return err
	}
	schema, err := Schema(ctx, d)
	if err != nil {
		return err
	}
	if schema != m.Schema {
		return fmt.Errorf("the database has schema %d, but the manifest says %d", schema, m.Schema)
	}
	if m.Rows != nil {
		if err := compareRows(ctx, d, m.Rows); err != nil {
			return err
		}
	}
	if !m.WithBlobs {
		return nil
	}

	keys, err := keysIn(ctx, d)
	if err != nil {
		return err
	}
	included := m.keysOf()
	for _, key := range keys {
		if !included[key] {
			return fmt.Errorf("file %s is in the database but not in the archive", key)
		}
	}
	return nil
}
