package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
)

// Packages of the platform know nothing of the product: they name no operation and no path of
// a feature.
func TestPlatformKnowsNoFeature(t *testing.T) {
	stable, preview, public := app.Routes().Surfaces()
	var ids, starts []string
	for _, op := range slices.Concat(stable.Operations, preview.Operations, public.Operations) {
		if strings.ToLower(op.ID) != op.ID { // not a word such as search
			ids = append(ids, op.ID)
		}
		if path := strings.Split(op.Path, "/"); len(path) > 2 && (path[1] == "v1" || path[1] == "v2-preview") {
			starts = append(starts, "/"+path[2])
		}
	}
	schemas := featureSchemas()
	if len(schemas) < 200 {
		t.Fatalf("got %d names of schemas, want those of all features", len(schemas))
	}
	paths := regexp.MustCompile(`(^|/v1|/v2-preview)(` + strings.Join(starts, "|") + `)(/|$|\?)`)

	for file, literals := range literalsIn(t, "../../internal/platform") {
		for _, text := range literals {
			if slices.Contains(ids, text) || schemas[text] || paths.MatchString(text) {
				t.Errorf("%s names %q, which belongs to a feature", file, text)
			}
		}
	}
}

// notOfFeatures are names of schemas that platform can write.
var notOfFeatures = map[string]string{
	"AuditOutcome": "an enum of platform/audit", "ErrorCode": "an enum of platform/rest", "Currency": "an enum of platform/rest",
	"Connection": "a header of HTTP", "Document": "a part of a PDF",
}

// featureSchemas returns the names of all schemas, apart from notOfFeatures. A plain word
// such as Hull counts too: in messages, platform writes nouns in lower case or in sentences.
func featureSchemas() map[string]bool {
	names := map[string]bool{}
	for _, doc := range []*huma.OpenAPI{app.Described().Stable(), app.Described().Preview(), app.Described().Public()} {
		for name := range doc.Components.Schemas.Map() {
			names[name] = notOfFeatures[name] == ""
		}
	}
	return names
}

// literalsIn returns the strings in the code of a folder, without tests.
func literalsIn(t *testing.T, folder string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil {
					all[path] = append(all[path], text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || len(all) < 50 {
		t.Fatalf("got %d files, %v", len(all), err)
	}
	return all
}
