// Command release builds the files of a release: an archive and an SBOM for each platform, Debian
// packages, an image, their checksums, an installer and a formula for Homebrew. The same commit and version of Go always result in the same bytes.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// platforms are what a release supports.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// release describes what is built.
type release struct {
	module  string // path of the module, which a publisher renames
	version string
	commit  string
	date    time.Time // of the commit
	folder  string
	sums    []string
	images  image

	downloads string            // address of the releases
	private   *ecdsa.PrivateKey // signs them, or nil
	public    []byte            // its public key as DER
}

func main() {
	folder := flag.String("out", "bin/release", "`folder` for the files, which is emptied")
	list := flag.String("platforms", platforms, "`platforms`, separated by commas")
	key := flag.String("key", "", "`file` with the P-256 key that signs the checksums, as PEM")
	flag.Parse()
	if err := run(context.Background(), *folder, *key, strings.Split(*list, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, key string, list []string) error {
	r, err := describe(ctx)
	if err != nil {
		return err
	}
	r.folder = folder
	if r.downloads, err = downloads(); err != nil {
		return err
	}
	if err := r.readKey(key); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, platform := range list {
		if err := r.build(ctx, platform); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	if err := r.writeImage(); err != nil {
		return err
	}
	return r.publish()
}

// describe reads the version from git. The date is the commit date, or SOURCE_DATE_EPOCH.
func describe(ctx context.Context) (r release, err error) {
	for _, step := range []struct {
		to      *string
		command string
	}{
		{&r.module, "go list -m"},
		{&r.version, "git describe --tags --always --dirty"},
		{&r.commit, "git rev-parse HEAD"},
	} {
		if *step.to, err = output(ctx, step.command); err != nil {
			return r, err
		}
	}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		if epoch, err = output(ctx, "git log -1 --format=%ct"); err != nil {
			return r, err
		}
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	r.date = time.Unix(seconds, 0).UTC()
	return r, err
}

func output(ctx context.Context, command string) (string, error) {
	words := strings.Fields(command)
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// build builds one platform.
func (r *release) build(ctx context.Context, platform string) error {
	begun := time.Now()
	system, machine, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("must have the form linux/amd64")
	}
	name := fmt.Sprintf("slipway_%s_%s_%s", r.version, system, machine)
	program := "slipway"
	if system == "windows" {
		program += ".exe"
	}
	work, err := os.MkdirTemp("", "slipway-release-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // it is in the temporary folder anyway
	binary := filepath.Join(work, program)
	if err := r.compile(ctx, binary, system, machine); err != nil {
		return err
	}

	sbom, err := r.sbom(binary, platform)
	if err != nil {
		return err
	}
	files, err := r.files(binary, program, system, sbom)
	if err != nil {
		return err
	}
	pack, suffix := packTar, ".tar.gz"
	if system == "windows" {
		pack, suffix = packZip, ".zip"
	}
	archive, err := pack(files, name, r.date)
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %5.1f MB, archive %5.1f MB, %4.0f s\n", platform, float64(len(files[0].content))/1e6, float64(len(archive))/1e6,
		time.Since(begun).Seconds())
	if err := r.write(name+suffix, archive); err != nil {
		return err
	}
	if system == "linux" {
		if err := r.debian(files[0].content, machine); err != nil {
			return err
		}
		if err := r.image(files[0].content, machine); err != nil {
			return err
		}
	}
	return r.write(name+".cdx.json", sbom)
}

// compile builds a static binary. Everything that Go would read from this machine is set.
func (r *release) compile(ctx context.Context, binary, system, machine string) error {
	variable := func(name, value string) string { return " -X " + r.module + "/internal/app." + name + "=" + value }
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary,
		"-ldflags", "-s -w -buildid="+variable("Build", r.version)+variable("Commit", r.commit)+variable("Date", r.date.Format(time.RFC3339))+
			variable("Downloads", r.downloads)+variable("PublicKey", base64.StdEncoding.EncodeToString(r.public)),
		"./cmd/slipway")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// files returns the files of an archive, with the binary first.
func (r *release) files(binary, program, system string, sbom []byte) ([]file, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	files := []file{{program, 0o755, content}, {"sbom.cdx.json", 0o644, sbom}}
	others := []string{"README.md", "CHANGELOG.md", "LICENSE"}
	if system == "linux" {
		others = append(others, "deploy/systemd/slipway.service")
	}
	for _, name := range others {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Base(name), 0o644, content})
	}
	return files, nil
}

// write writes a file of the release and adds its checksum.
func (r *release) write(name string, content []byte) error {
	r.sums = append(r.sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name))
	return os.WriteFile(filepath.Join(r.folder, name), content, 0o644)
}
