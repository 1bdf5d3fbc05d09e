package app_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/vocab/auth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The OpenAPI document is the contract, so each change must be visible in a diff.
func TestOpenAPI(t *testing.T) {
	got, err := app.OpenAPIJSON(app.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	const golden = "../../api/openapi.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatal("api/openapi.json is outdated. Run `make openapi` and review the diff.", err)
	}
}

// Each operation has a summary, a tag, scopes and error responses. Each field is in
// snake_case.
func TestOpenAPIIsComplete(t *testing.T) {
	doc := app.OpenAPI()
	families := map[string]bool{}
	for _, tag := range doc.Tags {
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
			for _, s := range set["bearer"] {
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

// operations returns the operations in /v1, which require a credential.
func operations() []*huma.Operation {
	return slices.DeleteFunc(allOperations(), func(o *huma.Operation) bool { return !strings.HasPrefix(o.Path, "/v1/") })
}

// allOperations also returns the few operations that anyone can call.
func allOperations() (all []*huma.Operation) {
	for _, item := range app.OpenAPI().Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o != nil {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, func(a, b *huma.Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

func scopesOf(o *huma.Operation) string {
	var sets []string
	for _, set := range o.Security {
		sets = append(sets, strings.Join(set["bearer"], "+"))
	}
	if s := strings.Join(sets, "|"); s != "" {
		return s
	}
	return "-"
}

func successOf(o *huma.Operation) string { return strconv.Itoa(o.DefaultStatus) }
