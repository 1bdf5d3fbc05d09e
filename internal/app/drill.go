package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"slipway/internal/platform/backup"
)

// Drill is the result of a restore drill.
type Drill struct {
	Manifest backup.Manifest
	Audited  bool // the audit logs were verified, which needs the master key
	Logs     int  // audit logs
	Entries  int64
}

// CheckRestore restores an archive to a folder in work, verifies it like an installation,
// and deletes it: the checksums, the files, the number of rows of each table, and the audit
// logs. It also updates the schema of the copy to the one of this version.
func CheckRestore(ctx context.Context, s Settings, file, work string, progress backup.Progress) (d Drill, err error) {
	folder, err := os.MkdirTemp(work, DrillPattern)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	key, err := s.ExistingKey()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	s.BlobsURL, s.ReplicaURL, s.Data = "", "", filepath.Join(folder, "data") // the files stay in the folder
	if s.MasterKey == "" && key != nil {
		if err := copyKey(key, s.Data); err != nil {
			return d, err
		}
	}
	var needsKey bool
	if d.Manifest, needsKey, err = Restore(ctx, s, file, progress); err != nil {
		return d, err
	}
	if d.Manifest.Database == backup.SQLite && !needsKey {
		progress("Verifying the audit log", 0, 0)
		if err := d.verifyAudit(ctx, s); err != nil {
			return d, err
		}
	}
	return d, d.Manifest.Complete()
}

// DrillPattern matches the folders of drills. A process that was killed leaves them behind.
const DrillPattern = ".slipway-check-*"

// verifyAudit verifies the audit logs of the restored copy.
func (d *Drill) verifyAudit(ctx context.Context, s Settings) (err error) {
	a, err := OpenExisting(ctx, s, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Migrate(ctx); err != nil {
		return fmt.Errorf("update the schema of the copy: %w", err)
	}
	logs, err := a.VerifyAudit(ctx, "", nil)
	if err != nil {
		return err
	}
	for _, l := range logs {
		if l.Problem != "" {
			return fmt.Errorf("the audit log of environment %d: %s", l.Env, l.Problem)
		}
		d.Entries += int64(l.Entries)
	}
	d.Audited, d.Logs = true, len(logs)
	return nil
}
