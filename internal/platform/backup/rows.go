package backup

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
)

// countRows counts the rows of all tables of an SQLite database.
func countRows(ctx context.Context, d *db.DB) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (map[string]int64, error) {
		tables, err := db.All[string](ctx, tx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
		if err != nil {
			return nil, err
		}
		rows := map[string]int64{}
		for _, table := range tables {
			if rows[table], err = db.One[int64](ctx, tx, `SELECT COUNT(*) FROM "`+table+`"`); err != nil {
				return nil, fmt.Errorf("table %s: %w", table, err)
			}
		}
		return rows, nil
	})
}

// compareRows returns an error if a table has another number of rows than when the archive
// was written.
func compareRows(ctx context.Context, d *db.DB, want map[string]int64) error {
	got, err := countRows(ctx, d)
	if err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if n, ok := got[table]; !ok || n != want[table] {
			return fmt.Errorf("table %s has %d rows, but the manifest says %d", table, n, want[table])
		}
	}
	return nil
}

// FindMissing returns the keys that the database refers to and that have no file in the
// store, sorted. It lists the store once, because it can contain many files. A store that is
// nil contains none.
func FindMissing(ctx context.Context, d *db.DB, store blobs.Store) (missing []string, err error) {
	keys, err := keysIn(ctx, d)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	stored := map[string]bool{}
	for _, kind := range kindsOf(keys) {
		if store == nil {
			break
		}
		names, err := store.List(ctx, kind)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			stored[keyOf(name)] = true
		}
	}

	for _, key := range keys {
		if !stored[key] {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	current, err := keysIn(ctx, d) // without those that were deleted in the meantime
	return slices.DeleteFunc(missing, func(key string) bool {
		_, found := slices.BinarySearch(current, key)
		return !found
	}), err
}
