package preview

import (
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

// Resource is a resource of /v1 with what was expanded. L has the references that can be
// expanded, as pointers.
type Resource[T rest.Versioned, L any] struct {
	V     T
	Links L
}

// Shapes returns the type of /v1.
func (Resource[T, L]) Shapes() reflect.Type { return reflect.TypeFor[T]() }

// Revision returns the version.
func (x Resource[T, L]) Revision() int64 { return x.V.Revision() }

// MarshalJSON writes the fields of the resource, followed by what was expanded.
func (x Resource[T, L]) MarshalJSON() ([]byte, error) {
	data, err := wire.Marshal(x.V)
	if err != nil {
		return nil, err
	}
	links, err := wire.Marshal(x.Links)
	if err != nil || string(links) == "{}" {
		return data, err
	}
	data = append(data[:len(data)-1], ',')
	return append(data, links[1:]...), nil
}

// Schema describes the resource. What can be expanded is optional.
func (Resource[T, L]) Schema(r huma.Registry) *huma.Schema {
	ref := r.Schema(reflect.TypeFor[T](), true, "")
	object := r.SchemaFromRef(ref.Ref)
	for name, p := range huma.SchemaFromType(r, reflect.TypeFor[L]()).Properties {
		if object.Properties[name] == nil {
			object.Properties = maps.Clone(object.Properties)
			p.Extensions = map[string]any{rest.Optional: true}
			object.Properties[name] = p
		}
	}
	object.PrecomputeMessages()
	return ref
}

// pageOf returns a page with other objects.
func pageOf[T, R any](p page.Page[T], wrap func(T) R) page.Page[R] {
	out := page.Page[R]{HasMore: p.HasMore, NextCursor: p.NextCursor, PrevCursor: p.PrevCursor, Data: []R{}}
	for _, v := range p.Data {
		out.Data = append(out.Data, wrap(v))
	}
	return out
}
