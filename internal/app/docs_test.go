package app_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"slipway/internal/app"
)

// Operators read the tables, not the struct.
func TestSettingsAreDocumented(t *testing.T) {
	for _, file := range []string{"../../README.md", "../../docs/operating.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Settings]()) {
			row := "| `" + f.Tag.Get("env") + "` | "
			if value := f.Tag.Get("default"); value != "" {
				row += "`" + value + "` "
			}
			if !strings.Contains(string(text), row+"|") {
				t.Errorf("%s has no row %q", file, row+"|")
			}
		}
	}
}
