package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/testkit/assert"
)

// Readers of the API reference see a text for each operation, parameter, property
// and schema.
func TestEverythingIsDescribed(t *testing.T) {
	for name, doc := range map[string]*huma.OpenAPI{"stable": app.Described().Stable(), "preview": app.Described().Preview(), "public": app.Described().Public()} {
		if missing := undescribed(parsed(t, doc)); len(missing) > 0 {
			t.Errorf("%d parts of the %s description have no text:\n%s", len(missing), name, strings.Join(missing, "\n"))
		}
	}
}

func TestUndescribed(t *testing.T) {
	for _, c := range []struct {
		at   []string // in the document
		want string
	}{
		{[]string{"paths", "/v1/hulls", "get", "summary"}, "GET /v1/hulls: summary"},
		{[]string{"paths", "/v1/hulls/{hull_id}/archive", "post", "description"}, "POST /v1/hulls/{hull_id}/archive: description"},
		{[]string{"components", "parameters", "hull_id", "description"}, "parameter hull_id: description"},
		{[]string{"components", "headers", "ETag", "description"}, "header ETag: description"},
		{[]string{"components", "schemas", "Hull", "description"}, "schema Hull: description"},
		{[]string{"components", "schemas", "Hull", "properties", "hold", "description"}, "schema Hull.hold: description"},
		{[]string{"components", "schemas", "ContactPatch", "properties", "address", "properties", "city", "description"},
			"schema ContactPatch.address.city: description"},
	} {
		doc := documentOf(t)
		at := doc
		for _, key := range c.at[:len(c.at)-1] {
			at, _ = at[key].(map[string]any)
		}
		last := c.at[len(c.at)-1]
		if at[last] == nil {
			t.Errorf("%v is not in the document", c.at)
		}
		delete(at, last)
		assert.Equal(t, undescribed(doc), []string{c.want})
	}
}

// undescribed lists the parts of a document that have no text.
func undescribed(doc map[string]any) (missing []string) {
	require := func(where string, part map[string]any, keys ...string) {
		for _, key := range keys {
			if text, _ := part[key].(string); text == "" {
				missing = append(missing, where+": "+key)
			}
		}
	}

	for _, section := range []string{"paths", "webhooks"} {
		each(doc[section], func(path string, item map[string]any) {
			each(item, func(method string, op map[string]any) {
				where := strings.ToUpper(method) + " " + path
				if section == "paths" {
					require(where, op, "summary", "description")
				}
				parameters, _ := op["parameters"].([]any)
				for _, p := range parameters {
					if p, ok := p.(map[string]any); ok && p["$ref"] == nil {
						require(fmt.Sprint(where, " ", p["name"]), p, "description")
					}
				}
				requireProperties(where, op["requestBody"], require)
				requireProperties(where, op["responses"], require)
			})
		})
	}

	components, _ := doc["components"].(map[string]any)
	each(components["parameters"], func(name string, p map[string]any) { require("parameter "+name, p, "description") })
	each(components["headers"], func(name string, h map[string]any) { require("header "+name, h, "description") })
	each(components["schemas"], func(name string, s map[string]any) {
		require("schema "+name, s, "description")
		requireProperties("schema "+name, s, require)
	})
	return missing
}

// requireProperties requires a description of each property below a part of the
// document.
func requireProperties(where string, part any, require func(where string, part map[string]any, keys ...string)) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			requireProperties(where, p, require)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(part)) {
			properties, ok := part[key].(map[string]any)
			switch {
			case key == "properties" && ok:
				each(properties, func(name string, p map[string]any) {
					require(where+"."+name, p, "description")
					requireProperties(where+"."+name, p, require)
				})
			case key != "example" && key != "examples" && key != "default":
				requireProperties(where, part[key], require)
			}
		}
	}
}

// each calls f with the objects in an object, in order.
func each(object any, f func(key string, value map[string]any)) {
	m, _ := object.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if value, ok := m[key].(map[string]any); ok {
			f(key, value)
		}
	}
}

// stableText is the description as clients read it. Assembling it takes longer than reading it.
var stableText = sync.OnceValues(func() ([]byte, error) { return description.JSON(app.Described().Stable()) })

// documentText returns a copy of the description.
func documentText(t *testing.T) []byte {
	t.Helper()
	text, err := stableText()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(text)
}

// documentOf returns a new copy of the description.
func documentOf(t *testing.T) (doc map[string]any) {
	t.Helper()
	if err := json.Unmarshal(documentText(t), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func parsed(t *testing.T, described *huma.OpenAPI) (doc map[string]any) {
	t.Helper()
	text, err := description.JSON(described)
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
