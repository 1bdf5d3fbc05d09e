package preview

import (
	"errors"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

// Body is a request body of /v1 in the shape of the preview.
type Body[T any] struct{ V T }

// UnmarshalJSON reads the shape of the preview.
func (b *Body[T]) UnmarshalJSON(data []byte) error {
	converted, err := shapeOf(reflect.TypeFor[T]()).fromPreview(data)
	if err != nil {
		return err
	}
	return wire.Unmarshal(converted, &b.V)
}

// Schema describes the shape.
func (Body[T]) Schema(r huma.Registry) *huma.Schema { return shapeOf(reflect.TypeFor[T]()).describe(r) }

// Shapes returns the type of /v1.
func (Body[T]) Shapes() reflect.Type { return reflect.TypeFor[T]() }

// Check validates what the schema can't express.
func (b Body[T]) Check(now time.Time) error {
	if c, ok := any(b.V).(rest.Checker); ok {
		return renamed(c.Check(now))
	}
	return nil
}

// Object is an object of /v1 without a version in the shape of the preview.
type Object[T any] struct{ V T }

// Shapes returns the type of /v1.
func (Object[T]) Shapes() reflect.Type { return reflect.TypeFor[T]() }

// MarshalJSON writes the shape of the preview.
func (o Object[T]) MarshalJSON() ([]byte, error) { return shaped(o.V) }

// Schema describes the shape.
func (Object[T]) Schema(r huma.Registry) *huma.Schema {
	return shapeOf(reflect.TypeFor[T]()).describe(r)
}

// Resource is a resource of /v1 in the shape of the preview. L has the references that
// can be expanded, as pointers.
type Resource[T rest.Versioned, L any] struct {
	V     T
	Links L
}

// Shapes returns the type of /v1.
func (Resource[T, L]) Shapes() reflect.Type { return reflect.TypeFor[T]() }

// Revision returns the version.
func (x Resource[T, L]) Revision() int64 { return x.V.Revision() }

// MarshalJSON writes the shape of the preview: the fields of the resource, followed by
// what was expanded.
func (x Resource[T, L]) MarshalJSON() ([]byte, error) {
	data, err := shaped(x.V)
	if err != nil {
		return nil, err
	}
	links, err := shaped(x.Links)
	if err != nil || string(links) == "{}" {
		return data, err
	}
	data = append(data[:len(data)-1], ',')
	return append(data, links[1:]...), nil
}

func shaped[T any](v T) ([]byte, error) {
	data, err := wire.Marshal(v)
	if err != nil {
		return nil, err
	}
	return shapeOf(reflect.TypeFor[T]()).toPreview(data)
}

// Schema describes the shape. What can be expanded is optional.
func (Resource[T, L]) Schema(r huma.Registry) *huma.Schema {
	ref := shapeOf(reflect.TypeFor[T]()).describe(r)
	links := shapeOf(reflect.TypeFor[L]())
	object := r.SchemaFromRef(ref.Ref)
	for name, p := range links.resolve(links.root).Properties {
		if object.Properties[name] == nil {
			object.Properties = maps.Clone(object.Properties)
			p = links.convert(r, p)
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

// renamed returns an error of /v1 with the names of the preview.
func renamed(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	for i, d := range f.Details {
		path := strings.Split(d.Field, ".")
		for j, name := range path {
			if short, _, ok := moneyName(name); ok {
				path[j] = short
			}
		}
		f.Details[i].Field = strings.Join(path, ".")
		f.Message = strings.Replace(f.Message, d.Field, f.Details[i].Field, 1)
	}
	return err
}
