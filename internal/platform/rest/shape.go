package rest

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/wire"
)

// Features have one language: that of /v1. The preview translates it, in requests and in
// responses, so no operation of the preview has to. These are all differences.

// Currency is the only currency of money.
const Currency = "USD"

var _ = enum.Part[Money]("Currency", "Currency", "Currency of an amount.")

// Money is an amount of money in the preview.
type Money struct {
	_ struct{} `doc:"An amount of money."`

	Amount   int64  `json:"amount" doc:"In cents." example:"12490000"`
	Currency string `json:"currency" enum:"USD" doc:"Currency code. Always USD."`
}

// amounts are the properties of /v1 that are amounts in whole dollars without the suffix _usd.
var amounts = map[string]bool{"price_min": true, "price_max": true}

// renames are other names of the preview. Each thing has one name for its time, and new names
// are spelled like the rest of the language.
var renames = map[string]string{"at": "created_at", "cancelled_at": "canceled_at", "cancelled": "canceled"}

// moneyName returns the name of an amount in the preview, and how many cents its unit in
// /v1 has. The unit is 0 if the name is not that of an amount.
func moneyName(name string) (string, int64) {
	if short, ok := strings.CutSuffix(name, "_usd"); ok {
		return short, 100
	}
	if short, ok := strings.CutSuffix(name, "_cents"); ok {
		return short, 1
	}
	if amounts[name] {
		return name, 100
	}
	return name, 0
}

// inText finds the names of amounts in a sentence.
var inText = regexp.MustCompile(`\b([a-z][a-z_]*)_(usd|cents)\b`)

// wholeDollars are words about the unit of amounts in /v1.
var wholeDollars = strings.NewReplacer(" in whole US dollars", "", ", in whole dollars", "", " in whole dollars", "")

// PreviewText returns a sentence about /v1 with the names of the preview.
func PreviewText(text string) string {
	return wholeDollars.Replace(inText.ReplaceAllString(text, "$1"))
}

// shape is what the JSON of a type of /v1 looks like.
type shape struct {
	schemas huma.Registry
	root    *huma.Schema
	same    bool // the preview has no other names or amounts
}

var shapesOfTypes sync.Map // of functions that return a *shape, by type

// shapeOf returns the shape of a type. It is calculated once, when it is needed.
func shapeOf(t reflect.Type) *shape {
	get, _ := shapesOfTypes.LoadOrStore(t, sync.OnceValue(func() *shape {
		r := NewSchemas()
		s := &shape{schemas: r, root: r.Schema(t, true, "Root")}
		s.same = !s.has(s.root, s.changes, map[*huma.Schema]bool{})
		return s
	}))
	return get.(func() *shape)()
}

// has reports whether a property of a schema, or of those inside, meets a condition.
func (s *shape) has(of *huma.Schema, meets func(of *huma.Schema, name string) bool, seen map[*huma.Schema]bool) bool {
	of = resolve(s.schemas, of)
	if of == nil || seen[of] {
		return false
	}
	seen[of] = true
	for name, p := range of.Properties {
		if meets(of, name) || s.has(p, meets, seen) {
			return true
		}
	}
	for _, part := range partsOf(of) {
		if s.has(part, meets, seen) {
			return true
		}
	}
	return false
}

func (s *shape) changes(of *huma.Schema, name string) bool {
	previewed, unit := s.previewed(of, name)
	return previewed != name || unit > 0 || namesMoney(resolve(s.schemas, of.Properties[name]))
}

// namesMoney reports whether the values of an enum are names of amounts.
func namesMoney(of *huma.Schema) bool {
	return of != nil && slices.ContainsFunc(of.Enum, func(v any) bool {
		name, _ := v.(string)
		_, unit := moneyName(name)
		return unit > 0
	})
}

func (s *shape) carriesMoney(of *huma.Schema, name string) bool {
	_, unit := s.previewed(of, name)
	return unit > 0
}

// isMoney reports whether a property is an amount.
func isMoney(schemas huma.Registry, name string, p *huma.Schema) bool {
	_, unit := moneyName(name)
	p = resolve(schemas, p)
	return unit > 0 && p != nil && p.Type == huma.TypeInteger
}

// previewed returns the name of a property in the preview, and the cents of its unit if it is
// an amount.
func (s *shape) previewed(of *huma.Schema, name string) (string, int64) {
	return previewName(s.schemas, of.Properties, name)
}

func previewName(schemas huma.Registry, properties map[string]*huma.Schema, name string) (string, int64) {
	if isMoney(schemas, name, properties[name]) {
		short, unit := moneyName(name)
		if short != name && properties[short] != nil { // something else has this name
			short += "_amount"
		}
		return short, unit
	}
	if other := renames[name]; other != "" && properties[name] != nil && properties[other] == nil {
		return other, 0
	}
	return name, 0
}

// partsOf returns the schemas inside of a schema that are no properties.
func partsOf(of *huma.Schema) (all []*huma.Schema) {
	for _, list := range [][]*huma.Schema{of.OneOf, of.AnyOf, of.AllOf} {
		all = append(all, list...)
	}
	if values, ok := of.AdditionalProperties.(*huma.Schema); ok {
		all = append(all, values)
	}
	if of.Items != nil {
		all = append(all, of.Items)
	}
	return all
}

// ToPreview converts JSON of a type of /v1 to JSON of the preview.
func ToPreview(t reflect.Type, data []byte) ([]byte, error) { return shapeOf(t).toPreview(data) }

func (s *shape) toPreview(data []byte) ([]byte, error) {
	if s.same {
		return data, nil
	}
	return s.translate(data, s.previewed, writeMoney)
}

// fromPreview converts JSON of the preview, which was validated, to JSON of /v1.
func (s *shape) fromPreview(data []byte) ([]byte, error) {
	if s.same {
		return data, nil
	}
	return s.translate(data, func(of *huma.Schema, name string) (string, int64) {
		for stable := range of.Properties {
			if previewed, unit := s.previewed(of, stable); previewed == name && (stable != name || unit > 0) {
				return stable, unit
			}
		}
		return name, 0
	}, readMoney)
}

// translation copies JSON with other names and amounts.
type translation struct {
	*shape
	dec   *jsontext.Decoder
	enc   *jsontext.Encoder
	name  func(of *huma.Schema, name string) (string, int64)
	money func(jsontext.Value, int64) (jsontext.Value, error)
}

func (s *shape) translate(data []byte, name func(*huma.Schema, string) (string, int64), money func(jsontext.Value, int64) (jsontext.Value, error)) ([]byte, error) {
	var out bytes.Buffer
	x := translation{shape: s, dec: jsontext.NewDecoder(bytes.NewReader(data)), enc: jsontext.NewEncoder(&out), name: name, money: money}
	err := x.copy(s.root)
	return bytes.TrimSpace(out.Bytes()), err
}

// copy copies the next value.
func (x *translation) copy(of *huma.Schema) error {
	of = x.flat(of)
	kind := x.dec.PeekKind()
	if kind == '"' && namesMoney(of) {
		return x.copyName(of)
	}
	if of == nil || kind != '{' && kind != '[' {
		v, err := x.dec.ReadValue()
		if err != nil {
			return err
		}
		return x.enc.WriteValue(v)
	}
	if err := x.copyToken(); err != nil {
		return err
	}
	for x.dec.PeekKind() != '}' && x.dec.PeekKind() != ']' {
		var err error
		if kind == '[' {
			err = x.copy(of.Items)
		} else {
			err = x.copyMember(of)
		}
		if err != nil {
			return err
		}
	}
	return x.copyToken()
}

func (x *translation) copyMember(of *huma.Schema) error {
	token, err := x.dec.ReadToken()
	if err != nil {
		return err
	}
	before := token.String()
	after, unit := x.name(of, before)
	if err := x.enc.WriteToken(jsontext.String(after)); err != nil {
		return err
	}
	if unit == 0 {
		p := of.Properties[before]
		if p == nil {
			p = of.Properties[after]
		}
		if values, ok := of.AdditionalProperties.(*huma.Schema); p == nil && ok {
			p = values
		}
		return x.copy(p)
	}
	v, err := x.dec.ReadValue()
	if err == nil {
		v, err = x.money(v, unit)
	}
	if err != nil {
		return err
	}
	return x.enc.WriteValue(v)
}

// copyName copies a value that names an amount.
func (x *translation) copyName(of *huma.Schema) error {
	t, err := x.dec.ReadToken()
	if err != nil {
		return err
	}
	before := t.String()
	for _, v := range of.Enum {
		stable, _ := v.(string)
		previewed, _ := moneyName(stable)
		if before == previewed && before != stable {
			return x.enc.WriteToken(jsontext.String(stable))
		}
		if before == stable {
			return x.enc.WriteToken(jsontext.String(previewed))
		}
	}
	return x.enc.WriteToken(t)
}

func (x *translation) copyToken() error {
	t, err := x.dec.ReadToken()
	if err != nil {
		return err
	}
	return x.enc.WriteToken(t)
}

// flat returns a schema with the properties of all its variants and parts.
func (s *shape) flat(of *huma.Schema) *huma.Schema {
	of = resolve(s.schemas, of)
	if of == nil || len(of.OneOf)+len(of.AnyOf)+len(of.AllOf) == 0 {
		return of
	}
	all := &huma.Schema{Items: of.Items, Properties: map[string]*huma.Schema{}, AdditionalProperties: of.AdditionalProperties}
	for name, p := range of.Properties {
		all.Properties[name] = p
	}
	for _, list := range [][]*huma.Schema{of.OneOf, of.AnyOf, of.AllOf} {
		for _, part := range list {
			if part = s.flat(part); part == nil {
				continue
			}
			for name, p := range part.Properties {
				all.Properties[name] = p
			}
			if all.Items == nil {
				all.Items = part.Items
			}
		}
	}
	return all
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

// previewFault returns an error of /v1 with the names of the preview. Fields that start with
// body belong to another request, which a proposal contains, and are those of /v1.
func previewFault(f *fault.Error) *fault.Error {
	if slices.ContainsFunc(f.Details, func(d fault.Detail) bool { return strings.HasPrefix(d.Field, "body.") }) {
		return f
	}
	c := *f
	c.Message, c.Details = PreviewText(f.Message), nil
	for _, d := range f.Details {
		path := strings.Split(d.Field, ".")
		for i, name := range path {
			path[i], _ = moneyName(name)
		}
		d.Field, d.Message = strings.Join(path, "."), PreviewText(d.Message)
		c.Details = append(c.Details, d)
	}
	return &c
}
