// Package preview serves hulls, leads and deals in the shapes of /v2-preview, and what
// combines several features, such as the search. The rules and the rows are those of
// /v1. Only the JSON differs: money is an object, and references can be expanded.
package preview

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/wire"
)

// Currency is the only currency of money.
const Currency = "USD"

// moneyName returns the name of an amount in the preview, and how many cents its unit
// in /v1 has.
func moneyName(name string) (string, int64, bool) {
	if short, ok := strings.CutSuffix(name, "_usd"); ok {
		return short, 100, true
	}
	short, ok := strings.CutSuffix(name, "_cents")
	return short, 1, ok
}

// shape describes the JSON of a type of /v1.
type shape struct {
	schemas huma.Registry
	root    *huma.Schema
}

const refs = "#/components/schemas/"

var (
	shapesLock sync.Mutex
	shapes     = map[reflect.Type]*shape{}
)

// shapeOf returns the shape of a type. It is calculated once.
func shapeOf(t reflect.Type) *shape {
	shapesLock.Lock()
	defer shapesLock.Unlock()
	if s := shapes[t]; s != nil {
		return s
	}
	r := huma.NewMapRegistry(refs, huma.DefaultSchemaNamer)
	s := &shape{r, r.Schema(t, true, "")}
	rest.AddSentences(r)
	shapes[t] = s
	return s
}

// resolve returns the schema that a reference refers to.
func (s *shape) resolve(of *huma.Schema) *huma.Schema {
	if of != nil && of.Ref != "" {
		return s.schemas.SchemaFromRef(of.Ref)
	}
	return of
}

// isMoney reports whether a property is an amount.
func (s *shape) isMoney(property *huma.Schema) bool {
	p := s.resolve(property)
	return p != nil && p.Type == huma.TypeInteger
}

// toPreview converts JSON of /v1 to JSON of the preview.
func (s *shape) toPreview(data []byte) ([]byte, error) {
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	err := s.copy(dec, enc, s.root, func(of *huma.Schema, name string) (field, bool) {
		short, unit, ok := moneyName(name)
		if !ok || !s.isMoney(of.Properties[name]) {
			return field{name: name, schema: of.Properties[name]}, false
		}
		return field{name: short, unit: unit}, true
	}, writeMoney)
	return bytes.TrimSpace(out.Bytes()), err
}

// fromPreview converts JSON of the preview, which was validated, to JSON of /v1.
func (s *shape) fromPreview(data []byte) ([]byte, error) {
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	err := s.copy(dec, enc, s.root, func(of *huma.Schema, name string) (field, bool) {
		for _, suffix := range []string{"_usd", "_cents"} {
			if p := of.Properties[name+suffix]; p != nil && s.isMoney(p) {
				_, unit, _ := moneyName(name + suffix)
				return field{name: name + suffix, unit: unit}, true
			}
		}
		return field{name: name, schema: of.Properties[name]}, false
	}, readMoney)
	return out.Bytes(), err
}

// field is a member of an object after the conversion.
type field struct {
	name   string
	schema *huma.Schema // of its value
	unit   int64        // in cents, of an amount
}

// copy copies the next value. match returns the new name of a member, and whether it
// is an amount, which money converts.
func (s *shape) copy(dec *jsontext.Decoder, enc *jsontext.Encoder, of *huma.Schema,
	match func(of *huma.Schema, name string) (field, bool), money func(jsontext.Value, int64) (jsontext.Value, error),
) error {
	of = s.resolve(of)
	kind := dec.PeekKind()
	if of == nil || kind != '{' && kind != '[' || kind == '{' && of.Properties == nil {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		return enc.WriteValue(v)
	}

	if err := copyToken(dec, enc); err != nil {
		return err
	}
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		if kind == '[' {
			if err := s.copy(dec, enc, of.Items, match, money); err != nil {
				return err
			}
			continue
		}
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		f, isMoney := match(of, name.String())
		if err := enc.WriteToken(jsontext.String(f.name)); err != nil {
			return err
		}
		if !isMoney {
			if err := s.copy(dec, enc, f.schema, match, money); err != nil {
				return err
			}
			continue
		}
		v, err := dec.ReadValue()
		if err == nil {
			v, err = money(v, f.unit)
		}
		if err != nil {
			return err
		}
		if err := enc.WriteValue(v); err != nil {
			return err
		}
	}
	return copyToken(dec, enc)
}

func copyToken(dec *jsontext.Decoder, enc *jsontext.Encoder) error {
	t, err := dec.ReadToken()
	if err != nil {
		return err
	}
	return enc.WriteToken(t)
}

var _ = enum.Part[Money]("Currency", "Currency", "Currency of an amount.")

// Money is an amount of money.
type Money struct {
	_ struct{} `doc:"An amount of money."`

	Amount   int64  `json:"amount" doc:"In cents." example:"12490000"`
	Currency string `json:"currency" enum:"USD" doc:"Currency code. Always USD."`
}

// writeMoney returns an amount of /v1 as money.
func writeMoney(v jsontext.Value, unit int64) (jsontext.Value, error) {
	var units *int64
	if err := wire.Unmarshal(v, &units); err != nil || units == nil {
		return v, err
	}
	return wire.Marshal(Money{Amount: *units * unit, Currency: Currency})
}

// readMoney returns money as an amount of /v1.
func readMoney(v jsontext.Value, unit int64) (jsontext.Value, error) {
	var m *Money
	if err := wire.Unmarshal(v, &m); err != nil || m == nil {
		return v, err
	}
	return wire.Marshal(m.Amount / unit)
}

// describe adds the shape to the schemas of the preview and returns a reference to it.
func (s *shape) describe(to huma.Registry) *huma.Schema { return s.convert(to, s.root) }

// convert returns a schema of /v1 as a schema of the preview.
func (s *shape) convert(to huma.Registry, of *huma.Schema) *huma.Schema {
	if of == nil {
		return nil
	}
	if of.Ref != "" {
		name := strings.TrimPrefix(of.Ref, refs)
		if to.Map()[name] == nil {
			to.Map()[name] = &huma.Schema{} // for types that contain themselves
			*to.Map()[name] = *s.convert(to, s.schemas.SchemaFromRef(of.Ref))
		}
		return clone(of)
	}

	c := clone(of)
	c.Items = s.convert(to, of.Items)
	if of.Properties != nil {
		c.Properties = map[string]*huma.Schema{}
		for name, p := range of.Properties {
			short, unit, ok := moneyName(name)
			if ok && s.isMoney(p) {
				c.Properties[short] = moneySchema(to, s.resolve(p), unit)
			} else {
				c.Properties[name] = s.convert(to, p)
			}
		}
		c.Required = nil
		for _, name := range of.Required {
			if short, _, ok := moneyName(name); ok && s.isMoney(of.Properties[name]) {
				name = short
			}
			c.Required = append(c.Required, name)
		}
	}
	c.PrecomputeMessages()
	return c
}

// clone copies a schema without what huma has computed for it. Schemas of all servers
// in a process are made from the same shape, so they must not share a map.
func clone(s *huma.Schema) *huma.Schema {
	var c huma.Schema
	from, to := reflect.ValueOf(s).Elem(), reflect.ValueOf(&c).Elem()
	for i := range from.NumField() {
		if to.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	c.Enum, c.Required, c.Extensions = slices.Clone(s.Enum), slices.Clone(s.Required), maps.Clone(s.Extensions)
	return &c
}

// moneySchema returns the schema of an amount with the limits that it has in /v1.
func moneySchema(to huma.Registry, of *huma.Schema, unit int64) *huma.Schema {
	description := strings.NewReplacer(" in whole US dollars", "", " in whole dollars", "").Replace(of.Description)
	if of.Minimum == nil && of.Maximum == nil { // of a response
		ref := to.Schema(reflect.TypeFor[Money](), true, "")
		if of.Nullable {
			ref = &huma.Schema{AnyOf: []*huma.Schema{ref, {Type: "null"}}}
		}
		ref.Description = description
		return ref
	}
	s := huma.SchemaFromType(to, reflect.TypeFor[Money]())
	s.Description, s.Nullable = description, of.Nullable
	amount := s.Properties["amount"]
	for limit, value := range map[**float64]*float64{&amount.Minimum: of.Minimum, &amount.Maximum: of.Maximum} {
		if value != nil {
			*limit = new(*value * float64(unit))
		}
	}
	if unit > 1 && (of.Minimum != nil || of.Maximum != nil) { // a request
		amount.MultipleOf = new(float64(unit))
		amount.Description = "In cents. Must be whole dollars."
	}
	amount.PrecomputeMessages()
	s.PrecomputeMessages()
	return s
}
