package description

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/version"
)

// At returns the description of a version of /v1: without what later versions added.
func At(stable *huma.OpenAPI, date string) *huma.OpenAPI {
	doc, info := copyDocument(stable), *stable.Info
	info.Version = date
	doc.Info = &info
	if date == version.Latest() {
		return doc
	}

	pin := pin{doc, date, map[string]bool{}}
	for s := range schemasOf(doc) {
		pin.removeFrom(s)
	}
	pin.removeParameters()
	pin.removeEvents()
	pin.removeUnused()
	for op := range operationsOf(doc) {
		if op.RequestBody != nil {
			pin.fitExamples(op.RequestBody.Content)
		}
		for _, res := range op.Responses {
			pin.fitExamples(res.Content)
		}
	}
	return doc
}

// pin is the description of a version while it is written.
type pin struct {
	doc  *huma.OpenAPI
	date string
	used map[string]bool // schemas
}

// isNewer reports whether a later version added what has these extensions.
func (p pin) isNewer(extensions map[string]any) bool {
	since, _ := extensions[version.Extension].(string)
	return since > p.date
}

// removeFrom removes properties and values from a schema.
func (p pin) removeFrom(s *huma.Schema) {
	for name, property := range s.Properties {
		if p.isNewer(property.Extensions) {
			delete(s.Properties, name)
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
			continue
		}
	}
	values, _ := s.Extensions[sinceValuesOf].(map[string]string)
	for value, since := range values {
		if since <= p.date {
			continue
		}
		if value == "null" {
			s.Nullable = false
			continue
		}
		s.Enum = slices.DeleteFunc(s.Enum, func(v any) bool { return fmt.Sprint(v) == value })
	}
	if len(values) > 0 {
		delete(s.Extensions, sinceValuesOf)
	}
}

func (p pin) removeParameters() {
	shared := p.doc.Components.Parameters
	newer := func(param *huma.Param) bool {
		if known := shared[strings.TrimPrefix(param.Ref, parameterPrefix)]; param.Ref != "" && known != nil {
			param = known
		}
		return p.isNewer(param.Extensions)
	}
	for op := range operationsOf(p.doc) {
		op.Parameters = slices.DeleteFunc(op.Parameters, newer)
	}
	maps.DeleteFunc(shared, func(_ string, param *huma.Param) bool { return p.isNewer(param.Extensions) })
}

// removeEvents removes event types. Each has a schema, which the union of all events refers to.
func (p pin) removeEvents() {
	schemas := p.doc.Components.Schemas.Map()
	maps.DeleteFunc(p.doc.Webhooks, func(_ string, item *huma.PathItem) bool {
		ref := item.Post.RequestBody.Content["application/json"].Schema.Ref
		name := strings.TrimPrefix(ref, schemaPrefix)
		if !p.isNewer(schemas[name].Extensions) {
			return false
		}
		union := schemas["Event"]
		union.OneOf = slices.DeleteFunc(union.OneOf, func(s *huma.Schema) bool { return s.Ref == ref })
		maps.DeleteFunc(union.Discriminator.Mapping, func(_, mapped string) bool { return mapped == ref })
		delete(schemas, name)
		return true
	})
}

// removeUnused removes the schemas that nothing refers to anymore.
func (p pin) removeUnused() {
	schemas := p.doc.Components.Schemas.Map()
	names := slices.Sorted(maps.Keys(schemas))
	kept := map[string]*huma.Schema{}
	maps.Copy(kept, schemas)
	clear(schemas)
	for _, root := range rootsOf(p.doc) {
		p.use(root, kept)
	}
	for _, name := range names {
		if p.used[name] {
			schemas[name] = kept[name]
		}
	}
}

// use marks the schemas that a schema refers to.
func (p pin) use(s *huma.Schema, all map[string]*huma.Schema) {
	if s == nil {
		return
	}
	for inner := range schemasIn(s) {
		name := strings.TrimPrefix(inner.Ref, schemaPrefix)
		if inner.Ref != "" && !p.used[name] {
			p.used[name] = true
			p.use(all[name], all)
		}
	}
}

// fitExamples removes from the examples what their schemas no longer have.
func (p pin) fitExamples(content map[string]*huma.MediaType) {
	for _, m := range content {
		text, ok := m.Example.(json.RawMessage)
		if !ok {
			continue
		}
		var value any
		if json.Unmarshal(text, &value) == nil { // a recorded response
			p.fit(value, m.Schema)
			m.Example = value
		}
	}
}

// fit removes members that a schema doesn't have. A value that is too new becomes the first
// one of the enum.
func (p pin) fit(value any, s *huma.Schema) any {
	s = p.resolve(s)
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			property := s.Properties[name]
			if property == nil && s.AdditionalProperties == false {
				delete(v, name)
			} else if property != nil {
				v[name] = p.fit(member, property)
			}
		}
	case []any:
		if s.Items != nil {
			v = slices.DeleteFunc(v, func(item any) bool { return !p.has(item, s.Items) })
			for i, item := range v {
				v[i] = p.fit(item, s.Items)
			}
			return v
		}
	case string:
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(v)) {
			return s.Enum[0]
		}
	}
	return value
}

// has reports whether a union has a variant for an object.
func (p pin) has(value any, s *huma.Schema) bool {
	s = p.follow(s)
	object, isObject := value.(map[string]any)
	if s.Discriminator == nil || !isObject {
		return true
	}
	kind, _ := object[s.Discriminator.PropertyName].(string)
	return s.Discriminator.Mapping[kind] != ""
}

// resolve returns the schema of a value that can be null.
func (p pin) resolve(s *huma.Schema) *huma.Schema {
	s = p.follow(s)
	if len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null" {
		s = p.follow(s.AnyOf[0])
	}
	return s
}

func (p pin) follow(s *huma.Schema) *huma.Schema {
	if s.Ref == "" {
		return s
	}
	return p.doc.Components.Schemas.Map()[strings.TrimPrefix(s.Ref, schemaPrefix)]
}
