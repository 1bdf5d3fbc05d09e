package audit

import (
	"reflect"
	"strings"
	"sync"
)

// field is a field of a resource that Changes compares. The tag audit of a field
// decides what happens to it:
//   - "-" omits a field that is calculated, a secret or personal data.
//   - "personal" keeps text that users can write about a contact out of the log,
//     because the log can't be erased. Events can be, so they contain it.
type field struct {
	name     string // in JSON
	index    []int
	personal bool
	nested   bool // whether its value contains fields with the tag
}

// Diff returns the changed fields of a resource for the audit log, by their JSON
// names, with the old and the new value. If before is nil, every field is new. It
// omits the version, updated_at and fields with the tag audit, also in the
// structs that a field contains.
func Diff(before, after any) map[string][2]any {
	changes := Changes(before, after)
	for _, f := range fieldsOf(value(after).Type()) {
		values, changed := changes[f.name]
		switch {
		case changed && f.personal:
			delete(changes, f.name)
		case changed && f.nested:
			changes[f.name] = [2]any{withoutPersonal(values[0]), withoutPersonal(values[1])}
		}
	}
	return changes
}

// Changes returns the changed fields of a resource for its event. Unlike Diff, it
// includes personal text.
func Changes(before, after any) map[string][2]any {
	changes := map[string][2]any{}
	b, a := value(before), value(after)
	for _, f := range fieldsOf(a.Type()) {
		now := a.FieldByIndex(f.index)
		if !b.IsValid() {
			if !now.IsZero() {
				changes[f.name] = [2]any{nil, now.Interface()}
			}
			continue
		}
		if was := b.FieldByIndex(f.index).Interface(); !reflect.DeepEqual(was, now.Interface()) {
			changes[f.name] = [2]any{was, now.Interface()}
		}
	}
	return changes
}

func value(v any) reflect.Value { return reflect.Indirect(reflect.ValueOf(v)) }

// withoutPersonal returns a value without the tagged fields of the structs in it.
func withoutPersonal(v any) any {
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid(), r.Kind() == reflect.Pointer && r.IsNil():
		return nil
	case r.Kind() == reflect.Pointer:
		return withoutPersonal(r.Elem().Interface())
	case r.Kind() == reflect.Slice:
		all := make([]any, r.Len())
		for i := range all {
			all[i] = withoutPersonal(r.Index(i).Interface())
		}
		return all
	case r.Kind() != reflect.Struct:
		return v
	}

	rest := map[string]any{}
	for _, f := range fieldsOf(r.Type()) {
		part := r.FieldByIndex(f.index).Interface()
		if f.nested {
			part = withoutPersonal(part)
		}
		if !f.personal {
			rest[f.name] = part
		}
	}
	return rest
}

var cachedFields sync.Map // reflect.Type → []field

// fieldsOf returns the fields of a struct that are compared.
func fieldsOf(t reflect.Type) []field {
	if cached, ok := cachedFields.Load(t); ok {
		return cached.([]field)
	}
	fields := []field{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || f.Tag.Get("audit") == "-" || name == "version" || name == "updated_at" {
			continue
		}
		fields = append(fields, field{name, f.Index, f.Tag.Get("audit") == "personal", hasTagged(f.Type)})
	}
	cachedFields.Store(t, fields)
	return fields
}

// hasTagged reports whether the structs in a value of a type have a field with
// the tag audit. Resources don't contain themselves.
func hasTagged(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("json") != "" && (f.Tag.Get("audit") != "" || hasTagged(f.Type)) {
			return true
		}
	}
	return false
}
