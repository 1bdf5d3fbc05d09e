// Package search splits text into the terms that resources are found by.
package search

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold makes text comparable: lower case, without accents.
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

// most bounds what one word costs in the index.
const most = 40

// Terms are the words that texts are found by, each once. What is written with
// hyphens or dots is found both by its parts and as one word.
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

// Span is the range of words that a searched word stands for: itself and, from
// two letters on, all that start with it.
func Span(word string) (from, to string) {
	word = clip(word)
	if len([]rune(word)) < 2 {
		return word, word + "\x01"
	}
	return word, word + afterAll
}

func clip(word string) string {
	if r := []rune(word); len(r) > most {
		return string(r[:most])
	}
	return word
}
