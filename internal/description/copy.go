package description

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// copyDocument returns a copy whose schemas, parameters, operations and
// components can be changed.
func copyDocument(doc *huma.OpenAPI) *huma.OpenAPI {
	out, components := *doc, *doc.Components
	out.Components = &components
	components.Schemas = huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	maps.Copy(components.Schemas.Map(), copyEach(doc.Components.Schemas.Map(), copySchema))
	components.Parameters = copyEach(components.Parameters, copyParam)
	components.Headers = copyEach(components.Headers, copyParam)
	components.Responses = copyEach(components.Responses, copyResponse)
	out.Paths = copyEach(doc.Paths, copyPath)
	out.Webhooks = copyEach(doc.Webhooks, copyPath)
	return &out
}

func copyPath(item *huma.PathItem) *huma.PathItem {
	c := *item
	for _, op := range []**huma.Operation{&c.Get, &c.Post, &c.Put, &c.Patch, &c.Delete} {
		if *op != nil {
			*op = copyOperation(*op)
		}
	}
	return &c
}

func copyOperation(op *huma.Operation) *huma.Operation {
	c := *op
	c.Parameters = slices.Clone(op.Parameters)
	for i, p := range c.Parameters {
		c.Parameters[i] = copyParam(p)
	}
	if op.RequestBody != nil {
		body := *op.RequestBody
		body.Content = copyEach(body.Content, copyMedia)
		c.RequestBody = &body
	}
	c.Responses = copyEach(op.Responses, copyResponse)
	return &c
}

func copyResponse(res *huma.Response) *huma.Response {
	c := *res
	c.Headers = copyEach(res.Headers, copyParam)
	c.Content = copyEach(res.Content, copyMedia)
	return &c
}

func copyParam(p *huma.Param) *huma.Param {
	c := *p
	c.Schema = copySchema(p.Schema)
	return &c
}

func copyMedia(m *huma.MediaType) *huma.MediaType {
	c := *m
	c.Schema = copySchema(m.Schema)
	return &c
}

func copySchema(s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	c := *s
	c.Properties = copyEach(s.Properties, copySchema)
	c.Items, c.Not = copySchema(s.Items), copySchema(s.Not)
	for _, list := range []*[]*huma.Schema{&c.OneOf, &c.AnyOf, &c.AllOf} {
		*list = slices.Clone(*list)
		for i, part := range *list {
			(*list)[i] = copySchema(part)
		}
	}
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		c.AdditionalProperties = copySchema(values)
	}
	if s.Discriminator != nil {
		c.Discriminator = &huma.Discriminator{PropertyName: s.Discriminator.PropertyName, Mapping: maps.Clone(s.Discriminator.Mapping)}
	}
	c.Required, c.Enum, c.Extensions = slices.Clone(s.Required), slices.Clone(s.Enum), maps.Clone(s.Extensions)
	return &c
}

func copyEach[V any](m map[string]V, clone func(V) V) map[string]V {
	if m == nil {
		return nil
	}
	c := make(map[string]V, len(m))
	for k, v := range m {
		c[k] = clone(v)
	}
	return c
}
