package app_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"slipway/internal/app"
)

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
