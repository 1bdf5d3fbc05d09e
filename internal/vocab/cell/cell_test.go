package cell_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slipway/internal/vocab/cell"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"GW-1042":        "GW-1042",
		"=1+1":           "'=1+1",
		"+1":             "'+1",
		"-1":             "'-1",
		"@SUM(A1)":       "'@SUM(A1)",
		" =1":            "' =1",
		"\t1":            "'\t1",
		"\uff1d1":        "'\uff1d1",
		"|calc":          "'|calc",
		"%0":             "'%0",
		"12 Dock Street": "12 Dock Street",
	} {
		if got := cell.Escape(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// No cell is a formula, whatever the text is. Other text is not changed.
func TestNoCellIsAFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \t]?[=+\-@＝＋－＠|%]?[A-Z0-9(]*`)).Draw(t, "text")
		escaped := cell.Escape(text)
		if opening := strings.TrimLeft(escaped, " \u00a0\u3000"); opening != "" &&
			strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(opening)[0]) {
			t.Fatalf("%q is a formula", escaped)
		}
		if escaped != text && escaped != "'"+text {
			t.Fatalf("%q became %q, want it unchanged or after a quote", text, escaped)
		}
		if text != "" && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= '0' && text[0] <= '9') && escaped != text {
			t.Fatalf("%q became %q, want it unchanged", text, escaped)
		}
	})
}
