package console

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// abbreviations are parts of values that are not words. Their words must be in words.ts.
var abbreviations = []string{
	"ach", "boatstream", "csv", "docs", "ebr", "gap", "hin", "json", "mso", "oidc", "openmarine", "pwc", "saml", "sms", "sso", "totp", "uscg", "webauthn", "xml",
}

// The words of the console are about values of the API, and each value has words.
func TestWords(t *testing.T) {
	source, err := os.ReadFile("src/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	exceptions, classes, _ := strings.Cut(string(source), "const classes")
	words, classWords := keysOf(exceptions), keysOf(classes)
	values := map[string]bool{}
	for _, file := range []string{"openapi.json", "openapi-preview.json"} {
		text, err := os.ReadFile("../../api/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		addEnums(doc, values)
	}

	notEnums := []string{"ai_chat", "sso"} // a usual source of leads, and a way to sign in
	for _, key := range words {
		if !values[key] && !slices.Contains(notEnums, key) {
			t.Errorf("words.ts has words for %q, which is not a value of the API", key)
		}
	}
	for _, key := range classWords {
		if !values["power-"+key] && !values["sail-"+key] && !values["unpowered-"+key] {
			t.Errorf("words.ts has words for the class %q, which is not a boat class of the API", key)
		}
	}
	for value := range values {
		_, class, isClass := strings.Cut(value, "-")
		known := slices.Contains(words, value) || isClass && slices.Contains(classWords, class)
		parts := strings.FieldsFunc(value, func(r rune) bool { return r == '_' || r == '-' })
		if !known && slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(abbreviations, p) }) {
			t.Errorf("words.ts has no words for %q", value)
		}
	}
}

// keysOf returns the keys of an object literal, one per line.
func keysOf(source string) (keys []string) {
	for _, m := range regexp.MustCompile(`(?m)^  (\w+): "`).FindAllStringSubmatch(source, -1) {
		keys = append(keys, m[1])
	}
	return keys
}

// addEnums adds the values of all enums in a document.
func addEnums(node any, values map[string]bool) {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			addEnums(child, values)
		}
	case map[string]any:
		if enum, ok := n["enum"].([]any); ok {
			for _, v := range enum {
				if text, ok := v.(string); ok {
					values[text] = true
				}
			}
		}
		for _, child := range n {
			addEnums(child, values)
		}
	}
}
