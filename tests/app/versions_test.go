package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

const versionFiles = "../../api/versions/"

// Each version has a file with its operations, properties, types, enum values and events. A
// release adds the checksum of its file. From then on, the file never changes, and -update
// doesn't write it: what a version had, it has forever. What isn't released is in next.txt.
func TestVersions(t *testing.T) {
	released := checksums(t)
	for i, v := range version.Published {
		sum, frozen := released[v.Date+".txt"]
		delete(released, v.Date+".txt")
		golden, got := versionFiles+v.Date+".txt", contentsOf(t, v.Date)
		if !frozen {
			assert.Equal(t, i, len(version.Published)-1, "versions before "+v.Date+", which all need a checksum")
			golden = versionFiles + "next.txt"
		}
		if *update && !frozen {
			assert.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
		}
		want, err := os.ReadFile(golden)
		assert.NoError(t, err)
		switch {
		case frozen && checksum(want) != sum:
			t.Errorf("%s was changed. The file of a released version never changes.", golden)
		case got != string(want) && frozen:
			t.Errorf("version %s is released, and no longer the same. What was added needs the tag since, and what was removed must come back:\n%s",
				v.Date, differences(string(want), got))
		case got != string(want):
			t.Errorf("%s is outdated. Run `make openapi` and review the diff.\n%s", golden, differences(string(want), got))
		}
	}
	for name := range released {
		t.Errorf("SHA256SUMS has %s, which is not a version", name)
	}
}

// checksums returns the checksums of released versions, as sha256sum writes them.
func checksums(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(versionFiles + "SHA256SUMS")
	assert.NoError(t, err)
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	return sums
}

func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// differences returns the lines that only one of two files has.
func differences(want, got string) string {
	var b strings.Builder
	old, now := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range old {
		if !slices.Contains(now, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range now {
		if !slices.Contains(old, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}

// A version is dated by the day of its release. A client that pins today's date would get
// the version before one in the future.
func TestNoVersionLiesInTheFuture(t *testing.T) {
	today := time.Now().UTC().Format(time.DateOnly) // of the build
	if v := version.Latest(); v > today {
		t.Errorf("version %s is later than today, %s", v, today)
	}
}

// contentsOf lists what a version of the description contains.
func contentsOf(t *testing.T, date string) string {
	t.Helper()
	text, err := description.JSON(description.At(app.Described().Stable(), date))
	assert.NoError(t, err)
	var doc struct {
		Paths      map[string]map[string]describedOperation
		Components struct {
			Schemas    map[string]described
			Parameters map[string]describedParameter
		}
	}
	assert.NoError(t, json.Unmarshal(text, &doc))

	c := contents{schemas: doc.Components.Schemas}
	variants := map[string]bool{} // of unions, which have their properties in common
	for _, s := range c.schemas {
		for _, variant := range s.OneOf {
			variants[variant.name()] = true
		}
		for _, part := range s.AllOf { // they have the properties of the part
			variants[part.name()] = true
		}
	}
	for name, s := range c.schemas {
		if variants[name] {
			continue
		}
		if len(s.OneOf) > 0 {
			s = union(c.schemas, s.OneOf)
		}
		c.addProperties(name, s)
	}
	for path, item := range doc.Paths {
		for method, op := range item {
			c.addOperation(strings.ToUpper(method)+" "+path, op, doc.Components.Parameters)
		}
	}
	for _, k := range app.Kinds() {
		if k.Since <= date {
			c.add("event "+k.Type, reflect.TypeOf(k.Object).Name())
		}
	}
	slices.Sort(c.lines)
	return strings.Join(c.lines, "\n") + "\n"
}

// contents are the lines of the file of a version.
type contents struct {
	schemas map[string]described
	lines   []string
}

func (c *contents) add(name, kind string, values ...any) {
	line := name + " " + kind
	for _, v := range values {
		line += " " + fmt.Sprint(v)
	}
	c.lines = append(c.lines, line)
}

func (c *contents) addOperation(endpoint string, op describedOperation, shared map[string]describedParameter) {
	c.add("operation "+op.OperationID, endpoint)
	for _, p := range op.Parameters {
		if p.Ref != "" {
			p = shared[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
		}
		c.add("parameter "+op.OperationID+"."+p.Name, p.Schema.kind(c.schemas), p.Schema.values(c.schemas)...)
	}
	for status, res := range op.Responses {
		if content, ok := res.Content["application/json"]; ok && status < "3" {
			c.add("response "+op.OperationID+"."+status, content.Schema.kind(c.schemas))
			c.addProperties(op.OperationID, content.Schema)
		}
	}
}

// addProperties adds the properties of a schema, and of the objects inside.
func (c *contents) addProperties(name string, s described) {
	for field, p := range s.Properties {
		c.add(name+"."+field, p.kind(c.schemas), p.values(c.schemas)...)
		c.addProperties(name+"."+field, p)
		if p.Items != nil {
			c.addProperties(name+"."+field+"[]", *p.Items)
		}
	}
}

type describedOperation struct {
	OperationID string
	Parameters  []describedParameter
	Responses   map[string]struct {
		Content map[string]struct{ Schema described }
	}
}

type describedParameter struct {
	Ref    string `json:"$ref"`
	Name   string
	Schema described
}

// described is a schema of the description.
type described struct {
	Ref        string `json:"$ref"`
	Type       any
	OneOf      []described
	AllOf      []described
	AnyOf      []described
	Items      *described
	Properties map[string]described
	Additional any `json:"additionalProperties"`
	Enum       []any
	Const      any
}

func (d described) name() string { return strings.TrimPrefix(d.Ref, "#/components/schemas/") }

// kind returns the type of a value, such as string, [Deal] or Address|null.
func (d described) kind(schemas map[string]described) string {
	switch {
	case d.Ref != "" && len(d.in(schemas).Enum) > 0: // the name of an enum is for generators
		return "string"
	case d.Ref != "":
		return d.name()
	case len(d.AnyOf) > 0:
		var kinds []string
		for _, one := range d.AnyOf {
			kinds = append(kinds, one.kind(schemas))
		}
		return strings.Join(kinds, "|")
	case d.Items != nil:
		return "[" + d.Items.kind(schemas) + "]" + strings.TrimPrefix(typeName(d.Type), "array")
	}
	if values, ok := d.Additional.(map[string]any); ok {
		return "map of " + typeName(values["type"])
	}
	return typeName(d.Type)
}

// typeName returns one or more types of JSON.
func typeName(kind any) string {
	var names []string
	all, _ := kind.([]any)
	for _, one := range all {
		names = append(names, fmt.Sprint(one))
	}
	switch {
	case kind == nil:
		return "any"
	case len(names) > 0:
		return strings.Join(names, "|")
	}
	return fmt.Sprint(kind)
}

// union returns the properties of the first variant, with the types and the values that the
// variants have in turn. The types of events are listed separately.
func union(schemas map[string]described, variants []described) described {
	properties := map[string]described{}
	for field, p := range variants[0].in(schemas).Properties {
		var types []any
		for _, v := range variants {
			other := v.in(schemas).Properties[field]
			if other.Const != nil && field != "type" {
				p.Enum = append(p.Enum, other.Const)
			}
			all, isList := other.Type.([]any)
			if !isList && other.Type != nil {
				all = []any{other.Type}
			}
			for _, one := range all {
				if !slices.Contains(types, one) {
					types = append(types, one)
				}
			}
		}
		slices.SortFunc(types, func(a, b any) int { return strings.Compare(fmt.Sprint(b), fmt.Sprint(a)) })
		if len(types) > 1 {
			p.Type = types
		}
		if field == "data" {
			p.Properties = nil
		}
		properties[field] = p
	}
	return described{Properties: properties}
}

// in returns the schema that d refers to.
func (d described) in(schemas map[string]described) described {
	if d.Ref != "" {
		d = schemas[d.name()]
	}
	if len(d.AllOf) == 0 {
		return d
	}
	all := described{Properties: map[string]described{}}
	for _, part := range d.AllOf {
		maps.Copy(all.Properties, part.in(schemas).Properties)
	}
	return all
}

// values returns the values of an enum.
func (d described) values(schemas map[string]described) []any {
	enum := d.in(schemas)
	if len(d.AnyOf) == 2 { // the values, and null
		enum = d.AnyOf[0].in(schemas)
	}
	if d.Items != nil {
		enum = d.Items.in(schemas)
	}
	values := slices.Clone(enum.Enum)
	slices.SortFunc(values, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return slices.DeleteFunc(values, func(v any) bool { return v == nil })
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
