package app

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// Each version has a file with its properties, enum values and events. The files of
// published versions don't change: a new property needs the tag since.
func TestVersions(t *testing.T) {
	text := documentText(t)
	for _, v := range version.Published {
		got, golden := contentsOf(t, text, v.Date), "../../api/versions/"+v.Date+".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("api/versions/%s.txt is outdated. A new property needs the tag since. Run `make openapi` and review the diff. %v", v.Date, err)
		}
	}
}

// removed lists what was removed from the first version on purpose, before versions
// were served by tags.
var removed = map[string]string{
	"event contact.consent_captured": "it was never sent: a consent is always recorded through a lead",
	"MFAEnrollment.recovery_codes":   "they are returned when the method is confirmed, in MFAProof",
	"SignIn":                         "it is described in openapi-public.json",
	"SignedIn":                       "it is described in openapi-public.json",
}

// The first version still has all that it had when it was published. The file was
// listed from that description (commit 615a7e1), and -update doesn't write it: a
// wrong tag also changes the files of TestVersions.
func TestFirstVersionIsComplete(t *testing.T) {
	text := documentText(t)
	first := version.Published[0].Date
	has := map[string][]string{}
	for line := range strings.Lines(contentsOf(t, text, first)) {
		name, values := splitContent(line)
		has[name] = values
	}

	shipped, err := os.ReadFile("../../api/versions/" + first + ".shipped.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(shipped)) {
		name, values := splitContent(line)
		schema, _, _ := strings.Cut(name, ".")
		if removed[name] != "" || removed[schema] != "" {
			continue
		}
		got, ok := has[name]
		if !ok {
			t.Errorf("version %s no longer has %s. Remove the tag since.", first, name)
			continue
		}
		for _, v := range values {
			if !slices.Contains(got, v) {
				t.Errorf("version %s no longer has the value %s of %s. Remove it from the tag since.", first, v, name)
			}
		}
	}
}

// splitContent splits a line of the file of a version into a property or an event,
// and the values of an enum.
func splitContent(line string) (name string, values []string) {
	words := strings.Fields(line)
	if words[0] == "event" {
		return words[0] + " " + words[1], nil
	}
	return words[0], words[1:]
}

// contentsOf lists what a version of the description contains.
func contentsOf(t *testing.T, description []byte, date string) string {
	t.Helper()
	var doc struct {
		Components struct{ Schemas map[string]described }
	}
	if err := json.Unmarshal(description, &doc); err != nil {
		t.Fatal(err)
	}

	schemas := doc.Components.Schemas
	variants := map[string]bool{} // of unions, which have their properties in common
	for _, s := range schemas {
		for _, variant := range s.OneOf {
			variants[variant.Ref] = true
		}
	}
	var lines []string
	for name, s := range schemas {
		if variants["#/components/schemas/"+name] {
			continue
		}
		if len(s.OneOf) > 0 {
			s = union(schemas, s.OneOf)
		}
		for field, p := range s.Properties {
			if p.Since > date {
				continue
			}
			line := name + "." + field
			for _, v := range p.values(schemas, date) {
				line += " " + fmt.Sprint(v)
			}
			lines = append(lines, line)
		}
	}
	for _, k := range app.Kinds() {
		if k.Since <= date {
			lines = append(lines, "event "+k.Type)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// described is a schema of the description.
type described struct {
	Ref        string `json:"$ref"`
	Since      string `json:"x-since"`
	OneOf      []described
	AnyOf      []described
	Properties map[string]described
	Enum       []any
	Const      any
	Values     map[string]string `json:"x-since-values"`
}

// union returns the properties of the first variant, with the values that the
// variants have in turn. The types of events are listed separately.
func union(schemas map[string]described, variants []described) described {
	first := variants[0].in(schemas)
	properties := map[string]described{}
	for field, p := range first.Properties {
		for _, v := range variants {
			if other := v.in(schemas).Properties[field]; other.Const != nil && field != "type" {
				p.Enum = append(p.Enum, other.Const)
			}
		}
		properties[field] = p
	}
	return described{Properties: properties}
}

// in returns the schema that d refers to.
func (d described) in(schemas map[string]described) described {
	if d.Ref == "" {
		return d
	}
	return schemas[strings.TrimPrefix(d.Ref, "#/components/schemas/")]
}

// values returns the values of an enum that a version has. The last one is nil if
// it can be null.
func (d described) values(schemas map[string]described, date string) []any {
	enum := d.in(schemas)
	if len(d.AnyOf) == 2 { // the values, and null
		enum = d.AnyOf[0].in(schemas)
		enum.Enum = append(slices.Clone(enum.Enum), nil)
	}
	return slices.DeleteFunc(slices.Clone(enum.Enum), func(v any) bool { return enum.Values[fmt.Sprint(v)] > date })
}

// A client of the first version doesn't see what later versions added, and can't
// send it.
func TestOlderVersion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		first := s.Test.With("Service-Version", version.Published[0].Date)
		deal := "/v1/deals/" + s.Test.Deal(map[string]any{"line_items": []map[string]any{
			{"kind": "rebate", "description": "Boat show", "amount_cents": 50000},
		}})
		has := func(c *testkit.Client, path, field string) bool {
			var d map[string]any
			c.Get(path, 200, &d)
			_, ok := d[field]
			return ok
		}
		assert.Equal(t, has(s.Test, deal, "taxes"), true)
		assert.Equal(t, has(first, deal, "taxes"), false)
		assert.Equal(t, has(first, deal, "status"), true)
		assert.Contains(t, first.Get(deal, 200, nil).Bytes, `"kind":"discount"`)
		assert.Contains(t, s.Test.Get(deal, 200, nil).Bytes, `"kind":"rebate"`)
		assert.Excludes(t, first.Get("/v1/deals", 200, nil).Bytes, `"taxes"`)

		// The response to a write, and its replay.
		const key = "0f5b1c5e-6a4d-4a0e-9c57-3f8f4f3d2a10"
		for range 2 {
			res := first.With("Idempotency-Key", key).Patch(deal, `{"metadata": {"a": "b"}}`, 200, nil)
			assert.Excludes(t, res.Bytes, `"taxes"`)
		}

		for body, field := range map[string]string{
			`{"taxes": []}`: "taxes", `{"line_items": [{"kind": "rebate", "description": "x", "amount_cents": 1}]}`: "line_items[0].kind",
		} {
			f := failed(t, send(t, first, "PATCH", deal, body), 422)
			if !f.HasDetail(field, "version") || !strings.Contains(f.Message, "Service-Version: "+version.Latest()) {
				t.Errorf("%s: got %+v, want the detail %s version, and the version to send", body, f, field)
			}
			s.Test.Patch(deal, body, 200, nil)
		}
	})
}

// Payments were part of the first version, also in lists of events and webhooks.
func TestFirstVersionHasPayments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		first := s.Test.With("Service-Version", version.Published[0].Date)
		deal := "/v1/deals/" + s.Test.AcceptedDeal(nil)
		s.Test.Post(deal+"/payments", `{"kind": "deposit", "method": "check", "amount_cents": 50000, "received_on": "2026-05-01"}`, 201, nil)
		s.RunRelay()
		s.WaitForRelay()
		assert.Contains(t, first.Get("/v1/events?type=payment.recorded", 200, nil).Bytes, `"payment.recorded"`)
		first.Post("/v1/webhooks", `{"url": "https://example.com/hooks", "events": ["payment.recorded"]}`, 201, nil)
	})
}

// The version of a key, and not only the header, decides what it sees.
func TestVersionOfKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal := "/v1/deals/" + s.Test.Deal(nil)
		s.Exec(`UPDATE api_keys SET pin = ?`, version.Published[0].Date)
		res := s.Test.Get(deal, 200, nil)
		assert.Equal(t, res.Header.Get("Service-Version"), version.Published[0].Date)
		assert.Excludes(t, res.Bytes, `"taxes"`)
		assert.Contains(t, s.Test.With("Service-Version", version.Latest()).Get(deal, 200, nil).Bytes, `"taxes"`)
	})
}
