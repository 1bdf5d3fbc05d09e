package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"slipway/internal/backups"
	"slipway/internal/platform/backup"
	"slipway/internal/platform/db"
)

const (
	// copyEvery is how often changes are copied to the target of the backups.
	copyEvery = time.Second
	// copyAgain is when that is tried again after an error.
	copyAgain = 10 * time.Second
	// longestCopy limits a copy of the whole database.
	longestCopy = time.Hour
)

// copyChanges copies the changes of SQLite to the target of the backups until ctx ends.
func (a *App) copyChanges(ctx context.Context) {
	if !a.DB.SQLite() || a.Backups.Target == nil || a.settings.BackupCopies == "off" {
		return
	}
	pages, err := a.DB.FollowPages()
	if err != nil {
		a.log.Error("can't copy the changes of the database", "err", err)
		return
	}
	defer func() { _ = pages.Close(ctx) }() // nothing was written
	work, err := os.MkdirTemp(a.settings.Data, backup.WorkPattern)
	if err != nil {
		a.log.Error("can't copy the changes of the database", "err", err)
		return
	}
	defer func() { _ = os.RemoveAll(work) }()
	c := backup.Copier{Store: a.Backups.Target, Pages: pages, Now: time.Now, Work: work, Keep: a.Backups.Plan.Keep}

	failing := false
	for {
		err := copyOnce(ctx, &c, a.log)
		if err != nil && !failing && ctx.Err() == nil {
			a.log.Error("can't copy the changes of the database to the target of the backups", "err", err)
		}
		wait := copyEvery
		if failing = err != nil; failing {
			wait = copyAgain
		} else {
			a.copied.Store(time.Now().UnixMilli())
		}
		select {
		case <-ctx.Done():
			return // the next start copies everything
		case <-time.After(wait):
		}
	}
}

// copyOnce copies the changes. If some can be missing, it copies the whole database.
func copyOnce(ctx context.Context, c *backup.Copier, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, longestCopy)
	defer cancel()
	err := c.Copy(ctx)
	if errors.Is(err, db.ErrPagesLost) {
		log.Info("another process started the write-ahead log over; copying the whole database again")
		err = c.Copy(ctx)
	}
	return err
}

// copyLag returns how old the copies of the database are. False if there are none.
func (a *App) copyLag() (time.Duration, bool) {
	at := a.copied.Load()
	return time.Since(time.UnixMilli(at)), at > 0
}

// Restored is what RestoreAt has restored.
type Restored struct {
	Until    time.Time // the database has all transactions until then
	Files    string    // the archive that the files are from, "" if there is none
	NeedsKey bool
	Missing  []string // files that the database refers to
}

// RestoreAt restores the database as it was at a time to an empty data folder, from the
// copies in the target of the backups. The files are from the newest archive.
func RestoreAt(ctx context.Context, s Settings, at time.Time, progress backup.Progress) (r Restored, err error) {
	target, err := s.BackupTarget()
	if err == nil && target == nil {
		err = errors.New("set SLIPWAY_BACKUP_URL to the target of the backups")
	}
	if err == nil && s.DatabaseURL != "" {
		err = errors.New("a point in time of PostgreSQL is restored with its own tools. See docs/backups.md")
	}
	if err != nil {
		return r, err
	}
	work, err := backup.WorkIn(s.Data)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	progress("Reading the copies", 0, 0)
	copied := filepath.Join(work, "slipway.db")
	if r.Until, err = backup.RestoreCopy(ctx, target, at, copied); err != nil {
		return r, err
	}
	if err := r.check(ctx, s, copied); err != nil {
		return r, err
	}

	name, err := backups.FindNewest(ctx, target, time.Now())
	if err == nil {
		r.Files = name
		archive := filepath.Join(work, "archive")
		if _, err := backups.Fetch(ctx, target, name, archive); err != nil {
			return r, err
		}
		_, r.NeedsKey, err = restoreWith(ctx, s, archive, backup.Target{Progress: progress, Database: copied})
	} else {
		err = os.Rename(copied, s.sqliteFile())
	}
	if err != nil {
		return r, err
	}
	r.Missing, err = s.missingFiles(ctx)
	return r, err
}

// check checks the restored database before anything is changed.
func (r *Restored) check(ctx context.Context, s Settings, path string) (err error) {
	d, err := db.Open(ctx, "sqlite:"+path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := backup.CheckDatabase(ctx, d); err != nil {
		return err
	}
	schema, err := backup.Schema(ctx, d)
	if err == nil && schema > db.Schema() {
		err = fmt.Errorf("%w: its schema is %d, and this version supports up to %d", db.ErrNewerSchema, schema, db.Schema())
	}
	if err != nil {
		return err
	}
	key, err := s.ExistingKey()
	if errors.Is(err, fs.ErrNotExist) {
		r.NeedsKey = true
		return nil
	}
	if err != nil {
		return err
	}
	return CheckKey(ctx, d, key)
}

// missingFiles returns the files that the database refers to and the store doesn't have.
func (s Settings) missingFiles(ctx context.Context) (missing []string, err error) {
	d, err := s.OpenDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	files, err := s.Blobs(d)
	if err != nil {
		return nil, err
	}
	return backup.FindMissing(ctx, d, files.Store)
}
