// Package cell writes the cells of CSV files.
package cell

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is a number or a phone number with its country code. Spreadsheets run it as a
// formula too, but its result is the same number.
var number = regexp.MustCompile(`^[+-][0-9]+(\.[0-9]+)?$`)

// Escape prevents that spreadsheets run a cell as a formula. They do for these
// first characters, in both widths, also after white space.
func Escape(text string) string {
	if number.MatchString(text) {
		return text
	}
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	blanks := text[:len(text)-len(rest)]
	first, _ := utf8.DecodeRuneInString(rest)
	if strings.ContainsAny(blanks, "\t\r\n") || rest != "" && strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20|%", first) {
		return "'" + text
	}
	return text
}
