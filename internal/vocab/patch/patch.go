// Package patch has types for optional fields of a request, and the rules for
// metadata.
package patch

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/wire"
)

// Value is a field of a PATCH that is absent or has a value.
type Value[T any] struct {
	Set bool
	V   T
}

// UnmarshalJSON is only called if the field is present.
func (o *Value[T]) UnmarshalJSON(b []byte) error {
	if isNull(b) { // huma accepts null for an optional field
		return errors.New("null is not a value")
	}
	o.Set = true
	return wire.Unmarshal(b, &o.V)
}

// Schema returns the schema of the value.
func (o Value[T]) Schema(r huma.Registry) *huma.Schema { return schema[T](r, false) }

// Wraps returns the type of the value.
func (Value[T]) Wraps() reflect.Type { return reflect.TypeFor[T]() }

// To sets dst if the field was present.
func (o Value[T]) To(dst *T) {
	if o.Set {
		*dst = o.V
	}
}

// Null is a field of a PATCH that is absent, null or has a value.
type Null[T any] struct {
	Set bool
	V   *T
}

// UnmarshalJSON is only called if the field is present.
func (o *Null[T]) UnmarshalJSON(b []byte) error {
	o.Set, o.V = true, nil
	if isNull(b) {
		return nil
	}
	return wire.Unmarshal(b, &o.V)
}

func isNull(b []byte) bool { return bytes.Equal(bytes.TrimSpace(b), []byte("null")) }

// Schema returns the schema of the value, or null.
func (o Null[T]) Schema(r huma.Registry) *huma.Schema { return schema[T](r, true) }

// Wraps returns the type of the value.
func (Null[T]) Wraps() reflect.Type { return reflect.TypeFor[T]() }

// To sets or clears dst if the field was present.
func (o Null[T]) To(dst **T) {
	if o.Set {
		*dst = o.V
	}
}

// schema copies the schema of T instead of referring to it, because huma accepts
// any value for a reference that can be null.
func schema[T any](r huma.Registry, nullable bool) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), false, "")
	s.Nullable = nullable
	return &s
}

// Param is an optional query parameter. Without it, huma can't distinguish an
// absent number from 0.
type Param[T any] struct {
	Set bool
	V   T
}

// Wraps returns the type of the value.
func (Param[T]) Wraps() reflect.Type { return reflect.TypeFor[T]() }

// Schema returns the schema of the value.
func (p Param[T]) Schema(r huma.Registry) *huma.Schema { return schema[T](r, false) }

// Receiver returns the field for the parsed value. Huma calls it.
func (p *Param[T]) Receiver() reflect.Value { return reflect.ValueOf(p).Elem().Field(1) }

// OnParamSet records whether the parameter was present. Huma calls it.
func (p *Param[T]) OnParamSet(isSet bool, _ any) { p.Set = isSet }
