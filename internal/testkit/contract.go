package testkit

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipway/internal/app"
)

// contract is the API's own description, to hold every response against.
var contract = sync.OnceValues(func() (*described, error) {
	text, err := app.OpenAPIJSON(app.OpenAPI())
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d := &described{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", doc); err != nil {
		return nil, err
	}
	for path := range doc.(map[string]any)["paths"].(map[string]any) {
		pattern := regexp.MustCompile(`\\\{[^}]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		d.paths = append(d.paths, describedPath{path, regexp.MustCompile("^" + pattern + "$")})
	}
	return d, nil
})

type described struct {
	compiler *jsonschema.Compiler
	paths    []describedPath

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema
}

type describedPath struct {
	path    string
	pattern *regexp.Regexp
}

// keepsContract fails the test if a response is not as the description says.
func keepsContract(t *testing.T, method, path string, res *Response) {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	if !strings.HasPrefix(path, "/v1/") || method == "HEAD" || res.StatusCode == 204 {
		return
	}
	c, err := contract()
	check(t, err)
	where := "#/components/schemas/ErrorEnvelope"
	if res.StatusCode < 300 {
		for _, p := range c.paths {
			if p.pattern.MatchString(path) {
				where = fmt.Sprintf("#/paths/%s/%s/responses/%d/content/application~1json/schema",
					strings.ReplaceAll(p.path, "/", "~1"), strings.ToLower(method), res.StatusCode)
			}
		}
	}
	schema, err := c.schema(where)
	check(t, err)
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(res.Bytes))
	check(t, err)
	if err := schema.Validate(body); err != nil {
		t.Errorf("%s %s answers other than described: %v\n%s", method, path, err, res.Bytes)
	}
}

func (c *described) schema(where string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.schemas[where]; ok {
		return s, nil
	}
	s, err := c.compiler.Compile("openapi.json" + where)
	c.schemas[where] = s
	return s, err
}
