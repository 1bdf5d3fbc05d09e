package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
)

// The reference pages show all operations with samples, and without the errors that they
// share. The documents of the API keep them.
func TestReferenceDocument(t *testing.T) {
	s := testkit.OnSQLite(t)
	operations := func(path string) (count, shared, samples int) {
		var doc struct {
			Paths map[string]map[string]struct {
				Responses map[string]struct {
					Ref string `json:"$ref"`
				}
				Samples []struct{ Source string } `json:"x-codeSamples"`
			}
		}
		if err := json.Unmarshal(send(t, s.As(""), "GET", path, nil).Bytes, &doc); err != nil {
			t.Fatal(err)
		}
		for _, item := range doc.Paths {
			for _, o := range item {
				count++
				for _, r := range o.Responses {
					if r.Ref != "" {
						shared++
					}
				}
				for _, c := range o.Samples {
					if c.Source != "" {
						samples++
					}
				}
			}
		}
		return count, shared, samples
	}

	for path, page := range map[string]string{"/openapi.json": "/docs/reference/openapi.json", "/openapi-preview.json": "/docs/reference/preview/openapi.json"} {
		all, kept, _ := operations(path)
		shown, shared, samples := operations(page)
		if shown != all || shared != 0 || kept == 0 || samples != 3*all {
			t.Errorf("%s shows %d of %d operations with %d shared responses and %d samples; the API has %d shared responses; "+
				"want all operations, 3 samples for each, and shared responses only in the API", page, shown, all, shared, samples, kept)
		}
	}
}

// docs/scaling.md shows the configuration that make test-cluster uses.
func TestClusterConfigurationIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/scaling.md")
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
			t.Errorf("docs/scaling.md doesn't contain the current %s", filepath.Base(file))
		}
	}
}

// Each setting has a row in docs/operating.md, with its default.
func TestSettingsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Settings]()) {
		row := "| `" + f.Tag.Get("env") + "` | "
		if value := f.Tag.Get("default"); value != "" {
			row += "`" + value + "` "
		}
		if !strings.Contains(string(text), row+"|") {
			t.Errorf("docs/operating.md: missing row %q", row+"|")
		}
	}
}
