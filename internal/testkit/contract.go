package testkit

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/version"
)

// stable is the OpenAPI document of /v1.
var stable = sync.OnceValues(func() ([]byte, error) { return description.JSON(app.Described().Stable()) })

// contracts are the OpenAPI documents of the versions, which each response is checked
// against.
var contracts = map[string]func() (*document, error){}

// previewContract is the OpenAPI document of the preview. It has no older versions.
var previewContract = sync.OnceValues(func() (*document, error) {
	text, err := description.JSON(app.Described().Preview())
	if err != nil {
		return nil, err
	}
	return documentOf(text, version.Latest())
})

func init() {
	for _, v := range version.Published {
		contracts[v.Date] = sync.OnceValues(func() (*document, error) {
			text, err := stable()
			if err != nil {
				return nil, err
			}
			return documentOf(text, v.Date)
		})
	}
}

func documentOf(text []byte, date string) (*document, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	removeAfter(date, doc)
	selectVariants(doc)
	d := &document{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", doc); err != nil {
		return nil, err
	}
	for path := range doc.(map[string]any)["paths"].(map[string]any) {
		pattern := regexp.MustCompile(`\\\{[^}]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		d.paths = append(d.paths, documentPath{path, regexp.MustCompile("^" + pattern + "$")})
	}
	return d, nil
}

// removeAfter changes the schemas so that properties of later versions are errors.
func removeAfter(date string, doc any) {
	if list, ok := doc.([]any); ok {
		for _, item := range list {
			removeAfter(date, item)
		}
	}
	object, _ := doc.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	for name, p := range properties {
		schema, _ := p.(map[string]any)
		if since, _ := schema["x-since"].(string); since > date {
			properties[name] = false
			required, _ := object["required"].([]any)
			object["required"] = slices.DeleteFunc(required, func(r any) bool { return r == name })
		}
	}
	for _, inner := range object {
		removeAfter(date, inner)
	}
}

// selectVariants changes each union so that only the variant that the discriminator
// selects is checked. The error is then about that variant, and the list of events is
// checked a hundred times faster.
func selectVariants(doc any) {
	if list, ok := doc.([]any); ok {
		for _, item := range list {
			selectVariants(item)
		}
	}
	object, _ := doc.(map[string]any)
	discriminator, _ := object["discriminator"].(map[string]any)
	mapping, isUnion := discriminator["mapping"].(map[string]any)
	for _, inner := range object {
		selectVariants(inner)
	}
	if !isUnion {
		return
	}

	delete(object, "oneOf")
	property := discriminator["propertyName"].(string)
	conditions, values := []any{}, []any{}
	for value, ref := range mapping {
		values = append(values, value)
		conditions = append(conditions, map[string]any{
			"if":   map[string]any{"properties": map[string]any{property: map[string]any{"const": value}}},
			"then": map[string]any{"$ref": ref},
		})
	}
	object["allOf"], object["required"] = conditions, []any{property}
	object["properties"] = map[string]any{property: map[string]any{"enum": values}}
}

type document struct {
	compiler *jsonschema.Compiler
	paths    []documentPath

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema
}

type documentPath struct {
	path    string
	pattern *regexp.Regexp
}

// checkContract reports a failure if a response doesn't match the OpenAPI document.
func checkContract(t *testing.T, method, path string, res *Response) {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	if !rest.InAPI(path) || method == "HEAD" || res.StatusCode == 204 || res.StatusCode == 304 {
		return
	}
	contract := contracts[res.Header.Get("Service-Version")]
	if strings.HasPrefix(path, rest.PreviewPath) {
		contract = previewContract
	}
	c, err := contract()
	check(t, err)
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	check(t, err)

	status := res.StatusCode
	if status == http.StatusPartialContent { // described as 200
		status = http.StatusOK
	}
	where := "#/components/schemas/ErrorEnvelope"
	if res.StatusCode < 300 {
		for _, p := range c.paths {
			if p.pattern.MatchString(path) {
				where = fmt.Sprintf("#/paths/%s/%s/responses/%d/content/%s/schema",
					escape(p.path), strings.ToLower(method), status, escape(kind))
			}
			if p.path == path { // /events/trigger is not /events/{event_id}
				break
			}
		}
	}

	schema, err := c.schema(where)
	check(t, err)
	if kind != "application/json" { // other types only have to be in the document
		return
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(res.Bytes))
	check(t, err)
	if err := schema.Validate(body); err != nil {
		t.Errorf("%s %s: the response does not match the OpenAPI document: %v\n%s", method, path, err, res.Bytes)
	}
}

// escape returns a name for use in a JSON pointer.
func escape(name string) string { return strings.ReplaceAll(name, "/", "~1") }

func (c *document) schema(where string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.schemas[where]; ok {
		return s, nil
	}
	s, err := c.compiler.Compile("openapi.json" + where)
	c.schemas[where] = s
	return s, err
}
