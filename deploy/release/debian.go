package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"
)

//go:embed debian/postinst
var postinst []byte

//go:embed debian/prerm
var prerm []byte

//go:embed debian/slipway-backup.service
var backupService []byte

//go:embed debian/slipway-backup.timer
var backupTimer []byte

// debian writes a Debian package with the program, its service and a timer for backups.
func (r *release) debian(program []byte, machine string) error {
	unit, err := os.ReadFile("deploy/systemd/slipway.service")
	if err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	version := strings.TrimPrefix(r.version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' {
		version = "0~" + version // dpkg wants a digit
	}
	packed, err := packDebian(debianPackage{
		version: version, machine: machine, at: r.date,
		files: []file{
			{"usr/bin/slipway", 0o755, program},
			{"usr/lib/systemd/system/slipway.service", 0o644, bytes.ReplaceAll(unit, []byte("/usr/local/bin/slipway"), []byte("/usr/bin/slipway"))},
			{"usr/lib/systemd/system/slipway-backup.service", 0o644, backupService},
			{"usr/lib/systemd/system/slipway-backup.timer", 0o644, backupTimer},
			{"usr/share/doc/slipway/copyright", 0o644, license},
		},
	})
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("slipway_%s_%s.deb", version, machine), packed)
}

type debianPackage struct {
	version, machine string
	at               time.Time
	files            []file
}

// packDebian writes the format of deb(5): an archive of ar with the metadata and the files.
func packDebian(p debianPackage) ([]byte, error) {
	size := 0
	for _, f := range p.files {
		size += len(f.content)
	}
	control := fmt.Sprintf("Package: slipway\nVersion: %s\nArchitecture: %s\nMaintainer: The Slipway maintainers <slipway@example.com>\n"+
		"Installed-Size: %d\nSection: web\nPriority: optional\nDepends: adduser\nDescription: self-hosted software for boat dealerships\n"+
		" Inventory, leads, deals and documents, with a console and an API.\n", p.version, p.machine, size>>10)
	metadata, err := treeOf([]file{{"control", 0o644, []byte(control)}, {"postinst", 0o755, postinst}, {"prerm", 0o755, prerm}}, p.at)
	if err != nil {
		return nil, err
	}
	data, err := treeOf(p.files, p.at)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, member := range []file{{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, metadata}, {"data.tar.gz", 0o644, data}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", member.name, p.at.Unix(), 0, 0, 0o100644, len(member.content))
		b.Write(member.content)
		if len(member.content)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}

// treeOf packs files with their folders, as dpkg wants them.
func treeOf(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	archive := tar.NewWriter(packed)
	seen := map[string]bool{}
	for _, f := range files {
		var folders []string
		for dir := path.Dir(f.name); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			folders, seen[dir] = append([]string{dir}, folders...), true
		}
		for _, dir := range folders {
			h := &tar.Header{Typeflag: tar.TypeDir, Name: "./" + dir + "/", Mode: 0o755, ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
			if err := archive.WriteHeader(h); err != nil {
				return nil, err
			}
		}
		h := &tar.Header{Name: "./" + f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := errors.Join(archive.Close(), packed.Close())
	return b.Bytes(), err
}
