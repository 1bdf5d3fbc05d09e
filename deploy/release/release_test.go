package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	sample = []file{{"slipway", 0o755, []byte("program")}, {"LICENSE", 0o644, bytes.Repeat([]byte("text "), 1000)}}
	commit = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)
)

// An archive depends only on its files and the date of the commit.
func TestArchivesAreReproducible(t *testing.T) {
	for name, pack := range map[string]func([]file, string, time.Time) ([]byte, error){"tar": packTar, "zip": packZip} {
		first, err := pack(sample, "slipway_1", commit)
		if err != nil {
			t.Fatal(err)
		}
		second, err := pack(sample, "slipway_1", commit)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: two archives of the same files differ, error %v", name, err)
		}
	}
}

func TestTarKeepsFiles(t *testing.T) {
	packed, err := packTar(sample, "slipway_1", commit)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	entries := tar.NewReader(unpacked)
	for _, want := range sample {
		h, err := entries.Next()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(entries)
		if err != nil || h.Name != "slipway_1/"+want.name || h.FileInfo().Mode() != want.mode || !h.ModTime.Equal(commit) || !bytes.Equal(content, want.content) {
			t.Errorf("got %s with mode %v and time %v, want %s with mode %v and the time of the commit", h.Name, h.FileInfo().Mode(), h.ModTime, want.name, want.mode)
		}
	}
}

// The SBOM lists the modules of a binary. This test is one.
func TestSBOM(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := release{module: "example.com/slipway", version: "v1.2.3", commit: "abc", date: commit}
	text, err := r.sbom(binary, "linux/amd64")
	if err != nil {
		t.Fatal(err)
	}
	var list bom
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if list.Metadata.Component.PURL != "pkg:golang/example.com/slipway@v1.2.3" || list.Metadata.Timestamp != "2026-11-16T12:00:00Z" {
		t.Errorf("got %+v, want the module, its version and the time of the commit", list.Metadata)
	}
	for _, want := range []string{"pkg:golang/std@1.", "pkg:golang/github.com/google/uuid@v1."} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the SBOM doesn't contain %s", want)
		}
	}
	if len(list.Dependencies) != 1 || len(list.Dependencies[0].DependsOn) != len(list.Components) {
		t.Errorf("got the dependencies %v, want all %d components", list.Dependencies, len(list.Components))
	}
	if again, err := r.sbom(binary, "linux/amd64"); err != nil || !bytes.Equal(again, text) {
		t.Errorf("two SBOMs of the same binary differ, error %v", err)
	}
}
