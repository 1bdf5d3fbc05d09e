package description

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
)

// endpoint describes a path that has no route.
func endpoint(e rest.Endpoint, schemas huma.Registry) *huma.Operation {
	status := strconv.Itoa(max(e.Status, http.StatusOK))
	op := &huma.Operation{
		Method: e.Method, Path: e.Path, OperationID: e.ID, Summary: e.Summary, Description: e.Description,
		Tags: tags(e.Family), Security: []map[string][]string{},
		Parameters: append(pathParameters(e.Path), queryParameters(schemas, e.Query)...),
		Responses:  map[string]*huma.Response{status: {Description: http.StatusText(max(e.Status, http.StatusOK))}},
	}
	if e.Form != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: content(schemas, "application/x-www-form-urlencoded", e.Form)}
	}
	if e.JSON != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: content(schemas, "application/json", e.JSON)}
	}
	if e.Result != nil {
		op.Responses[status].Content = content(schemas, "application/json", e.Result)
	}
	if e.Error != nil {
		op.Responses["4XX"] = &huma.Response{Description: "The request is rejected.", Content: content(schemas, "application/json", e.Error)}
	} else {
		op.Responses["4XX"] = &huma.Response{Ref: "#/components/responses/BadRequest"}
	}
	return op
}

func content(schemas huma.Registry, kind string, value any) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{kind: {Schema: schemas.Schema(reflect.TypeOf(value), true, "")}}
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
func queryParameters(schemas huma.Registry, query any) (params []*huma.Param) {
	if query == nil {
		return nil
	}
	schema := huma.SchemaFromType(schemas, reflect.TypeOf(query))
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p := *schema.Properties[name]
		params = append(params, &huma.Param{Name: name, In: "query", Description: p.Description, Schema: &p,
			Required: slices.Contains(schema.Required, name)})
		p.Description = ""
	}
	return params
}
