// Package sdkgen writes the generated half of the SDKs in sdk/go and sdk/ts from the
// OpenAPI descriptions: types, enums, events, and a method for each operation.
//
// The description is read into a Model, which has the names. golang.go and
// typescript.go print it. `make sdk` writes the files, and a test checks that they are
// up to date.
package sdkgen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Model is the API as the SDKs offer it. Lists are sorted by name.
type Model struct {
	Version  string // API version that the SDKs request
	Families []Family
	Enums    []Enum
	Structs  []Struct
	Unions   []Union
	Events   []Event
}

// Family is a group of operations: client.Hulls, or client.Preview.Hulls.
type Family struct {
	Name    string
	Preview bool
	Methods []Method
}

// Method is an operation.
type Method struct {
	OperationID  string
	Name         string // without the noun of the family, as in listPhotos
	Verb         string // HTTP method
	Path         string
	Summary, Doc string
	Scopes       []string // scopes that are required together, joined by +; one of them is enough
	IDs          []string // path parameters
	Query        []Field
	Params       string // name of the type of the query, "" if there is no query
	Body         string // name of the type of a JSON body
	BodyOptional bool
	Upload       bool   // the body is a file
	Result       string // name of the type of the response, "" if it is empty
	Item         string // type of the items, if the operation is a list
	Download     bool   // the response is a file
	Accept       string // media type of the response, if the operation has several
	CSV          bool   // the response is CSV if the request prefers it

	// What the command line needs in addition.
	IDExamples  []string        // of the path parameters
	IDDocs      []string        // of the path parameters
	Headers     []string        // request headers
	Files       []string        // media types of an upload
	BodyExample json.RawMessage // an example of a JSON body
}

// asCSV returns the method that gets the CSV of an operation.
func (m Method) asCSV() Method {
	m.Name += "Csv"
	m.Summary += " as CSV"
	m.Doc, m.Result, m.Item, m.Download, m.Accept = "", "", "", true, "text/csv"
	if m.Params == "ListParams" { // CSV has no pages
		m.Params, m.Query = "", nil
	}
	return m
}

// Enum is a string with known values.
type Enum struct {
	Name, Doc string
	Values    []string
}

// Struct is an object.
type Struct struct {
	Name, Doc string
	Fields    []Field
	Patch     bool // omitted, null and set are three different things
}

// Field is a field of an object or a query parameter.
type Field struct {
	Name, Doc string
	Type      Type
	Required  bool
	Example   any
}

// Union is an object of one of several types. The property tells which.
type Union struct {
	Name, Doc, Property string
	Variants            []string
}

// Event is a type of event and the type of its object.
type Event struct{ Type, Object, Doc string }

// Kind says what a Type is.
type Kind int

// The kinds of types.
const (
	Any Kind = iota
	Null
	String
	Time
	Integer
	Number
	Boolean
	Constant
	Array
	Map
	Named  // a struct or a union
	Choice // an enum
)

// Type is a type without a language.
type Type struct {
	Kind     Kind
	Name     string // of a struct, union or enum, or the value of a constant
	Elem     *Type  // of an array or a map
	Nullable bool
}

// listQuery is the query of lists without filters. The SDKs have a type for it.
var listQuery = []string{"limit", "starting_after", "ending_before"}

// handwritten are the schemas that the SDKs don't need or define themselves.
var handwritten = []string{"ErrorEnvelope", "ErrorBody", "ErrorCode", "Detail"}

// Load reads the descriptions of /v1, as it was in a version, and of the preview.
func Load(version string, stable, preview []byte) (*Model, error) {
	m := &Model{Version: version}
	v1, err := newReader(m, stable, nil)
	if err != nil {
		return nil, fmt.Errorf("read the description of /v1: %w", err)
	}
	next, err := newReader(m, preview, v1)
	if err != nil {
		return nil, fmt.Errorf("read the description of the preview: %w", err)
	}

	for _, r := range []*reader{v1, next} {
		if err := r.operations(); err != nil {
			return nil, err
		}
	}
	if err := v1.events(); err != nil {
		return nil, err
	}
	slices.SortFunc(m.Enums, func(a, b Enum) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Structs, func(a, b Struct) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Unions, func(a, b Union) int { return cmp.Compare(a.Name, b.Name) })
	return m, nil
}

// previewPrefix starts the names of types that only the preview has.
const previewPrefix = "Preview"

// reader adds a description to a model.
type reader struct {
	doc    document
	m      *Model
	stable *reader           // of /v1, if this is the preview
	named  map[string]bool   // schemas that are in the model, by the name of their type
	shapes map[string]string // type of the schemas whose fields are all required, by shape
}

func newReader(m *Model, text []byte, stable *reader) (*reader, error) {
	r := &reader{m: m, stable: stable, named: map[string]bool{}, shapes: map[string]string{}}
	if stable != nil {
		r.named = stable.named
	}
	if err := json.Unmarshal(text, &r.doc); err != nil {
		return nil, err
	}
	if stable == nil { // the preview has no versions
		r.doc.until(m.Version)
	}
	for _, name := range sortedKeys(r.doc.Components.Schemas) {
		x := r.doc.Components.Schemas[name]
		if len(x.Properties) > 0 && len(x.Required) == len(x.Properties) {
			r.shapes[r.doc.shape(x)] = name
		}
	}
	return r, nil
}

// typeName is the name of the type of a schema. The preview shares the types that
// /v1 has too. Its own types have a prefix.
func (r *reader) typeName(schemaName string) string {
	if r.stable == nil {
		return schemaName
	}
	if x := r.stable.doc.Components.Schemas[schemaName]; x != nil &&
		r.stable.doc.shape(x) == r.doc.shape(r.doc.Components.Schemas[schemaName]) {
		return schemaName
	}
	return previewPrefix + schemaName
}

// operations adds the families and their methods.
func (r *reader) operations() error {
	families := map[string]*Family{}
	for _, path := range sortedKeys(r.doc.Paths) {
		for _, verb := range sortedKeys(r.doc.Paths[path]) {
			op := r.doc.Paths[path][verb]
			name := familyName(op.Tags[0])
			if families[name] == nil {
				families[name] = &Family{Name: name, Preview: r.stable != nil}
			}
			m, err := r.method(strings.ToUpper(verb), path, op)
			if err != nil {
				return fmt.Errorf("%s: %w", op.ID, err)
			}
			families[name].Methods = append(families[name].Methods, m)
		}
	}

	for _, name := range sortedKeys(families) {
		f := families[name]
		slices.SortFunc(f.Methods, func(a, b Method) int { return cmp.Compare(a.Name, b.Name) })
		r.m.Families = append(r.m.Families, *f)
	}
	return nil
}

func (r *reader) method(verb, path string, op *operation) (Method, error) {
	family := familyName(op.Tags[0])
	m := Method{OperationID: op.ID, Name: methodName(family, op.ID), Verb: verb, Path: path, Summary: op.Summary, Doc: op.Description}
	if writes := verb != "GET" && verb != "DELETE"; writes != (op.Idempotent != nil) {
		return m, fmt.Errorf("the SDKs send an Idempotency-Key with POST, PUT and PATCH; it is a %s", verb)
	}
	for _, set := range op.Security {
		if scopes := set["oauth2"]; len(scopes) > 0 {
			m.Scopes = append(m.Scopes, strings.Join(scopes, "+"))
		}
	}

	owner := GoName(singular(family)) + GoName(m.Name)
	if r.stable != nil {
		owner = previewPrefix + owner
	}
	if err := r.parameters(&m, owner, op); err != nil {
		return m, err
	}
	if err := r.requestBody(&m, op); err != nil {
		return m, err
	}
	return m, r.response(&m, owner, op)
}

func (r *reader) parameters(m *Method, owner string, op *operation) error {
	var names []string
	for _, p := range r.doc.resolve(op.Parameters) {
		switch p.In {
		case "path":
			m.IDs = append(m.IDs, p.Name)
			m.IDDocs = append(m.IDDocs, p.Description)
			m.IDExamples = append(m.IDExamples, fmt.Sprint(p.example()))
		case "header":
			m.Headers = append(m.Headers, p.Name)
		case "query":
			t, err := r.typeOf(p.Schema, owner+GoName(p.Name), false)
			if err != nil {
				return err
			}
			m.Query = append(m.Query, Field{Name: p.Name, Doc: p.Description, Type: t, Required: p.Required, Example: p.example()})
			names = append(names, p.Name)
		}
	}
	switch {
	case len(names) == 0:
	case slices.Equal(names, listQuery):
		m.Params = "ListParams"
	default:
		m.Params = owner + "Params"
	}
	return nil
}

func (r *reader) requestBody(m *Method, op *operation) error {
	if op.RequestBody == nil {
		return nil
	}
	body, ok := op.RequestBody.Content["application/json"]
	if !ok {
		m.Upload = true
		m.Files = slices.DeleteFunc(sortedKeys(op.RequestBody.Content), func(name string) bool { return name == "multipart/form-data" })
		return nil
	}
	m.BodyExample = body.Example
	m.BodyOptional = !op.RequestBody.Required
	m.Body = r.typeName(refName(body.Schema))
	return r.add(refName(body.Schema), m.Verb == "PATCH" || m.Verb == "PUT")
}

func (r *reader) response(m *Method, owner string, op *operation) error {
	for _, status := range []string{"200", "201", "202"} {
		res, ok := op.Responses[status]
		if !ok {
			continue
		}
		body, ok := res.Content["application/json"]
		if !ok {
			m.Download = true
			return nil
		}
		_, m.CSV = res.Content["text/csv"]
		if op.Pagination != nil {
			page := r.doc.Components.Schemas[refName(body.Schema)]
			item := refName(page.Properties[op.Pagination.Items].Items)
			m.Item = r.typeName(item)
			return r.add(item, false)
		}
		t, err := r.typeOf(body.Schema, owner, false)
		m.Result = t.Name
		return err
	}
	return nil
}

// events adds the types of events, and their objects.
func (r *reader) events() error {
	event := r.doc.Components.Schemas["Event"]
	for _, name := range sortedKeys(event.Discriminator.Mapping) {
		variant := r.doc.target(event.Discriminator.Mapping[name])
		own := variant.AllOf[1] // after what all events have
		object := refName(own.Properties["data"].Properties["object"])
		if err := r.add(object, false); err != nil {
			return err
		}
		r.m.Events = append(r.m.Events, Event{Type: name, Object: r.typeName(object), Doc: own.Properties["type"].Description})
	}
	return nil
}
