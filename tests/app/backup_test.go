package app

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"slipway/internal/app"
	"slipway/internal/doctor"
	"slipway/internal/platform/backup"
	"slipway/internal/platform/seal"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

func noProgress(string, int, int) {}

// A restored archive answers requests as before. On PostgreSQL it contains the files.
func TestBackupAndRestore(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		photo := s.Test.Photo(hull)
		s.Test.AcceptedDeal(nil)
		file := filepath.Join(t.TempDir(), "backup.tar.zst")
		m, err := app.Backup(t.Context(), s.Settings(), file, app.BackupOptions{Progress: noProgress})
		assert.NoError(t, err)
		assert.Equal(t, m.Blobs(), len(s.StoredFiles()), "files")
		assert.Equal(t, m.WithKey, false)
		info, err := os.Stat(file)
		assert.NoError(t, err)
		assert.Equal(t, info.Mode().Perm(), os.FileMode(0o600))

		set := s.Settings()
		set.Data = filepath.Join(t.TempDir(), "restored")
		_, needsKey, err := app.Restore(t.Context(), set, file, noProgress)
		assert.NoError(t, err)
		assert.Equal(t, needsKey, false)
		restored := open(t, set)
		for _, path := range []string{
			"/v1/hulls", "/v1/hulls/" + hull, "/v1/hulls/" + hull + "/photos/" + photo + "/content",
			"/v1/deals", "/v1/contacts", "/v1/events", "/v1/locations", "/v1/webhooks",
		} {
			want, err := s.Test.Send("GET", path, nil)
			assert.NoError(t, err)
			status, got := get(t, restored, path, s.Test.Key)
			if assert.Equal(t, status, 200, path) && !bytes.Equal(got, want.Bytes) {
				t.Errorf("%s: got %.500s after the restore, want %.500s", path, got, want.Bytes)
			}
		}
	})
}

// open starts a server on a restored folder and returns its URL.
func open(t *testing.T, set app.Settings) string {
	t.Helper()
	a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
	assert.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	assert.NoError(t, a.Migrate(t.Context()))
	web := httptest.NewServer(a.Handler)
	t.Cleanup(web.Close)
	return web.URL
}

func get(t *testing.T, url, path, key string) (status int, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
	assert.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	assert.NoError(t, err)
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	assert.NoError(t, err)
	return res.StatusCode, body
}

// A photo that is deleted during the backup doesn't make it fail. One that is missing in the
// store is reported.
func TestBackupWithoutFiles(t *testing.T) {
	s := testkit.OnSQLite(t)
	hull := s.Test.Hull(s.Test.Location(), nil)
	kept, deleted, missing := s.Test.Photo(hull), s.Test.Photo(hull), s.Test.Photo(hull)
	key := func(photo string) string {
		return testkit.Rows[string](s, `SELECT blob FROM hull_photos WHERE id = ?`, photo)[0]
	}
	keptKey, deletedKey, missingKey := key(kept), key(deleted), key(missing)
	assert.NoError(t, s.Blobs.Remove(t.Context(), missingKey))

	begun := false
	file := filepath.Join(t.TempDir(), "backup.tar.zst")
	m, err := app.Backup(t.Context(), s.Settings(), file, app.BackupOptions{Progress: func(step string, _, _ int) {
		if step == "Copying files" && !begun {
			begun = true
			s.Test.Delete("/v1/hulls/"+hull+"/photos/"+deleted, 204)
			_, err := s.Blobs.DeleteUnused(t.Context())
			assert.NoError(t, err)
		}
	}})
	assert.NoError(t, err)
	assert.Equal(t, m.Deleted, []string{deletedKey})
	assert.Equal(t, m.Missing, []string{missingKey})
	for _, f := range m.Files {
		if strings.HasPrefix(f.Name, "blobs/") && !strings.HasPrefix(f.Name, "blobs/"+keptKey) {
			t.Errorf("the archive contains %s, want only the blobs of %s", f.Name, keptKey)
		}
	}
	_, err = backup.Verify(t.Context(), file, t.TempDir())
	assert.NoError(t, err)

	_, err = app.CheckRestore(t.Context(), s.Settings(), file, t.TempDir(), noProgress)
	lost, ok := errors.AsType[*backup.MissingError](err)
	assert.Equal(t, ok, true, "the drill reports missing files")
	assert.Equal(t, lost.Keys, []string{missingKey})
	d := healthy(t, s.Settings())
	found := examine(t, d, "files")
	assert.Equal(t, found[0].Status, doctor.Fail)
	assert.Contains(t, found[0].Detail, missingKey)
	assert.Excludes(t, found[0].Detail, keptKey)
	assert.Contains(t, errText(d.Missing()), missingKey)
}

// A restore drill verifies the audit log and the rows of the copy, and leaves nothing behind.
func TestRestoreDrill(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Photo(s.Test.Hull(s.Test.Location(), nil))
		assert.NoError(t, s.Settle(t.Context()))
		folder, work := t.TempDir(), t.TempDir()
		file := filepath.Join(folder, "backup")
		_, err := app.Backup(t.Context(), s.Settings(), file, app.BackupOptions{Progress: noProgress})
		assert.NoError(t, err)
		drill, err := app.CheckRestore(t.Context(), s.Settings(), file, work, noProgress)
		assert.NoError(t, err)
		assert.Equal(t, drill.Audited, s.DB.SQLite())
		assert.Equal(t, drill.Entries > 0, s.DB.SQLite())
		assert.Equal(t, len(namesIn(t, work)), 0, "files that the drill left behind")
	})

	s := testkit.OnSQLite(t)
	s.Test.Location()
	assert.NoError(t, s.Settle(t.Context()))
	s.Exec(`UPDATE audit_entries SET action = 'hull.created' WHERE action = 'location.created'`)
	file, work := filepath.Join(t.TempDir(), "changed"), t.TempDir()
	_, err := app.Backup(t.Context(), s.Settings(), file, app.BackupOptions{Progress: noProgress})
	assert.NoError(t, err)
	_, err = app.CheckRestore(t.Context(), s.Settings(), file, work, noProgress)
	assert.Contains(t, errText(err), "the audit log of environment")
	assert.Equal(t, len(namesIn(t, work)), 0, "files that the drill left behind")
}

// Each column with keys of blobs is in the query of the backup.
func TestBackupKnowsAllBlobs(t *testing.T) {
	s := testkit.OnSQLite(t)
	tables := testkit.Rows[string](s, `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.name = 'blob' ORDER BY m.name`)
	assert.Equal(t, tables, []string{"documents", "hull_imports", "hull_photos"}, "tables with blobs, which backup.keysIn must list")
}

// Files in a bucket are only included if requested, and are restored to a bucket.
func TestBackupOfBucket(t *testing.T) {
	s := testkit.OnSQLite(t)
	set := s.Settings()
	set.BlobsURL = bucket(t)
	a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
	assert.NoError(t, err)
	defer func() { assert.NoError(t, a.Close()) }()
	s.Blobs.Store = a.Blobs.Store
	photo := s.Test.Photo(s.Test.Hull(s.Test.Location(), nil))

	folder := t.TempDir()
	m, err := app.Backup(t.Context(), set, filepath.Join(folder, "without"), app.BackupOptions{Progress: noProgress})
	assert.NoError(t, err)
	assert.Equal(t, m.Blobs(), 0)
	m, err = app.Backup(t.Context(), set, filepath.Join(folder, "with"), app.BackupOptions{WithBlobs: true, Progress: noProgress})
	assert.NoError(t, err)
	if m.Blobs() == 0 {
		t.Fatal("the archive has no blobs, want those of a photo")
	}

	set.BlobsURL, set.Data = bucket(t), filepath.Join(folder, "restored")
	_, _, err = app.Restore(t.Context(), set, filepath.Join(folder, "with"), noProgress)
	assert.NoError(t, err)
	hull := testkit.Rows[string](s, `SELECT hull_id FROM hull_photos WHERE id = ?`, photo)[0]
	status, _ := get(t, open(t, set), "/v1/hulls/"+hull+"/photos/"+photo+"/content", s.Test.Key)
	assert.Equal(t, status, 200, "photo in the new bucket")

	set.DatabaseURL = "postgres://localhost/none"
	_, err = app.Backup(t.Context(), set, filepath.Join(folder, "nothing"), app.BackupOptions{Progress: noProgress})
	assert.Contains(t, errText(err), "there is nothing to back up here")
}

// bucket starts an S3-compatible store and returns its URL.
func bucket(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	assert.NoError(t, backend.CreateBucket("boats"))
	web := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(web.Close)
	return "s3://key:secret@" + strings.TrimPrefix(web.URL, "http://") + "/boats?tls=false&region=us-east-1"
}

// A damaged or incomplete archive is never accepted.
func TestDamagedBackup(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Test.Photo(s.Test.Hull(s.Test.Location(), nil))
	folder := t.TempDir()
	file := filepath.Join(folder, "good")
	_, err := app.Backup(t.Context(), s.Settings(), file, app.BackupOptions{Progress: noProgress})
	assert.NoError(t, err)
	good, err := os.ReadFile(file)
	assert.NoError(t, err)

	for name, c := range map[string]func(b []byte) []byte{
		"empty":              func([]byte) []byte { return nil },
		"not an archive":     func([]byte) []byte { return []byte("hello") },
		"half":               func(b []byte) []byte { return b[:len(b)/2] },
		"without the end":    func(b []byte) []byte { return b[:len(b)-1] },
		"a flipped bit":      func(b []byte) []byte { b[len(b)/3] ^= 1; return b },
		"a flipped last bit": func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
	} {
		bad := filepath.Join(folder, "bad")
		assert.NoError(t, os.WriteFile(bad, c(slices.Clone(good)), 0o600))
		if _, err := backup.Verify(t.Context(), bad, t.TempDir()); err == nil {
			t.Errorf("%s: Verify returned no error", name)
		}
		set := s.Settings()
		set.Data = filepath.Join(folder, "restored")
		if _, _, err := app.Restore(t.Context(), set, bad, noProgress); err == nil {
			t.Errorf("%s: Restore returned no error", name)
		}
		if _, err := os.Stat(set.Data); !os.IsNotExist(err) {
			t.Errorf("%s: the data folder exists after the failed restore", name)
		}
	}
}

// A restore that is refused changes nothing.
func TestRefusedRestore(t *testing.T) {
	s := testkit.OnSQLite(t)
	file := filepath.Join(t.TempDir(), "backup")
	_, err := app.Backup(t.Context(), s.Settings(), file, app.BackupOptions{WithKey: true, Progress: noProgress})
	assert.NoError(t, err)
	_, err = app.Backup(t.Context(), s.Settings(), file, app.BackupOptions{Progress: noProgress})
	assert.Contains(t, errText(err), "already exists")
	s.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9001, TRUE)`)
	newer := file + ".newer"
	_, err = app.Backup(t.Context(), s.Settings(), newer, app.BackupOptions{Progress: noProgress})
	assert.NoError(t, err)

	for name, c := range map[string]struct {
		file string
		with string // file in the data folder
		set  func(s *app.Settings)
		want string
	}{
		"not empty":      {file: file, with: "slipway.db", want: "is not empty: it contains slipway.db"},
		"other key":      {file: file, set: func(s *app.Settings) { s.MasterKey = seal.Encode(seal.NewKey()) }, want: "does not match this database"},
		"newer schema":   {file: newer, want: "a newer version of Slipway has migrated this database: its schema is 9001"},
		"for PostgreSQL": {file: file, set: func(s *app.Settings) { s.DatabaseURL = "postgres://localhost/x" }, want: "the backup is from sqlite"},
	} {
		t.Run(name, func(t *testing.T) {
			set := s.Settings()
			set.Data = t.TempDir()
			var before []string
			if c.with != "" {
				before = []string{c.with}
				assert.NoError(t, os.WriteFile(filepath.Join(set.Data, c.with), nil, 0o600))
			}
			if c.set != nil {
				c.set(&set)
			}
			_, _, err := app.Restore(t.Context(), set, c.file, noProgress)
			assert.Contains(t, errText(err), c.want)
			assert.Equal(t, namesIn(t, set.Data), before, "files in the data folder")
		})
	}

	// The key of the archive is used and restored.
	set := s.Settings()
	set.Data, set.MasterKey = t.TempDir(), ""
	_, needsKey, err := app.Restore(t.Context(), set, file, noProgress)
	assert.NoError(t, err)
	assert.Equal(t, needsKey, false)
	assert.Equal(t, namesIn(t, set.Data), []string{"master.key", "slipway.db"})
	set.Data = t.TempDir()
	_, _, err = app.Restore(t.Context(), set, newer, noProgress)
	assert.Contains(t, errText(err), "newer version")
}

func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	assert.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func errText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
