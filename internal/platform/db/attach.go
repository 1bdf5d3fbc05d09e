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
