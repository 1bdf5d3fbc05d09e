package mcp

import (
	"strings"
	"unicode"
)

// maxText is how many characters of a text a result has.
const maxText = 2000

// text is text that someone outside the dealership can have written, or that was imported.
type text struct {
	Text string `json:"untrusted_text"`
}

// untrusted returns a text without what a person would not see. It returns nil for no text.
func untrusted(parts ...string) *text {
	var seen []string
	for _, p := range parts {
		if p = clean(p, maxText); p != "" {
			seen = append(seen, p)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	return &text{cut(strings.Join(seen, " "), maxText)}
}

// plain returns a short text of the dealership, such as a stock number, in one line.
func plain(s string) string { return line(s, 100) }

func line(s string, most int) string { return strings.Join(strings.Fields(clean(s, most)), " ") }

// clean removes hidden characters, and the text after a number of characters.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(cut(s, most))
}

func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}

// hidden reports whether a person doesn't see a character, or sees it in another place:
// controls, directions, joiners, tags, variation selectors and fillers. They can carry text
// that only a program reads.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector, unicode.Zl, unicode.Zp):
		return true
	}
	return strings.ContainsRune("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0", r) || r >= 0xe0000
}

// shown returns a decoded JSON value as a tool shows it: without nulls, and with each text
// that the schema doesn't restrict as untrusted.
func shown(v any, s *schema, all *document) any {
	s = all.resolve(s)
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			if value == nil {
				continue
			}
			if isEmpty(value) {
				continue
			}
			out[nameOf(name, s)] = shown(value, s.property(name), all)
		}
		return out
	case []any:
		out := []any{}
		for _, value := range v {
			out = append(out, shown(value, s.items(), all))
		}
		return out
	case string:
		if s.isClosed() || isPlainValue(v) {
			return plain(v)
		}
		if t := untrusted(v); t != nil {
			return t
		}
		return ""
	}
	return v
}

// nameOf returns the name of a property. A client can choose names that the schema doesn't
// have, such as those of metadata.
func nameOf(name string, s *schema) string {
	if s != nil && s.Properties[name] != nil || isPlainName(name) {
		return name
	}
	return "other"
}

// isPlainName reports whether a name looks like one of the API.
func isPlainName(name string) bool {
	return len(name) <= 40 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// isPlainValue reports whether a text is an ID, a date or a time, which can't be a sentence.
func isPlainValue(s string) bool { return plainID.MatchString(s) || plainTime.MatchString(s) }

// shrinkJSON removes half of the longest array in a value. It reports false if there is none.
func shrinkJSON(v any) bool {
	best, set := 0, func() {}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				if a, ok := value.([]any); ok && len(a) > best {
					best, set = len(a), func() { v[name] = a[:len(a)/2] }
				}
				walk(value)
			}
		case []any:
			for _, value := range v {
				walk(value)
			}
		}
	}
	walk(v)
	set()
	return best > 0
}
