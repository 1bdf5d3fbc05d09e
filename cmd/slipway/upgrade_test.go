package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"slipway/internal/testkit/assert"
)

// releases is a server with releases, and the program to upgrade.
type releases struct {
	*program

	t    *testing.T
	work string

	mu    sync.Mutex
	files map[string][]byte

	url  string
	key  *ecdsa.PrivateKey
	args []string // of upgrade
}

// newReleases returns an installation with one running server, whose releases are signed.
func newReleases(t *testing.T) *releases {
	t.Helper()
	r := &releases{t: t, work: t.TempDir(), files: map[string][]byte{}}
	binary := filepath.Join(r.work, "slipway")
	content, err := os.ReadFile(build(t))
	assert.NoError(t, err)
	assert.NoError(t, os.WriteFile(binary, content, 0o700))
	r.program = &program{t: t, binary: binary, data: t.TempDir(), env: []string{"SLIPWAY_LISTEN=" + freeAddress(t)}}
	r.bootstrap()

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		content := r.file(strings.TrimPrefix(req.URL.Path, "/"))
		if content == nil {
			http.NotFound(w, req)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	r.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	assert.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&r.key.PublicKey)
	assert.NoError(t, err)
	public := filepath.Join(r.work, "key.pem")
	assert.NoError(t, os.WriteFile(public, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600))

	pid := filepath.Join(r.work, "pid")
	start := fmt.Sprintf("%s serve >>%s/log 2>&1 & echo $! >%s", binary, r.work, pid)
	stop := fmt.Sprintf("kill $(cat %[1]s) && while kill -0 $(cat %[1]s) 2>/dev/null; do sleep 0.05; done", pid)
	r.args = []string{"upgrade", "--from", r.url, "--key", public, "--start", start, "--stop", stop, "--wait", "20s", "--yes"}
	run := func(line string) {
		cmd := exec.Command("sh", "-c", line) // without the test's context, which has ended when the server is stopped
		cmd.Env = r.command().Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("%s: %v %s", line, err, out) // the server has ended by itself
		}
	}
	run(start)
	t.Cleanup(func() { run(stop) })
	return r
}

func (r *releases) file(name string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.files[name])
}

// set replaces a file, or deletes it if it has no content.
func (r *releases) set(name string, content []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[name] = content
}

// publish publishes a program, which is a shell script that can run the real one.
func (r *releases) publish(version, script string) {
	r.t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	files := tar.NewWriter(zipped)
	assert.NoError(r.t, files.WriteHeader(&tar.Header{Name: "slipway_" + version + "/slipway", Mode: 0o755, Size: int64(len(script)), Typeflag: tar.TypeReg}))
	_, err := files.Write([]byte(script))
	assert.NoError(r.t, err)
	assert.NoError(r.t, files.Close())
	assert.NoError(r.t, zipped.Close())

	name := fmt.Sprintf("slipway_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	sums := fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(packed.Bytes()), name)
	sum := sha256.Sum256(sums)
	signature, err := ecdsa.SignASN1(rand.Reader, r.key, sum[:])
	assert.NoError(r.t, err)
	r.set("latest", []byte(version+"\n"))
	r.set(version+"/"+name, packed.Bytes())
	r.set(version+"/SHA256SUMS", sums)
	r.set(version+"/SHA256SUMS.sig", signature)
}

// isReady reports whether the installation has a server that is ready.
func (r *releases) isReady() bool { return r.command("health").Run() == nil }

// An upgrade backs up, replaces the program and restarts the server.
func TestUpgrade(t *testing.T) {
	r := newReleases(t)
	served := filepath.Join(r.work, "served")
	r.publish("v9.0.0", fmt.Sprintf(`#!/bin/sh
case $1 in
version) echo "slipway v9.0.0"; exit ;;
serve) touch %s ;;
esac
exec %s "$@"
`, served, build(t)))
	assert.Eventually(t, "the server to be ready", r.isReady)

	said := r.text(r.args...)
	for _, want := range []string{"which has a valid signature and a valid checksum", "slipway v9.0.0", "The schema is current", "Wrote and checked", "v9.0.0 is ready"} {
		assert.Contains(t, said, want)
	}
	if _, err := os.Stat(served); err != nil {
		t.Error("the server doesn't run the new program")
	}
	if !r.isReady() {
		t.Error("the server is not ready")
	}
	backups, err := filepath.Glob(filepath.Join(r.data, "slipway-*.tar.zst"))
	assert.NoError(t, err)
	assert.Len(t, backups, 1)
	assert.Contains(t, r.text("version"), "v9.0.0")
	old, err := os.ReadFile(r.binary + ".before")
	assert.NoError(t, err)
	real, err := os.ReadFile(build(t))
	assert.NoError(t, err)
	assert.Equal(t, bytes.Equal(old, real), true, "the copy of the program from before")
}

// A program that changes the schema and then fails is undone, with the schema.
func TestUpgradeGoesBack(t *testing.T) {
	r := newReleases(t)
	assert.Eventually(t, "the server to be ready", r.isReady)
	path := filepath.Join(r.data, "slipway.db")
	d, err := sql.Open("sqlite", path)
	assert.NoError(t, err)
	var schema int64
	assert.NoError(t, d.QueryRow("SELECT MAX(version_id) FROM goose_db_version").Scan(&schema))
	assert.NoError(t, d.Close())

	migrated := filepath.Join(r.work, "migrated.db")
	r.publish("v9.0.0", fmt.Sprintf(`#!/bin/sh
case $* in
version) echo "slipway v9.0.0"; exit ;;
"migrate --plan --json") echo '{"schema": %[1]d, "changes": 1, "sqlite": true}'; exit ;;
serve)
	cp %[2]s %[2]s.before-schema-%[1]d && mv %[3]s %[2]s && rm -f %[2]s-wal %[2]s-shm
	exit 1 ;;
esac
exec %[4]s "$@"
`, schema, path, migrated, build(t)))
	d, err = sql.Open("sqlite", path)
	assert.NoError(t, err)
	_, err = d.Exec("VACUUM INTO ?", migrated)
	assert.NoError(t, err)
	assert.NoError(t, d.Close())
	d, err = sql.Open("sqlite", migrated)
	assert.NoError(t, err)
	_, err = d.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)")
	assert.NoError(t, err)
	assert.NoError(t, d.Close())

	args := append([]string{}, r.args...)
	args[len(args)-2] = "2s"
	out, err := r.command(args...).CombinedOutput()
	if err == nil {
		t.Fatalf("the upgrade succeeded:\n%s", out)
	}
	assert.Contains(t, string(out), "Going back to ")
	assert.Contains(t, string(out), "runs again")
	if !r.isReady() {
		t.Errorf("the server is not ready:\n%s", out)
	}
	assert.Contains(t, r.text("version"), fmt.Sprintf("schema %d\n", schema))
	assert.Contains(t, r.text("dealerships", "list"), "Acme Marine")
	if _, err := os.Stat(path + ".schema-99999"); err != nil {
		t.Errorf("the replaced database is gone: %v", err)
	}
}

// What was changed after it was signed is not installed, and neither is an old release.
func TestUpgradeRejects(t *testing.T) {
	r := newReleases(t)
	assert.Eventually(t, "the server to be ready", r.isReady)
	fails := func(want string, args ...string) {
		t.Helper()
		out, err := r.command(args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("got error %v and %q, want %q", err, out, want)
		}
		if _, err := os.Stat(r.binary + ".before"); err == nil {
			t.Error("something was installed")
		}
	}
	const script = "#!/bin/sh\nexit 0\n"
	archive := fmt.Sprintf("v9.0.0/slipway_v9.0.0_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	for file, want := range map[string]string{
		archive: "the checksum of", "v9.0.0/SHA256SUMS": "the signature of SHA256SUMS is wrong", "v9.0.0/SHA256SUMS.sig": "the signature of SHA256SUMS is wrong",
	} {
		r.publish("v9.0.0", script)
		content := r.file(file)
		content[len(content)-1] ^= 1
		r.set(file, content)
		fails(want, r.args...)
	}
	r.publish("v9.0.0", script)
	r.set(archive, nil)
	fails("404 Not Found", r.args...)
	r.set("latest", []byte("../../etc"))
	fails("is not a version such as", r.args...)
	fails("doesn't know the key", "upgrade", "--from", r.url, "--start", "true", "--stop", "true")
	fails("use --stop and --start together", "upgrade", "--from", r.url, "--start", "true")
	if !r.isReady() {
		t.Error("the server is not ready")
	}
}

// The copy of a database is only used on the version that it is for, and not while a server runs.
func TestMigrateBack(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		p.bootstrap()
		if p.database != "" {
			assert.Contains(t, p.fail("migrate", "--back-to", "100"), "Restore a backup of PostgreSQL")
			return
		}
		var plan struct{ Schema, Changes int64 }
		p.run(&plan, "migrate", "--plan", "--json")
		assert.Equal(t, plan.Changes, 0)
		assert.Contains(t, p.text("migrate", "--back-to", fmt.Sprint(plan.Schema)), "There is nothing to do")
		assert.Contains(t, p.fail("migrate", "--back-to", "100"), "there is no copy of the database")
		p.serve()
		assert.Contains(t, p.fail("migrate", "--back-to", "100"), "another server")
	})
}
