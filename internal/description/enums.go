package description

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/enum"
)

// EnumNames returns the names of enums in the description.
func EnumNames() (names []string) {
	for _, e := range enum.All() {
		names = append(names, e.Name)
	}
	return names
}

// nameEnums moves the enums of the description to its components and refers to
// them there. An enum without a name stays where it is, and a test fails.
func nameEnums(doc *huma.OpenAPI) {
	byValues := namedEnums()
	schemas, named := doc.Components.Schemas.Map(), map[*huma.Schema]bool{}
	for s := range schemasOf(doc) {
		e := byValues[valuesKey(s)]
		if len(s.Enum) == 0 || named[s] || e == nil {
			continue
		}
		// Parameters don't say since when their values exist.
		since := sinceValues(s)
		if since != nil && e.Extensions == nil {
			e.Extensions = since
		}
		if since != nil && !reflect.DeepEqual(since, e.Extensions) {
			continue
		}
		schemas[e.Title], named[e] = e, true
		referTo(s, e.Title)
	}
	for e := range named {
		e.Title = ""
	}
}

// namedEnums returns the schemas of the enums that have a name, by their values. The title
// is the name.
func namedEnums() map[string]*huma.Schema {
	byValues := map[string]*huma.Schema{}
	for _, e := range enum.All() {
		s := &huma.Schema{Title: e.Name, Type: huma.TypeString, Description: e.Doc}
		previewed := *s // with other names of amounts
		for _, v := range e.Values {
			s.Enum = append(s.Enum, v)
			previewed.Enum = append(previewed.Enum, rest.PreviewText(fmt.Sprint(v)))
		}
		byValues[valuesKey(s)] = s
		if key := valuesKey(&previewed); byValues[key] == nil {
			byValues[key] = &previewed
		}
	}
	return byValues
}

// referTo replaces the type and the values of a schema with a reference.
func referTo(s *huma.Schema, name string) {
	ref, nullable := schemaPrefix+name, s.Nullable
	s.Type, s.Nullable, s.Enum = "", false, nil
	delete(s.Extensions, sinceValuesOf)
	if nullable {
		s.AnyOf = []*huma.Schema{{Ref: ref}, {Type: "null"}}
	} else {
		s.Ref = ref
	}
}

// valuesKey is the same for enums with the same values in another order.
func valuesKey(s *huma.Schema) string {
	var values []string
	for _, v := range withoutNull(s.Enum) {
		values = append(values, fmt.Sprint(v))
	}
	slices.Sort(values)
	return strings.Join(values, " ")
}

func withoutNull(values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
}

// sinceValues returns since when the values of an enum exist, or nil.
func sinceValues(s *huma.Schema) map[string]any {
	out := maps.Clone(s.Extensions)
	maps.DeleteFunc(out, func(name string, _ any) bool { return name != sinceValuesOf })
	if len(out) == 0 {
		return nil
	}
	return out
}
