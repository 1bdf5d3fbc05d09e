package description

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/wire"
)

// olderOpenAPI is the version of OpenAPI for generators that don't know 3.1.
const olderOpenAPI = "3.0.3"

// Downgraded returns the description in OpenAPI 3.0.3. It says the same, except what 3.0.3 has
// no words for: webhooks, descriptions next to a reference, and properties that are always null.
func Downgraded(doc *huma.OpenAPI) ([]byte, error) {
	text, err := compactJSON(doc)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}

	delete(all, "webhooks")
	downgrade(all)
	all["openapi"] = olderOpenAPI
	if info, ok := all["info"].(map[string]any); ok {
		info["license"] = map[string]any{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}
	}
	return wire.Marshal(all)
}

// downgrade converts each schema in a part of the description, in place.
func downgrade(part any) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			downgrade(p)
		}
	case map[string]any:
		for name, p := range part {
			switch names, _ := p.(map[string]any); {
			case name == "example" || name == "default" || name == "enum" || name == "mapping":
			case name == "properties" && names != nil: // the keys are names
				for _, property := range names {
					downgrade(property)
					allowNull(property)
				}
			case name == "items" || name == "additionalProperties":
				downgrade(p)
				allowNull(p)
			default:
				downgrade(p)
			}
		}
		downgradeSchema(part)
	}
}

// allowNull lets a schema without a type accept null, like all other values.
func allowNull(schema any) {
	s, isObject := schema.(map[string]any)
	for _, name := range []string{"type", "$ref", "allOf", "oneOf", "anyOf"} {
		if s[name] != nil {
			return
		}
	}
	if isObject {
		s["nullable"] = true
	}
}

// downgradeSchema converts one object of the description, if it is a schema.
func downgradeSchema(s map[string]any) {
	if ref, ok := s["$ref"].(string); ok {
		clear(s)
		s["$ref"] = ref
		return
	}
	delete(s, "unevaluatedProperties")
	if value, ok := s["const"]; ok {
		delete(s, "const")
		s["enum"] = []any{value}
	}
	if examples, ok := s["examples"].([]any); ok {
		delete(s, "examples")
		s["example"] = examples[0]
	}
	delete(s, "contentMediaType") // the format says it too
	for limit, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
		if n, ok := s[exclusive].(float64); ok {
			s[limit], s[exclusive] = n, true
		}
	}

	switch kind := s["type"].(type) {
	case string:
		if kind == "null" {
			delete(s, "type") // any value, which is null
		}
	case []any:
		if rest := slices.DeleteFunc(kind, func(k any) bool { return k == "null" }); len(rest) == 1 {
			s["type"], s["nullable"] = rest[0], true
		}
	}
	if either, ok := s["anyOf"].([]any); ok && len(either) == 2 && len(either[1].(map[string]any)) == 0 { // an object or null
		delete(s, "anyOf")
		s["allOf"], s["nullable"] = either[:1], true
	}
	maps.DeleteFunc(s, func(name string, _ any) bool { return name == "x-since" || name == sinceValuesOf })
}
