package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// folder keeps blobs as files. The root is the guard: no key, however it is
// written, leads out of it.
type folder struct{ root *os.Root }

func openFolder(name string) (*folder, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(name)
	return &folder{root}, err
}

// Put writes beside the final name and renames: a file that has its name is
// whole, also after a power cut.
func (f *folder) Put(ctx context.Context, key string, r io.Reader) error {
	if err := f.root.MkdirAll(path.Dir(key), 0o700); err != nil {
		return err
	}
	part := key + ".part"
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

func (f *folder) Remove(_ context.Context, key string) error { return f.root.RemoveAll(key) }
