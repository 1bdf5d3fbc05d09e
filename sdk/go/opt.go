package slipway

import (
	"bytes"
	"encoding/json"
)

// Opt is a field of a patch. The zero Opt is not sent, so the field keeps its value.
type Opt[T any] struct {
	set, null bool
	value     T
}

// Set changes a field.
func Set[T any](v T) Opt[T] { return Opt[T]{set: true, value: v} }

// Clear removes the value of a field.
func Clear[T any]() Opt[T] { return Opt[T]{set: true, null: true} }

// Get returns the value, and whether there is one.
func (o Opt[T]) Get() (value T, ok bool) { return o.value, o.set && !o.null }

// IsZero reports whether the field is omitted.
func (o Opt[T]) IsZero() bool { return !o.set }

// MarshalJSON returns the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.null {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads a value, or null.
func (o *Opt[T]) UnmarshalJSON(text []byte) error {
	*o = Opt[T]{set: true, null: string(text) == "null"}
	if o.null {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(&o.value)
}

// Ptr returns a pointer to a value, for optional fields.
func Ptr[T any](v T) *T { return &v }
