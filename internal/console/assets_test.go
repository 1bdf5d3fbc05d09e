package console

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"slipway/internal/console/bundle"
	"slipway/internal/testkit/assert"
)

var update = flag.Bool("update", false, "write the bundle to dist")

// limits are the largest sizes of the files that a browser loads, after compression.
var limits = map[string]int{"app.js": 60 << 10, "app.css": 13 << 10}

// The committed files are the bundle of the committed source.
func TestUpToDate(t *testing.T) {
	files, err := bundle.Build("src")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		file := filepath.Join("dist", name)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not the bundle of src. Run make console.", file)
		}
	}

	committed, err := filepath.Glob("dist/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range committed {
		if files[filepath.Base(file)] != nil {
			continue
		}
		if !*update {
			t.Errorf("%s is not part of the bundle of src. Run make console.", file)
		} else if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// A build with another content has other URLs, so a browser never mixes the files of two builds.
func TestChangedFileHasAnotherURL(t *testing.T) {
	build := fstest.MapFS{
		"index.html": {Data: []byte(`<script src="{{app.js}}">`)},
		"app.js":     {Data: []byte(`import("./screen.js")`)},
		"screen.js":  {Data: []byte(`export{}`)},
	}
	first := load(build)
	assert.Equal(t, load(build), first, "the same files")

	build["screen.js"] = &fstest.MapFile{Data: []byte(`export{a}`)}
	second := load(build)
	assert.Len(t, slices.Collect(maps.Keys(second.assets)), 2)
	for url := range second.assets {
		assert.Equal(t, first.assets[url], asset{}, url)
	}
	assert.Equal(t, string(second.index) == string(first.index), false, "the page has the new URL")
}

// A browser loads app.js with the files that it imports, and app.css, before it shows the
// first screen.
func TestSizes(t *testing.T) {
	for name, limit := range limits {
		size := 0
		for _, file := range withImports(t, name, map[string]bool{}) {
			content, err := os.ReadFile(filepath.Join("dist", file))
			if err != nil {
				t.Fatal(err)
			}
			size += compressedSize(t, content)
		}
		t.Logf("%s: %d bytes", name, size)
		if size > limit {
			t.Errorf("%s has %d bytes with its imports, want at most %d", name, size, limit)
		}
	}
}

var staticImport = regexp.MustCompile(`(?:from|import)"\./([^"]+)"`)

// withImports returns a file and the files that it imports, directly or not.
func withImports(t *testing.T, name string, seen map[string]bool) []string {
	t.Helper()
	if seen[name] {
		return nil
	}
	seen[name] = true
	content, err := os.ReadFile(filepath.Join("dist", name))
	if err != nil {
		t.Fatal(err)
	}
	all := []string{name}
	for _, m := range staticImport.FindAllSubmatch(content, -1) {
		all = append(all, withImports(t, string(m[1]), seen)...)
	}
	return all
}

func compressedSize(t *testing.T, content []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// forbidden are patterns that the source must not contain, with the reason.
var forbidden = map[string]*regexp.Regexp{
	"only the SDK sends requests":                  regexp.MustCompile(`\bfetch\(|XMLHttpRequest|EventSource|sendBeacon|WebSocket`),
	"the policy of the pages forbids markup":       regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write`),
	"the policy of the pages forbids style markup": regexp.MustCompile(`\bstyle="`),
}

func TestSource(t *testing.T) {
	err := filepath.WalkDir("src", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "vendor" {
				return fs.SkipDir
			}
			return nil
		}
		if !regexp.MustCompile(`\.(tsx?|css|html)$`).MatchString(path) {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := bytes.Count(content, []byte("\n")); n > 500 {
			t.Errorf("%s has %d lines, want at most 500", path, n)
		}
		for reason, pattern := range forbidden {
			if found := pattern.Find(content); found != nil {
				t.Errorf("%s contains %q: %s", path, found, reason)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var importOf = regexp.MustCompile(`(?m)(?:\bfrom |\bimport\(|^import )"(\.[^"]+)"`)

// Files don't import each other in a loop: what runs first would depend on who imports whom, and
// neither file could be read or moved without the other.
func TestNoImportLoops(t *testing.T) {
	const visiting, done = 1, 2
	state, files := map[string]int{}, 0
	var visit func(path []string, file string)
	visit = func(path []string, file string) {
		path = append(path, file)
		if state[file] == visiting {
			t.Errorf("import loop: %s", strings.Join(path[slices.Index(path, file):], " -> "))
		}
		if state[file] != 0 || !strings.HasPrefix(file, "src/") { // the SDK doesn't import the console
			return
		}
		state[file] = visiting
		files++
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range importOf.FindAllSubmatch(content, -1) {
			visit(path, filepath.Join(filepath.Dir(file), string(m[1])))
		}
		state[file] = done
	}
	visit(nil, "src/main.tsx")
	if files < 100 {
		t.Errorf("visited %d files, want the whole console", files)
	}
}
