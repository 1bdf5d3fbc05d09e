package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The suffix of a file promises what is in it. TestArchitecture checks what its layer may
// not import.
func TestSuffixes(t *testing.T) {
	for _, file := range sources(t) {
		if strings.HasSuffix(file, "_test.go") || !isFeature(filepath.ToSlash(filepath.Dir(file))) {
			continue
		}
		for _, problem := range suffixProblems(contentsOf(t, file, nil), layerOf(file)) {
			t.Errorf("%s %s", file, problem)
		}
	}

	const header = "package example\n"
	for _, x := range []struct {
		layer, src string
		ok         bool
	}{
		{"_store.go", "var _ = `SELECT 1 FROM hulls`", true},
		{"_store.go", "var hulls = db.Table[Hull]{Name: \"hulls\"}", true},
		{"_store.go", "func Save(ctx context.Context, tx *db.Tx) error { return nil }", false},
		{"_api.go", "func (a *API) list(ctx context.Context, tx *db.Tx, in *Filter) (int, error) { return 0, nil }", true},
		{"_api.go", "func (a *API) Mount(r *rest.Router) {}", true},
		{"_api.go", "func helper() {}", false},
		{"_api.go", "func (a *API) Mount(r *rest.Router) {}\nfunc Create(ctx context.Context, tx *db.Tx) error { return nil }", false},
		{"_api.go", "func (a *API) Mount(r *rest.Router) {}\nvar _ = `DELETE FROM hulls`", false},
		{"_pages.go", "var _ = pages.NewPage(`<p>`)", true},
		{"_pages.go", "func show(w http.ResponseWriter) {}", false},
		{"_endpoints.go", "func (a *API) token(w http.ResponseWriter, r *http.Request) {}", true},
		{"_endpoints.go", "func helper() {}", false},
		{"_jobs.go", "func (Invite) Kind() string { return `invite` }", true},
		{"_jobs.go", "func run() {}", false},
		{"_actions.go", "func Create(ctx context.Context, tx *db.Tx) error { return nil }", true},
		{"_actions.go", "func Create(ctx context.Context) error { return nil }", false},
		{"_actions.go", "func Create(ctx context.Context, tx *db.Tx) error { return rest.CheckIfMatch(ctx, 1) }", true},
		{"_actions.go", "func Create(ctx context.Context, tx *db.Tx) { rest.Body(ctx) }", false},
		{"_worker.go", "func (r *Relay) Run() { go r.turn() }", true},
		{"_worker.go", "func helper() {}", false},
		{"_client.go", "var _ = http.NewRequestWithContext", true},
		{"_client.go", "func helper() {}", false},
		{"", "func check(h Hull) error { return nil }", true},
		{"", "const where = `env = ? AND id = ?`", false},
	} {
		if got := suffixProblems(contentsOf(t, "example.go", header+x.src), x.layer); (len(got) == 0) != x.ok {
			t.Errorf("%s with %s: got %v", x.layer, x.src, got)
		}
	}
}

// contents is what a file has, for the promises of the suffixes.
type contents struct {
	sql     bool // SQL, or the name of a table
	serves  bool // routes, the handler of one, or the schema of a type
	handles bool // handlers of net/http or of MCP
	renders bool // pages
	jobs    bool // jobs, or their queue
	runs    bool // something in the background
	sends   bool // requests to other servers
	work    bool // functions for a transaction

	exported []string // functions for a transaction that other packages can call
	requests []string // what it uses of package rest, except for preconditions
	loose    []string // exported functions that have no transaction and no database
}

func suffixProblems(c contents, layer string) (problems []string) {
	fail := func(problem string) { problems = append(problems, problem) }
	if c.sql != (layer == "_store.go") {
		if c.sql {
			fail("has SQL; move it to a _store.go")
		} else {
			fail("has no SQL; if it is for a transaction, call it _actions.go")
		}
	}
	switch layer {
	case "_api.go":
		if !c.serves {
			fail("mounts no operation and has no handler of one")
		}
		if len(c.exported) > 0 {
			fail("has " + strings.Join(c.exported, ", ") + "; move what others call with their transaction to an _actions.go")
		}
	case "_pages.go":
		if !c.renders {
			fail("renders no page; call it _endpoints.go if it serves another protocol")
		}
	case "_endpoints.go":
		if !c.handles {
			fail("has no handler")
		}
	case "_jobs.go":
		if !c.jobs {
			fail("has no job")
		}
	case "_client.go":
		if !c.sends {
			fail("sends no request")
		}
	case "_worker.go":
		if !c.runs {
			fail("runs nothing in the background")
		}
	case "_actions.go":
		if len(c.requests) > 0 {
			fail("knows requests: " + strings.Join(c.requests, ", "))
		}
		if !c.work {
			fail("has no function that takes a *db.Tx")
		}
		if len(c.loose) > 0 {
			fail("has " + strings.Join(c.loose, ", ") + ", which take no *db.Tx")
		}
	}
	return problems
}

var (
	sqlText = regexp.MustCompile(`\bSELECT\b[^.]*\bFROM\b|\bINSERT INTO\b|\bUPDATE \w+ SET\b|\bDELETE FROM\b|\w (=|<|>|<=|>=|<>|LIKE|BETWEEN) \?|\bIS (NOT )?NULL\b`)
	// sqlCalls are the functions of db whose arguments name tables or columns.
	sqlCalls = []string{"All", "Claim", "Exec", "From", "Insert", "LockRow", "One", "Table", "Update"}
	// preconditions are what actions can use of rest. They do nothing without a request.
	preconditions = []string{"Called", "Change", "CheckIfMatch"}
	routes        = regexp.MustCompile(`^(Get|Post|Patch|Put|Delete|Raw)`)
)

func contentsOf(t *testing.T, file string, src any) (c contents) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			text, _ := strconv.Unquote(n.Value)
			c.sql = c.sql || n.Kind == token.STRING && sqlText.MatchString(text)
		case *ast.SelectorExpr:
			name := n.Sel.Name
			switch of, _ := n.X.(*ast.Ident); {
			case of == nil:
			case of.Name == "db":
				c.sql = c.sql || slices.Contains(sqlCalls, name)
			case of.Name == "rest":
				c.serves = c.serves || routes.MatchString(name)
				if !slices.Contains(preconditions, name) {
					c.requests = append(c.requests, name)
				}
			case of.Name == "huma":
				c.serves = true
			case of.Name == "http":
				c.sends = c.sends || name == "NewRequestWithContext"
			case of.Name == "pages" || of.Name == "front": // front has the pages of customers
				c.renders = c.renders || name == "NewPage"
			case of.Name == "jobs":
				c.jobs = true
			}
			c.renders = c.renders || name == "Render"
		case *ast.FuncType:
			c.work = c.work || takes(n, "*db.Tx")
			c.handles = c.handles || takes(n, "http.ResponseWriter") || takes(n, "*http.Request") || takes(n, "*Caller")
		case *ast.GoStmt, *ast.SelectStmt:
			c.runs = true
		case *ast.FuncDecl:
			c.addFunction(n)
		}
		return true
	})
	return c
}

func (c *contents) addFunction(fn *ast.FuncDecl) {
	params := paramsOf(fn.Type)
	last := ""
	if len(params) > 0 {
		last = params[len(params)-1]
	}
	switch method := fn.Recv != nil; {
	case fn.Name.Name == "Mount" || method && last == "*rest.Router":
		c.serves, c.handles = true, true
	case method && !fn.Name.IsExported() && len(params) > 1 && params[0] == "context.Context" && strings.HasPrefix(last, "*"):
		c.serves = c.serves || last != "*db.Tx"
	case method && fn.Name.Name == "Kind" && len(params) == 0:
		c.jobs = true
	case fn.Name.IsExported() && takes(fn.Type, "*db.Tx"):
		c.exported = append(c.exported, fn.Name.Name)
	case fn.Name.IsExported() && !method && takes(fn.Type, "context.Context") && !takes(fn.Type, "*db.DB") && !takes(fn.Type, "db.Handle"):
		c.loose = append(c.loose, fn.Name.Name)
	}
}

func takes(fn *ast.FuncType, kind string) bool { return slices.Contains(paramsOf(fn), kind) }

func paramsOf(fn *ast.FuncType) (kinds []string) {
	for _, p := range fn.Params.List {
		name := types.ExprString(p.Type)
		if strings.HasPrefix(name, "*struct") {
			name = "*struct"
		}
		for range max(1, len(p.Names)) {
			kinds = append(kinds, name)
		}
	}
	return kinds
}
