package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// attaching lists the packages that attach values to a database. Features attach
// only hooks.
var attaching = []string{"app", "platform/audit", "platform/db", "platform/events", "platform/site"}

var (
	attach   = regexp.MustCompile(`\.Attach\(`)
	attached = regexp.MustCompile(`db\.Attached\[(.*?)\]\(`)
)

// Calls against the import order are in the Hooks of a feature, which New checks.
// TestMissingHook of app and of identity leaves out each of them.
func TestHooks(t *testing.T) {
	connected := readAll(t, "app/hooks.go", "identity/identity_api.go")
	features := 0
	for _, file := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := readAll(t, file)
		if attach.MatchString(text) && !slices.Contains(attaching, pkg) {
			t.Errorf("%s attaches a value to the database; only hooks of features are attached, by AttachHooks", file)
		}
		if !isFeature(pkg) {
			continue
		}
		for _, m := range attached.FindAllStringSubmatch(text, -1) {
			if m[1] != "Hooks" {
				t.Errorf("%s calls db.Attached[%s]; hooks of a feature are fields of its Hooks", file, m[1])
			}
		}

		for name, s := range structs(t, file, text) {
			switch name {
			case "API":
				for _, field := range s.Fields.List {
					if _, isFunc := field.Type.(*ast.FuncType); isFunc {
						t.Errorf("%s: API has the function %s; move it to Hooks", file, field.Names[0].Name)
					}
				}
			case "Hooks":
				features++
				if !strings.Contains(connected, filepath.Base(pkg)+".Hooks") {
					t.Errorf("%s: no test leaves out the hooks of %s; add them to app/hooks.go", file, pkg)
				}
			}
		}
	}
	if features < 10 {
		t.Errorf("found %d features with hooks, want at least 10", features)
	}
}

// structs returns the structs that a file declares, by name.
func structs(t *testing.T, file, text string) map[string]*ast.StructType {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*ast.StructType{}
	for _, decl := range f.Decls {
		if g, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if is, ok := spec.(*ast.TypeSpec); ok {
					if s, ok := is.Type.(*ast.StructType); ok {
						found[is.Name.Name] = s
					}
				}
			}
		}
	}
	return found
}

func readAll(t *testing.T, files ...string) (text string) {
	t.Helper()
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(src)
	}
	return text
}
