package events

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/enum"
)

// Trigger emits an event about a sample object that doesn't exist, for
// developers.
func Trigger(ctx context.Context, tx *db.Tx, k Kind) (Event, error) {
	s := newSample(k, tx.Now)
	objectID := s.identify(k, tx.NewID)
	e, err := newEvent(ctx, tx, k.Type, objectID, content{s.object.Interface(), s.previous})
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

// Sample returns a sample object of a kind as it is after the event, and the old values
// of the fields that the event changes. It uses the examples of the fields, the first
// value of each enum, and the given time.
func Sample(k Kind, now time.Time) (object any, previous map[string]any) {
	s := newSample(k, now)
	return s.object.Interface(), s.previous
}

// sample is a sample object of an event.
type sample struct {
	object   reflect.Value
	fields   []reflect.StructField // those in the JSON
	previous map[string]any
}

func newSample(k Kind, now time.Time) *sample {
	s := &sample{object: reflect.New(reflect.TypeOf(k.Object)).Elem(), previous: map[string]any{}}
	fill(s.object, "", now)
	for _, f := range reflect.VisibleFields(s.object.Type()) {
		if f.IsExported() && !f.Anonymous && f.Tag.Get("json") != "" && f.Tag.Get("json") != "-" {
			s.fields = append(s.fields, f)
		}
	}

	_, verb, _ := strings.Cut(k.Type, ".")
	s.setState(verb)
	s.setTime(verb, now)
	if len(s.previous) == 0 {
		s.changeField(verb)
	}
	if hasNoPrevious(verb) {
		s.previous = map[string]any{}
	}
	if o, ok := s.object.Addr().Interface().(interface{ AddUp() }); ok {
		o.AddUp() // calculates what the examples of fields can't say
	}
	return s
}

// additions are the verbs of events about an object that is new or was deleted. They
// change no field.
var additions = []string{
	"added", "captured", "created", "deleted", "installed", "issued", "made", "opened", "provisioned", "queued", "received",
	"recorded", "removed", "submitted", "test", "uninstalled",
}

func hasNoPrevious(verb string) bool {
	switch verb {
	case "consent_revoked": // a new record
		return true
	case "photos_added", "syndication_queued", "syndication_removed": // they change an object
		return false
	}
	return slices.Contains(additions, lastWord(verb))
}

func lastWord(verb string) string { return verb[strings.LastIndex(verb, "_")+1:] }

// states are the states after events whose names differ from the state.
var states = map[string]string{"activated": "active", "captured": "granted", "status_changed": "on_hold", "syndicated": "published"}

// endings are states that can follow any other one, and not only the one before.
var endings = []string{
	"canceled", "cancelled", "expired", "failed", "lost", "refunded", "rejected", "removed", "reversed", "sent", "transferred", "voided", "withdrawn",
}

// setState sets the state that the event leads to.
func (s *sample) setState(verb string) {
	for _, f := range s.fields {
		name, v := jsonName(f), s.object.FieldByIndex(f.Index)
		if v.Kind() != reflect.String || name != "status" && name != "state" && name != "direction" {
			continue
		}
		values := enum.ValuesOf(f.Type)
		if values == nil {
			values = strings.Split(f.Tag.Get("enum"), ",")
		}
		for _, state := range []string{verb, lastWord(verb), states[verb], states[lastWord(verb)]} {
			at := slices.Index(values, state)
			if at < 0 || state == "" {
				continue
			}
			v.SetString(state)
			before := values[max(0, at-1)]
			if slices.Contains(endings, state) {
				before = values[0]
			}
			if before != state {
				s.previous[name] = before
			}
			return
		}
	}
}

// setTime sets the field with the time of the event, such as sold_at.
func (s *sample) setTime(verb string, now time.Time) {
	for _, f := range s.fields {
		v := s.object.FieldByIndex(f.Index)
		if name := jsonName(f); v.Type() == reflect.TypeFor[*time.Time]() && (name == verb+"_at" || name == lastWord(verb)+"_at") {
			v.Set(reflect.ValueOf(&now))
			s.previous[name] = nil
		}
	}
}

// usual are fields that a sample changes, if the verb names none.
var usual = []string{"name", "title", "caption", "first_name", "make", "starts_at", "updated_at"}

// changeField adds an old value of a field that the verb names, such as price_usd for
// price_changed, or else of a usual one, or of any.
func (s *sample) changeField(verb string) {
	named := strings.TrimSuffix(strings.TrimSuffix(verb, lastWord(verb)), "_")
	change := func(fits func(name string) bool) bool {
		for _, f := range s.fields {
			if v := s.object.FieldByIndex(f.Index); fits(jsonName(f)) && !isEmpty(v) {
				s.previous[jsonName(f)] = older(v)
				return true
			}
		}
		return false
	}

	if named != "" && change(func(name string) bool { return strings.Contains(name, strings.TrimSuffix(named, "s")) }) {
		return
	}
	for _, field := range usual {
		if change(func(name string) bool { return name == field }) {
			return
		}
	}
	change(func(name string) bool { return name != "id" && !strings.HasSuffix(name, "_id") })
}

// isEmpty reports whether a field has no value that could have been another one.
func isEmpty(v reflect.Value) bool {
	return v.Kind() == reflect.Pointer && v.IsNil() || v.Kind() == reflect.Slice && v.Len() == 0
}

// older returns a value that differs from v.
func older(v reflect.Value) any {
	switch v.Kind() {
	case reflect.String:
		return "Old " + v.String()
	case reflect.Int64, reflect.Int:
		return v.Int() + 1000
	case reflect.Bool:
		return !v.Bool()
	}
	if at, ok := v.Interface().(time.Time); ok {
		return at.Add(-time.Hour)
	}
	return nil
}

// identify gives the object a new ID and returns the ID of the object that the event is
// about. An event such as deal.offer_made is about the deal of an offer.
func (s *sample) identify(k Kind, newID func(prefix string) string) (objectID string) {
	noun, _, _ := strings.Cut(k.Type, ".")
	objectID = newID(noun)
	for _, name := range []string{"id", noun + "_id"} {
		for _, f := range s.fields {
			prefix, _, ok := strings.Cut(f.Tag.Get("example"), "_0")
			if jsonName(f) == name && ok && f.Type.Kind() == reflect.String {
				objectID = newID(prefix)
				s.object.FieldByIndex(f.Index).SetString(objectID)
			}
		}
	}
	return objectID
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// fill sets a value according to the tags of its field.
func fill(v reflect.Value, tag reflect.StructTag, now time.Time) {
	example, first := tag.Get("example"), ""
	if values := tag.Get("enum"); values != "" {
		first, _, _ = strings.Cut(values, ",")
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

// firstOf returns the first value of an enum.
func firstOf(v reflect.Value) string {
	if values := enum.ValuesOf(v.Type()); values != nil {
		return values[0]
	}
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
