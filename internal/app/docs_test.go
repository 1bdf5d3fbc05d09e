package app_test

import (
	"os"
	"reflect"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
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
			testkit.Contains(t, text, row+"|", file, "row")
		}
	}
}
