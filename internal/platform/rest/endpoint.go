package rest

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Endpoint describes a path that Handle, HandleForm or HandleHook mounts. Query, Form,
// JSON, Result and Error are values of the types that are sent. Nil means none.
type Endpoint struct {
	Method, Path, ID, Summary, Description string

	Query, Form, JSON, Result, Error any

	Status int // of success. The default is 200.
}

// Document adds an endpoint to the description of what callers without an API key
// use.
func (r *Router) Document(e Endpoint) {
	r.public.describe(func(doc *huma.OpenAPI) { doc.AddOperation(r.document(doc, e)) })
}

func (r *Router) document(doc *huma.OpenAPI, e Endpoint) *huma.Operation {
	status := strconv.Itoa(max(e.Status, http.StatusOK))
	op := &huma.Operation{
		Method: e.Method, Path: e.Path, OperationID: e.ID, Summary: e.Summary, Description: e.Description,
		Tags: []string{r.family}, Security: []map[string][]string{},
		Parameters: append(pathParameters(e.Path), queryParameters(doc, e.Query)...),
		Responses:  map[string]*huma.Response{status: {Description: http.StatusText(max(e.Status, http.StatusOK))}},
	}
	if e.Form != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: content(doc, "application/x-www-form-urlencoded", e.Form)}
	}
	if e.JSON != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: content(doc, "application/json", e.JSON)}
	}
	if e.Result != nil {
		op.Responses[status].Content = content(doc, "application/json", e.Result)
	}
	if e.Error != nil {
		op.Responses["4XX"] = &huma.Response{Description: "The request is rejected.", Content: content(doc, "application/json", e.Error)}
	} else {
		op.Responses["4XX"] = &huma.Response{Ref: "#/components/responses/BadRequest"}
	}
	return op
}

func content(doc *huma.OpenAPI, kind string, value any) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{kind: {Schema: doc.Components.Schemas.Schema(reflect.TypeOf(value), true, "")}}
}

// pathParameters describes the names in braces.
func pathParameters(path string) (params []*huma.Param) {
	for _, segment := range strings.Split(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			params = append(params, &huma.Param{Name: strings.TrimSuffix(name, "}"), In: "path", Required: true,
				Description: "From the URL that Slipway shows.", Schema: &huma.Schema{Type: huma.TypeString}})
		}
	}
	return params
}

// queryParameters describes the fields of a struct as parameters.
func queryParameters(doc *huma.OpenAPI, query any) (params []*huma.Param) {
	if query == nil {
		return nil
	}
	schema := huma.SchemaFromType(doc.Components.Schemas, reflect.TypeOf(query))
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p := *schema.Properties[name]
		params = append(params, &huma.Param{Name: name, In: "query", Description: p.Description, Schema: &p,
			Required: slices.Contains(schema.Required, name)})
		p.Description = ""
	}
	return params
}
