package guides

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// passedOn lists the places where a code is neither a literal nor a constant, and
// which codes it can be in addition to those that are found elsewhere.
var passedOn = map[string][]string{
	"identity/access/password_api.go problem.Code":   {}, // package password
	"channels/answer.go *ast.CallExpr":               {}, // the code of a partner
	"channels/rule.go p.code":                        {}, // not an error
	"channels/rule.go code":                          {}, // not an error
	"cli/login.go *ast.CallExpr":                     {}, // not an error
	"identity/clilogin/login_pages.go *ast.CallExpr": {}, // not an error
	"dealership/location.go c.Code":                  {}, // not an error
	"deals/deal_create.go f.Code":                    {}, // not an error
	"hulls/hull.go e.Code":                           {}, // package hin
	"imports/review_api.go e.Code":                   {}, // the errors of a row
	"plans/plan.go d.Code":                           {}, // the details of a template
	"leads/lead.go d.Code":                           {}, // the details of a contact
	"messages/send_check.go d.code":                  {}, // the decisions in this file
	"messages/send_check.go a.standing.Code":         {}, // package consent
	"messages/message_api.go d.code":                 {},
	"messages/reach.go *ast.CallExpr":                {}, // the decisions of send_check.go
	"messages/message_jobs.go v.code":                {},
	"messages/notice_actions.go d.code":              {},
	"messages/outgoing_actions.go d.code":            {},
	"platform/password/strength.go code":             {"too_short", "too_long"},
	"platform/rest/call.go d.Code":                   {}, // the rules of a body
	"platform/rest/call.go e.Body.Code":              {},
	"platform/rest/request.go d.Code":                {}, // the texts in problem.go
	"platform/rest/problem.go parts[0]":              {}, // the texts in this file
	"platform/rest/problem.go *ast.CallExpr":         {}, // the kinds in package fault
	"requestlog/entry.go f.Kind.Code":                {}, // the error of a response
	"requestlog/entry.go d.Code":                     {},
	"platform/guides/markdown.go *ast.BinaryExpr":    {}, // not an error
	"description/reference.go r.Code":                {}, // what tests saw
	"identity/oauth/protocol.go code":                {"request_not_supported", "request_uri_not_supported"},
}

// codeSource reads the codes of errors from the source.
type codeSource struct {
	files    map[string]*ast.File
	consts   map[string]string // by package and name
	forwards map[string]int    // the parameter of a function that is a code, by package and name
	codes    map[string][]string
	unknown  map[string]bool
	passed   map[string]bool // the places of passedOn that exist
}

// readCodes returns the codes that the packages can return.
func readCodes(t *testing.T) *codeSource {
	t.Helper()
	s := &codeSource{files: map[string]*ast.File{}, consts: map[string]string{}, forwards: map[string]int{"messages.block": 0}}
	err := filepath.WalkDir("../../internal", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../internal/")
		// The codes of SAML are only shown on the page that tests a connection.
		skipped := strings.HasPrefix(name, "testkit") || strings.HasPrefix(name, "demo/") || strings.HasPrefix(name, "identity/sso/saml/")
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || skipped {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		s.files[name] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.read()
	return s
}

func (s *codeSource) read() {
	for _, file := range s.files {
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.CONST {
				s.addConsts(file.Name.Name, g)
			}
		}
	}
	for before := -1; before != len(s.forwards); { // a function can pass on the code of its caller
		before = len(s.forwards)
		s.codes, s.unknown, s.passed = map[string][]string{}, map[string]bool{}, map[string]bool{}
		for name, file := range s.files {
			for _, decl := range file.Decls {
				fn, _ := decl.(*ast.FuncDecl)
				ast.Inspect(decl, func(n ast.Node) bool {
					for _, code := range s.codesOf(file.Name.Name, n) {
						s.add(name, file.Name.Name, fn, code)
					}
					return true
				})
			}
		}
	}
}

func (s *codeSource) addConsts(pkg string, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		for i, name := range v.Names {
			if i < len(v.Values) {
				if l, ok := v.Values[i].(*ast.BasicLit); ok && l.Kind == token.STRING {
					s.consts[pkg+"."+name.Name], _ = strconv.Unquote(l.Value)
				}
			}
		}
	}
}

// positions are where the code is in a composite literal without names.
var positions = map[string]int{"Problem": 0, "Standing": 0, "Detail": 1, "Kind": 1}

// codesOf returns the expressions in a node that are codes.
func (s *codeSource) codesOf(pkg string, n ast.Node) (found []ast.Expr) {
	switch n := n.(type) {
	case *ast.CallExpr:
		name, of := calledName(n, pkg)
		if (name == "Detail" || name == "Add") && len(n.Args) >= 3 {
			found = append(found, n.Args[1])
		} else if i, ok := s.forwards[of+"."+name]; ok && i < len(n.Args) {
			found = append(found, n.Args[i])
		} else if name == "set" && pkg == "rest" {
			found = append(found, n.Args[0])
		}
	case *ast.CompositeLit:
		for _, element := range n.Elts {
			if kv, ok := element.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok && strings.EqualFold(key.Name, "code") && !isSAML(n) && !hasOwnCodes(n) {
					found = append(found, kv.Value)
				}
			}
		}
		if id, ok := n.Type.(*ast.Ident); ok && len(n.Elts) >= 2 {
			_, named := n.Elts[0].(*ast.KeyValueExpr)
			if i, ok := positions[id.Name]; ok && !named {
				found = append(found, n.Elts[i])
			}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			sel, ok := left.(*ast.SelectorExpr)
			if ok && sel.Sel.Name == "Code" && len(n.Rhs) == len(n.Lhs) && (pkg == "rest" || pkg == "consent") {
				found = append(found, n.Rhs[i])
			}
		}
	}
	return found
}

// isSAML reports whether a literal is an error of package saml, which no response has.
func isSAML(c *ast.CompositeLit) bool {
	sel, ok := c.Type.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "saml"
}

// hasOwnCodes reports whether a literal is an object whose codes are an enum or a text of its
// own: a warning, what a deal requires, which has a detail, or a line of an import, which has
// a row.
func hasOwnCodes(c *ast.CompositeLit) bool {
	if id, ok := c.Type.(*ast.Ident); ok && (id.Name == "DealMissing" || id.Name == "DealWarning") {
		return true
	}
	if s, ok := c.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "ProposalWarning" {
		return true
	}
	return slices.ContainsFunc(c.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		return ok && (source(kv.Key) == "Row" || source(kv.Key) == "detail")
	})
}

// calledName returns the name of a called function, and its package. Methods have the
// package of the call.
func calledName(call *ast.CallExpr, pkg string) (name, of string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name, pkg
	case *ast.SelectorExpr:
		return f.Sel.Name, pkg
	}
	return "", ""
}

// add records a code, or the parameter that passes it on.
func (s *codeSource) add(file, pkg string, fn *ast.FuncDecl, e ast.Expr) {
	switch e := e.(type) {
	case *ast.BasicLit:
		code, _ := strconv.Unquote(e.Value)
		s.codes[code] = append(s.codes[code], file)
		return
	case *ast.Ident:
		if code, ok := s.consts[pkg+"."+e.Name]; ok {
			s.codes[code] = append(s.codes[code], file)
			return
		}
		if i := parameter(fn, e.Name); i >= 0 {
			s.forwards[pkg+"."+fn.Name.Name] = i
			return
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if code, ok := s.consts[x.Name+"."+e.Sel.Name]; ok {
				s.codes[code] = append(s.codes[code], file)
				return
			}
		}
	}

	key := file + " " + source(e)
	s.passed[key] = true
	for _, code := range passedOn[key] {
		s.codes[code] = append(s.codes[code], file)
	}
	if _, ok := passedOn[key]; !ok {
		s.unknown[key] = true
	}
}

func parameter(fn *ast.FuncDecl, name string) int {
	if fn == nil {
		return -1
	}
	i := 0
	for _, field := range fn.Type.Params.List {
		for _, n := range field.Names {
			if n.Name == name {
				return i
			}
			i++
		}
	}
	return -1
}

// source returns a short expression as it is written.
func source(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return source(e.X) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return source(e.X) + "[" + source(e.Index) + "]"
	case *ast.BasicLit:
		return e.Value
	case *ast.CallExpr:
		if to := source(e.Fun); to == "string" { // a conversion
			return source(e.Args[0])
		}
	}
	return fmt.Sprintf("%T", e)
}

var codeHeading = regexp.MustCompile("(?m)^### `([a-z_]+)`$")

// Each code that a response can have is explained in docs/errors.md, and the page
// explains no others.
func TestEveryErrorCodeIsDocumented(t *testing.T) {
	s := readCodes(t)
	for key := range s.unknown {
		t.Errorf("%s: the code is neither a literal nor a constant; add the place to passedOn in this test", key)
	}
	for key := range passedOn {
		if !s.passed[key] {
			t.Errorf("%s is in passedOn, but no longer in the code", key)
		}
	}
	text, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	missing, extra := compareCodes(slices.Sorted(maps.Keys(s.codes)), string(text))
	for _, code := range missing {
		t.Errorf("docs/errors.md has no section for %s, which %s returns", code, s.codes[code][0])
	}
	for _, code := range extra {
		t.Errorf("docs/errors.md explains %s, which no code returns, or explains it twice", code)
	}
}

// compareCodes returns the codes without a section, and the sections without a code.
func compareCodes(codes []string, page string) (missing, extra []string) {
	var sections []string
	for _, found := range codeHeading.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(codes, found[1]) || slices.Contains(sections, found[1]) {
			extra = append(extra, found[1])
		}
		sections = append(sections, found[1])
	}
	for _, code := range codes {
		if !slices.Contains(sections, code) {
			missing = append(missing, code)
		}
	}
	return missing, extra
}

func TestCompareCodes(t *testing.T) {
	missing, extra := compareCodes([]string{"a", "b"}, "# Page\n\n### `b`\n\n### `c`\n\n### `b`\n")
	assert.Equal(t, missing, []string{"a"})
	assert.Equal(t, extra, []string{"c", "b"})
}

// The codes are found wherever the packages write them.
func TestReadCodes(t *testing.T) {
	s := &codeSource{files: map[string]*ast.File{}, consts: map[string]string{}, forwards: map[string]int{}}
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
const held = "held_code"
func a() error { return fault.Conflict("x").Detail("f", "literal", "is x") }
func b() error { return fault.Conflict("x").Detail("f", held, "is x") }
func reject(code, text string) error { bad.Add("f", code, text); return bad.Err() }
func c() error { return reject("forwarded", "is x") }
func d() error { return &Wrong{Code: "named"} }
func e(w wrong) error { bad.Add("f", w.Code, "x"); return bad.Err() }
func f() { total.Add(1, 2) }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.files["x.go"] = file
	s.read()
	assert.Equal(t, slices.Sorted(maps.Keys(s.codes)), []string{"forwarded", "held_code", "literal", "named"})
	assert.Equal(t, slices.Sorted(maps.Keys(s.unknown)), []string{"x.go w.Code"})
}

// The example of each section has the code of the section.
func TestExamplesOfErrorCodes(t *testing.T) {
	text, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n### `")[1:]
	for _, section := range sections {
		code, rest, _ := strings.Cut(section, "`")
		_, rest, _ = strings.Cut(rest, "```json\n")
		example, advice, ok := strings.Cut(rest, "\n```")
		advice, _, _ = strings.Cut(advice, "\n## ")
		if !ok || strings.TrimSpace(advice) == "" {
			t.Errorf("%s: no example, or nothing to do about it", code)
			continue
		}
		if !hasCode(t, example, code) {
			t.Errorf("%s: the example has another code: %s", code, example)
		}
	}
}

// hasCode reports whether an error, a detail or an error of OAuth has the code.
func hasCode(t *testing.T, example, code string) bool {
	t.Helper()
	var e struct {
		Code  string
		Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(example), &e); err != nil {
		t.Errorf("%s: %v in %s", code, err, example)
		return true
	}
	return e.Code == code || string(e.Error) == strconv.Quote(code) || strings.Contains(string(e.Error), strconv.Quote(code))
}
