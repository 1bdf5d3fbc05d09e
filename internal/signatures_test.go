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

// maxParams is how many parameters a function has. More of them belong together in a
// struct. Those at the end that can be repeated don't count.
const maxParams = 5

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
			t.Errorf("%s %s: %s", filepath.ToSlash(file), problem.function, problem.text)
		}
	}

	for signature, want := range map[string]int{
		"func f() error": 0, "func f() (a, b error)": 1, "func f() (error, error)": 1, "func f() (rejected *fault.Error, err error)": 1,
		"type f func(int) (int, error, error)": 1, "var f = func() (a, b error) { return }": 1,
		"func f(a, b, c, d, e int)": 0, "func f(a, b, c, d, e, f int)": 1, "func f(a, b, c, d, e int, more ...int)": 0,
		"func (x *T) f(a, b, c, d int, e string, f bool) error": 1,
	} {
		if got := signatureProblems(t, "example.go", "package example\n"+signature); len(got) != want {
			t.Errorf("%s: got %v, want %d problems", signature, got, want)
		}
	}
}

// signatureProblem is what is wrong with a function.
type signatureProblem struct{ function, text string }

// signatureProblems returns what is wrong with the functions and function types of a
// file, or of src if it is not nil.
func signatureProblems(t *testing.T, file string, src any) (problems []signatureProblem) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	name := "of a variable or a type"
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			name = n.Name.Name
		case *ast.FuncType:
			if errorsOf(n) > 1 {
				problems = append(problems, signatureProblem{name, "returns two errors; return db.Committed to commit and reject"})
			}
			if countParams(n) > maxParams {
				problems = append(problems, signatureProblem{name, "has more than 5 parameters; put those that belong together in a struct"})
			}
		}
		return true
	})
	return problems
}

// countParams counts the parameters of a function without those that can be repeated.
func countParams(fn *ast.FuncType) int {
	n := fn.Params.NumFields()
	if list := fn.Params.List; len(list) > 0 {
		if _, repeated := list[len(list)-1].Type.(*ast.Ellipsis); repeated {
			n--
		}
	}
	return n
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
