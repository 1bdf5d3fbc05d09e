package testkit

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/version"
)

// contracts are the OpenAPI documents of the versions, which each response is checked
// against.
var contracts = map[string]func() (*document, error){}

// previewContract is the OpenAPI document of the preview. It has no older versions.
var previewContract = sync.OnceValues(func() (*document, error) { return documentOf(app.Described().Preview()) })

func init() {
	for _, v := range version.Published {
		contracts[v.Date] = sync.OnceValues(func() (*document, error) {
			return documentOf(description.At(app.Described().Stable(), v.Date))
		})
	}
}

func documentOf(described *huma.OpenAPI) (*document, error) {
	text, err := description.JSON(described)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
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

// template returns the path of the document that a path of a request matches, or "".
func (c *document) template(path string) (found string) {
	for _, p := range c.paths {
		if p.pattern.MatchString(path) {
			found = p.path
		}
		if p.path == path { // /events/trigger is not /events/{event_id}
			break
		}
	}
	return found
}

// checkContract reports a failure if a response doesn't match the OpenAPI document.
func checkContract(t *testing.T, method, path string, res *Response) {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	if !rest.InAPI(path) || method == "HEAD" {
		return
	}
	contract := contracts[res.Header.Get("Service-Version")]
	if strings.HasPrefix(path, rest.PreviewPath) {
		contract = previewContract
	}
	c, err := contract()
	check(t, err)
	template := c.template(path)
	seeResponse(t, method, template, res)
	if res.StatusCode == 204 || res.StatusCode == 304 {
		return
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	check(t, err)

	status := res.StatusCode
	if status == http.StatusPartialContent { // described as 200
		status = http.StatusOK
	}
	where := schemaPrefix + "ErrorEnvelope"
	if res.StatusCode < 300 && template != "" {
		where = fmt.Sprintf("#/paths/%s/%s/responses/%d/content/%s/schema", escape(template), strings.ToLower(method), status, escape(kind))
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

// CheckSchema reports a failure if JSON doesn't match a schema of a version: what a webhook
// sends, or a record of an export.
func CheckSchema(t *testing.T, date, name string, text []byte) {
	t.Helper()
	c, err := contracts[date]()
	check(t, err)
	schema, err := c.schema(schemaPrefix + name)
	check(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	check(t, err)
	if err := schema.Validate(value); err != nil {
		t.Errorf("not a %s of version %s: %v\n%s", name, date, err, text)
	}
}

const schemaPrefix = "#/components/schemas/"

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
