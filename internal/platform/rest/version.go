package rest

import (
	"net/url"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/version"
)

// additions are the parts of a request that versions added.
type additions struct {
	params map[string]string // the version of each
	body   *version.Shape
}

// additionsTo reads the tags of the type of a request.
func additionsTo(request reflect.Type) additions {
	a := additions{params: version.Params(request)}
	if f, ok := request.FieldByName("Body"); ok {
		a.body = version.Of(f.Type)
	}
	return a
}

// check returns an error if the request has parts that its version doesn't have.
func (a additions) check(v string, query url.Values, body []byte) error {
	if err := version.CheckParams(v, a.params, query); err != nil {
		return err
	}
	return a.body.CheckBody(v, body)
}

// describeVersions adds to the description since when a property or a value of an
// enum exists, if the first version doesn't have it.
func describeVersions(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	for name, s := range schemas.Map() {
		shape := version.Of(schemas.TypeFromRef("#/components/schemas/" + name))
		for property, p := range s.Properties {
			if since := shape.Since(property); since != "" {
				extend(p, "x-since", since)
			}
			if values := shape.SinceOf(property); values != nil {
				extend(p, "x-since-values", values)
			}
		}
	}
}

func extend(s *huma.Schema, name string, value any) {
	if s.Extensions == nil {
		s.Extensions = map[string]any{}
	}
	s.Extensions[name] = value
}
