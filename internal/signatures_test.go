package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// A function returns at most one error. A request that is rejected after its attempt has
// changed something returns db.Committed.
func TestSignatures(t *testing.T) {
	files := sources(t)
	for _, pattern := range []string{"../cmd/*/*.go", "../tests/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("got %d files of %s, %v", len(found), pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".gen.go") {
			continue
		}
		for _, problem := range signatureProblems(t, file, nil) {
			t.Error(problem)
		}
	}

	for signature, want := range map[string]int{
		"func f() error": 0, "func f() (a, b error)": 1, "func f() (error, error)": 1, "func f() (rejected *fault.Error, err error)": 1,
		"type f func(int) (int, error, error)": 1, "var f = func() (a, b error) { return }": 1,
	} {
		if got := signatureProblems(t, "example.go", "package example\n"+signature); len(got) != want {
			t.Errorf("%s: got %v, want %d problems", signature, got, want)
		}
	}
}

// signatureProblems returns what is wrong with the functions and function types of a
// file, or of src if it is not nil.
func signatureProblems(t *testing.T, file string, src any) (problems []string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncType); ok && errorsOf(fn) > 1 {
			problems = append(problems, fset.Position(fn.Pos()).String()+" returns two errors; return db.Committed to commit and reject")
		}
		return true
	})
	return problems
}

// errorsOf counts the errors that a function returns.
func errorsOf(fn *ast.FuncType) (n int) {
	if fn.Results == nil {
		return 0
	}
	for _, r := range fn.Results.List {
		if name := types.ExprString(r.Type); name == "error" || name == "*fault.Error" {
			n += max(1, len(r.Names))
		}
	}
	return n
}
