// Package enum declares the enums of the API: Go types whose values and description stand
// where the type is declared.
//
//	// Status is the progress of a deal.
//	type Status string
//
//	var statuses = enum.Of("DealStatus", "Progress of a deal.", Draft, Closed)
//
//	func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
//		return statuses.Describe(s)
//	}
package enum

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Registry is what TransformSchema gets.
type Registry = huma.Registry

// Schema is what TransformSchema gets and returns.
type Schema = huma.Schema

// Enum is a type with a fixed set of values.
type Enum[T ~string] struct {
	Name   string // in the description of the API
	Doc    string // one sentence
	Values []T    // in the order of the description
}

// Declared is an enum without its type.
type Declared struct {
	Name, Doc string
	Values    []string
	Field     reflect.StructField // of a part
}

var (
	declared []Declared
	byType   = map[reflect.Type][]string{}
)

// Of declares the values of a type. Call it where the type is declared.
func Of[T ~string](name, doc string, values ...T) Enum[T] {
	d := Declared{Name: name, Doc: doc}
	for _, v := range values {
		d.Values = append(d.Values, string(v))
	}
	declared, byType[reflect.TypeFor[T]()] = append(declared, d), d.Values
	return Enum[T]{name, doc, values}
}

// Part names the values that a field of a struct allows: a part of an enum, or texts. They
// are in the tag enum of the field, which replaces the values of its type. Other fields with
// the same values have the same name.
func Part[S any](field, name, doc string) Declared {
	f, ok := reflect.TypeFor[S]().FieldByName(field)
	if !ok || f.Tag.Get("enum") == "" {
		panic("enum: " + reflect.TypeFor[S]().String() + "." + field + " has no tag enum")
	}
	d := Declared{Name: name, Doc: doc, Values: strings.Split(f.Tag.Get("enum"), ","), Field: f}
	declared = append(declared, d)
	return d
}

// All returns the enums of the program.
func All() []Declared { return declared }

// ValuesOf returns the values of a type, or nil if it isn't an enum.
func ValuesOf(t reflect.Type) []string { return byType[t] }

// Has reports whether a value is one of the enum's.
func (e Enum[T]) Has(value T) bool { return slices.Contains(e.Values, value) }

// String returns the values for a message.
func (e Enum[T]) String() string {
	var all []string
	for _, v := range e.Values {
		all = append(all, string(v))
	}
	return strings.Join(all, ", ")
}

// Describe adds the values to the type's schema.
func (e Enum[T]) Describe(s *Schema) *Schema {
	for _, v := range e.Values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}
