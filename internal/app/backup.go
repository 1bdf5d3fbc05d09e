package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"slipway/internal/platform/backup"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
)

// BackupOptions are what a backup contains in addition to the database.
type BackupOptions struct {
	WithKey   bool // the master key
	WithBlobs bool // files that are in a bucket
	Progress  backup.Progress
}

func noProgress(string, int, int) {}

// Backup writes an archive of the installation. Servers can run at the same time.
func Backup(ctx context.Context, s Settings, file string, o BackupOptions) (m backup.Manifest, err error) {
	if s.DatabaseURL != "" && s.BlobsURL != "" && !o.WithBlobs {
		return m, errors.New("there is nothing to back up here. Back up PostgreSQL with pg_dump, and the bucket with its own versioning or with --with-blobs")
	}
	source := backup.Source{Build: Build, Progress: o.Progress}
	if source.Database, err = s.OpenDatabase(ctx); err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, source.Database.Close()) }()
	if _, err := backup.Schema(ctx, source.Database); err != nil {
		return m, err
	}
	if o.WithKey {
		if source.MasterKey, err = s.ExistingKey(); err != nil {
			return m, err
		}
	}
	if s.BlobsURL == "" || o.WithBlobs {
		files, err := s.Blobs(source.Database)
		if err != nil {
			return m, err
		}
		source.Store = files.Store
	}
	return backup.Create(ctx, file, source)
}

// Restore restores an archive to an empty data folder. It returns whether the master key
// must still be provided.
func Restore(ctx context.Context, s Settings, file string, progress backup.Progress) (m backup.Manifest, needsKey bool, err error) {
	return restoreWith(ctx, s, file, backup.Target{Progress: progress})
}

func restoreWith(ctx context.Context, s Settings, file string, t backup.Target) (m backup.Manifest, needsKey bool, err error) {
	if err := s.Check(); err != nil {
		return m, false, err
	}
	t.Folder = s.Data
	if s.BlobsURL != "" {
		if t.Store, err = blobs.Open(s.BlobsURL, ""); err != nil {
			return m, false, fmt.Errorf("SLIPWAY_BLOBS_URL: %w", err)
		}
	}
	t.Check = func(ctx context.Context, m backup.Manifest, d *db.DB, archived string) error {
		if (d == nil) != (s.DatabaseURL != "") {
			return fmt.Errorf("the backup is from %s. Set or unset SLIPWAY_DATABASE_URL, so that the settings are those of the backup", m.Database)
		}
		if m.Schema > db.Schema() {
			return fmt.Errorf("%w: its schema is %d, and this version supports up to %d. Restore it with the newer version",
				db.ErrNewerSchema, m.Schema, db.Schema())
		}
		key, err := s.ExistingKey()
		if errors.Is(err, fs.ErrNotExist) && archived != "" {
			key, err = seal.MasterKey(archived, "")
		}
		if errors.Is(err, fs.ErrNotExist) {
			needsKey = true
			return nil
		}
		if err != nil || d == nil {
			return err
		}
		return CheckKey(ctx, d, key)
	}
	m, err = backup.Restore(ctx, file, t)
	return m, needsKey, err
}

// copyKey writes the master key to a new data folder.
func copyKey(key []byte, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "master.key"), []byte(seal.Encode(key)+"\n"), 0o600)
}

// OpenDatabase opens the database, and never creates one.
func (s Settings) OpenDatabase(ctx context.Context) (*db.DB, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.DatabaseURL == "" {
		if _, err := os.Stat(filepath.Join(s.Data, "slipway.db")); err != nil {
			return nil, fmt.Errorf("there is no database in the data folder %s. Set SLIPWAY_DATA, or create one with slipway bootstrap", s.Data)
		}
	}
	return s.openDB(ctx)
}

// ExistingKey returns the master key, and never creates one.
func (s Settings) ExistingKey() ([]byte, error) {
	if s.MasterKey == "" {
		if _, err := os.Stat(filepath.Join(s.Data, "master.key")); err != nil {
			return nil, err
		}
	}
	return seal.MasterKey(s.MasterKey, s.Data)
}

// CheckKey returns site.ErrMasterKey if the database belongs to another master key.
func CheckKey(ctx context.Context, d *db.DB, key []byte) error {
	box, err := seal.NewBox(key)
	if err != nil {
		return err
	}
	return site.CheckKeys(ctx, d, box)
}
