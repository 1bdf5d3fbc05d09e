package events

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
)

// Trigger emits an event about a sample object that doesn't exist, for
// developers.
func Trigger(ctx context.Context, tx *db.Tx, k Kind) (Event, error) {
	noun, _, _ := strings.Cut(k.Type, ".")
	objectID := tx.NewID(noun)
	e, err := newEvent(ctx, tx, k.Type, objectID, Sample(k, tx.Now), map[string]any{})
	if err != nil {
		return e, err
	}
	one := []Event{e}
	if err := save(ctx, tx, one); err != nil {
		return e, err
	}
	e = one[0]
	return e, audit.Record(ctx, tx, "event.triggered", e.ID, map[string][2]any{"type": {nil, k.Type}})
}

// Sample returns a sample object of a kind. It uses the examples of the fields,
// the first value of each enum, and the given time.
func Sample(k Kind, now time.Time) any {
	v := reflect.New(reflect.TypeOf(k.Object)).Elem()
	fill(v, "", now)
	return v.Interface()
}

// fill sets a value according to the tags of its field.
func fill(v reflect.Value, tag reflect.StructTag, now time.Time) {
	example, first := tag.Get("example"), ""
	if enum := tag.Get("enum"); enum != "" {
		first, _, _ = strings.Cut(enum, ",")
	}
	switch v.Kind() {
	case reflect.Pointer:
		if example == "" {
			return // null
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), tag, now)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(now))
			return
		}
		for _, f := range reflect.VisibleFields(v.Type()) {
			if len(f.Index) == 1 && f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(f.Index[0]), f.Tag, now)
			}
		}
	case reflect.String:
		switch {
		case example != "":
		case tag.Get("format") == "date":
			example = now.Format(time.DateOnly)
		default:
			example = cmp.Or(first, firstOf(v))
		}
		v.SetString(example)
	case reflect.Int64, reflect.Int:
		n, _ := strconv.ParseInt(example, 10, 64) // 0 if there is no example
		v.SetInt(n)
	case reflect.Float64:
		n, _ := strconv.ParseFloat(example, 64)
		v.SetFloat(n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	}
}

// firstOf returns the first enum value of a type with its own schema.
func firstOf(v reflect.Value) string {
	p, ok := v.Interface().(huma.SchemaProvider)
	if !ok {
		return ""
	}
	s := p.Schema(huma.NewMapRegistry("", huma.DefaultSchemaNamer))
	if len(s.Enum) == 0 {
		return ""
	}
	return fmt.Sprint(s.Enum[0])
}
