package guides

import (
	"html/template"
	"regexp"
	"strings"
	"sync"
)

// Code is what the guide to errors says about a code.
type Code struct{ When, Do template.HTML }

var codeSection = regexp.MustCompile("(?m)^### `([a-z_]+)`$")

// Codes returns the codes that the guide to errors explains. A section has a paragraph about
// when, an example, and a paragraph about what to do.
var Codes = sync.OnceValue(func() map[string]Code {
	all := map[string]Code{}
	errors, _ := Find("errors")
	text := string(errors.Markdown())
	headings := codeSection.FindAllStringSubmatchIndex(text, -1)
	for i, h := range headings {
		section := text[h[1]:]
		if i+1 < len(headings) {
			section = text[h[1]:headings[i+1][0]]
		}
		section, _, _ = strings.Cut(section, "\n## ")
		when, rest, _ := strings.Cut(section, "```")
		_, do, _ := strings.Cut(rest, "```")
		all[text[h[2]:h[3]]] = Code{inline(when), inline(do)}
	}
	return all
})

// inline converts Markdown without the elements of paragraphs.
func inline(text string) template.HTML {
	html := strings.TrimSpace(string(convert([]byte(strings.TrimSpace(text))).html))
	return template.HTML(strings.NewReplacer("<p>", "", "</p>", "").Replace(html)) //nolint:gosec // see convert
}
