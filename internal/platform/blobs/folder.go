package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// folder stores blobs as files. os.Root ensures that no key refers to a file
// outside the folder.
type folder struct{ root *os.Root }

func openFolder(name string) (*folder, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(name)
	return &folder{root}, err
}

// partSuffix is the end of the name of a file that is being written.
const partSuffix = ".part"

// Put writes to a temporary file and renames it, so that a file with the final
// name is always complete, even after a power failure.
func (f *folder) Put(ctx context.Context, key string, r io.Reader) error {
	if err := f.root.MkdirAll(path.Dir(key), 0o700); err != nil {
		return err
	}
	part := key + partSuffix
	file, err := f.root.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, r)
	if err := errors.Join(err, file.Sync(), file.Close(), ctx.Err()); err != nil {
		return errors.Join(err, f.root.Remove(part))
	}
	return f.root.Rename(part, key)
}

func (f *folder) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	file, err := f.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	return file, err
}

// List returns only complete blobs.
func (f *folder) List(_ context.Context, key string) (keys []string, err error) {
	err = fs.WalkDir(f.root.FS(), key, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // there is none, or it was deleted since then
		}
		if err == nil && !d.IsDir() && !strings.HasSuffix(name, partSuffix) {
			keys = append(keys, name)
		}
		return err
	})
	return keys, err
}

func (f *folder) Remove(_ context.Context, key string) error { return f.root.RemoveAll(key) }
