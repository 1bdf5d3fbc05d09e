package testkit

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Equal fails the test unless got is want, and goes on. The failure names the
// compared expression by itself; what is for the rest, such as the row of a
// table. Pointers are compared by what they point to, times by their instant.
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

// Len stops the test unless a list has the wanted length, so that what follows
// can index it.
func Len[E any](t testing.TB, list []E, want int, what ...any) {
	t.Helper()
	if len(list) != want {
		t.Fatalf("%sgot %d elements, want %d: %s", label(what), len(list), want, Show(list))
	}
}

// Contains fails the test unless a text has a part, and goes on.
func Contains[S ~string | ~[]byte](t testing.TB, got S, part string, what ...any) {
	t.Helper()
	if !strings.Contains(string(got), part) {
		t.Errorf("%sgot %q, want it to contain %q", label(what), got, part)
	}
}

// Excludes fails the test if a text has a part, and goes on.
func Excludes[S ~string | ~[]byte](t testing.TB, got S, part string, what ...any) {
	t.Helper()
	if strings.Contains(string(got), part) {
		t.Errorf("%sgot %q, want it without %q", label(what), got, part)
	}
}

// Eventually waits until a condition holds and stops the test if it still does
// not after 90 seconds. It is for background work of real processes; where the
// test has the clock, move the clock instead.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	const limit, pause = 90 * time.Second, 20 * time.Millisecond
	for deadline := time.Now().Add(limit); !condition(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}

// Show prints a value for a failure: a response with its status, and what has
// a JSON form in that form, which follows pointers.
func Show(v any) string {
	if r, ok := v.(*Response); ok && r != nil {
		return fmt.Sprintf("%d %s", r.StatusCode, r.Bytes)
	}
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
		if text, err := json.MarshalIndent(v, "", "  "); err == nil && !hides(r.Type()) {
			return string(text)
		}
		return fmt.Sprintf("%+v", v)
	default:
		return fmt.Sprint(v)
	}
}

// hides reports whether JSON leaves fields of a type out because they have no
// exported name.
func hides(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		return hides(t.Elem())
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

// label says what a failure is about: what the caller says, and the expression
// that it compares.
func label(what []any) string {
	e := comparedExpression()
	if e == "" || len(e) > 60 && len(what) > 0 {
		return said(what)
	}
	return said(what) + e + ": "
}

// said is what the caller says that a failure is about.
func said(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintln(what...)) + ": "
}

// comparedExpression is the second argument of the call of this package that
// failed, as its caller wrote it, or nothing if the source is not at hand.
func comparedExpression() string {
	_, file, line, ok := runtime.Caller(3)
	if !ok {
		return ""
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
		if s, ok := fun.(*ast.SelectorExpr); ok && found == "" && (s.Sel.Name == "Equal" || s.Sel.Name == "Len" || s.Sel.Name == "Contains" || s.Sel.Name == "Excludes") {
			if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "testkit" {
				found = string(src[fset.Position(call.Args[1].Pos()).Offset:fset.Position(call.Args[1].End()).Offset])
			}
		}
		return true
	})
	return found
}
