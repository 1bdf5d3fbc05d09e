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
	sent := requests{map[string]bool{}, map[*huma.Schema]bool{}}
	for op := range operationsOf(doc) {
		if op.RequestBody == nil {
			continue
		}
		for _, m := range op.RequestBody.Content {
			sent.follow(m.Schema, schemas)
		}
	}
	for name, s := range schemas {
		if !sent.names[name] {
			sent.open(s)
		}
		rest.AllowNull(s)
	}
}

// requests are the schemas that clients send. A nested patch has no name of its own there.
type requests struct {
	names map[string]bool
	parts map[*huma.Schema]bool
}

// follow adds the schemas that s refers to.
func (r requests) follow(s *huma.Schema, schemas map[string]*huma.Schema) {
	if s == nil || r.parts[s] {
		return
	}
	r.parts[s] = true
	if name := strings.TrimPrefix(s.Ref, "#/components/schemas/"); s.Ref != "" {
		r.names[name] = true
		r.follow(schemas[name], schemas)
	}
	for _, p := range s.Properties {
		r.follow(p, schemas)
	}
	r.follow(s.Items, schemas)
}

// open changes a schema of responses, unless clients send it too.
func (r requests) open(s *huma.Schema) {
	if s == nil || r.parts[s] {
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
		r.open(p)
	}
	r.open(s.Items)
}
