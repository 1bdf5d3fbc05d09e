// Package hookstest checks that a service doesn't start without one of its hooks.
package hookstest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// EachMissing calls connect once for each hook, without that hook, and fails the test
// unless connect panics with its name. Hooks returns a struct that contains the hooks of
// each feature.
func EachMissing[T any](t *testing.T, hooks func() T, connect func(T)) {
	t.Helper()
	connect(hooks()) // with all of them

	paths := leaves(reflect.TypeFor[T](), nil)
	if len(paths) == 0 {
		t.Fatal("found no hooks")
	}
	for _, path := range paths {
		h := hooks()
		v := reflect.ValueOf(&h).Elem()
		names := make([]string, 0, len(path))
		for _, i := range path {
			names = append(names, v.Type().Field(i).Name)
			v = v.Field(i)
		}
		v.SetZero()

		t.Run(strings.Join(names, "."), func(t *testing.T) {
			want := ".Hooks." + strings.Join(names[1:], ".") + " is not set"
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("got %q, want a panic with %q", got, want)
				}
			}()
			connect(h)
		})
	}
}

// leaves returns the indexes of all fields that are not structs.
func leaves(t reflect.Type, path []int) (found [][]int) {
	if t.Kind() != reflect.Struct {
		return [][]int{path}
	}
	for i := range t.NumField() {
		found = append(found, leaves(t.Field(i).Type, append(path[:len(path):len(path)], i))...)
	}
	return found
}
