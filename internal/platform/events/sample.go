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

// Trigger emits an event of a kind about an object that does not exist, for
// developers who want to see one.
func Trigger(ctx context.Context, tx *db.Tx, k Kind) (Event, error) {
	noun, _, _ := strings.Cut(k.Type, ".")
	objectID := tx.NewID(noun)
	e, err := draft(ctx, tx, k.Type, objectID, Sample(k, tx.Now), map[string]any{})
	if err != nil {
		return e, err
	}
	e.ID = tx.NewID("evt")
	tx.NotifyRelay()
	if err := db.Insert(ctx, tx, "outbox", e); err != nil {
		return e, err
	}
	return e, audit.Record(ctx, tx, "event.triggered", e.ID, map[string][2]any{"type": {nil, k.Type}})
}

// Sample makes an object such as the reference shows for a kind: of its fields'
// examples, the first of every enumeration, and the time given.
func Sample(k Kind, now time.Time) any {
	v := reflect.New(reflect.TypeOf(k.Object)).Elem()
	fill(v, "", now)
	return v.Interface()
}

// fill sets a value by the tags of its field.
func fill(v reflect.Value, tag reflect.StructTag, now time.Time) {
	example, first := tag.Get("example"), ""
	if enum := tag.Get("enum"); enum != "" {
		first, _, _ = strings.Cut(enum, ",")
	}
	switch v.Kind() {
	case reflect.Pointer:
		if example == "" {
			return // unknown
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
		n, _ := strconv.ParseInt(example, 10, 64) // 0 without an example
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

// firstOf is the first value of a type that says itself which it has.
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
