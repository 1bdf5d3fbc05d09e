package app

import (
	"strings"
	"testing"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/platform/rest"
)

// The IDs of operations are unique in all descriptions, because an operation of the preview
// keeps its ID when it is promoted.
func TestOperationIDs(t *testing.T) {
	d := app.Described()
	ids := map[string]string{}
	for _, doc := range []*huma.OpenAPI{d.Stable(), d.Preview(), d.Public()} {
		for _, o := range operationsOf(doc) {
			here := o.Method + " " + o.Path
			if other := ids[o.OperationID]; other != "" {
				t.Errorf("%s and %s both have the ID %s", other, here, o.OperationID)
			}
			ids[o.OperationID] = here
			twin, isTwin := strings.CutSuffix(o.OperationID, "V2")
			if isTwin && ids[twin] != strings.Replace(here, "/v2-preview/", "/v1/", 1) {
				t.Errorf("%s: %s is not the twin of %s, which is %s", here, o.OperationID, twin, ids[twin])
			}
		}
	}
}

// What only serves the console says so in the description, and doesn't say when it becomes stable.
func TestNotPromoted(t *testing.T) {
	const mark, sentence = "x-not-promoted", "It only serves the console and won't become stable."
	doc := app.Described().Preview()
	var marked []string
	for _, o := range operationsOf(doc) {
		if o.Extensions[mark] == nil {
			continue
		}
		marked = append(marked, o.OperationID)
		if !strings.HasSuffix(o.Description, sentence) || o.Extensions["x-preview-promotes"] != nil {
			t.Errorf("%s: got the description %q and the extensions %v", o.OperationID, o.Description, o.Extensions)
		}
	}
	for _, want := range []string{"listDirectory", "search"} {
		if !strings.Contains(strings.Join(marked, " "), want) {
			t.Errorf("%s is not marked; marked are %v", want, marked)
		}
	}
	other := doc.Components.Schemas.Map()["Profile"].Properties["other_account"]
	if other.Extensions[mark] != "console" || !strings.HasSuffix(other.Description, sentence) {
		t.Errorf("got other_account with %v and %q", other.Extensions, other.Description)
	}
}

// A range of times or days is two parameters, such as created_after and created_before.
func TestRanges(t *testing.T) {
	for _, o := range operationsOf(app.Described().Preview()) {
		for _, p := range o.Parameters {
			p = resolved(p)
			isTime := p.In == "query" && (p.Schema.Format == "date" || p.Schema.Format == "date-time")
			if isTime && !strings.HasSuffix(p.Name, "_after") && !strings.HasSuffix(p.Name, "_before") {
				t.Errorf("%s: got the parameter %s, want a name such as created_after", o.OperationID, p.Name)
			}
		}
	}
}

// resolved returns a parameter instead of a reference to it.
func resolved(p *huma.Param) *huma.Param {
	if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
		return app.Described().Preview().Components.Parameters[name]
	}
	return p
}

// Each operation of /v1 with money has a twin in the preview.
func TestTwins(t *testing.T) {
	stable, preview, _ := app.Routes().Surfaces()
	has := map[string]bool{}
	for _, o := range preview.Operations {
		has[o.Method+" "+strings.TrimPrefix(o.Path, rest.PreviewPath)] = true
	}
	for _, o := range stable.Operations {
		if o.CarriesMoney() && !has[o.Method+" "+strings.TrimPrefix(o.Path, rest.StablePath)] {
			t.Errorf("%s carries money and is not in the preview; add it to the twins of package preview", o.ID)
		}
	}
	for _, o := range preview.Operations {
		if id, isTwin := strings.CutSuffix(o.ID, rest.TwinSuffix); isTwin && app.Routes().FindOperation(id) == nil {
			t.Errorf("%s has no operation of /v1", o.ID)
		}
	}
}

// Money is {amount, currency} in the preview, in requests, responses and events, and nothing has
// a name of /v1 that the preview replaces.
func TestMoneyInPreview(t *testing.T) {
	doc := app.Described().Preview()
	for name, s := range doc.Components.Schemas.Map() {
		wantPreviewNames(t, name, s)
	}
	for _, o := range operationsOf(doc) {
		for _, p := range o.Parameters {
			if p = resolved(p); isOldMoney(p.Name) {
				t.Errorf("%s: got the parameter %s", o.OperationID, p.Name)
			}
		}
		for _, text := range []string{o.Summary, o.Description} {
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLower(r) && r != '_' }) {
				if isOldMoney(word) {
					t.Errorf("%s: the description mentions %s", o.OperationID, word)
				}
			}
		}
	}
}

func isOldMoney(name string) bool {
	return strings.HasSuffix(name, "_usd") || strings.HasSuffix(name, "_cents")
}

// wantPreviewNames checks the properties of a schema and of those inside.
func wantPreviewNames(t *testing.T, where string, s *huma.Schema) {
	t.Helper()
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		switch {
		case isOldMoney(name), strings.HasPrefix(name, "price_") && p.Type == huma.TypeInteger:
			t.Errorf("%s.%s is not money of the preview", where, name)
		case name == "at":
			t.Errorf("%s.at: the time of something is created_at", where)
		case strings.Contains(name, "cancelled"):
			t.Errorf("%s.%s: new names are spelled canceled", where, name)
		}
		wantPreviewNames(t, where+"."+name, p)
	}
	for _, e := range s.Enum {
		if text, ok := e.(string); ok && isOldMoney(text) {
			t.Errorf("%s: got the value %s", where, text)
		}
	}
	wantPreviewNames(t, where+"[]", s.Items)
	for _, list := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, part := range list {
			wantPreviewNames(t, where, part)
		}
	}
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		wantPreviewNames(t, where+"[]", values)
	}
}
