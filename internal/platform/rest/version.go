package rest

import (
	"net/url"
	"reflect"

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
