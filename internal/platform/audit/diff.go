package audit

import (
	"reflect"
	"sync"

	"slipway/internal/vocab/privacy"
)

// Diff returns the changed fields of a resource for the audit log, by their JSON
// names, with the old and the new value. If before is nil, every field is new. It
// omits personal data and secrets, also in the structs that a field contains,
// because the log can't be erased. Costs are for readers who can see them; see Show.
// It also omits the version, updated_at and calculated fields, which have the tag
// audit:"-".
func Diff(before, after any) map[string][2]any {
	changes := map[string][2]any{}
	for f, values := range changed(before, after) {
		switch {
		case f.Class == privacy.Personal:
		case f.Nested:
			changes[f.Name] = [2]any{withoutPersonal(values[0]), withoutPersonal(values[1])}
		default:
			changes[f.Name] = values
		}
	}
	return changes
}

// Changes returns the changed fields of a resource for its event. Unlike Diff, it
// includes personal data: events can be erased.
func Changes(before, after any) map[string][2]any {
	changes := map[string][2]any{}
	for f, values := range changed(before, after) {
		changes[f.Name] = values
	}
	return changes
}

// changed yields the fields that differ, with the old and the new value.
func changed(before, after any) func(yield func(privacy.Field, [2]any) bool) {
	b, a := value(before), value(after)
	return func(yield func(privacy.Field, [2]any) bool) {
		for _, f := range fieldsOf(a.Type()) {
			now, was := a.FieldByIndex(f.Index), any(nil)
			if b.IsValid() {
				was = b.FieldByIndex(f.Index).Interface()
			}
			isNew := !b.IsValid() && !now.IsZero()
			if isChanged := b.IsValid() && !reflect.DeepEqual(was, now.Interface()); !isNew && !isChanged {
				continue
			}
			if !yield(f, [2]any{was, now.Interface()}) {
				return
			}
		}
	}
}

func value(v any) reflect.Value { return reflect.Indirect(reflect.ValueOf(v)) }

// withoutPersonal returns a value without the personal fields of the structs in it.
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
		part := r.FieldByIndex(f.Index).Interface()
		if f.Nested {
			part = withoutPersonal(part)
		}
		if f.Class != privacy.Personal {
			rest[f.Name] = part
		}
	}
	return rest
}

var cachedFields sync.Map // reflect.Type → []privacy.Field

// fieldsOf returns the fields of a struct that are compared.
func fieldsOf(t reflect.Type) []privacy.Field {
	if cached, ok := cachedFields.Load(t); ok {
		return cached.([]privacy.Field)
	}
	fields := []privacy.Field{}
	for _, f := range privacy.Of(t) {
		if f.Name != "" && f.Class != privacy.Secret && f.Tag.Get("audit") != "-" && f.Name != "version" && f.Name != "updated_at" {
			fields = append(fields, f)
		}
	}
	cachedFields.Store(t, fields)
	return fields
}
