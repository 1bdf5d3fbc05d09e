// Package backup writes, checks and restores archives of an installation: the SQLite
// database, the files and, on request, the master key.
//
// An archive is a tar file, compressed with Zstandard. Its last entry is the manifest,
// which lists all others with their hashes. An archive without it is incomplete.
package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The entries of an archive.
const (
	databaseName = "slipway.db"
	keyName      = "master.key"
	blobsPrefix  = "blobs/"
	manifestName = "manifest.json"
)

// The databases in a manifest.
const (
	SQLite     = "sqlite"
	PostgreSQL = "postgresql"
)

// format is the version of the layout of archives.
const format = 1

// Manifest describes an archive.
type Manifest struct {
	Format    int       `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	Build     string    `json:"build"`
	Database  string    `json:"database"` // the database itself is only included if it is SQLite
	Schema    int64     `json:"schema"`
	WithKey   bool      `json:"with_key"`
	WithBlobs bool      `json:"with_blobs"`
	Files     []File    `json:"files"`

	// Rows is the number of rows of each table of an SQLite database. Archives of earlier
	// versions don't have it.
	Rows map[string]int64 `json:"rows,omitempty"`

	// Deleted are keys of blobs that were deleted after the database was copied.
	Deleted []string `json:"deleted"`
	// Missing are keys that the database refers to, but the store doesn't have.
	Missing []string `json:"missing"`
}

// File is an entry of an archive.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Size returns the size of all files in bytes.
func (m Manifest) Size() (bytes int64) {
	for _, f := range m.Files {
		bytes += f.Size
	}
	return bytes
}

// MissingError means that files are missing that the database refers to.
type MissingError struct {
	Where string   // such as "the archive"
	Keys  []string // sorted
}

// maxNamed is how many missing files an error names.
const maxNamed = 20

func (e *MissingError) Error() string {
	named := strings.Join(e.Keys[:min(len(e.Keys), maxNamed)], "\n  ")
	if more := len(e.Keys) - maxNamed; more > 0 {
		named += fmt.Sprintf("\n  and %d more", more)
	}
	return fmt.Sprintf("%d files that the database refers to are missing in %s:\n  %s", len(e.Keys), e.Where, named)
}

// Complete returns a MissingError if files were missing when the archive was written.
func (m Manifest) Complete() error {
	if len(m.Missing) == 0 {
		return nil
	}
	return &MissingError{Where: "the archive", Keys: m.Missing}
}

// Blobs returns the number of blobs in the archive.
func (m Manifest) Blobs() (n int) {
	for _, f := range m.Files {
		if strings.HasPrefix(f.Name, blobsPrefix) {
			n++
		}
	}
	return n
}

// writer writes an archive and collects its manifest.
type writer struct {
	file     *os.File
	packed   *zstd.Encoder
	tar      *tar.Writer
	manifest *Manifest
}

// newWriter creates an archive that only this user can read.
func newWriter(path string, m *Manifest) (*writer, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	packed, err := zstd.NewWriter(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &writer{file, packed, tar.NewWriter(packed), m}, nil
}

// add writes one entry. The content must have the given size.
func (w *writer) add(name string, size int64, content io.Reader) error {
	header := &tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: w.manifest.CreatedAt.Truncate(time.Second), Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(w.tar, io.TeeReader(content, sum)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.manifest.Files = append(w.manifest.Files, File{name, size, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// finish writes the manifest, and returns when the archive is on the disk.
func (w *writer) finish() error {
	text, err := json.MarshalIndent(w.manifest, "", "  ")
	if err != nil {
		return err
	}
	header := &tar.Header{Name: manifestName, Size: int64(len(text)), Mode: 0o600, ModTime: w.manifest.CreatedAt.Truncate(time.Second)}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	if _, err := w.tar.Write(text); err != nil {
		return err
	}
	return errors.Join(w.tar.Close(), w.packed.Close(), w.file.Sync())
}

// maxManifest limits how much memory a damaged archive can make us use.
const maxManifest = 1 << 30

// read passes each entry of an archive to keep, which doesn't have to read it, and
// returns the manifest. It returns an error unless the entries are those of the manifest.
func read(ctx context.Context, path string, keep func(name string, content io.Reader) error) (Manifest, error) {
	file, err := os.Open(path)
	if err != nil {
		return Manifest{}, err
	}
	defer file.Close()
	unpacked, err := zstd.NewReader(file)
	if err != nil {
		return Manifest{}, err
	}
	defer unpacked.Close()

	entries := tar.NewReader(unpacked)
	var found []File
	for ctx.Err() == nil {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			err = errors.New("the manifest is missing")
		}
		if err != nil {
			return Manifest{}, fmt.Errorf("%s is not a complete backup of Slipway: %w", path, err)
		}
		if h.Name == manifestName {
			return readManifest(path, entries, unpacked, found)
		}

		if !isEntry(h) {
			return Manifest{}, fmt.Errorf("%s is not a backup of Slipway: it contains %q", path, h.Name)
		}
		sum := sha256.New()
		content := io.TeeReader(entries, sum)
		err = keep(h.Name, content)
		if err == nil {
			_, err = io.Copy(io.Discard, content)
		}
		if err != nil {
			return Manifest{}, fmt.Errorf("read %s of %s: %w", h.Name, path, err)
		}
		found = append(found, File{h.Name, h.Size, hex.EncodeToString(sum.Sum(nil))})
	}
	return Manifest{}, ctx.Err()
}

// isEntry reports whether an archive of Slipway can contain an entry. A name that refers to
// a file outside of the folder is not one.
func isEntry(h *tar.Header) bool {
	known := h.Name == databaseName || h.Name == keyName || strings.HasPrefix(h.Name, blobsPrefix)
	return known && h.Typeflag == tar.TypeReg && filepath.IsLocal(filepath.FromSlash(h.Name))
}

// readManifest reads the last entry and compares the others with it.
func readManifest(path string, entries *tar.Reader, unpacked io.Reader, found []File) (m Manifest, err error) {
	if err := json.NewDecoder(io.LimitReader(entries, maxManifest)).Decode(&m); err != nil {
		return m, fmt.Errorf("the manifest of %s: %w", path, err)
	}
	if m.Format != format {
		return m, fmt.Errorf("%s has format %d, and this version supports %d. Use the version of Slipway that wrote it (%s)",
			path, m.Format, format, m.Build)
	}
	if _, err := entries.Next(); !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("%s is damaged after the manifest: %w", path, err)
	}
	if _, err := io.Copy(io.Discard, unpacked); err != nil { // checks the end of the compressed data
		return m, fmt.Errorf("%s is damaged: %w", path, err)
	}

	for i, f := range m.Files {
		if i >= len(found) || found[i] != f {
			return m, fmt.Errorf("%s is damaged: %s differs from the manifest", path, f.Name)
		}
	}
	if len(found) != len(m.Files) {
		return m, fmt.Errorf("%s is damaged: %s is not in the manifest", path, found[len(m.Files)].Name)
	}
	return m, nil
}

// keyOf returns the key of a blob's name, which is a folder of blobs.
func keyOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// kindsOf returns the first parts of keys, such as photos.
func kindsOf(keys []string) []string {
	var kinds []string
	for _, key := range keys {
		kind, _, _ := strings.Cut(key, "/")
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// keysOf returns the keys of the blobs in the archive.
func (m Manifest) keysOf() map[string]bool {
	keys := map[string]bool{}
	for _, f := range m.Files {
		if name, ok := strings.CutPrefix(f.Name, blobsPrefix); ok {
			keys[keyOf(name)] = true
		}
	}
	for _, key := range slices.Concat(m.Deleted, m.Missing) {
		keys[key] = true
	}
	return keys
}
