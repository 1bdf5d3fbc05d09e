package app

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// collection is what the test reads of a Postman collection.
type collection struct {
	Info struct{ Name, Schema string }
	Auth struct {
		Type   string
		Bearer []struct{ Key, Value string }
	}
	Variable []struct{ Key, Value string }
	Item     []struct {
		Name string
		Item []struct {
			Name    string
			Request postmanRequest
		}
	}
}

type postmanRequest struct {
	Method string
	Header []struct {
		Key, Value string
		Disabled   bool
	}
	URL struct {
		Raw      string
		Variable []struct{ Key, Value string }
	}
	Body *struct{ Mode, Raw string }
}

func postmanOf(t *testing.T, s *testkit.Server) (c collection) {
	t.Helper()
	res := send(t, s.As(""), "GET", "/postman.json", nil)
	if err := json.Unmarshal(res.Bytes, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The collection has all operations, and only api_key must be set.
func TestPostman(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	c := postmanOf(t, s)
	assert.Contains(t, c.Info.Schema, "v2.1.0", "schema")
	assert.Equal(t, c.Auth.Type, "bearer")
	assert.Equal(t, c.Auth.Bearer[0].Value, "{{api_key}}")
	assert.Equal(t, c.Variable[0].Value, s.Settings().BaseURL, "base_url")
	assert.Equal(t, c.Variable[1].Key, "api_key")

	n, withBody := 0, 0
	for _, folder := range c.Item {
		for _, item := range folder.Item {
			n++
			r := item.Request
			if r.Body != nil && r.Body.Mode == "raw" && strings.HasPrefix(r.Body.Raw, "{") {
				withBody++
				if !json.Valid([]byte(r.Body.Raw)) {
					t.Errorf("%s: the body is not JSON: %s", item.Name, r.Body.Raw)
				}
			}
			if key := r.header("Idempotency-Key"); r.Method == "POST" && key != "{{$guid}}" {
				t.Errorf("%s: got the Idempotency-Key %q, want {{$guid}}", item.Name, key)
			}
			for _, v := range r.URL.Variable {
				if v.Value == "" || !strings.Contains(r.URL.Raw, ":"+v.Key) {
					t.Errorf("%s: the path variable %s has no value or is not in %s", item.Name, v.Key, r.URL.Raw)
				}
			}
		}
	}
	assert.Equal(t, n, 143, "requests")
	if withBody < 60 {
		t.Errorf("got %d requests with a JSON body, want those of all operations that have one", withBody)
	}
}

func (r postmanRequest) header(name string) string {
	for _, h := range r.Header {
		if h.Key == name && !h.Disabled {
			return h.Value
		}
	}
	return ""
}

// Each request leads to an operation: 404 is only for the resources of the examples.
func TestPostmanRequests(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for _, folder := range postmanOf(t, s).Item {
		for _, item := range folder.Item {
			if problem := try(t, s, item.Request); problem != "" {
				t.Errorf("%s: %s", item.Name, problem)
			}
		}
	}
	wrong := postmanRequest{Method: "GET"}
	wrong.URL.Raw = "{{base_url}}/v1/yachts"
	if try(t, s, wrong) == "" {
		t.Error("an unknown path was accepted")
	}
	wrong.Method, wrong.URL.Raw = "DELETE", "{{base_url}}/v1/hulls"
	if try(t, s, wrong) == "" {
		t.Error("a wrong method was accepted")
	}
}

// try sends a request as Postman does and returns why it leads to no operation, or why
// its body is not accepted by its schema.
func try(t *testing.T, s *testkit.Server, r postmanRequest) string {
	t.Helper()
	url := strings.ReplaceAll(r.URL.Raw, "{{base_url}}", s.URL)
	for _, v := range r.URL.Variable {
		url = strings.Replace(url, ":"+v.Key, v.Value, 1)
	}
	var body bytes.Buffer
	if r.Body != nil {
		body.WriteString(r.Body.Raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), r.Method, url, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Test.Key)
	for _, h := range r.Header {
		if !h.Disabled && !strings.Contains(h.Value, "{{") {
			req.Header.Set(h.Key, h.Value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var e struct {
		Error struct {
			Message string
			Details []struct{ Field, Code string }
		}
	}
	_ = json.NewDecoder(res.Body).Decode(&e) // a file is not JSON
	for _, d := range e.Error.Details {
		if d.Code == "unknown_field" || d.Code == "type" && d.Field != "file" && r.Body != nil && r.Body.Mode == "raw" {
			return "the body is not accepted: " + e.Error.Message
		}
	}
	if res.StatusCode == 405 || res.StatusCode >= 500 || strings.HasPrefix(e.Error.Message, "Path ") {
		return res.Status + " " + e.Error.Message
	}
	return ""
}

// llms.txt has the form of llmstxt.org, and each link in it works.
func TestLLMs(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	text := string(send(t, s.As(""), "GET", "/llms.txt", nil).Bytes)
	if !strings.HasPrefix(text, "# Slipway\n\n> ") || !strings.Contains(text, "\n## Optional\n") {
		t.Errorf("got %s, want a title, a summary and sections", text)
	}
	links := 0
	for line := range strings.Lines(text) {
		_, rest, ok := strings.Cut(line, "](")
		if !ok {
			continue
		}
		links++
		url, _, _ := strings.Cut(rest, ")")
		path, ours := strings.CutPrefix(url, s.Settings().BaseURL)
		if res := send(t, s.As(""), "GET", path, nil); !ours || res.StatusCode != 200 {
			t.Errorf("%s: got %d", url, res.StatusCode)
		}
	}
	if links < 15 {
		t.Errorf("got %d links, want the guides and the documents", links)
	}
}

// The pages are served next to the API, and each path that guides name exists.
func TestDocsPages(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for path, want := range map[string]int{
		"/docs": 200, "/docs/errors": 200, "/docs/guides/concepts": 200, "/docs/guides/concepts.md": 200, "/docs/search?q=hull": 200,
		"/docs/search.json": 200, "/docs/reference": 200, "/docs/reference/preview": 200, "/docs/reference/public": 200, "/changelog": 200,
		"/changelog.json": 200, "/openapi.json": 200, "/openapi.yaml": 200, "/openapi-preview.json": 200, "/openapi-public.json": 200,
		"/postman.json": 200, "/llms.txt": 200, "/docs/guides/nothing": 404, "/docs/nothing": 404,
	} {
		if res := send(t, s.As(""), "GET", path, nil); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, res.StatusCode, want)
		}
	}
	index := string(send(t, s.As(""), "GET", "/docs/search.json", nil).Bytes)
	for _, want := range []string{`"/docs/reference#/operations/createHull"`, `"/docs/reference/preview#/operations/`, `"/docs/errors#consent_missing"`} {
		assert.Contains(t, index, want, "search.json")
	}
	if len(index) > 200_000 {
		t.Errorf("search.json has %d bytes, want at most 200,000", len(index))
	}
}
