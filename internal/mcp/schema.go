package mcp

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"slipway/internal/vocab/auth"
)

var (
	plainID   = regexp.MustCompile(`^[a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}$`)
	plainTime = regexp.MustCompile(`^\d{4}-\d{2}(-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:\d{2}))?)?$`)
)

// inputSchema and outputSchema describe the arguments and the result of a tool. They are
// small, because each conversation has the schemas of all tools: a result is described to
// the fields of its rows.
func inputSchema(t reflect.Type) *jsonschema.Schema {
	s := schemaOf(t, 3)
	s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}} // false
	return s
}

func outputSchema(t reflect.Type) *jsonschema.Schema { return schemaOf(t, 2) }

func schemaOf(t reflect.Type, depth int) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), depth)
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.Slice:
		s := &jsonschema.Schema{Type: "array"}
		if depth > 1 {
			s.Items = schemaOf(t.Elem(), depth-1)
		}
		return s
	case reflect.Struct:
		s := &jsonschema.Schema{Type: "object"}
		if depth > 0 && t != reflect.TypeFor[text]() {
			addFields(s, t, depth)
		}
		return s
	}
	return &jsonschema.Schema{Type: "object"} // some clients reject the schema true
}

func addFields(s *jsonschema.Schema, t reflect.Type, depth int) {
	s.Properties = map[string]*jsonschema.Schema{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" {
			continue
		}
		p := schemaOf(f.Type, depth-1)
		p.Description = f.Tag.Get("doc")
		inner := p
		if p.Items != nil {
			inner = p.Items
		}
		for v := range strings.SplitSeq(f.Tag.Get("enum"), ",") {
			if v != "" {
				inner.Enum = append(inner.Enum, v)
			}
		}
		if n, err := strconv.ParseFloat(f.Tag.Get("minimum"), 64); err == nil {
			p.Minimum = &n
		}
		if n, err := strconv.ParseFloat(f.Tag.Get("maximum"), 64); err == nil {
			p.Maximum = &n
		}
		s.Properties[name], s.PropertyOrder = p, append(s.PropertyOrder, name)
		if options != "omitempty" {
			s.Required = append(s.Required, name)
		}
	}
}

// schema is the part of a JSON schema of the API that tools read.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"`
	Format      string             `json:"format"`
	Description string             `json:"description"`
	Enum        []any              `json:"enum"`
	Const       any                `json:"const"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	OneOf       []*schema          `json:"oneOf"`
	Assistants  string             `json:"x-assistants"`
}

// never is the mark of a field that only people can set.
const never = "never"

func (s *schema) property(name string) *schema {
	if s == nil {
		return nil
	}
	return s.Properties[name]
}

func (s *schema) items() *schema {
	if s == nil {
		return nil
	}
	return s.Items
}

// isClosed reports whether no one can write a sentence into a text with this schema.
func (s *schema) isClosed() bool {
	return s != nil && (len(s.Enum) > 0 || s.Const != nil || s.Format == "date-time" || s.Format == "date")
}

// document is an OpenAPI document.
type document struct {
	Paths      map[string]map[string]*described `json:"paths"`
	Components struct {
		Schemas    map[string]*schema `json:"schemas"`
		Parameters map[string]*param  `json:"parameters"`
	} `json:"components"`
}

// resolve returns the schema that a reference names.
func (d *document) resolve(s *schema) *schema {
	for s != nil && s.Ref != "" && d != nil {
		s = d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	return s
}

type param struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Required    bool    `json:"required"`
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
}

type body struct {
	Required bool                                `json:"required"`
	Content  map[string]struct{ Schema *schema } `json:"content"`
}

// described is an operation of a document.
type described struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Security    []map[string][]string `json:"security"`
	Parameters  []*param              `json:"parameters"`
	RequestBody *body                 `json:"requestBody"`
	Responses   map[string]*body      `json:"responses"`
	Assistants  string                `json:"x-assistants"` // read, propose or nothing
}

// rule returns the scopes that the operation requires.
func (o *described) rule() (r auth.Rule) {
	for _, s := range o.Security {
		if names, ok := s["oauth2"]; ok {
			set := []auth.Scope{}
			for _, n := range names {
				set = append(set, auth.Scope(n))
			}
			r = append(r, set)
		}
	}
	return r
}

// isJSON reports whether the operation has no files and no stream.
func (o *described) isJSON() bool {
	if o.RequestBody != nil && o.RequestBody.Content["application/json"].Schema == nil {
		return false
	}
	for status, r := range o.Responses {
		if strings.HasPrefix(status, "2") && len(r.Content) > 0 && r.Content["application/json"].Schema == nil {
			return false
		}
	}
	return true
}

// result returns the schema of a successful response.
func (o *described) result() *schema {
	for _, status := range []string{"200", "201", "202"} {
		if r := o.Responses[status]; r != nil {
			return r.Content["application/json"].Schema
		}
	}
	return nil
}

// brief returns a schema for a model: types, enums and descriptions, three levels deep.
func (d *document) brief(s *schema, depth int) any {
	description := ""
	if s != nil {
		description = s.Description
	}
	s = d.resolve(s)
	if s == nil {
		return map[string]any{}
	}
	out := map[string]any{}
	if s.Type != nil {
		out["type"] = s.Type
	}
	if description = cut(firstOf(description, s.Description), 200); description != "" && depth < 3 {
		out["description"] = description
	}
	if len(s.Enum) > 0 {
		out["enum"] = s.Enum
	}
	if depth == 0 {
		return out
	}
	if len(s.Properties) > 0 {
		properties := map[string]any{}
		for name, p := range s.Properties {
			if p.Assistants != never {
				properties[name] = d.brief(p, depth-1)
			}
		}
		out["properties"], out["required"] = properties, slices.Clone(s.Required)
	}
	if s.Items != nil {
		out["items"] = d.brief(s.Items, depth-1)
	}
	for _, one := range s.OneOf {
		all, _ := out["one_of"].([]any)
		out["one_of"] = append(all, d.brief(one, depth-1))
	}
	return out
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
