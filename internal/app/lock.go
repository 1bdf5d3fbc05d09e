package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// errLocked means that another process has locked the file.
var errLocked = errors.New("locked")

// lockFolder makes sure that one server runs on a data folder with SQLite. The system
// releases the lock when the process ends, however it ends. Commands don't need it.
func lockFolder(folder string) (unlock func() error, err error) {
	path := filepath.Join(folder, "slipway.lock")
	f, err := openLocked(path)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("another server%s already runs on the data folder %s. Stop it first, or set SLIPWAY_DATA to another folder",
			lockHolder(path), folder)
	}
	if err != nil {
		return nil, err
	}

	if err = f.Truncate(0); err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// lockHolder names the process that has the lock.
func lockHolder(path string) string {
	text, err := os.ReadFile(path)
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return "" // it has just started
	}
	return " (process " + pid + ")"
}

// GoBack returns to the copy of the database from before its schema changed from a version, see
// db.GoBack. It fails while a server runs.
func GoBack(ctx context.Context, s Settings, version int64) (kept string, err error) {
	if s.DatabaseURL != "" {
		return "", errors.New("only SQLite has copies from before a change of the schema. Restore a backup of PostgreSQL instead")
	}
	d, err := s.OpenDatabase(ctx)
	if err != nil {
		return "", err
	}
	unlock, err := lockFolder(s.Data)
	if err != nil {
		return "", errors.Join(err, d.Close())
	}
	kept, err = d.GoBack(ctx, version)
	return kept, errors.Join(err, d.Close(), unlock())
}
