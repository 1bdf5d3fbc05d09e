package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// snapshots matches the copies of an SQLite database from before a change of its schema.
func (d *DB) snapshots() string { return d.path + ".before-schema-*" }

// snapshotBefore copies an SQLite database next to it before its schema changes. To go back,
// use the copy with the version from before. A second attempt keeps the first copy.
func (d *DB) snapshotBefore(ctx context.Context, provider *goose.Provider) error {
	if !d.SQLite() {
		return nil
	}
	pending, err := provider.HasPending(ctx)
	if err != nil || !pending {
		return err
	}
	from, err := provider.GetDBVersion(ctx)
	if err != nil || from == 0 { // a new database
		return err
	}
	path := strings.Replace(d.snapshots(), "*", fmt.Sprint(from), 1)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	work := path + ".part"
	if err := os.Remove(work); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := d.write.ExecContext(ctx, "VACUUM INTO ?", work); err != nil {
		return errors.Join(fmt.Errorf("copy the database before the schema changes: %w", err), os.Remove(work))
	}
	if err := errors.Join(os.Chmod(work, 0o600), syncFile(work)); err != nil {
		return err
	}
	return os.Rename(work, path)
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// RemoveSnapshots deletes the copies from before changes of the schema that were made before
// a time. A server calls it when it has started and its schema was current.
func (d *DB) RemoveSnapshots(before time.Time) error {
	if !d.SQLite() {
		return nil
	}
	found, err := filepath.Glob(d.snapshots())
	for _, path := range found {
		info, statErr := os.Stat(path)
		if statErr == nil && info.ModTime().Before(before) {
			statErr = os.Remove(path)
		}
		err = errors.Join(err, statErr)
	}
	return err
}

// SchemaVersion returns the version of the schema that the database has.
func (d *DB) SchemaVersion(ctx context.Context) (version int64, err error) {
	err = d.migrating().QueryRowContext(ctx, "SELECT MAX(version_id) FROM goose_db_version").Scan(&version)
	return version, err
}

// GoBack replaces an SQLite database with its copy from before the schema changed from a version.
// It keeps the replaced files in a folder, whose path it returns, or "" if the schema still has
// that version. No server must run.
func (d *DB) GoBack(ctx context.Context, version int64) (kept string, err error) {
	current, err := d.SchemaVersion(ctx)
	if err != nil || current == version {
		return "", err
	}
	snapshot := strings.Replace(d.snapshots(), "*", fmt.Sprint(version), 1)
	if _, err := os.Stat(snapshot); err != nil {
		return "", fmt.Errorf("there is no copy of the database from before schema %d changed: %w", version, err)
	}
	if err := d.Close(); err != nil {
		return "", err
	}
	kept = fmt.Sprintf("%s.schema-%d", d.path, current)
	if err := os.Mkdir(kept, 0o700); err != nil {
		return "", err
	}
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := os.Rename(d.path+suffix, filepath.Join(kept, filepath.Base(d.path)+suffix))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return kept, os.Rename(snapshot, d.path)
}

// Pending is a change of the schema that was not made yet.
type Pending struct {
	Version  int64
	Name     string
	Rows     int64         // of the tables that it reads or changes
	Estimate time.Duration // how long it takes at least
	Contract bool          // the version before can't work with it
}

// rowsPerSecond is how many rows a change reads and writes on a slow disk.
const rowsPerSecond = 100_000

// PendingMigrations returns the changes of the schema that this version makes.
func (d *DB) PendingMigrations(ctx context.Context) (pending []Pending, err error) {
	provider, err := d.migrations()
	if err != nil {
		return nil, err
	}
	if err := refuseNewer(ctx, provider); err != nil {
		return nil, err
	}
	current, err := provider.GetDBVersion(ctx)
	if err != nil {
		return nil, err
	}
	for _, source := range provider.ListSources() {
		if source.Version <= current {
			continue
		}
		text, err := migrations.ReadFile("migrations/" + filepath.Base(source.Path))
		if err != nil {
			return nil, err
		}
		p := Pending{Version: source.Version, Name: strings.TrimSuffix(filepath.Base(source.Path), ".sql"), Contract: contracts(string(text))}
		for _, table := range tablesOf(string(text)) {
			n, err := Read(ctx, d, func(ctx context.Context, tx *Tx) (int64, error) {
				return One[int64](ctx, tx, `SELECT COUNT(*) FROM "`+table+`"`)
			})
			if err == nil { // a table of another pending change doesn't exist yet
				p.Rows += n
			}
		}
		p.Estimate = time.Duration(p.Rows) * time.Second / rowsPerSecond
		pending = append(pending, p)
	}
	return pending, nil
}

var (
	comment       = regexp.MustCompile(`--[^\n]*`)
	existingTable = regexp.MustCompile(`(?i)\b(?:ALTER TABLE|UPDATE|DELETE FROM|INSERT INTO|FROM|INDEX\s+\w+\s+ON)\s+([a-z_]+)`)
	contraction   = regexp.MustCompile(`(?i)\b(?:DROP\s+(?:COLUMN|TABLE)|RENAME\s+(?:COLUMN|TO)|ALTER\s+COLUMN|SET\s+NOT\s+NULL)\b|\bADD\s+COLUMN\s+[^,;]*NOT\s+NULL(?:[^,;D]|D[^E])*;`)
)

// contracts reports whether a migration removes or renames something, or requires a value
// that the version before doesn't write.
func contracts(migration string) bool {
	return contraction.MatchString(comment.ReplaceAllString(migration, ""))
}

// tablesOf returns the tables that a migration reads or changes.
func tablesOf(migration string) (tables []string) {
	for _, m := range existingTable.FindAllStringSubmatch(comment.ReplaceAllString(migration, ""), -1) {
		if !slices.Contains(tables, m[1]) {
			tables = append(tables, m[1])
		}
	}
	return tables
}

// ErrTooOld means that this version can't work with the schema any more.
var ErrTooOld = errors.New("a newer version of Slipway has changed the database so that this version can't use it. Stop this server")

// CheckSchema returns ErrTooOld if a newer version has made a change that this version can't
// work with. Such a change raises the version in schema_floor.
func CheckSchema(ctx context.Context, d *DB) error {
	floor, err := Read(ctx, d, func(ctx context.Context, tx *Tx) (int64, error) {
		return One[int64](ctx, tx, `SELECT version FROM schema_floor WHERE id = 1`)
	})
	if err == nil && floor > Schema() {
		err = ErrTooOld
	}
	return err
}
