package cell_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/cell"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"GW-1042":        "GW-1042",
		"=1+1":           "'=1+1",
		"+14105550123":   "+14105550123",
		"-1":             "-1",
		"-1.50":          "-1.50",
		"+1-410-5550123": "'+1-410-5550123", // a spreadsheet would subtract
		"+1+1":           "'+1+1",
		"-A1":            "'-A1",
		"+":              "'+",
		"-1\n":           "'-1\n",
		"@SUM(A1)":       "'@SUM(A1)",
		" =1":            "' =1",
		"\t1":            "'\t1",
		"\uff1d1":        "'\uff1d1",
		"|calc":          "'|calc",
		"%0":             "'%0",
		"12 Dock Street": "12 Dock Street",
	} {
		assert.Equal(t, cell.Escape(text), want, text)
	}
}

// No cell is a formula, whatever the text is. Other text is not changed.
func TestNoCellIsAFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \t]?[=+\-@＝＋－＠|%]?[A-Z0-9(]*`)).Draw(t, "text")
		escaped := cell.Escape(text)
		_, err := strconv.ParseFloat(escaped, 64)
		if opening := strings.TrimLeft(escaped, " \u00a0\u3000"); opening != "" && err != nil &&
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
