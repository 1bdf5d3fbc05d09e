package console

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path"
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
		"index.html":  {Data: []byte(`<script src="{{app.js}}">{{links}}{{session}}`)},
		"routes.json": {Data: []byte(`[{"path":"boats/:id","file":"screen.js"}]`)},
		"app.js":      {Data: []byte(`import"./common.js";import("./screen.js")`)},
		"common.js":   {Data: []byte(`export{}`)},
		"screen.js":   {Data: []byte(`import"./common.js"`)},
	}
	first := loaded(t, build)
	assert.Equal(t, string(loaded(t, build).index), string(first.index), "the same files")

	build["screen.js"] = &fstest.MapFile{Data: []byte(`export{a}`)}
	second := loaded(t, build)
	assert.Len(t, slices.Collect(maps.Keys(second.assets)), 3)
	for url := range second.assets {
		assert.Equal(t, first.assets[url].kind, "", url)
	}
	assert.Equal(t, string(second.index) == string(first.index), false, "the page has the new URL")
}

func loaded(t *testing.T, build fs.FS) files {
	t.Helper()
	all, err := load(build)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The page names the scripts of its screen, so that a browser loads all of them at once. Text in
// the session can't end its element.
func TestPage(t *testing.T) {
	all := built()
	for at, script := range map[string]string{
		"": "screens-today.js", "today": "screens-today.js", "boats": "screens-boats-inventory.js", "boats/import": "screens-boats-import.js",
		"boats/hull_1": "screens-boats-boat.js", "boats/hull_1/photos": "screens-boats-boat.js", "settings/users": "screens-settings-settings.js",
	} {
		page := string(all.page(at, []byte(`{}`)))
		found := regexp.MustCompile(`<link rel="modulepreload" href="/console/assets/\w+/(screens-[^"]+)">`).FindAllStringSubmatch(page, -1)
		if len(found) != 1 || found[0][1] != script {
			t.Errorf("the page at %q loads %v, want %s", at, found, script)
		}
		assert.Equal(t, strings.Count(page, "/common.js"), 1, at)
	}
	assert.Excludes(t, string(all.page("boats/hull_1/photos/more", []byte(`{}`))), "modulepreload")

	page := string(all.page("today", []byte(`{"name":"</script><b>"}`)))
	assert.Contains(t, page, `{"name":"\u003c/script\u003e\u003cb\u003e"}`)
	assert.Excludes(t, page, "{{")
}

// A browser loads app.js with the files that it imports, and app.css, before it shows the
// first screen.
func TestSizes(t *testing.T) {
	contents := map[string][]byte{}
	for url, a := range built().assets {
		contents[path.Base(url)] = a.content
	}
	for name, limit := range limits {
		size, needed := 0, map[string]bool{}
		withImports(contents, name, needed)
		for file := range needed {
			size += len(compress(contents[file]))
		}
		t.Logf("%s: %d bytes", name, size)
		if size > limit {
			t.Errorf("%s has %d bytes with its imports, want at most %d", name, size, limit)
		}
	}
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

var sourceImport = regexp.MustCompile(`(?m)(?:\bfrom |\bimport\(|^import )"(\.[^"]+)"`)

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
		for _, m := range sourceImport.FindAllSubmatch(content, -1) {
			visit(path, filepath.Join(filepath.Dir(file), string(m[1])))
		}
		state[file] = done
	}
	visit(nil, "src/main.tsx")
	if files < 100 {
		t.Errorf("visited %d files, want the whole console", files)
	}
}
