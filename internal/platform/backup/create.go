package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
)

// WorkPattern matches the folder next to an archive that is being written. A process that
// was killed leaves it behind.
const WorkPattern = ".slipway-backup-*"

// longest limits each step that works on the whole database.
const longest = 6 * time.Hour

// Progress is called during a step, with a total of 0 if it is unknown.
type Progress func(step string, done, total int)

// Source is what an archive is made of.
type Source struct {
	Database  *db.DB
	Store     blobs.Store // nil leaves out the blobs
	MasterKey []byte      // nil leaves it out
	Build     string
	Progress  Progress
}

// Create writes an archive and checks it. Servers can run at the same time. The archive
// has its name only when it is complete.
func Create(ctx context.Context, path string, s Source) (m Manifest, err error) {
	if _, err := os.Lstat(path); err == nil {
		return m, fmt.Errorf("%s already exists. Choose another name, or delete it first", path)
	}
	work, err := os.MkdirTemp(filepath.Dir(path), WorkPattern)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	m = Manifest{Format: format, CreatedAt: s.Database.Now().UTC(), Build: s.Build, Database: PostgreSQL, WithBlobs: s.Store != nil, WithKey: s.MasterKey != nil}
	copied := s.Database
	if s.Database.SQLite() {
		m.Database = SQLite
		s.Progress("Copying the database", 0, 0)
		if copied, err = copyDatabase(ctx, s.Database, filepath.Join(work, databaseName)); err != nil {
			return m, err
		}
	}
	m.Schema, err = Schema(ctx, copied)
	var keys []string
	if err == nil {
		keys, err = keysIn(ctx, copied)
	}
	if m.Database == SQLite {
		if err == nil {
			m.Rows, err = countRows(ctx, copied)
		}
		err = errors.Join(err, copied.Close())
	}
	if err != nil {
		return m, err
	}

	archive := filepath.Join(work, "archive")
	if err := s.write(ctx, archive, work, keys, &m); err != nil {
		return m, err
	}
	s.Progress("Checking the archive", 0, 0)
	if _, err := Verify(ctx, archive, work); err != nil {
		return m, fmt.Errorf("the new archive is damaged, and was deleted: %w", err)
	}
	if _, err := os.Lstat(path); err == nil {
		return m, fmt.Errorf("%s was created by another process", path)
	}
	if err := os.Rename(archive, path); err != nil {
		return m, err
	}
	syncDisks()
	return m, nil
}

// write writes the entries of the archive. It deletes the copy of the database, which the
// check extracts again.
func (s Source) write(ctx context.Context, archive, work string, keys []string, m *Manifest) error {
	w, err := newWriter(archive, m)
	if err != nil {
		return err
	}
	defer w.file.Close()
	if m.Database == SQLite {
		s.Progress("Compressing the database", 0, 0)
		if err := w.addFile(databaseName, filepath.Join(work, databaseName)); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(work, databaseName)); err != nil {
			return err
		}
	}
	if s.Store != nil {
		if err := s.addBlobs(ctx, w, keys); err != nil {
			return err
		}
	}
	if s.MasterKey != nil {
		text := []byte(seal.Encode(s.MasterKey) + "\n")
		if err := w.add(keyName, int64(len(text)), bytes.NewReader(text)); err != nil {
			return err
		}
	}
	return w.finish()
}

func (w *writer) addFile(name, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return w.add(name, info.Size(), file)
}

// addBlobs writes the blobs of all keys. A key without a blob was deleted since the
// database was copied, or was missing before.
func (s Source) addBlobs(ctx context.Context, w *writer, keys []string) error {
	var gone []string
	for i, key := range keys {
		s.Progress("Copying files", i, len(keys))
		n, err := s.addKey(ctx, w, key)
		if err != nil {
			return fmt.Errorf("file %s: %w", key, err)
		}
		if n == 0 {
			gone = append(gone, key)
		}
	}
	if len(gone) == 0 {
		return nil
	}

	current, err := keysIn(ctx, s.Database)
	if err != nil {
		return err
	}
	for _, key := range gone {
		if _, found := slices.BinarySearch(current, key); found {
			w.manifest.Missing = append(w.manifest.Missing, key)
		} else {
			w.manifest.Deleted = append(w.manifest.Deleted, key)
		}
	}
	return nil
}

// addKey writes the blobs of one key and returns their number.
func (s Source) addKey(ctx context.Context, w *writer, key string) (n int, err error) {
	names, err := s.Store.List(ctx, key)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		// The header contains the size, so the blob must not disappear while it is written.
		content, err := readBlob(ctx, s.Store, name)
		if errors.Is(err, blobs.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = w.add(blobsPrefix+name, int64(len(content)), bytes.NewReader(content))
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func readBlob(ctx context.Context, store blobs.Store, name string) ([]byte, error) {
	file, err := store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var content bytes.Buffer
	_, err = content.ReadFrom(file)
	return content.Bytes(), err
}
