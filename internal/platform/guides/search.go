package guides

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Entry is something that the search finds. The names of the fields are short,
// because browsers download all entries.
type Entry struct {
	Title string `json:"t"`
	Kind  string `json:"k"` // the guide, "Error code", or the method and path of an operation
	URL   string `json:"u"`
	Text  string `json:"x"` // the start of the section
}

const guideKind = "Guide"

// The limits of a search.
const (
	maxQuery   = 100 // bytes
	maxWords   = 8
	maxResults = 30
	maxText    = 180 // of an entry, in characters
)

// entriesOf returns the sections of all guides and the operations.
func entriesOf(operations []Operation) (all []Entry) {
	for _, g := range List {
		page := parse(g)
		all = append(all, Entry{page.title, guideKind, g.URL(), g.Summary})
		for _, s := range page.sections {
			kind := g.Label
			if s.Code {
				kind = "Error code"
			}
			all = append(all, Entry{s.Title, kind, g.URL() + "#" + s.ID, excerpt(s.text)})
		}
	}
	for _, o := range operations {
		all = append(all, Entry{o.Summary, o.Method + " " + o.Path, o.URL, excerpt(o.Text)})
	}
	return all
}

// excerpt shortens a text to whole words.
func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	short := string([]rune(text)[:maxText])
	if i := strings.LastIndexByte(short, ' '); i > 0 {
		short = short[:i]
	}
	return strings.TrimRight(short, ".,:; ") + "…"
}

// clip limits a query to maxQuery bytes of valid text.
func clip(query string) string {
	query = strings.ToValidUTF8(query, "")
	if len(query) <= maxQuery {
		return query
	}
	return strings.ToValidUTF8(query[:maxQuery], "")
}

// wordsOf splits a text at everything that is not a letter, a digit or an underscore.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// Search returns the entries that contain all words of the query, the best first.
// The script in the browser does the same.
func Search(entries []Entry, query string) []Entry {
	words := wordsOf(clip(query))
	words = words[:min(len(words), maxWords)]
	if len(words) == 0 {
		return nil
	}

	type hit struct {
		entry Entry
		score int
	}
	var hits []hit
	for _, e := range entries {
		if score := e.score(words); score > 0 {
			hits = append(hits, hit{e, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })

	var found []Entry
	for _, h := range hits[:min(len(hits), maxResults)] {
		found = append(found, h.entry)
	}
	return found
}

// score adds up the best match of each word. It is 0 if a word doesn't match.
func (e Entry) score(words []string) (total int) {
	title, kind, text := wordsOf(e.Title), wordsOf(e.Kind), wordsOf(e.Text)
	for _, w := range words {
		best := max(match(title, w, 12, 8), match(kind, w, 6, 4), match(text, w, 3, 2))
		if best == 0 {
			return 0
		}
		total += best
	}
	if slices.Equal(words, title) {
		total += 10
	}
	if e.Kind == guideKind { // before its sections
		total++
	}
	return total
}

// match returns the score of a word that is in a list, or starts a word of the list.
func match(list []string, word string, whole, start int) (best int) {
	for _, w := range list {
		switch {
		case w == word:
			return whole
		case strings.HasPrefix(w, word):
			best = start
		}
	}
	return best
}
