package templates

import (
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/patch"
)

// MessageSnippet is a short text that people insert while they write to a lead.
type MessageSnippet struct {
	_ struct{} `doc:"A short text that people insert while they write to a lead." privacy:"plain" columns:"id name body / created_at version"`

	Env       auth.Env  `json:"-" db:"env"`
	ID        string    `json:"id" db:"id" doc:"Identifies the snippet. Starts with snip_." example:"snip_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string    `json:"name" db:"name" doc:"Name to type after a slash." example:"still-here"`
	Body      string    `json:"body" db:"body" doc:"Text with places such as {boat}." example:"Hi {first_name|there}, the {boat} is still here for {price}. See it at {link}."`
	Version   int64     `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt time.Time `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision is the version, for the ETag.
func (s MessageSnippet) Revision() int64 { return s.Version }

// MessageSnippetCreate is the body to create a snippet.
type MessageSnippetCreate struct {
	_ struct{} `doc:"A new snippet."`

	Name string `json:"name" minLength:"1" maxLength:"30" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" patternDescription:"lowercase letters, digits and hyphens" doc:"Name to type after a slash." example:"still-here"`
	Body string `json:"body" minLength:"1" maxLength:"1000" doc:"Text. Places are {first_name}, {last_name}, {boat}, {price}, {link}, {photo}, {seller} and {dealership}. {first_name|there} has other words for people without a first name. A sentence is left out if a place in it has no value and no other words." example:"Hi {first_name|there}, the {boat} is still here for {price}. See it at {link}."`
}

// MessageSnippetPatch is the body to change a snippet.
type MessageSnippetPatch struct {
	_ struct{} `doc:"Changes to a snippet. Omitted fields keep their values."`

	Name patch.Value[string] `json:"name,omitzero" minLength:"1" maxLength:"30" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" patternDescription:"lowercase letters, digits and hyphens" doc:"Name to type after a slash."`
	Body patch.Value[string] `json:"body,omitzero" minLength:"1" maxLength:"1000" doc:"Text with places."`
}

// LeadSnippets are the snippets for a lead.
type LeadSnippets struct {
	_ struct{} `doc:"The snippets, filled in for a lead."`

	Data []LeadSnippet `json:"data" nullable:"false" doc:"The snippets by name."`
}

// LeadSnippet is a snippet with the values of a lead.
type LeadSnippet struct {
	_ struct{} `doc:"A snippet, filled in for a lead."`

	ID      string   `json:"id" doc:"ID of the snippet." example:"snip_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name    string   `json:"name" doc:"Name to type after a slash." example:"still-here"`
	Text    string   `json:"text" doc:"Text with the values of the lead. Empty if each sentence needs a value that is missing." example:"Hi Grace, the 2024 Grady-White Freedom 235 is still here for $124,900."`
	Missing []string `json:"missing" nullable:"false" doc:"Places without a value, whose sentences were left out." example:"[\"link\"]"`
}

func (n MessageSnippetCreate) snippet() MessageSnippet {
	return MessageSnippet{Name: n.Name, Body: n.Body}
}

func (p MessageSnippetPatch) apply(s *MessageSnippet) {
	p.Name.To(&s.Name)
	p.Body.To(&s.Body)
}

func (s MessageSnippet) check() error {
	var bad fault.Fields
	if strings.TrimSpace(s.Body) == "" {
		bad.Add("body", "too_short", "must not be blank")
	}
	if strings.ContainsAny(place.ReplaceAllString(s.Body, ""), "{}") {
		bad.Add("body", "pattern", "has a brace that doesn't belong to a place such as {first_name|there}")
	}
	for _, m := range place.FindAllStringSubmatch(s.Body, -1) {
		if !slices.Contains(snippetPlaces, m[1]) {
			bad.Add("body", "enum", "has the place {%s}, which must be one of %s", m[1], strings.Join(snippetPlaces, ", "))
		}
	}
	return bad.Err()
}

// snippetPlaces are the values of a snippet. The boat has more of them than in a text for many people.
var snippetPlaces = append(slices.Clone(places), "price", "link", "photo")

// sentences divides a text. Each part has the space that follows it.
var sentences = lazy.Regexp(`(?s).+?(?:[.!?]+(?:\s+|$)|\n+|$)`)

// Fill fills in the values. A sentence with a place that has neither a value nor other words is left out.
func (v Values) Fill(text string) (filled string, missing []string) {
	missing = []string{}
	for _, s := range sentences().FindAllString(text, -1) {
		lacking := v.lacking(s)
		if len(lacking) == 0 {
			filled += v.Render(s)
			continue
		}
		missing = append(missing, lacking...)
		// What is left of the line ends where the sentence ended.
		if end := s[len(strings.TrimRight(s, " \t\n")):]; strings.Contains(end, "\n") && filled != "" && !strings.HasSuffix(filled, "\n") {
			filled = strings.TrimRight(filled, " \t") + end
		}
	}
	slices.Sort(missing)
	return strings.TrimSpace(filled), slices.Compact(missing)
}

// lacking returns the places of a text that have neither a value nor other words.
func (v Values) lacking(text string) (all []string) {
	for _, m := range place.FindAllStringSubmatch(text, -1) {
		if strings.TrimSpace(v.of(m[1])) == "" && m[2] == "" {
			all = append(all, m[1])
		}
	}
	return all
}
