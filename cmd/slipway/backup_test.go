package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// TestBackup backs up while clients write, kills backups at any time, and restores. No
// killed backup looks like one, and a restored server answers as the old one did.
func TestBackup(t *testing.T) {
	binary := build(t)
	p := &program{t: t, binary: binary, data: t.TempDir()}
	d := p.bootstrap()
	code, err := totp.GenerateCode(d.Owner.TestTOTPSecret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	admin := p.enters(code).key(d.DealershipID, "test", "admin,hulls:read,hulls:write,webhooks", "--user", d.Owner.Email, "--rate-limit", "100000")
	s := p.serve()
	location := s.send("POST", "/v1/locations", admin, "", map[string]any{"name": "Pier"}).id()

	var created sync.Map // hull → true
	var count atomic.Int64
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a := s.send("POST", "/v1/hulls", admin, "", testkit.HullBody(location, map[string]any{"hin": fmt.Sprintf("GRT%05dB324", count.Add(1))}))
				if a.status != 201 {
					t.Errorf("got %d %s during a backup, want 201", a.status, a.body)
					return
				}
				created.Store(a.id(), true)
			}
		})
	}

	folder := t.TempDir()
	killBackups(t, p, folder)
	before := idsOf(&created)
	file := filepath.Join(folder, "under-load.tar.zst")
	text := p.text("backup", file)
	assert.Contains(t, text, "Wrote and checked "+file)
	assert.Contains(t, text, "THE MASTER KEY IS NOT INCLUDED")
	close(stop)
	writers.Wait()
	assert.Contains(t, p.text("backup", "--verify", file), "is complete: the database")

	restored := restore(t, p, file)
	listed := restored.list(t, "/v1/hulls", admin)
	for _, id := range before {
		if !listed[id] {
			t.Errorf("%s was created before the backup, but is not in it", id)
		}
	}

	quiet := filepath.Join(folder, "quiet.tar.zst")
	p.text("backup", quiet)
	restored = restore(t, p, quiet)
	for _, path := range []string{"/v1/hulls?limit=100", "/v1/locations", "/v1/events?limit=100", "/v1/audit?limit=100", "/v1/me"} {
		want, got := s.send("GET", path, admin, "", nil), restored.send("GET", path, admin, "", nil)
		assert.Equal(t, string(got.body), string(want.body), path)
	}
}

// killBackups kills a backup after longer and longer times, until one completes.
func killBackups(t *testing.T, p *program, folder string) {
	t.Helper()
	killed := 0
	for wait := 5 * time.Millisecond; ; wait += wait / 2 {
		file := filepath.Join(folder, fmt.Sprintf("killed-%d.tar.zst", killed))
		cmd := p.command("backup", file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() }) // it might have ended
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		killed++
		if _, err := os.Stat(file); err == nil {
			p.text("backup", "--verify", file) // killed after the last step
		}
	}
	if killed < 3 {
		t.Errorf("only %d backups were killed, want at least 3", killed)
	}
	left, err := filepath.Glob(filepath.Join(folder, ".slipway-backup-*"))
	if err != nil || len(left) == 0 {
		t.Errorf("got %d folders of killed backups and error %v, want at least 1", len(left), err)
	}
	for _, name := range left {
		if strings.HasSuffix(name, ".zst") {
			t.Errorf("%s looks like a backup", name)
		}
	}
}

// restore restores an archive with the master key, and serves it.
func restore(t *testing.T, p *program, file string) *server {
	t.Helper()
	other := &program{t: t, binary: p.binary, data: filepath.Join(t.TempDir(), "restored")}
	assert.Contains(t, other.text("restore", file), "THE MASTER KEY IS MISSING")
	key, err := os.ReadFile(filepath.Join(p.data, "master.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(other.data, "master.key"), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	assert.Contains(t, other.fail("restore", file), "is not empty")
	return other.serve()
}

func idsOf(m *sync.Map) (ids []string) {
	m.Range(func(id, _ any) bool {
		ids = append(ids, id.(string))
		return true
	})
	return ids
}

// The commands of an operator work on both databases and explain what they don't do.
func TestOperatorCommands(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		p.fail("backup", filepath.Join(t.TempDir(), "backup"))
		p.fail("health")
		out, err := p.command("doctor", "--probe", "").Output()
		if err == nil || !strings.Contains(string(out), "fail  master key     There is no master key") {
			t.Errorf("doctor without an installation: got error %v and %s, want a failed check of the master key", err, out)
		}
		entries, err := os.ReadDir(p.data)
		if err != nil || len(entries) > 0 {
			t.Errorf("got the files %v and error %v, want that these commands create nothing", entries, err)
		}

		p.bootstrap()
		file := filepath.Join(t.TempDir(), "backup.tar.zst")
		text := p.text("backup", "--with-key", file)
		assert.Contains(t, text, "THE MASTER KEY IS INCLUDED")
		if p.database != "" {
			assert.Contains(t, text, "THE DATABASE IS NOT INCLUDED")
			assert.Contains(t, text, "pg_dump")
		}
		other := &program{t: t, binary: p.binary, data: filepath.Join(t.TempDir(), "other"), database: p.database}
		assert.Contains(t, other.text("restore", file), "Restored ")

		var findings []struct{ Check, Status, Detail, Fix string }
		out, err = other.command("doctor", "--json", "--probe", "").Output()
		if p.database == "" && err != nil {
			t.Errorf("doctor on a restored folder: got %v\n%s", err, out)
		}
		if err := json.Unmarshal(out, &findings); err != nil || len(findings) < 8 {
			t.Errorf("got %d findings and error %v in %s, want at least 8", len(findings), err, out)
		}
		table, _ := other.command("doctor", "--probe", "").Output() // it fails without fsync, as in the tests
		assert.Contains(t, string(table), "ok    master key     matches the database")
		assert.Contains(t, string(table), "→ Set SLIPWAY_SMTP_URL.")
	})
}

// A missing photo has its own exit code, so that a script notices it.
func TestMissingFileExitCode(t *testing.T) {
	p := &program{t: t, binary: build(t), data: t.TempDir()}
	p.bootstrap()
	file := filepath.Join(t.TempDir(), "backup.tar.zst")
	p.text("backup", file)
	assert.Contains(t, p.text("restore", "--check", file), "can be restored: the database, 0 files")

	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(p.data, "slipway.db"))
	assert.NoError(t, err)
	_, err = db.Write(t.Context(), d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `INSERT INTO hull_imports (env, id, state, format, mode, dry_run, columns, ignored_columns, bytes, bytes_done,
				row_count, created, updated, failed, actor, blob, beat_at, version, created_at, updated_at)
			SELECT MIN(env), 'imp_lost', 'queued', 'csv', 'create', FALSE, '{}', '[]', 0, 0, 0, 0, 0, 0, '{}', 'imports/st/lost', 0, 1, 0, 0
			FROM dealerships`)
	})
	assert.NoError(t, err)
	assert.NoError(t, d.Close())
	lost := file + ".lost"
	out, err := p.command("backup", lost).CombinedOutput()
	assert.Equal(t, exitOf(err), 6, string(out))
	for _, args := range [][]string{{"backup", "--verify", lost}, {"restore", "--check", lost}, {"doctor", "--probe", ""}} {
		out, err := p.command(args...).CombinedOutput()
		assert.Equal(t, exitOf(err), 6, string(out))
		assert.Contains(t, string(out), "imports/st/lost")
	}
}

func exitOf(err error) int {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0
	}
	return exit.ExitCode()
}

// version prints what a bug report needs.
func TestVersion(t *testing.T) {
	p := &program{t: t, binary: build(t), data: t.TempDir()}
	text := p.text("version")
	assert.Equal(t, p.text("--version"), text)
	for _, part := range []string{"slipway ", ", API 20", "\ncommit ", "\ndate ", "\nschema "} {
		assert.Contains(t, text, part)
	}
}
