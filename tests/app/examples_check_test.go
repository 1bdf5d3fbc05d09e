package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipway/internal/testkit/assert"
)

// Each operation has a request and a response to copy, and both are valid.
func TestEveryOperationHasExamples(t *testing.T) {
	if problems := exampleProblems(t, documentOf(t)); len(problems) > 0 {
		t.Errorf("%d problems with examples. Add the operations to the story and run `make openapi`.\n%s", len(problems), strings.Join(problems, "\n"))
	}
}

func TestExampleProblems(t *testing.T) {
	for _, c := range []struct {
		change func(create, get map[string]any)
		want   string
	}{
		{func(create, _ map[string]any) { delete(content(create["requestBody"], "application/json"), "example") },
			"createHull: the request has no example"},
		{func(_, get map[string]any) { delete(content(success(get), "application/json"), "example") },
			"getHull: the response has no example"},
		{func(create, _ map[string]any) { exampleOf(create["requestBody"])["year"] = "2024" },
			"createHull: the example of the request is invalid"},
		{func(create, _ map[string]any) { exampleOf(create["requestBody"])["color"] = "white" },
			"createHull: the example of the request is invalid"},
		{func(_, get map[string]any) { exampleOf(success(get))["status"] = "floating" },
			"getHull: the example of the response is invalid"},
		{func(_, get map[string]any) { delete(exampleOf(success(get)), "make") },
			"getHull: the example of the response is invalid"},
		{func(_, get map[string]any) { get["parameters"] = []any{object{"name": "hull_id", "in": "path"}} },
			"getHull: the parameter hull_id has no example"},
	} {
		doc := documentOf(t)
		paths, _ := doc["paths"].(map[string]any)
		hulls, _ := paths["/v1/hulls"].(map[string]any)
		hull, _ := paths["/v1/hulls/{hull_id}"].(map[string]any)
		create, _ := hulls["post"].(map[string]any)
		get, _ := hull["get"].(map[string]any)
		c.change(create, get)
		doc["paths"] = map[string]any{"/v1/hulls": hulls, "/v1/hulls/{hull_id}": hull} // TestEveryOperationHasExamples checks the others

		problems := exampleProblems(t, doc)
		assert.Len(t, problems, 1, c.want)
		assert.Contains(t, problems[0], c.want)
	}
}

// exampleProblems lists missing and invalid examples of a document.
func exampleProblems(t *testing.T, doc map[string]any) (problems []string) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", asSchema(t, doc)); err != nil {
		t.Fatal(err)
	}
	components, _ := doc["components"].(map[string]any)
	shared, _ := components["parameters"].(map[string]any)

	each(doc["paths"], func(path string, item map[string]any) {
		each(item, func(method string, op map[string]any) {
			report := func(format string, args ...any) {
				problems = append(problems, fmt.Sprintf("%s: ", op["operationId"])+fmt.Sprintf(format, args...))
			}
			check := exampleCheck{compiler, report}
			where := "openapi.json#/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method
			for name, part := range map[string]any{"request": op["requestBody"], "response": success(op)} {
				if name == "request" {
					check.example(t, where+"/requestBody", name, part)
				} else {
					check.example(t, where+"/responses/"+successStatus(op), name, part)
				}
			}
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				if name := withoutExample(p, shared); name != "" {
					report("the parameter %s has no example", name)
				}
			}
		})
	})
	slices.Sort(problems)
	return problems
}

// asSchema returns a document as the compiler of schemas reads it.
func asSchema(t *testing.T, doc map[string]any) any {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// textTypes are the media types that examples can be shown of. Photos and PDFs are
// not text.
var textTypes = []string{"application/json", "application/ld+json", "text/csv"}

// exampleCheck compares examples with their schemas.
type exampleCheck struct {
	compiler *jsonschema.Compiler
	report   func(format string, args ...any)
}

func (c exampleCheck) example(t *testing.T, where, name string, body any) {
	t.Helper()
	text, found := false, false
	for _, mediaType := range textTypes {
		media := content(body, mediaType)
		if media == nil {
			continue
		}
		text = true
		if media["example"] == nil {
			continue
		}
		found = true
		schema, err := c.compiler.Compile(where + "/content/" + strings.ReplaceAll(mediaType, "/", "~1") + "/schema")
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(media["example"]); err != nil {
			c.report("the example of the %s is invalid: %v", name, err)
		}
	}
	if text && !found {
		c.report("the %s has no example", name)
	}
}

// withoutExample returns the name of a parameter in the path that has no example.
func withoutExample(p any, shared map[string]any) string {
	parameter, _ := p.(map[string]any)
	if ref, _ := parameter["$ref"].(string); ref != "" {
		parameter, _ = shared[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
	schema, _ := parameter["schema"].(map[string]any)
	if parameter["in"] != "path" || parameter["example"] != nil || schema["examples"] != nil {
		return ""
	}
	return fmt.Sprint(parameter["name"])
}

func successStatus(op map[string]any) string {
	responses, _ := op["responses"].(map[string]any)
	for _, status := range []string{"201", "202", "200"} {
		if responses[status] != nil {
			return status
		}
	}
	return "204"
}

func success(op map[string]any) any {
	responses, _ := op["responses"].(map[string]any)
	return responses[successStatus(op)]
}

func content(body any, mediaType string) map[string]any {
	b, _ := body.(map[string]any)
	all, _ := b["content"].(map[string]any)
	c, _ := all[mediaType].(map[string]any)
	return c
}

func exampleOf(body any) map[string]any {
	e, _ := content(body, "application/json")["example"].(map[string]any)
	return e
}
