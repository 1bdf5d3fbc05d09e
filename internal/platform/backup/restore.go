package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
)

// Target is where an archive is restored.
type Target struct {
	Folder   string      // the data folder, which must be empty
	Store    blobs.Store // nil for the folder blobs in the data folder
	Progress Progress
	Database string // an SQLite database to use instead of the one in the archive, "" for that

	// Check checks the restored database, nil on PostgreSQL, before anything is changed.
	// The key in the archive, or "" if it has none.
	Check func(ctx context.Context, m Manifest, d *db.DB, key string) error
}

// Restore checks an archive and restores it. It extracts to a folder in the data folder and
// then renames. The database comes last, so that no server starts with half of the files.
func Restore(ctx context.Context, path string, t Target) (m Manifest, err error) {
	created, err := requireEmpty(t.Folder)
	if err != nil {
		return m, err
	}
	work, err := os.MkdirTemp(t.Folder, restoreWork+"*")
	if err != nil {
		return m, err
	}
	defer func() {
		_ = os.RemoveAll(work)
		if err != nil && created {
			_ = os.Remove(t.Folder)
		}
	}()

	t.Progress("Reading the archive", 0, 0)
	if m, err = read(ctx, path, extractTo(work, "")); err != nil {
		return m, err
	}
	t.Progress("Checking the database", 0, 0)
	if err := check(ctx, m, work); err != nil {
		return m, err
	}
	if err := t.check(ctx, m, work); err != nil {
		return m, err
	}

	if t.Store != nil {
		if err := t.putBlobs(ctx, m, work); err != nil {
			return m, err
		}
	}
	if t.Database != "" {
		if err := os.Rename(t.Database, filepath.Join(work, databaseName)); err != nil {
			return m, err
		}
	}
	return m, t.rename(work)
}

// restoreWork is the start of the name of a folder in which a restore works.
const restoreWork = ".slipway-restore-"

// WorkIn creates a folder for a restore in a data folder that must be empty.
func WorkIn(folder string) (string, error) {
	if _, err := requireEmpty(folder); err != nil {
		return "", err
	}
	return os.MkdirTemp(folder, restoreWork+"*")
}

// requireEmpty creates the data folder if it doesn't exist. It can already contain the
// master key, and what a new disk contains.
func requireEmpty(folder string) (created bool, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return true, os.MkdirAll(folder, 0o700)
	}
	for _, e := range entries {
		if e.Name() != keyName && e.Name() != "lost+found" && !strings.HasPrefix(e.Name(), restoreWork) {
			return false, fmt.Errorf("the data folder %s is not empty: it contains %s. Restore to a new folder", folder, e.Name())
		}
	}
	return false, err
}

func (t Target) check(ctx context.Context, m Manifest, work string) (err error) {
	key, err := os.ReadFile(filepath.Join(work, keyName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.Database != SQLite {
		return t.Check(ctx, m, nil, string(key))
	}
	d, err := db.Open(ctx, "sqlite:"+filepath.Join(work, databaseName))
	if err != nil {
		return err
	}
	return errors.Join(t.Check(ctx, m, d, string(key)), d.Close())
}

// putBlobs stores the blobs in a bucket.
func (t Target) putBlobs(ctx context.Context, m Manifest, work string) error {
	for i, f := range m.Files {
		t.Progress("Storing files", i, len(m.Files))
		key, ok := strings.CutPrefix(f.Name, blobsPrefix)
		if !ok {
			continue
		}
		file, err := os.Open(filepath.Join(work, filepath.FromSlash(f.Name)))
		if err != nil {
			return err
		}
		err = t.Store.Put(ctx, key, file)
		_ = file.Close() // it was only read
		if err != nil {
			return fmt.Errorf("file %s: %w", key, err)
		}
	}
	return os.RemoveAll(filepath.Join(work, blobsPrefix))
}

// rename moves the files to the data folder.
func (t Target) rename(work string) error {
	syncDisks()
	for _, name := range []string{keyName, strings.TrimSuffix(blobsPrefix, "/"), databaseName} {
		to := filepath.Join(t.Folder, name)
		if _, err := os.Lstat(to); err == nil {
			continue // the master key, which was checked
		}
		if err := os.Rename(filepath.Join(work, name), to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	syncDisks()
	return nil
}

// extractTo returns a function that stores entries in a folder: all of them, or only one
// with a name.
func extractTo(folder, only string) func(name string, content io.Reader) error {
	return func(name string, content io.Reader) error {
		if only != "" && name != only {
			return nil
		}
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, content)
		return errors.Join(err, file.Close())
	}
}
