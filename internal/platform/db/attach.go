package db

import (
	"fmt"
	"reflect"
)

// Handle is a DB or a Tx.
type Handle interface{ handle() *DB }

func (d *DB) handle() *DB      { return d }
func (s *session) handle() *DB { return s.db }

// Attach adds a value that belongs to the database, such as the site whose data
// it contains. There is one value of each type. Call it before you use the
// database.
func (d *DB) Attach(value any) {
	if d.attached == nil {
		d.attached = map[reflect.Type]any{}
	}
	d.attached[reflect.TypeOf(value)] = value
}

// Attached returns the value of a type that was attached to the database.
func Attached[T any](h Handle) T {
	value, ok := h.handle().attached[reflect.TypeFor[T]()].(T)
	if !ok {
		panic(fmt.Sprintf("db: attach a %s before you use the database", reflect.TypeFor[T]()))
	}
	return value
}

// AttachHooks adds the hooks of a feature: functions of other features that it can't
// import. It panics if one is missing, so that the service doesn't start without it.
// Attached returns the hooks.
func (d *DB) AttachHooks(hooks any) {
	if name, ok := missingHook(reflect.ValueOf(hooks)); ok {
		panic(fmt.Sprintf("%T%s is not set. Set it where the feature is created.", hooks, name))
	}
	d.Attach(hooks)
}

// missingHook returns the path of the first hook that is not set.
func missingHook(v reflect.Value) (path string, missing bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if path, missing := missingHook(v.Field(i)); missing {
				return "." + v.Type().Field(i).Name + path, true
			}
		}
		return "", false
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if _, missing := missingHook(v.MapIndex(key)); missing {
				return fmt.Sprintf("[%v]", key), true
			}
		}
		return "", v.Len() == 0
	default:
		return "", v.IsZero()
	}
}
