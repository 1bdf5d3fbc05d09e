package app_test

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

// The reference page shows all operations, without the errors that they share. The
// document of the API keeps them.
func TestReferenceDocument(t *testing.T) {
	s := testkit.OnSQLite(t)
	operations := func(path string) (count, shared int) {
		var doc struct {
			Paths map[string]map[string]struct {
				Responses map[string]struct {
					Ref string `json:"$ref"`
				}
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
			}
		}
		return count, shared
	}

	all, kept := operations("/openapi.json")
	if shown, shared := operations("/docs/reference/openapi.json"); shown != all || shared != 0 || kept == 0 {
		t.Errorf("the page shows %d of %d operations with %d shared responses; the API has %d; want all, 0 and more than 0", shown, all, shared, kept)
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
