package sdkgen

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is the part of an OpenAPI description that the SDKs are made from.
type document struct {
	Paths      map[string]map[string]*operation
	Components struct {
		Schemas    map[string]*schema
		Parameters map[string]param
	}
}

type operation struct {
	ID          string `json:"operationId"`
	Summary     string
	Description string
	Tags        []string
	Parameters  []param
	Security    []map[string][]string
	RequestBody *struct {
		Required bool
		Content  map[string]content
	}
	Responses  map[string]struct{ Content map[string]content }
	Idempotent *struct{}               `json:"x-idempotent"`
	Pagination *struct{ Items string } `json:"x-pagination"`
}

type content struct {
	Schema  *schema
	Example json.RawMessage
}

type param struct {
	Ref         string `json:"$ref"`
	Name        string
	In          string
	Description string
	Required    bool
	Example     any
	Schema      *schema
}

type schema struct {
	Ref           string `json:"$ref"`
	Type          names
	Format        string
	Description   string
	Enum          []string
	Examples      []any
	Const         string
	Items         *schema
	Properties    map[string]*schema
	Required      []string
	Additional    json.RawMessage `json:"additionalProperties"`
	AllOf         []*schema
	AnyOf         []*schema
	OneOf         []*schema
	Discriminator *struct {
		PropertyName string
		Mapping      map[string]string
	}
	Since       string            `json:"x-since"`        // version that added it
	SinceValues map[string]string `json:"x-since-values"` // versions that added values of the enum
}

// until removes what versions after this one added.
func (d *document) until(version string) {
	for _, x := range d.Components.Schemas {
		d.trim(x, version)
	}
	for _, item := range d.Paths {
		for _, op := range item {
			op.Parameters = slices.DeleteFunc(d.resolve(op.Parameters), func(p param) bool {
				return p.Schema != nil && p.Schema.Since > version
			})
		}
	}
}

func (d *document) trim(x *schema, version string) {
	if x == nil {
		return
	}
	for name, f := range x.Properties {
		if f.Since > version {
			delete(x.Properties, name)
			x.Required = slices.DeleteFunc(x.Required, func(r string) bool { return r == name })
			continue
		}
		d.trim(f, version)
	}
	d.trim(x.Items, version)
	x.Enum = slices.DeleteFunc(x.Enum, func(value string) bool { return x.SinceValues[value] > version })
	if x.Discriminator != nil {
		maps.DeleteFunc(x.Discriminator.Mapping, func(_, ref string) bool { return d.target(ref).Since > version })
		x.OneOf = slices.DeleteFunc(x.OneOf, func(variant *schema) bool { return d.target(variant.Ref).Since > version })
	}
}

// target returns the schema that a reference refers to.
func (d *document) target(ref string) *schema {
	return d.Components.Schemas[refName(&schema{Ref: ref})]
}

// names is a type of JSON, or several.
type names []string

func (n *names) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(n))
}

// nullable splits a schema into the schema of its values and whether it can be null.
func (x *schema) nullable() (*schema, bool) {
	if len(x.AnyOf) == 2 && slices.Equal(x.AnyOf[1].Type, names{"null"}) {
		return x.AnyOf[0], true
	}
	return x, len(x.Type) > 1 && slices.Contains(x.Type, "null")
}

// example returns an example of a value, or nil.
func (x *schema) example() any {
	if len(x.Examples) > 0 {
		return x.Examples[0]
	}
	return nil
}

// example returns an example of a parameter, or nil.
func (p param) example() any {
	if p.Example != nil || p.Schema == nil {
		return p.Example
	}
	return p.Schema.example()
}

// is reports whether values of a schema have this type of JSON.
func (x *schema) is(name string) bool { return slices.Contains(x.Type, name) }

// elements returns the schema of the values of a map, or nil if they can be anything.
func (x *schema) elements() (*schema, error) {
	if len(x.Additional) == 0 || x.Additional[0] != '{' {
		return nil, nil
	}
	var s schema
	err := json.Unmarshal(x.Additional, &s)
	return &s, err
}

func refName(x *schema) string { return strings.TrimPrefix(x.Ref, "#/components/schemas/") }

// shape describes what a schema accepts, without descriptions and limits. Schemas of
// different descriptions with the same shape become one type.
func (d *document) shape(x *schema) string {
	if x.Ref != "" {
		if x = d.Components.Schemas[refName(x)]; x == nil {
			return ""
		}
	}
	var b strings.Builder
	fmt.Fprint(&b, x.Type, x.Format, x.Enum, x.Const, string(x.Additional))
	for _, list := range [][]*schema{x.AnyOf, x.OneOf} {
		for _, s := range list {
			b.WriteString("|" + d.shape(s))
		}
	}
	if x.Items != nil {
		b.WriteString("[" + d.shape(x.Items) + "]")
	}
	for _, name := range sortedKeys(x.Properties) {
		fmt.Fprintf(&b, ";%s %t %s", name, slices.Contains(x.Required, name), d.shape(x.Properties[name]))
	}
	return b.String()
}

// resolve replaces references to parameters by the parameters.
func (d *document) resolve(params []param) []param {
	out := make([]param, len(params))
	for i, p := range params {
		if p.Ref != "" {
			p = d.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
		}
		out[i] = p
	}
	return out
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
