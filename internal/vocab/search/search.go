// Package search splits text into index terms.
package search

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the text in lower case and without accents, for comparisons.
func Fold(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(s)) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// Words splits text into folded words of letters and digits.
func Words(s string) []string {
	return strings.FieldsFunc(Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// maxLength is the maximum length of a term in the index.
const maxLength = 40

// Terms returns the distinct index terms of the texts. A word with hyphens or
// dots has a term for each part and one for the whole word.
func Terms(texts ...string) []string {
	all := []string{}
	for _, text := range texts {
		for chunk := range strings.FieldsSeq(text) {
			parts := Words(chunk)
			all = append(all, parts...)
			if len(parts) > 1 {
				all = append(all, strings.Join(parts, ""))
			}
		}
	}
	for i, t := range all {
		all[i] = clip(t)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// afterAll sorts after every word that starts with the same letters.
const afterAll = "\U0010FFFF"

// Span returns the range of terms that match a search word: the word itself and,
// if it has at least two letters, all terms that start with it.
func Span(word string) (from, to string) {
	word = clip(word)
	if len([]rune(word)) < 2 {
		return word, word + "\x01"
	}
	return word, word + afterAll
}

func clip(word string) string {
	if r := []rune(word); len(r) > maxLength {
		return string(r[:maxLength])
	}
	return word
}
