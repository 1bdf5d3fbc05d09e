package app_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"slipway/internal/app"
)

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
