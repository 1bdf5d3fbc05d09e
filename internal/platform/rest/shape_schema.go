package rest

import (
	"maps"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// ConvertSchemas changes schemas of /v1 to schemas of the preview. Those that were converted
// before stay the same.
func ConvertSchemas(schemas huma.Registry) {
	money := schemas.Schema(reflect.TypeFor[Money](), true, "")
	AddSentences(schemas)
	for _, name := range slices.Sorted(maps.Keys(schemas.Map())) {
		if refersTo(money, name) {
			continue
		}
		ConvertSchema(schemas, schemas.Map()[name])
	}
}

func refersTo(ref *huma.Schema, name string) bool { return ref.Ref == schemaPrefix+name }

// ConvertSchema changes a schema of /v1, and those inside, to schemas of the preview.
func ConvertSchema(schemas huma.Registry, s *huma.Schema) {
	if s == nil || s.Ref != "" {
		return
	}
	for _, part := range partsOf(s) {
		ConvertSchema(schemas, part)
	}
	s.Description = PreviewText(s.Description)
	if namesMoney(s) {
		s.Enum = slices.Clone(s.Enum)
		for i, v := range s.Enum {
			if name, ok := v.(string); ok {
				s.Enum[i], _ = moneyName(name)
			}
		}
		s.PrecomputeMessages()
	}
	if len(s.Properties) == 0 {
		return
	}

	properties, names := map[string]*huma.Schema{}, map[string]string{}
	for name, p := range s.Properties {
		previewed, unit := previewName(schemas, s.Properties, name)
		names[name] = previewed
		if unit > 0 {
			properties[previewed] = moneySchema(schemas, resolve(schemas, p), unit)
			continue
		}
		p.Description = PreviewText(p.Description) // also beside a reference
		ConvertSchema(schemas, p)
		properties[previewed] = p
	}
	var required []string
	for _, name := range s.Required {
		required = append(required, names[name])
	}
	c := clone(s)
	c.Properties, c.Required = properties, required
	c.PrecomputeMessages()
	*s = *c
}

// clone copies a schema without what huma has computed for it.
func clone(s *huma.Schema) *huma.Schema {
	var c huma.Schema
	from, to := reflect.ValueOf(s).Elem(), reflect.ValueOf(&c).Elem()
	for i := range from.NumField() {
		if to.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return &c
}

// moneySchema returns the schema of an amount with the limits that it has in /v1.
func moneySchema(schemas huma.Registry, of *huma.Schema, unit int64) *huma.Schema {
	description := PreviewText(of.Description)
	if of.Minimum == nil && of.Maximum == nil { // of a response
		ref := schemas.Schema(reflect.TypeFor[Money](), true, "")
		if of.Nullable {
			ref = &huma.Schema{AnyOf: []*huma.Schema{ref, {Type: "null"}}}
		}
		ref.Description, ref.Extensions = description, of.Extensions
		return ref
	}
	s := huma.SchemaFromType(schemas, reflect.TypeFor[Money]())
	s.Description, s.Nullable, s.Extensions = description, of.Nullable, of.Extensions
	amount := s.Properties["amount"]
	limitInCents(amount, of, unit)
	amount.PrecomputeMessages()
	s.PrecomputeMessages()
	return s
}

// limitInCents gives a number of cents the limits of an amount of /v1.
func limitInCents(amount, of *huma.Schema, unit int64) {
	for limit, value := range map[**float64]*float64{&amount.Minimum: of.Minimum, &amount.Maximum: of.Maximum} {
		if value != nil {
			*limit = new(*value * float64(unit))
		}
	}
	amount.Description = "In cents."
	if unit > 1 {
		amount.MultipleOf = new(float64(unit))
		amount.Description = "In cents. Must be whole dollars."
	}
}

// convert changes a parameter of /v1 to one of the preview: an amount in cents.
func (p *param) convert() {
	name, unit := moneyName(p.name)
	if p.in != "query" || unit == 0 || p.schema.Type != huma.TypeInteger {
		return
	}
	of := p.schema
	p.name, p.unit, p.schema = name, unit, clone(of)
	limitInCents(p.schema, of, unit)
	p.schema.Description = PreviewText(of.Description) + " " + p.schema.Description
	p.schema.PrecomputeMessages()
}

// convert changes how requests of /v1 are read to how those of the preview are.
func (q *request) convert() {
	for i := range q.params {
		q.params[i].convert()
	}
	if q.body == nil {
		return
	}
	if s := shapeOf(q.body.Type); !s.same {
		q.shape = s
	}
}
