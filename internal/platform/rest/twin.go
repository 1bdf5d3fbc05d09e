package rest

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/wire"
)

// Twin mounts an operation of /v1 in the preview too. Its rules and its handler are the same.
// Only the JSON differs.
func (r *Router) Twin(id string) {
	of := r.FindOperation(id)
	if of == nil {
		panic("rest: " + id + " is not an operation")
	}
	op := Operation{Route: of.Route, Method: of.Method, Status: of.Status, Audited: of.Audited, In: of.In, Out: of.Out}
	op.Path, op.ID = strings.TrimPrefix(of.Path, StablePath), of.ID+TwinSuffix
	op.Assist, op.Effect = assist.Never(assist.Twin), nil
	r.Family(of.Family).mount(&op, of.call)
}

// CarriesMoney reports whether the operation reads or writes amounts of money.
func (o *Operation) CarriesMoney() bool {
	carries := func(t reflect.Type) bool {
		s := shapeOf(t)
		return s.has(s.root, s.carriesMoney, map[*huma.Schema]bool{})
	}
	if o.Out != reflect.TypeFor[None]() && o.Out != reflect.TypeFor[*Content]() && carries(o.Out) {
		return true
	}
	if body, ok := o.In.FieldByName("Body"); ok && carries(body.Type) {
		return true
	}
	for _, p := range newRequest(o.In, NewSchemas(), "").params {
		if _, unit := moneyName(p.name); unit > 0 {
			return true
		}
	}
	return false
}

// eventData is the data of an event: an object, and old values of some of its fields.
type eventData struct {
	Object   jsontext.Value `json:"object"`
	Previous jsontext.Value `json:"previous"`
}

// EventToPreview converts the data of an event of /v1 about an object.
func EventToPreview(object any, data []byte) ([]byte, error) {
	if object == nil {
		return data, nil
	}
	s := shapeOf(reflect.TypeOf(object))
	if s.same {
		return data, nil
	}
	var d eventData
	if err := wire.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	for _, part := range []*jsontext.Value{&d.Object, &d.Previous} {
		converted, err := s.toPreview(*part)
		if err != nil {
			return nil, err
		}
		*part = converted
	}
	return wire.Marshal(d)
}
