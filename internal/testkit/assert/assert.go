// Package assert compares values in tests. A failure message contains the compared
// expression. It imports nothing of the product, so tests of any package can use it.
package assert

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Equal reports a failure unless got equals want. The test continues. The message
// contains the compared expression. Use what for the rest, such as the row of a
// table test. Pointers are compared by their values, times by their instants.
func Equal[T any](t testing.TB, got, want T, what ...any) bool {
	t.Helper()
	if cmp.Equal(want, got, unexported) {
		return true
	}
	if short(got) && short(want) {
		t.Errorf("%sgot %s, want %s", label(what), Show(got), Show(want))
	} else {
		t.Errorf("%sdiffers (-want +got):\n%s", label(what), cmp.Diff(want, got, unexported))
	}
	return false
}

// NoError stops the test if there is an error.
func NoError(t testing.TB, err error, what ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%sgot error %v", Describe(what), err)
	}
}

// Len stops the test unless a list has the wanted length, so that the test can
// index it.
func Len[E any](t testing.TB, list []E, want int, what ...any) {
	t.Helper()
	if len(list) != want {
		t.Fatalf("%sgot %d elements, want %d: %s", label(what), len(list), want, Show(list))
	}
}

// Contains reports a failure unless a text contains a part. The test continues.
func Contains[S ~string | ~[]byte](t testing.TB, got S, part string, what ...any) {
	t.Helper()
	if !strings.Contains(string(got), part) {
		t.Errorf("%sgot %q, want it to contain %q", label(what), got, part)
	}
}

// Excludes reports a failure if a text contains a part. The test continues.
func Excludes[S ~string | ~[]byte](t testing.TB, got S, part string, what ...any) {
	t.Helper()
	if strings.Contains(string(got), part) {
		t.Errorf("%sgot %q, want it not to contain %q", label(what), got, part)
	}
}

// Eventually waits until a condition is true. It stops the test after 90 seconds.
// Use it for background work of real processes. If the test controls the clock,
// move the clock instead.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	const limit, pause = 90 * time.Second, 20 * time.Millisecond
	for deadline := time.Now().Add(limit); !condition(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			t.Fatalf("timeout after %s: %s", limit, what)
		}
	}
}

// Show formats a value for a failure message: with its own String method, or as JSON
// if possible. It follows pointers.
func Show(v any) string {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.String:
		return fmt.Sprintf("%q", v)
	case reflect.Pointer:
		if s, ok := v.(fmt.Stringer); ok && !r.IsNil() {
			return s.String()
		}
		if !r.IsNil() {
			return Show(r.Elem().Interface())
		}
		return "nil"
	case reflect.Struct, reflect.Slice, reflect.Map:
		if text, err := json.MarshalIndent(v, "", "  "); err == nil && !hasUnexported(r.Type()) {
			return string(text)
		}
		return fmt.Sprintf("%+v", v)
	default:
		return fmt.Sprint(v)
	}
}

// hasUnexported reports whether JSON omits fields of a type because they are not
// exported.
func hasUnexported(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		return hasUnexported(t.Elem())
	case reflect.Struct:
		if t.Implements(reflect.TypeFor[json.Marshaler]()) {
			return false
		}
		for f := range t.Fields() {
			if !f.IsExported() && !f.Anonymous {
				return true
			}
		}
	}
	return false
}

var unexported = cmp.Exporter(func(reflect.Type) bool { return true })

// short reports whether a value is readable on one line, without a diff.
func short(v any) bool {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch r.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map, reflect.Interface:
		_, isTime := v.(time.Time)
		return isTime
	case reflect.String:
		return r.Len() < 100 && !strings.Contains(r.String(), "\n")
	default:
		return true
	}
}

// label returns the start of a failure message: the description of the caller
// and the compared expression.
func label(what []any) string {
	e := comparedExpression()
	if e == "" || len(e) > 60 && len(what) > 0 {
		return Describe(what)
	}
	return Describe(what) + e + ": "
}

// Describe formats the description of the caller, for the start of a failure message.
func Describe(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintln(what...)) + ": "
}

var comparisons = []string{"Equal", "Len", "Contains", "Excludes"}

// comparedExpression returns the source of the second argument of the failed
// comparison, or "" if the source is not available.
func comparedExpression() string {
	_, file, line, ok := runtime.Caller(3)
	if !ok {
		return ""
	}
	if !filepath.IsAbs(file) { // built with -trimpath; tests run in the folder of their package
		file = filepath.Base(file)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}

	found := ""
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || fset.Position(call.Pos()).Line != line || len(call.Args) < 3 {
			return true
		}
		fun := call.Fun
		if index, ok := fun.(*ast.IndexExpr); ok {
			fun = index.X
		}
		if s, ok := fun.(*ast.SelectorExpr); ok && found == "" && slices.Contains(comparisons, s.Sel.Name) {
			if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "assert" {
				found = string(src[fset.Position(call.Args[1].Pos()).Offset:fset.Position(call.Args[1].End()).Offset])
			}
		}
		return true
	})
	return found
}
