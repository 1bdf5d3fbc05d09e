package rest

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/family"
)

// Surface is a part of the API with a description of its own.
type Surface struct {
	Prefix     string // of its paths
	Operations []*Operation
	Endpoints  []Endpoint
	Webhooks   []Webhook

	returns map[string]*Operation // by the schema of what an operation returns
}

// Endpoint describes a path that Handle, HandleForm or HandleHook mounts. Query, Form,
// JSON, Result and Error are values of the types that are sent. Nil means none.
type Endpoint struct {
	Method, Path, ID, Summary, Description string

	Query, Form, JSON, Result, Error any

	Status int            // of success. The default is 200.
	Family *family.Family // from the router
}

// Webhook describes a message that the service sends when something happens.
type Webhook struct {
	Name, Summary string
	Since         string // the version that added it
	Message       func(huma.Registry) *huma.Schema
	Family        *family.Family // from the router
}

// Surfaces returns what the features mounted: /v1, the preview, and what callers without an
// API key use.
func (r *Router) Surfaces() (stable, preview, public *Surface) { return r.stable, r.preview, r.public }

// Document adds an endpoint to the description of what callers without an API key
// use.
func (r *Router) Document(e Endpoint) {
	e.Family = r.family
	r.public.Endpoints = append(r.public.Endpoints, e)
}

// DocumentWebhook adds a message to the description.
func (r *Router) DocumentWebhook(w Webhook) {
	w.Family = r.family
	r.Surface.Webhooks = append(r.Surface.Webhooks, w)
}

// on returns a router that adds endpoints to a surface.
func (r *Router) on(s *Surface) *Router {
	c := *r
	c.Surface = s
	return &c
}

const schemaPrefix = "#/components/schemas/"

// NewSchemas returns a registry of schemas.
func NewSchemas() huma.Registry { return huma.NewMapRegistry(schemaPrefix, schemaName) }

// schemaName names a schema like its type. The types of the preview have the prefix
// Preview, because the package also has the type of /v1.
func schemaName(t reflect.Type, hint string) string {
	return strings.ReplaceAll(huma.DefaultSchemaNamer(t, hint), "Preview", "")
}

// mustNameOneType panics if two operations of a surface return different types whose schemas
// have the same name, such as the type of /v1 and its type in the preview. One would be
// described as the other. It panics when the service starts.
func (s *Surface) mustNameOneType(op *Operation) {
	t := op.Out
	if t.Kind() == reflect.Struct {
		if data, ok := t.FieldByName("Data"); ok && data.Type.Kind() == reflect.Slice { // a page
			t = data.Type.Elem()
		}
	}
	if s, ok := reflect.Zero(t).Interface().(interface{ Shapes() reflect.Type }); ok { // the same with references that can be expanded
		t = s.Shapes()
	}
	if t.Kind() != reflect.Struct || t.Name() == "" || strings.Contains(t.Name(), "[") {
		return
	}

	name := schemaName(t, "")
	if other := s.returns[name]; other == nil {
		if s.returns == nil {
			s.returns = map[string]*Operation{}
		}
		c := *op
		c.Out = t
		s.returns[name] = &c
	} else if other.Out != t {
		panic(fmt.Sprintf("rest: %s%s returns %s, and %s returns %s. Both are the schema %s. In the preview, return the type of the preview.",
			op.Method+" ", op.Path, t, other.ID, other.Out, name))
	}
}

// AddSentences describes each schema with the sentence of its type, which is the tag doc of
// a field with the name _.
func AddSentences(schemas huma.Registry) {
	for name, s := range schemas.Map() {
		t := schemas.TypeFromRef(schemaPrefix + name)
		if t == nil || t.Kind() != reflect.Struct || t.NumField() == 0 || s.Description != "" {
			continue
		}
		if f := t.Field(0); f.Name == "_" {
			s.Description = f.Tag.Get("doc")
		}
	}
}

// Optional marks a property that responses only have if the request asks for it.
const Optional = "x-expandable"
