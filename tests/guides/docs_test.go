package guides

import (
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// docs/failures.md shows the configuration that make test-cluster uses.
func TestClusterConfigurationIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/failures.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../clustertest/config/*")
	if err != nil || len(files) < 4 {
		t.Fatalf("got files %v and error %v, want at least 4", files, err)
	}
	for _, file := range files {
		config, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\n"+string(config)+"```\n") {
			t.Errorf("docs/failures.md doesn't contain the current %s", filepath.Base(file))
		}
	}
}

// Each setting has a row in docs/configure.md, with its default.
func TestSettingsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/configure.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Settings]()) {
		row := "| `" + f.Tag.Get("env") + "` | "
		if value := f.Tag.Get("default"); value != "" {
			row += "`" + value + "` "
		}
		if !strings.Contains(string(text), row+"|") {
			t.Errorf("docs/configure.md: missing row %q", row+"|")
		}
	}
}

// llms.txt has the form of llmstxt.org, and each link in it works.
func TestLLMs(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	text := string(open(t, s, "/llms.txt").Bytes)
	if !strings.HasPrefix(text, "# Slipway\n\n> ") || !strings.Contains(text, "\n## Optional\n") {
		t.Errorf("got %s, want a title, a summary and sections", text)
	}
	links := 0
	for line := range strings.Lines(text) {
		_, rest, ok := strings.Cut(line, "](")
		if !ok {
			continue
		}
		links++
		url, _, _ := strings.Cut(rest, ")")
		path, ours := strings.CutPrefix(url, s.Settings().BaseURL)
		if res := open(t, s, path); !ours || res.StatusCode != 200 {
			t.Errorf("%s: got %d", url, res.StatusCode)
		}
	}
	if links < 15 {
		t.Errorf("got %d links, want the guides and the documents", links)
	}
}

// The pages are served next to the API, and each path that guides name exists.
func TestDocsPages(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for path, want := range map[string]int{
		"/docs": 200, "/docs/errors": 200, "/docs/guides/concepts": 200, "/docs/guides/concepts.md": 200, "/docs/search?q=hull": 200,
		"/docs/search.json": 200, "/docs/reference": 200, "/docs/reference/preview": 200, "/docs/reference/public": 200, "/changelog": 200,
		"/changelog.json": 200, "/openapi.json": 200, "/openapi.yaml": 200, "/openapi-preview.json": 200, "/openapi-public.json": 200,
		"/llms.txt": 200, "/docs/guides/nothing": 404, "/docs/nothing": 404,
	} {
		if res := open(t, s, path); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, res.StatusCode, want)
		}
	}
	index := string(open(t, s, "/docs/search.json").Bytes)
	for _, want := range []string{`"/docs/reference/createHull"`, `"/docs/reference/preview/`, `"/docs/errors#consent_missing"`} {
		assert.Contains(t, index, want, "search.json")
	}
	if len(index) > 225_000 {
		t.Errorf("search.json has %d bytes, want at most 225,000", len(index))
	}
}

// open sends a request without a credential, and fails the test only if there is no response.
func open(t *testing.T, s *testkit.Server, path string) *testkit.Response {
	t.Helper()
	res, err := s.As("").Send(http.MethodGet, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
