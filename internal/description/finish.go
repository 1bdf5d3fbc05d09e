package description

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

const schemaPrefix = "#/components/schemas/"

// finish returns the description for clients. It is a copy, because huma
// validates requests with the original, and refers to schemas by name where the
// original has them in place.
func finish(described *huma.OpenAPI) *huma.OpenAPI {
	doc := copyDocument(described)
	shareParts(doc)
	uniteEvents(doc)
	uniteVariants(doc)
	nameEnums(doc)
	boundIntegers(doc)
	closeObjects(doc)
	explainPatterns(doc)
	describePages(doc)
	describeRetries(doc)
	return doc
}

// boundIntegers gives each integer a format that fits in the number type of
// every language. int64 doesn't: in JavaScript, generators turn it into bigint,
// which JSON.stringify rejects. So an integer is an int32 if its limits fit.
// Otherwise, it is a double-int, a registered format for integers that a double
// represents exactly, with these limits.
func boundIntegers(doc *huma.OpenAPI) {
	const maxInt32, maxSafe = 1<<31 - 1, 1<<53 - 1
	for s := range schemasOf(doc) {
		if s.Type != huma.TypeInteger {
			continue
		}
		if s.Minimum != nil && s.Maximum != nil && *s.Minimum >= -maxInt32-1 && *s.Maximum <= maxInt32 {
			s.Format = "int32"
			continue
		}

		s.Format = "double-int"
		if s.Minimum == nil {
			s.Minimum = new(float64(-maxSafe))
		}
		if s.Maximum == nil {
			s.Maximum = new(float64(maxSafe))
		}
	}
}

// closeObjects decides for each object whether it can have other properties. An
// object with properties has exactly these in its version of the API. See
// docs/decisions/0026.
func closeObjects(doc *huma.OpenAPI) {
	for s := range schemasOf(doc) {
		values, isSchema := s.AdditionalProperties.(*huma.Schema)
		switch {
		case s.Type != huma.TypeObject:
		case isSchema && isAny(values):
			s.AdditionalProperties = true
		case s.AdditionalProperties == nil:
			s.AdditionalProperties = len(s.Properties) == 0
		}
	}
}

// isAny reports whether a schema accepts all values.
func isAny(s *huma.Schema) bool {
	return s.Type == "" && s.Ref == "" && len(s.OneOf)+len(s.AnyOf)+len(s.AllOf)+len(s.Enum) == 0
}

// explainPatterns renames patternDescription, which is not part of OpenAPI.
func explainPatterns(doc *huma.OpenAPI) {
	for s := range schemasOf(doc) {
		if s.PatternDescription != "" {
			extend(s, "x-pattern-description", s.PatternDescription)
			s.PatternDescription = ""
		}
	}
}

// describePages adds x-pagination to each operation that returns pages.
func describePages(doc *huma.OpenAPI) {
	for op := range operationsOf(doc) {
		if hasParameter(op, "starting_after") && hasParameter(op, "ending_before") {
			op.Extensions = withExtension(op.Extensions, "x-pagination", map[string]any{
				"items": "data", "has_more": "has_more", "limit": "limit",
				"next":     map[string]string{"property": "next_cursor", "parameter": "starting_after"},
				"previous": map[string]string{"property": "prev_cursor", "parameter": "ending_before"},
			})
		}
	}
}

// describeRetries adds x-idempotent to each operation with idempotency keys.
func describeRetries(doc *huma.OpenAPI) {
	for op := range operationsOf(doc) {
		if hasParameter(op, "Idempotency-Key") {
			op.Extensions = withExtension(op.Extensions, "x-idempotent", map[string]any{"header": "Idempotency-Key", "hours": 24})
		}
	}
}

// hasParameter reports whether an operation has a parameter, or refers to it.
func hasParameter(op *huma.Operation, name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool {
		return p.Name == name || p.Ref == parameterPrefix+name
	})
}

func withExtension(all map[string]any, name string, value any) map[string]any {
	all = maps.Clone(all)
	if all == nil {
		all = map[string]any{}
	}
	all[name] = value
	return all
}

// schemasOf yields every schema of the description, and the schemas inside
// before the schema around them. A caller can change each in place.
func schemasOf(doc *huma.OpenAPI) func(yield func(*huma.Schema) bool) {
	return schemasIn(rootsOf(doc)...)
}

// schemasIn does the same for some schemas.
func schemasIn(roots ...*huma.Schema) func(yield func(*huma.Schema) bool) {
	return func(yield func(*huma.Schema) bool) {
		stopped := false
		var inside func(*huma.Schema)
		visit := func(s *huma.Schema) {
			if s == nil || stopped {
				return
			}
			inside(s)
			if !stopped && !yield(s) {
				stopped = true
			}
		}
		inside = func(s *huma.Schema) {
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				visit(s.Properties[name])
			}
			visit(s.Items)
			visit(s.Not)
			for _, list := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf} {
				for _, part := range list {
					visit(part)
				}
			}
			if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
				visit(values)
			}
		}
		for _, root := range roots {
			visit(root)
		}
	}
}

// rootsOf returns the schemas that are in no other schema: those of the
// components first, then those of the operations.
func rootsOf(doc *huma.OpenAPI) (roots []*huma.Schema) {
	params := func(all ...*huma.Param) {
		for _, p := range all {
			roots = append(roots, p.Schema)
		}
	}
	content := func(all map[string]*huma.MediaType) {
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			roots = append(roots, all[kind].Schema)
		}
	}
	response := func(res *huma.Response) {
		content(res.Content)
		for _, name := range slices.Sorted(maps.Keys(res.Headers)) {
			params(res.Headers[name])
		}
	}

	components := doc.Components
	for _, name := range slices.Sorted(maps.Keys(components.Schemas.Map())) {
		roots = append(roots, components.Schemas.Map()[name])
	}
	params(valuesOf(components.Parameters)...)
	params(valuesOf(components.Headers)...)
	for _, res := range valuesOf(components.Responses) {
		response(res)
	}

	operations := slices.Collect(operationsOf(doc))
	for _, item := range valuesOf(doc.Webhooks) {
		operations = append(operations, item.Post)
	}
	for _, op := range operations {
		params(op.Parameters...)
		if op.RequestBody != nil {
			content(op.RequestBody.Content)
		}
		for _, res := range valuesOf(op.Responses) {
			response(res)
		}
	}
	return roots
}

// valuesOf returns the values of a map in the order of its keys.
func valuesOf[V any](m map[string]V) (values []V) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		values = append(values, m[k])
	}
	return values
}
