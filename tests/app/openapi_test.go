package app

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The OpenAPI document is the contract, so each change must be visible in a diff.
func TestOpenAPI(t *testing.T) {
	for name, doc := range map[string]*huma.OpenAPI{
		"openapi.json": app.Described().Stable(), "openapi-preview.json": app.Described().Preview(), "openapi-public.json": app.Described().Public(),
	} {
		got, err := description.JSON(doc)
		if err != nil {
			t.Fatal(err)
		}
		golden := "../../api/" + name
		if *update {
			if err := os.WriteFile(golden, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || !bytes.Equal(got, want) {
			t.Error("api/"+name+" is outdated. Run `make openapi` and review the diff.", err)
		}
	}
}

// The description of /v1 has exactly the operations of the contract.
func TestStableOperations(t *testing.T) {
	var paths []string
	for path := range app.Described().Stable().Paths {
		if !strings.HasPrefix(path, "/v1/") {
			paths = append(paths, path)
		}
	}
	if got := len(operationsOf(app.Described().Stable())); got != 143 || len(paths) > 0 {
		t.Errorf("got %d operations and the paths %v outside /v1, want 143 operations and no other paths", got, paths)
	}
}

// Each operation has a summary, a tag, scopes and error responses. Each field is in
// snake_case.
func TestOpenAPIIsComplete(t *testing.T) {
	doc := app.Described().Stable()
	families := map[string]bool{}
	for _, tag := range slices.Concat(doc.Tags, app.Described().Preview().Tags) {
		families[tag.Name] = true
	}
	ids := map[string]bool{}
	for _, o := range operations() {
		if ids[o.OperationID] || o.OperationID == "" {
			t.Errorf("operation ID %q is missing or used twice", o.OperationID)
		}
		ids[o.OperationID] = true
		if o.Summary == "" || len(o.Tags) != 1 || !families[o.Tags[0]] {
			t.Errorf("%s: got summary %q and tags %v, want a summary and one listed tag", o.OperationID, o.Summary, o.Tags)
		}
		if len(o.Security) == 0 {
			t.Errorf("%s: got no security, want one", o.OperationID)
		}
		for _, set := range o.Security {
			for _, s := range set["oauth2"] {
				if !auth.KnownScope(auth.Scope(s)) {
					t.Errorf("%s: unknown scope %s", o.OperationID, s)
				}
			}
		}
		for _, status := range []string{"400", "401", "403", "429", "500", "503"} {
			if o.Responses[status] == nil {
				t.Errorf("%s: status %s is not documented", o.OperationID, status)
			}
		}
	}

	snake := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	for name, schema := range doc.Components.Schemas.Map() {
		for field := range schema.Properties {
			if !snake.MatchString(field) {
				t.Errorf("field %s.%s is not in snake_case", name, field)
			}
		}
	}
}

// operations returns the operations of /v1 and of the preview, which require a
// credential. The IDs of the preview start with preview.
// It leaves out forPeople.
func operations() (all []*huma.Operation) {
	for _, o := range operationsOf(app.Described().Preview()) {
		c := *o
		c.OperationID = "preview." + c.OperationID
		if c.OperationID == forPeople {
			continue
		}
		all = append(all, &c)
	}
	all = append(all, operationsOf(app.Described().Stable())...)
	slices.SortFunc(all, func(a, b *huma.Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

// allOperations returns the operations of /v1, and the few others that the story
// calls.
func allOperations() []*huma.Operation {
	all := operationsOf(app.Described().Stable())
	for _, o := range operationsOf(app.Described().Public()) {
		if o.Tags[0] == "Sessions" || o.OperationID == "getMedia" {
			all = append(all, o)
		}
	}
	return all
}

func operationsOf(doc *huma.OpenAPI) (all []*huma.Operation) {
	for _, item := range doc.Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o != nil {
				all = append(all, o)
			}
		}
	}
	return all
}

func scopesOf(o *huma.Operation) string {
	var sets []string
	for _, set := range o.Security {
		if scopes, ok := set["oauth2"]; ok {
			sets = append(sets, strings.Join(scopes, "+"))
		}
	}
	if s := strings.Join(sets, "|"); s != "" {
		return s
	}
	return "-"
}

func successOf(o *huma.Operation) string { return strconv.Itoa(o.DefaultStatus) }

// The description in OpenAPI 3.0.3, for generators that don't know 3.1. scripts/test-generators
// validates the file and generates a client from it.
func TestOlderOpenAPI(t *testing.T) {
	s := testkit.OnSQLite(t)
	res, err := http.Get(s.URL + "/openapi.json?openapi=3.0.3") //nolint:noctx // ends with the server
	assert.NoError(t, err)
	defer res.Body.Close()
	assert.Equal(t, res.StatusCode, 200)
	text, err := io.ReadAll(res.Body)
	assert.NoError(t, err)
	if file := os.Getenv("SLIPWAY_OPENAPI_30"); file != "" {
		assert.NoError(t, os.WriteFile(file, text, 0o600))
	}
	var doc map[string]any
	assert.NoError(t, json.Unmarshal(text, &doc))
	assert.Equal(t, doc["openapi"], any("3.0.3"))
	assert.Equal(t, len(doc["paths"].(map[string]any)), len(app.Described().Stable().Paths))
	newer := regexp.MustCompile(`"(const|unevaluatedProperties|examples|contentMediaType|x-since)":|"type":(\[|"null")`)
	if found := newer.FindAll(text, 3); found != nil {
		t.Errorf("got %s, which are not in OpenAPI 3.0", found)
	}

	for query, want := range map[string]int{"openapi=3.1.0": 200, "openapi=3.0.3&version=2026-11-15": 200, "openapi=2.0": 400} {
		res, err := http.Get(s.URL + "/openapi.json?" + query) //nolint:noctx // ends with the server
		assert.NoError(t, err)
		assert.NoError(t, res.Body.Close())
		assert.Equal(t, res.StatusCode, want, query)
	}
}
