package description

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/version"
)

// describeFields adds to the description which fields only people can set, and which stay in
// the preview.
func describeFields(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	for name, s := range schemas.Map() {
		t := schemas.TypeFromRef(schemaPrefix + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			property, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if rule := f.Tag.Get("assist"); rule != "" && s.Properties[property] != nil {
				extend(s.Properties[property], "x-assistants", rule)
			}
			if f.Tag.Get("promote") == "never" && s.Properties[property] != nil {
				extend(s.Properties[property], notPromoted, "console")
			}
		}
	}
}

// sinceValuesOf is the extension that says since when values of an enum exist, or null.
const sinceValuesOf = "x-since-values"

// describeVersions adds to the description since when a property or a value of an
// enum exists, if the first version doesn't have it.
func describeVersions(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	for name, s := range schemas.Map() {
		describeShape(s, version.Of(schemas.TypeFromRef(schemaPrefix+name)))
	}
}

// describeShape does this for a schema, and for the objects inside that have no name.
func describeShape(s *huma.Schema, shape *version.Shape) {
	for property, p := range s.Properties {
		if since := shape.Since(property); since != "" {
			extend(p, version.Extension, since)
		}
		if values := shape.SinceOf(property); values != nil {
			extend(p, sinceValuesOf, values)
		}
		describeShape(p, shape.Member(property))
	}
}

func extend(s *huma.Schema, name string, value any) {
	if s.Extensions == nil {
		s.Extensions = map[string]any{}
	}
	s.Extensions[name] = value
}
