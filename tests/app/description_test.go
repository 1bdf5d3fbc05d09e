package app

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/version"
)

// The description works with generators: see problems.
func TestDescriptionIsForGenerators(t *testing.T) {
	components := map[string]any{}
	for _, described := range []*huma.OpenAPI{app.Described().Stable(), app.Described().Preview(), app.Described().Public()} {
		doc := parsed(t, described)
		for _, p := range problems(doc) {
			t.Errorf("%s: %s", described.Info.Title, p)
		}
		maps.Copy(components, doc["components"].(map[string]any)["schemas"].(map[string]any))
	}

	for _, name := range description.EnumNames() {
		if e, _ := components[name].(map[string]any); e["enum"] == nil {
			t.Errorf("the enum %s has no place in the description", name)
		}
	}
	for _, u := range enum.Unions() {
		if s, _ := components[u.Type.Name()].(map[string]any); s["oneOf"] == nil {
			t.Errorf("%s has variants, but is not a union of the description", u.Type)
		}
	}
	if kinds := components["Event"].(map[string]any)["oneOf"].([]any); len(kinds) != len(app.Kinds()) {
		t.Errorf("got %d types of events, want %d", len(kinds), len(app.Kinds()))
	}
}

// Each mistake is found.
func TestProblemsOfDescription(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"inline enum":               {`{"type": "object", "additionalProperties": false, "properties": {"a": {"enum": ["x", "y"]}}}`, "has no name"},
		"inline enum in a list":     {`{"type": "array", "items": {"enum": ["x", "y"]}}`, "has no name"},
		"enum that can be null":     {`{"type": ["string", "null"], "enum": ["x", null]}`, "null"},
		"int64":                     {`{"type": "integer", "format": "int64", "minimum": 0, "maximum": 1}`, "format"},
		"integer without a limit":   {`{"type": ["integer", "null"], "format": "double-int", "minimum": 0}`, "limits"},
		"undecided object":          {`{"type": "object", "properties": {}}`, "additionalProperties"},
		"undecided object in oneOf": {`{"oneOf": [{"type": "object"}]}`, "additionalProperties"},
		"union without a selector":  {`{"oneOf": [{"type": "string"}]}`, "discriminator"},
		"OK":                        {`{"type": "integer", "format": "int32", "minimum": 0, "maximum": 1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var doc map[string]any
			if err := json.Unmarshal([]byte(`{"components": {"schemas": {"A": `+c.schema+`}}}`), &doc); err != nil {
				t.Fatal(err)
			}
			found := strings.Join(problems(doc), "; ")
			if (found == "") != (c.want == "") || !strings.Contains(found, c.want) {
				t.Errorf("got problems %q, want one with %q", found, c.want)
			}
		})
	}
}

// problems lists what generators can't use: enums without a name, integers that
// become bigints, objects that don't say whether they are closed, and unions
// without a discriminator.
func problems(doc any) (found []string) {
	var visit func(value any, path []string)
	visit = func(value any, path []string) {
		switch v := value.(type) {
		case []any:
			for i, item := range v {
				visit(item, append(slices.Clone(path), strconv.Itoa(i)))
			}
		case map[string]any:
			if p := problemOf(v, path); p != "" {
				found = append(found, strings.Join(path, "/")+" "+p)
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if name != "example" && name != "examples" && name != "default" {
					visit(v[name], append(slices.Clone(path), name))
				}
			}
		}
	}
	visit(doc, nil)
	return found
}

// problemOf checks one object of the description. Only schemas have a type that
// is a string or a list.
func problemOf(s map[string]any, path []string) string {
	isA := func(kind string) bool {
		list, _ := s["type"].([]any)
		return s["type"] == kind || slices.Contains(list, any(kind))
	}
	isComponent := len(path) == 3 && path[0] == "components" && path[1] == "schemas"
	values, isEnum := s["enum"].([]any)
	isEnum = isEnum && !slices.Contains(path, "servers")
	_, decided := s["additionalProperties"]
	switch {
	case isEnum && !isComponent && len(values) > 1:
		return "is an enum that has no name. Add it to internal/platform/rest/enums.go."
	case isEnum && slices.Contains(values, nil):
		return "has the value null. Places that can be null say so."
	case isA("integer") && s["format"] != "int32" && s["format"] != "double-int":
		return "has another format than int32 and double-int"
	case isA("integer") && (s["minimum"] == nil || s["maximum"] == nil):
		return "has no limits"
	case isA("object") && !decided:
		return "has no additionalProperties"
	case s["oneOf"] != nil && s["discriminator"] == nil:
		return "is a union without a discriminator"
	}
	return ""
}

// The scopes of an operation are those of OAuth, and the reference can be
// generated from the extensions.
func TestExtensionsOfOperations(t *testing.T) {
	doc := app.Described().Stable()
	list, create := doc.Paths["/v1/hulls"].Get, doc.Paths["/v1/hulls"].Post
	assert.Equal(t, list.Security, []map[string][]string{{"bearer": {}}, {"oauth2": {"hulls:read"}}})
	if list.Extensions["x-pagination"] == nil || list.Extensions["x-idempotent"] != nil {
		t.Errorf("listHulls: got %v, want only x-pagination", list.Extensions)
	}
	if create.Extensions["x-pagination"] != nil || create.Extensions["x-idempotent"] == nil {
		t.Errorf("createHull: got %v, want only x-idempotent", create.Extensions)
	}
}

// The description of a server has the URLs of that server.
func TestServerInDescription(t *testing.T) {
	r := rest.New(rest.Config{BaseURL: "http://boats.example.com:8080", AuthURL: "https://id.example.com/login"})
	doc := description.Of(r).Stable()
	host, scheme := doc.Servers[0].Variables["host"].Default, doc.Servers[0].Variables["scheme"].Default
	assert.Equal(t, scheme+"://"+host, "http://boats.example.com:8080")
	flow := doc.Components.SecuritySchemes["oauth2"].Flows.AuthorizationCode
	assert.Equal(t, flow.AuthorizationURL, "https://id.example.com/login/authorize")
	assert.Equal(t, flow.TokenURL, "https://id.example.com/login/token")

	example := description.Of(rest.New(rest.Config{})).Stable().Components.SecuritySchemes["oauth2"].Flows.AuthorizationCode
	assert.Equal(t, example.TokenURL, "https://slipway.example.com/oauth/token")
}

// The values in the tag of a field are values of its type, so that a value that is renamed
// isn't left in a tag.
func TestPartsOfEnums(t *testing.T) {
	parts := 0
	for _, d := range enum.All() {
		of := d.Field.Type
		for of != nil && (of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice) {
			of = of.Elem()
		}
		if of == nil || enum.ValuesOf(of) == nil {
			continue
		}
		parts++
		for _, v := range d.Values {
			assert.Equal(t, slices.Contains(enum.ValuesOf(of), v), true, d.Name, v)
		}
	}
	assert.Equal(t, parts > 5, true, "parts of enums", parts)
}

// The object of each event has an ID.
func TestEventObjectsHaveIDs(t *testing.T) {
	schemas := documentOf(t)["components"].(map[string]any)["schemas"].(map[string]any)
	follow := func(s any) map[string]any {
		ref, _ := s.(map[string]any)["$ref"].(string)
		return schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
	}
	for _, ref := range schemas["Event"].(map[string]any)["oneOf"].([]any) {
		own := follow(ref)["allOf"].([]any)[1].(map[string]any)["properties"].(map[string]any)
		object := follow(own["data"].(map[string]any)["properties"].(map[string]any)["object"])
		variants := []map[string]any{object}
		if all, isUnion := object["oneOf"].([]any); isUnion {
			variants = nil
			for _, v := range all {
				variants = append(variants, follow(v))
			}
		}
		for _, v := range variants {
			if required, _ := v["required"].([]any); !slices.Contains(required, any("id")) {
				t.Errorf("the object of %v has no id", own["type"].(map[string]any)["const"])
			}
		}
	}
}

// The description of a version has and requires no property that a later version added. The
// current one does: an answer in an older version doesn't match it.
func TestVersionRequiresWhatItHas(t *testing.T) {
	for _, v := range version.Published {
		newer := 0
		for name, s := range parsed(t, description.At(app.Described().Stable(), v.Date))["components"].(map[string]any)["schemas"].(map[string]any) {
			s := s.(map[string]any)
			properties, _ := s["properties"].(map[string]any)
			required, _ := s["required"].([]any)
			for _, property := range required {
				p, _ := properties[property.(string)].(map[string]any)
				since, _ := p["x-since"].(string)
				if p == nil || since > v.Date {
					t.Errorf("%s of version %s requires %s, which it doesn't have", name, v.Date, property)
				}
				if since == v.Date {
					newer++
				}
			}
		}
		if (newer > 50) != (v.Date == version.Latest()) {
			t.Errorf("version %s requires %d new properties", v.Date, newer)
		}
	}
}
