package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"slipway/internal/backups"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
)

// BackupPlan returns when backups are made and how long they are kept.
func (s Settings) BackupPlan() (p backups.Plan, err error) {
	p = backups.Plan{Keep: time.Duration(s.BackupKeepDays) * 24 * time.Hour, CheckEvery: s.BackupCheckEvery}
	p.Schedule, err = backups.ParseSchedule(s.BackupSchedule)
	return p, err
}

// checkBackups reports invalid settings of backups.
func (s Settings) checkBackups() (errs []error) {
	if s.BackupURL == "" {
		return nil
	}
	if _, err := s.BackupPlan(); err != nil {
		errs = append(errs, fmt.Errorf("SLIPWAY_BACKUP_SCHEDULE: %w", err))
	}
	if s.BackupKeepDays < 1 || s.BackupKeepDays > 3650 {
		errs = append(errs, errors.New("SLIPWAY_BACKUP_KEEP_DAYS: must be 1 to 3650"))
	}
	if s.BackupCheckEvery < 0 {
		errs = append(errs, errors.New("SLIPWAY_BACKUP_CHECK_EVERY: must be at least 0"))
	}
	if s.DatabaseURL != "" && s.BlobsURL != "" {
		errs = append(errs, errors.New("SLIPWAY_BACKUP_URL: Slipway doesn't back up PostgreSQL or a bucket. See docs/backups.md for tools that do"))
	}
	return errs
}

// backupBucket reports whether the target is a bucket.
func (s Settings) backupBucket() bool { return strings.HasPrefix(s.BackupURL, "s3://") }

// BackupTarget opens the target of the backups. Nil if there is none. A folder must exist:
// otherwise, backups would fill the wrong disk when one is not mounted.
func (s Settings) BackupTarget() (blobs.Store, error) {
	var store blobs.Store
	var err error
	switch {
	case s.BackupURL == "":
		return nil, nil //nolint:nilnil // no backups are made
	case s.backupBucket():
		store, err = blobs.Open(s.BackupURL, "")
	default:
		if _, err = os.Stat(s.BackupURL); err == nil {
			store, err = blobs.Open("", s.BackupURL)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("SLIPWAY_BACKUP_URL: %w", err)
	}
	return store, nil
}

// backups returns the feature that makes backups.
func (a *App) backups(s Settings, h backups.Hooks) (f backups.API, err error) {
	f = backups.API{DB: a.DB, Log: a.logger("backups"), Folder: s.Data, TargetKind: backups.Folder}
	if s.backupBucket() {
		f.TargetKind = backups.Bucket
	}
	if s.BackupURL == "" {
		return backups.New(f, h), nil
	}
	if f.Plan, err = s.BackupPlan(); err == nil {
		f.Target, err = s.BackupTarget()
	}
	return backups.New(f, h), err
}

// BackupStatus returns the state of the backups of an installation, for a command.
func BackupStatus(ctx context.Context, s Settings, d *db.DB) (backups.BackupStatus, error) {
	f := backups.API{DB: d}
	var err error
	if f.Target, err = s.BackupTarget(); err == nil && f.Target != nil {
		f.Plan, err = s.BackupPlan()
	}
	if err != nil {
		return backups.BackupStatus{}, err
	}
	return db.Read(ctx, d, f.Status)
}

// FetchBackup copies the newest archive of the target to a folder. With a time, the newest
// one that was taken before.
func FetchBackup(ctx context.Context, s Settings, folder string, at time.Time) (path string, err error) {
	target, err := s.BackupTarget()
	if err != nil {
		return "", err
	}
	if target == nil {
		return "", errors.New("name an archive, or set SLIPWAY_BACKUP_URL")
	}
	name, err := backups.FindNewest(ctx, target, at)
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, filepath.Base(name))
	_, err = backups.Fetch(ctx, target, name, path)
	return path, err
}
