package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/backups"
	"slipway/internal/doctor"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// schedule makes a server back up to a target each night, and keeps backups for two days.
func schedule(t *testing.T, s *testkit.Server, url string) app.Settings {
	t.Helper()
	set := s.Settings()
	set.BackupURL, set.BackupSchedule, set.BackupKeepDays, set.BackupCheckEvery = url, "24h", 2, 48*time.Hour
	assert.NoError(t, set.Check())
	var err error
	s.Backups.Target, err = set.BackupTarget()
	assert.NoError(t, err)
	s.Backups.Plan, err = set.BackupPlan()
	assert.NoError(t, err)
	return set
}

// Backups are made when they are due, verified, shown, and deleted when they are old.
func TestScheduledBackups(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Photo(s.Test.Hull(s.Test.Location(), nil))
		var before backups.BackupStatus
		s.Test.Get("/v2-preview/backups", 200, &before)
		assert.Equal(t, before.Configured, false)
		assert.Excludes(t, scrape(t, s), "slipway_backup_healthy")

		folder := t.TempDir()
		set := schedule(t, s, folder)
		d := healthy(t, set)
		assert.Contains(t, last(examine(t, d, "backups")).Detail, "There is no backup yet")
		for day := range 4 {
			assert.NoError(t, s.Backups.RunDue(t.Context()))
			assert.NoError(t, s.Backups.RunDue(t.Context()), "again at the same time")
			assert.Equal(t, len(namesIn(t, filepath.Join(folder, "archives"))), min(day+1, 2), "archives")
			s.Advance(24 * time.Hour)
		}
		s.Advance(-24 * time.Hour)

		var status backups.BackupStatus
		s.Test.Get("/v2-preview/backups", 200, &status)
		assert.Equal(t, *status.Target, backups.Folder)
		assert.Equal(t, status.KeepDays, 2)
		assert.Equal(t, status.Healthy, true)
		assert.Equal(t, status.LastBackup.State, backups.Complete)
		assert.Equal(t, status.LastCheck.State, backups.Complete)
		assert.Equal(t, status.LastBackup.Files > 0, true, "files")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM backup_runs WHERE kind = 'check'`), []int64{2}, "checks")
		text := scrape(t, s)
		assert.Contains(t, text, "slipway_backup_healthy 1")
		assert.Contains(t, text, "slipway_backup_missing_files 0")
		assert.Contains(t, text, "slipway_backup_checked_timestamp_seconds ")
		assert.Contains(t, last(examine(t, healthy(t, set), "backups")).Detail, "the last backup is from")

		path, err := app.FetchBackup(t.Context(), set, t.TempDir(), s.DB.Now())
		assert.NoError(t, err)
		_, err = app.CheckRestore(t.Context(), set, path, t.TempDir(), noProgress)
		assert.NoError(t, err)
		s.Advance(26 * time.Hour)
		assert.Contains(t, scrape(t, s), "slipway_backup_healthy 0")
		assert.Equal(t, leftovers(t, s), 0, "folders that were left behind")
	})
}

func leftovers(t *testing.T, s *testkit.Server) int {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(s.Settings().Data, ".slipway-*"))
	assert.NoError(t, err)
	return len(left)
}

func last(found []doctor.Finding) doctor.Finding { return found[len(found)-1] }

// A target that fails is reported everywhere, and the backup is tried again.
func TestFailedBackup(t *testing.T) {
	s := testkit.OnSQLite(t)
	folder := t.TempDir()
	set := schedule(t, s, folder)
	assert.NoError(t, os.WriteFile(filepath.Join(folder, "archives"), nil, 0o600)) // where the folder must be
	assert.NoError(t, s.Backups.RunDue(t.Context()))
	var status backups.BackupStatus
	s.Test.Get("/v2-preview/backups", 200, &status)
	assert.Equal(t, status.Healthy, false)
	assert.Equal(t, status.LastBackup.State, backups.Failed)
	assert.Equal(t, *status.LastBackup.Problem, backups.Unavailable)
	assert.Contains(t, scrape(t, s), "slipway_backup_healthy 0")
	assert.Equal(t, last(examine(t, healthy(t, set), "backups")).Status, doctor.Fail)

	assert.NoError(t, os.Remove(filepath.Join(folder, "archives")))
	assert.NoError(t, s.Backups.RunDue(t.Context()), "too early")
	assert.Equal(t, len(namesIn(t, folder)), 0)
	s.Advance(15 * time.Minute)
	assert.NoError(t, s.Backups.RunDue(t.Context()))
	s.Test.Get("/v2-preview/backups", 200, &status)
	assert.Equal(t, status.Healthy, true)
	assert.Equal(t, leftovers(t, s), 0, "folders that were left behind")

	// A damaged archive is found by the check.
	name := filepath.Join(folder, "archives", namesIn(t, filepath.Join(folder, "archives"))[0])
	assert.NoError(t, os.Truncate(name, 1000))
	s.Advance(72 * time.Hour)
	s.Exec(`DELETE FROM backup_runs WHERE kind = 'check'`)
	s.Backups.Plan.Schedule, _ = backups.ParseSchedule("744h")
	assert.NoError(t, s.Backups.RunDue(t.Context()))
	s.Test.Get("/v2-preview/backups", 200, &status)
	assert.Equal(t, status.Healthy, false)
	assert.Equal(t, *status.LastCheck.Problem, backups.Damaged)
	assert.Contains(t, last(examine(t, healthy(t, set), "backups")).Detail, "could not restore archives/")
}

// A missing photo makes a backup incomplete, which is not tried again until the next night.
func TestIncompleteBackup(t *testing.T) {
	s := testkit.OnSQLite(t)
	photo := s.Test.Photo(s.Test.Hull(s.Test.Location(), nil))
	key := testkit.Rows[string](s, `SELECT blob FROM hull_photos WHERE id = ?`, photo)[0]
	assert.NoError(t, s.Blobs.Remove(t.Context(), key))
	schedule(t, s, bucket(t))
	assert.NoError(t, s.Backups.RunDue(t.Context()))
	s.Advance(time.Hour)
	assert.NoError(t, s.Backups.RunDue(t.Context()))
	var status backups.BackupStatus
	s.Test.Get("/v2-preview/backups", 200, &status)
	assert.Equal(t, status.LastBackup.State, backups.Incomplete)
	assert.Equal(t, *status.LastBackup.Problem, backups.FilesMissing)
	assert.Equal(t, status.LastBackup.Missing, int64(1))
	assert.Contains(t, scrape(t, s), "slipway_backup_missing_files 1")
	names, err := s.Backups.Target.List(t.Context(), "archives")
	assert.NoError(t, err)
	assert.Equal(t, len(names), 1, "the incomplete archive is kept")
}

func TestBackupSettings(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *app.Settings)
		want   string
	}{
		"schedule":                {func(s *app.Settings) { s.BackupSchedule = "nightly" }, "SLIPWAY_BACKUP_SCHEDULE"},
		"days":                    {func(s *app.Settings) { s.BackupKeepDays = 0 }, "SLIPWAY_BACKUP_KEEP_DAYS"},
		"checks":                  {func(s *app.Settings) { s.BackupCheckEvery = -1 }, "SLIPWAY_BACKUP_CHECK_EVERY"},
		"nothing to back up":      {func(s *app.Settings) { s.DatabaseURL, s.BlobsURL = "postgres://db/x", "s3://k:s@host/b" }, "SLIPWAY_BACKUP_URL"},
		"a folder that is absent": {func(s *app.Settings) { s.BackupURL = filepath.Join(t.TempDir(), "none") }, ""},
	} {
		set := testkit.OnSQLite(t).Settings()
		set.BackupURL, set.BackupSchedule, set.BackupKeepDays = t.TempDir(), "03:00", 30
		c.change(&set)
		if c.want != "" {
			assert.Contains(t, errText(set.Check()), c.want)
			continue
		}
		assert.NoError(t, set.Check(), name)
		_, err := set.BackupTarget()
		assert.Contains(t, errText(err), "no such file")
	}
}
