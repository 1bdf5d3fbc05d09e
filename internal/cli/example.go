package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Example returns the command line that calls an operation, with example values. The ID of
// an operation of the preview starts with "preview.". It returns "" if there is no such
// operation.
func Example(operationID string) string {
	op := find(operationID)
	if op == nil {
		return ""
	}
	for _, c := range commandsOf(op.Noun) {
		switch op {
		case c.Operation:
			return exampleOf(c)
		case c.next:
			return exampleOf(command{op, nil}) + " --preview"
		}
	}
	return ""
}

// exampleFiles are files to upload, by the first media type of the operation.
var exampleFiles = map[string]string{
	"application/pdf": "agreement.pdf", "image/jpeg": "bow.jpg", "text/csv": "numbers.csv",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "boats.csv",
}

func exampleOf(c command) string {
	words := []string{c.line()}
	for _, p := range c.arguments() {
		example := p.Example
		if example == "" || example == "<nil>" {
			example = "whaler"
		}
		words = append(words, quote(example))
	}
	if len(c.Files) > 0 {
		words = append(words, exampleFiles[c.Files[0]])
	}
	switch {
	case c.Example != "":
		words = append(words, exampleBody(c)...)
	case c.Body:
		words = append(words, exampleFields(c)...)
	case c.List:
		words = append(words, exampleFilter(c)...)
	case c.Download:
		words = append(words, "--save", exampleSave(c))
	}
	return strings.Join(words, " ")
}

// exampleBody returns the flags of the recorded body. What has no flag is in -d.
func exampleBody(c command) (words []string) {
	var body map[string]any
	if json.Unmarshal([]byte(c.Example), &body) != nil {
		return nil
	}
	rest := map[string]any{}
	if c.asksForCode() {
		delete(body, "code")
	}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		at := slices.IndexFunc(c.Params, func(p Param) bool { return p.In == inBody && p.Name == name })
		if at < 0 || !c.Params[at].isFlag() {
			rest[name] = body[name]
			continue
		}
		words = append(words, flagWords(c.Params[at], body[name])...)
	}
	if len(rest) > 0 {
		text, _ := json.Marshal(rest) // it was JSON
		words = append(words, "-d", quote(string(text)))
	}
	return words
}

func flagWords(p Param, value any) []string {
	flag := "--" + p.flag()
	switch v := value.(type) {
	case nil:
		return []string{flag, "null"}
	case bool:
		if v {
			return []string{flag}
		}
		return []string{flag + "=false"}
	case float64:
		text, _ := json.Marshal(v) // without an exponent
		return []string{flag, string(text)}
	case []any:
		return []string{flag, quote(strings.ReplaceAll(plainText(v), ";", ","))}
	}
	return []string{flag, quote(fmt.Sprint(value))}
}

// exampleFields returns the required fields, for bodies without a recorded one.
func exampleFields(c command) (words []string) {
	nested := map[string]any{}
	for _, p := range c.Params {
		if p.In != inBody || (!p.Required && c.Verb == "POST") || len(words) >= 8 {
			continue
		}
		switch {
		case !p.isFlag():
			if p.Required {
				nested[p.Name] = map[string]any{}
			}
		case p.Type == "boolean":
			words = append(words, "--"+p.flag())
		default:
			words = append(words, "--"+p.flag(), quote(exampleValue(p)))
		}
		if c.Verb == "PATCH" && len(words) > 0 {
			break
		}
	}
	if len(nested) > 0 {
		words = append(words, "-d", "@body.json")
	}
	return words
}

func exampleValue(p Param) string {
	switch {
	case p.Example != "":
		return p.Example
	case len(p.Values) > 0:
		return p.Values[0]
	case p.Type == "number":
		return "1"
	case strings.HasSuffix(p.Name, "_at"):
		return "2026-05-01T14:00:00Z"
	case strings.HasSuffix(p.Name, "_on"):
		return "2026-05-01"
	case p.Name == "hull_id":
		return "GW-1042"
	case p.Name == "contact_id", p.Name == "buyer_id":
		return "ann@example.com"
	}
	return "…"
}

// exampleFilter returns the first filter with known values.
func exampleFilter(c command) []string {
	for _, p := range c.Params {
		if p.In == inQuery && p.isFlag() && len(p.Values) > 0 {
			return []string{"--" + p.flag(), p.Values[0]}
		}
	}
	return []string{"--limit", "10"}
}

func exampleSave(c command) string {
	switch {
	case strings.Contains(c.Path, "photo"), strings.Contains(c.Path, "logo"):
		return "image.jpg"
	case strings.Contains(c.Path, "feed"):
		return "feed.xml"
	case strings.Contains(c.Path, "stream"):
		return "events.txt"
	}
	return "document.pdf"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote quotes a word for a shell.
func quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
