package doctor

import (
	"context"
	"time"

	"slipway/internal/app"
	"slipway/internal/backups"
	"slipway/internal/platform/db"
)

// checkBackups reports that there are no backups, or that the last one is not complete.
func (d *Doctor) checkBackups(ctx context.Context) []Finding {
	if d.db == nil {
		return nil
	}
	var found []Finding
	if !d.db.SQLite() {
		found = d.checkArchiving(ctx)
		if d.Settings.BlobsURL != "" {
			return found // a bucket has its own versions
		}
	}
	const fix = "Read the log of the server, which has a line for each backup. docs/backups.md explains the settings."
	s, err := app.BackupStatus(ctx, d.Settings, d.db)
	switch {
	case err != nil:
		return append(found, fail("Create the folder or mount its disk, or correct SLIPWAY_BACKUP_URL.", "%v", err)...)
	case !s.Configured:
		return append(found, warn("Set SLIPWAY_BACKUP_URL, or ignore this if another program runs slipway backup.", "The server makes no backups.")...)
	case s.LastBackup == nil:
		return append(found, warn("Start the server. It makes the first backup within two minutes.", "There is no backup yet.")...)
	case s.LastBackup.State != backups.Complete && s.LastBackup.State != backups.Running:
		return append(found, fail(fix, "The last backup, at %s, is not complete: %s", at(s.LastBackup), s.LastBackup.Detail)...)
	case s.LastCheck != nil && s.LastCheck.State == backups.Failed:
		return append(found, fail(fix, "The last check, at %s, could not restore %s: %s", at(s.LastCheck), s.LastCheck.Name, s.LastCheck.Detail)...)
	case !s.Healthy:
		return append(found, fail("Check that a server runs.", "The last backup is late. It is from %s.", at(s.LastBackup))...)
	}
	return append(found, pass("the last backup is from %s", at(s.LastBackup))...)
}

func at(r *backups.BackupRun) string { return r.StartedAt.UTC().Format(time.RFC3339) }

// archiver is what PostgreSQL knows about copies of its WAL.
type archiver struct {
	Mode     string `db:"mode"`
	Failing  bool   `db:"failing"`
	Archived int64  `db:"archived"`
}

// checkArchiving checks that PostgreSQL archives its WAL, without which no point in time can
// be restored.
func (d *Doctor) checkArchiving(ctx context.Context) []Finding {
	a, err := db.Read(ctx, d.db, func(ctx context.Context, tx *db.Tx) (archiver, error) {
		return db.One[archiver](ctx, tx, "SELECT current_setting('archive_mode') AS mode, archived_count AS archived, "+
			"COALESCE(last_failed_time > COALESCE(last_archived_time, '-infinity'), FALSE) AS failing FROM pg_stat_archiver")
	})
	const fix = "Set up pgBackRest. docs/backups.md has a configuration."
	switch {
	case err != nil:
		return warn("Check the permissions of the user.", "%v", err)
	case a.Mode == "off":
		return warn(fix, "PostgreSQL doesn't archive its WAL, so no point in time can be restored.")
	case a.Failing:
		return fail("Read the log of PostgreSQL. "+fix, "PostgreSQL can't archive its WAL. Its disk fills up.")
	}
	return pass("PostgreSQL has archived %d parts of its WAL", a.Archived)
}
