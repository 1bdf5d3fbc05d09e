package description

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
)

// relaxResponses makes the schemas of responses match what responses guarantee:
// every field is present. It also adds null to the values of nullable enums,
// which huma leaves out.
func relaxResponses(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	sent := map[string]bool{}
	for op := range operationsOf(doc) {
		if op.RequestBody == nil {
			continue
		}
		for _, m := range op.RequestBody.Content {
			follow(m.Schema, schemas, sent)
		}
	}
	for name, s := range schemas {
		if !sent[name] {
			open(s)
		}
		rest.AllowNull(s)
	}
}

// follow marks the schemas that s refers to.
func follow(s *huma.Schema, schemas map[string]*huma.Schema, seen map[string]bool) {
	if s == nil {
		return
	}
	if name := strings.TrimPrefix(s.Ref, "#/components/schemas/"); s.Ref != "" && !seen[name] {
		seen[name] = true
		follow(schemas[name], schemas, seen)
	}
	for _, p := range s.Properties {
		follow(p, schemas, seen)
	}
	follow(s.Items, schemas, seen)
}

func open(s *huma.Schema) {
	if s == nil {
		return
	}
	if closed, ok := s.AdditionalProperties.(bool); ok && !closed {
		s.AdditionalProperties = nil
	}
	s.Required = nil
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if s.Properties[name].Extensions[rest.Optional] == nil {
			s.Required = append(s.Required, name)
		}
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
}
