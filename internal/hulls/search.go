package hulls

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold makes text comparable: lower case, without accents.
func fold(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(s)) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// words splits text into folded words of letters and digits.
func words(s string) []string {
	return strings.FieldsFunc(fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// maxTerm bounds what one word costs in the index.
const maxTerm = 40

// terms are the words a hull is found by. What is written with hyphens or dots
// is found both by its parts and as one word: GW-1042 by gw, 1042 and gw1042.
func (h Hull) terms() []string {
	var all []string
	for _, text := range []string{h.Make, h.Model, deref(h.Title), deref(h.StockNumber), deref(h.HIN)} {
		for _, chunk := range strings.Fields(text) {
			parts := words(chunk)
			all = append(all, parts...)
			if len(parts) > 1 {
				all = append(all, strings.Join(parts, ""))
			}
		}
	}
	for i, t := range all {
		if r := []rune(t); len(r) > maxTerm {
			all[i] = string(r[:maxTerm])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// afterAll sorts after every word that starts with the same letters.
const afterAll = "\U0010FFFF"

// span is the range of words that a searched word stands for: itself and, from
// two letters on, all that start with it.
type span struct{ from, to string }

func spanOf(word string) span {
	if r := []rune(word); len(r) > maxTerm {
		word = string(r[:maxTerm])
	}
	if len([]rune(word)) < 2 {
		return span{word, word + "\x01"}
	}
	return span{word, word + afterAll}
}
