package rest

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
)

// request is how a request becomes a value of a struct: the fields that are parameters,
// and the field Body. It depends on the type only.
type request struct {
	schemas  huma.Registry
	params   []param
	body     *reflect.StructField
	schema   *huma.Schema // of the body
	defaults []bodyDefault
	added    additions
	shape    *shape // of a body that the preview has in another shape
}

// param is a field that a part of the URL or a header sets.
type param struct {
	field    reflect.StructField
	in, name string
	schema   *huma.Schema
	unit     int64 // in cents, of an amount in the preview
}

// bodyDefault is the value of a field that the body doesn't have.
type bodyDefault struct {
	index []int
	value string
}

var requests sync.Map // of functions that return a *request, by requestKind

// requestKind is a type of requests and whether they are in the shape of the preview.
type requestKind struct {
	t       reflect.Type
	preview bool
}

// requestOf returns how requests of a type are read. It is prepared when the first one
// arrives, and all servers of a process share it.
func requestOf(t reflect.Type, preview bool) func() *request {
	prepare, _ := requests.LoadOrStore(requestKind{t, preview}, sync.OnceValue(func() *request {
		q := newRequest(t, NewSchemas(), "")
		if preview {
			q.convert()
			ConvertSchemas(q.schemas)
			ConvertSchema(q.schemas, q.schema)
		}
		for _, s := range q.schemas.Map() {
			AllowNull(s)
		}
		q.added = additionsTo(t)
		return q
	}))
	return prepare.(func() *request)
}

// newRequest reads the tags of a type and adds its schemas to others. The body's schema
// gets the name if its type has none.
func newRequest(t reflect.Type, schemas huma.Registry, name string) *request {
	q := &request{schemas: schemas}
	for _, f := range reflect.VisibleFields(t) {
		for _, in := range []string{"path", "query", "header"} {
			if tag := f.Tag.Get(in); tag != "" && !f.Anonymous {
				q.params = append(q.params, param{field: f, in: in, name: tag, schema: huma.SchemaFromField(schemas, f, "")})
			}
		}
	}
	if f, ok := t.FieldByName("Body"); ok {
		if t.Name() != "" {
			name = t.Name() + f.Name
		}
		q.body, q.schema = &f, huma.SchemaFromField(schemas, f, name)
		q.schema.PrecomputeMessages()
		q.defaults = defaultsOf(f.Type, f.Index)
	}
	return q
}

// defaultsOf returns the defaults in a struct and in the structs inside.
func defaultsOf(t reflect.Type, index []int) (all []bodyDefault) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		if value := f.Tag.Get("default"); value != "" {
			all = append(all, bodyDefault{at, value})
		} else if f.IsExported() {
			all = append(all, defaultsOf(f.Type, at)...)
		}
	}
	return all
}

// Describe adds the parameters and the body to the description of the operation.
func (o *Operation) Describe(op *huma.Operation, schemas huma.Registry) {
	q := newRequest(o.In, schemas, o.ID+"Request")
	if o.preview != nil {
		q.convert()
	}
	for _, p := range q.params {
		known := func(other *huma.Param) bool { return other.Name == p.name && other.In == p.in }
		if p.field.Tag.Get("hidden") == "true" || slices.ContainsFunc(op.Parameters, known) {
			continue
		}
		described := &huma.Param{Name: p.name, Description: p.schema.Description, In: p.in, Required: p.in == "path", Schema: p.schema}
		if p.in == "query" {
			described.Explode = new(false) // lists are separated by commas
		}
		if since := p.field.Tag.Get("since"); since != "" && strings.HasPrefix(op.Path, StablePath) {
			described.Extensions = map[string]any{version.Extension: version.DateOf(since)}
		}
		op.Parameters = append(op.Parameters, described)
	}
	if q.body != nil {
		op.RequestBody = &huma.RequestBody{Required: q.requiresBody(), Content: map[string]*huma.MediaType{"application/json": {Schema: q.schema}}}
	}
}

func (q *request) requiresBody() bool { return q.body.Type.Kind() != reflect.Pointer }

// names returns the names of the parameters in a part of the request.
func (q *request) names(in string) (names []string) {
	for _, p := range q.params {
		if p.in == in {
			names = append(names, p.name)
		}
	}
	return names
}

// read returns a pointer to the struct, with the values of a request. It returns all
// errors together.
func (q *request) read(t reflect.Type, req *http.Request, x *exchange) (any, []error) {
	if errs := q.unknown(x.query); len(errs) > 0 {
		return nil, errs
	}
	value, path, found := reflect.New(t), huma.NewPathBuffer(make([]byte, 0, 128), 0), &huma.ValidateResult{}
	for _, p := range q.params {
		text := p.text(req, x.query)
		if text == "" {
			if p.in == "path" {
				found.Errors = append(found.Errors, problem(p, "required", "is required"))
			}
			continue
		}
		parsed, err := setParam(value.Elem().FieldByIndex(p.field.Index), text)
		if err != nil {
			found.Errors = append(found.Errors, problem(p, "type", err.Error()))
			continue
		}
		path.Reset()
		path.Push(p.in)
		path.Push(p.name)
		before := len(found.Errors)
		huma.Validate(q.schemas, p.schema, path, huma.ModeWriteToServer, parsed, found)
		if cents, ok := parsed.(int64); ok && p.unit > 1 && len(found.Errors) == before {
			_, _ = setParam(value.Elem().FieldByIndex(p.field.Index), strconv.FormatInt(cents/p.unit, 10)) // it is a number
		}
	}
	if q.body != nil {
		q.readBody(value.Elem(), x.body, path, found)
	}
	return value.Interface(), found.Errors
}

// problem returns an error about a parameter, as huma does.
func problem(p param, code, text string) error {
	return &huma.ErrorDetail{Location: p.in + "." + p.name, Message: code + sep + text}
}

// unknown returns an error for each parameter in the query that doesn't exist.
func (q *request) unknown(query url.Values) (errs []error) {
	for name := range query {
		if !slices.ContainsFunc(q.params, func(p param) bool { return p.in == "query" && p.name == name }) {
			errs = append(errs, problem(param{in: "query", name: name}, "unknown_parameter", "is not a known parameter"))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}

// readBody validates the body and sets the field.
func (q *request) readBody(value reflect.Value, body []byte, path *huma.PathBuffer, found *huma.ValidateResult) {
	if len(body) == 0 {
		if q.requiresBody() {
			found.Errors = append(found.Errors, errNoBody)
		}
		return
	}
	fail := func(err error) {
		found.Errors = append(found.Errors, &huma.ErrorDetail{Location: "body", Message: err.Error()})
	}
	var parsed any
	if err := unmarshal(body, &parsed); err != nil {
		fail(err)
		return
	}
	before := len(found.Errors)
	path.Reset()
	path.Push("body")
	huma.Validate(q.schemas, q.schema, path, huma.ModeWriteToServer, parsed, found)

	err := q.decode(body, value.FieldByIndex(q.body.Index).Addr().Interface())
	if err != nil && len(found.Errors) == before {
		fail(err)
	}
	for _, d := range q.defaults {
		if f := value.FieldByIndex(d.index); f.IsZero() {
			f.SetString(d.value)
		}
	}
}

// decode decodes a body.
func (q *request) decode(body []byte, v any) (err error) {
	if q.shape != nil {
		if body, err = q.shape.fromPreview(body); err != nil {
			return err
		}
	}
	return unmarshal(body, v)
}

// text returns the value that the request has for a parameter, or its default.
func (p param) text(req *http.Request, query url.Values) (text string) {
	switch p.in {
	case "path":
		text = pathValue(req, p.name)
	case "query":
		text = query.Get(p.name)
	case "header":
		text = req.Header.Get(p.name)
	}
	if text == "" {
		return p.field.Tag.Get("default")
	}
	return text
}

// pathValue returns a parameter of the path. The router doesn't decode it if the path
// contains other escaped characters.
func pathValue(req *http.Request, name string) string {
	value := req.PathValue(name)
	if req.URL.RawPath == "" {
		return value
	}
	if decoded, err := url.PathUnescape(value); err == nil {
		return decoded
	}
	return value
}

// optional is a parameter that knows whether it was set, such as patch.Param.
type optional interface {
	Receiver() reflect.Value
	OnParamSet(isSet bool, value any)
}

// setParam parses a parameter and sets its field. It returns the value to validate.
func setParam(f reflect.Value, text string) (value any, err error) {
	if o, ok := f.Addr().Interface().(optional); ok {
		value, err = setParam(o.Receiver(), text)
		o.OnParamSet(true, value)
		return value, err
	}
	if f.Type() == reflect.TypeFor[time.Time]() {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return nil, errors.New("must be a time such as 2026-05-01T09:30:00Z")
		}
		f.Set(reflect.ValueOf(at))
		return text, nil
	}

	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
		return text, nil
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errors.New("must be a whole number")
		}
		f.SetInt(n)
		return n, nil
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, errors.New("must be a number")
		}
		f.SetFloat(n)
		return n, nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, errors.New("must be true or false")
		}
		f.SetBool(b)
		return b, nil
	case reflect.Slice:
		parts := strings.Split(text, ",")
		f.Set(reflect.MakeSlice(f.Type(), len(parts), len(parts)))
		for i, part := range parts {
			f.Index(i).SetString(part)
		}
		return parts, nil
	}
	panic("rest: " + f.Type().String() + " can't be the type of a parameter")
}

// errNoBody is the error of a request without a body that is required.
var errNoBody = errors.New("no body")

// validate returns what the schema of the body rejects. The names of fields start with
// the field.
func (q *request) validate(body any, field string) (bad fault.Fields) {
	path, found := huma.NewPathBuffer(make([]byte, 0, 64), 0), &huma.ValidateResult{}
	path.Push("body")
	huma.Validate(q.schemas, q.schema, path, huma.ModeWriteToServer, body, found)
	for _, err := range found.Errors {
		d, _ := detail(err)
		bad.Add(field+d.Field, d.Code, "%s", d.Message)
	}
	return bad
}

// AllowNull adds null to the values of nullable enums, which huma leaves out.
func AllowNull(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Nullable && len(s.Enum) > 0 && !slices.Contains(s.Enum, nil) {
		s.Enum = append(s.Enum, nil)
	}
	for _, p := range s.Properties {
		AllowNull(p)
	}
	AllowNull(s.Items)
}
