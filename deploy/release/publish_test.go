package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// program stands for the program of a release.
const program = "#!/bin/sh\necho \"slipway $*\"\n"

// published returns a small release for this machine, and a server that has it.
func published(t *testing.T, signed bool) (r *release, address string) {
	t.Helper()
	t.Chdir("../..")
	r = &release{version: "v9.9.9", date: commit, folder: t.TempDir()}
	name := fmt.Sprintf("slipway_%s_%s_%s", r.version, runtime.GOOS, runtime.GOARCH)
	archive, err := packTar([]file{{"slipway", 0o755, []byte(program)}}, name, r.date)
	assert.NoError(t, err)
	assert.NoError(t, r.write(name+".tar.gz", archive))
	assert.NoError(t, r.debian([]byte(program), runtime.GOARCH))

	server := httptest.NewServer(http.StripPrefix("/v9.9.9/", http.FileServer(http.Dir(r.folder))))
	t.Cleanup(server.Close)
	key := ""
	if signed {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		assert.NoError(t, err)
		der, err := x509.MarshalPKCS8PrivateKey(private)
		assert.NoError(t, err)
		key = filepath.Join(t.TempDir(), "key.pem")
		assert.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	}
	r.downloads = server.URL
	assert.NoError(t, r.readKey(key))
	assert.NoError(t, r.publish())
	return r, server.URL
}

// install runs the installer in an empty home, and returns what it says.
func install(t *testing.T, r *release) (home, said string, err error) {
	t.Helper()
	home = t.TempDir()
	cmd := exec.Command("sh", filepath.Join(r.folder, "install.sh"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "PREFIX=" + filepath.Join(home, ".local")}
	out, err := cmd.CombinedOutput()
	return home, string(out), err
}

func TestInstaller(t *testing.T) {
	for _, signed := range []bool{true, false} {
		r, _ := published(t, signed)
		home, said, err := install(t, r)
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		assert.Equal(t, strings.Contains(said, "The signature is valid."), signed)
		assert.Equal(t, strings.Contains(said, "This release is not signed."), !signed)
		installed := filepath.Join(home, ".local/bin/slipway")
		assert.Contains(t, said, "Installed "+installed)
		out, err := exec.Command(installed, "version").Output()
		assert.NoError(t, err)
		assert.Equal(t, string(out), "slipway version\n")
		t.Chdir("deploy/release")
	}
}

// What was changed after it was signed is not installed.
func TestInstallerRejects(t *testing.T) {
	for what, c := range map[string]struct{ file, want string }{
		"another program":   {fmt.Sprintf("slipway_v9.9.9_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH), "The checksum of "},
		"another list":      {"SHA256SUMS", "The signature of SHA256SUMS is wrong"},
		"another signature": {"SHA256SUMS.sig", "The signature of SHA256SUMS is wrong"},
	} {
		t.Run(what, func(t *testing.T) {
			r, _ := published(t, true)
			path := filepath.Join(r.folder, c.file)
			content, err := os.ReadFile(path)
			assert.NoError(t, err)
			content[len(content)-1] ^= 1 // openssl doesn't read what follows a signature
			assert.NoError(t, os.WriteFile(path, content, 0o600))
			home, said, err := install(t, r)
			if err == nil || !strings.Contains(said, c.want) {
				t.Errorf("got error %v and %q, want %q", err, said, c.want)
			}
			if _, err := os.Stat(filepath.Join(home, ".local")); err == nil {
				t.Error("something was installed")
			}
		})
	}
}

// dpkg installs the package into an empty root, and removes it again.
func TestDebianPackage(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Log("dpkg is missing, so the package was not tested")
		return
	}
	r, _ := published(t, false)
	root := t.TempDir()
	admin := filepath.Join(root, "var/lib/dpkg")
	for _, folder := range []string{"info", "updates"} {
		assert.NoError(t, os.MkdirAll(filepath.Join(admin, folder), 0o755))
	}
	adduser := "Package: adduser\nStatus: install ok installed\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: for the test\n"
	assert.NoError(t, os.WriteFile(filepath.Join(admin, "status"), []byte(adduser), 0o600))
	dpkg := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("dpkg", append([]string{"--root=" + root, "--force-script-chrootless", "--force-not-root", "--log=/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	dpkg("--install", filepath.Join(r.folder, "slipway_9.9.9_"+runtime.GOARCH+".deb"))
	assert.Contains(t, dpkg("--status", "slipway"), "Status: install ok installed")
	out, err := exec.Command(filepath.Join(root, "usr/bin/slipway"), "version").Output()
	assert.NoError(t, err)
	assert.Equal(t, string(out), "slipway version\n")
	for _, unit := range []string{"slipway.service", "slipway-backup.service", "slipway-backup.timer"} {
		text, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system", unit))
		assert.NoError(t, err)
		if strings.Contains(string(text), "/usr/local") {
			t.Errorf("%s runs another program", unit)
		}
	}
	dpkg("--purge", "slipway")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/slipway")); err == nil {
		t.Error("the program is still there")
	}
}

func TestFormula(t *testing.T) {
	r := &release{version: "v9.9.9", downloads: "https://downloads.example.com/slipway", sums: []string{"abc  slipway_v9.9.9_darwin_arm64.tar.gz\n", "def  slipway_v9.9.9_linux_amd64.tar.gz\n"}}
	got := r.formula()
	for _, want := range []string{
		"url \"https://downloads.example.com/slipway/v9.9.9/slipway_v9.9.9_darwin_arm64.tar.gz\"\n      sha256 \"abc\"", "sha256 \"def\"", `version "9.9.9"`,
	} {
		assert.Contains(t, got, want)
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		cmd := exec.Command(ruby, "-c")
		cmd.Stdin = strings.NewReader(got)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
