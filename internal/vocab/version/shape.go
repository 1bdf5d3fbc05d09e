package version

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Shape is what versions added to the JSON of a type.
type Shape struct {
	members map[string]member // of an object
	items   *Shape            // of an array, or of an object with any names
	older   older             // calculates values for older versions, or nil
}

// older is a type with a member that can be null in newer versions only, and whose value for
// older versions has to be calculated.
type older interface {
	// OlderValue returns the member as JSON for an older version, from the object as JSON.
	OlderValue(member string, object []byte) string
}

// calculated is what a tag has instead of a value that OlderValue returns.
const calculated = "?"

// sectioned is a map whose type says since when its members exist.
type sectioned interface{ Since() map[string]string }

// member is a member of an object that has a history, or contains something that has.
type member struct {
	name   string
	since  string // the version that added it, or "" for the first one
	values map[string]value
	shape  *Shape
}

// value is a value of an enum that a version added.
type value struct {
	since, older string
	isNull       bool // and not a string
}

// null as a value of a tag, and as JSON.
const null = "null"

var shapes sync.Map // of Shape by reflect.Type

// Of returns the shape of a type, or nil if no version added anything to it.
func Of(t reflect.Type) *Shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*Shape) //nolint:forcetypeassert // only Of stores here
	}
	s := shapeOf(t, map[reflect.Type]bool{})
	shapes.Store(t, s)
	return s
}

// OfValue returns the shape of a value. The members of a map can have any types, which
// only the value knows.
func OfValue(v any) *Shape {
	s := Of(reflect.TypeOf(v))
	m := reflect.ValueOf(v)
	if m.Kind() != reflect.Map || m.Type().Elem().Kind() != reflect.Interface {
		return s
	}
	all := &Shape{members: map[string]member{}}
	for it := m.MapRange(); it.Next(); {
		inner := member{since: s.Since(it.Key().String())}
		if it.Value().Elem().IsValid() {
			inner.shape = Of(it.Value().Elem().Type())
		}
		all.members[it.Key().String()] = inner
	}
	return all
}

// Since returns the version that added a member, or "" for the first one.
func (s *Shape) Since(name string) string {
	if s == nil {
		return ""
	}
	return s.members[name].since
}

// Member returns the shape of a member, or nil.
func (s *Shape) Member(name string) *Shape {
	if s == nil {
		return nil
	}
	return s.members[name].shape
}

// SinceOf returns the values that versions added to an enum, with the date.
func (s *Shape) SinceOf(name string) map[string]string {
	if s == nil || s.members[name].values == nil {
		return nil
	}
	dates := map[string]string{}
	for added, v := range s.members[name].values {
		dates[added] = v.since
	}
	return dates
}

// OfEvent returns the shape of the data of an event about an object.
func OfEvent(object reflect.Type) *Shape {
	s := Of(object)
	if s == nil {
		return nil
	}
	return &Shape{members: map[string]member{"object": {shape: s}, "previous": {shape: s}}}
}

// wrapper is a type with the JSON of another type, such as an optional field.
type wrapper interface{ Wraps() reflect.Type }

// shapeOf doesn't look into types that contain themselves, and into those with their
// own encoding.
func shapeOf(t reflect.Type, inside map[reflect.Type]bool) *Shape {
	if inside[t] || t == reflect.TypeFor[time.Time]() {
		return nil
	}
	inside[t] = true
	defer delete(inside, t)
	if w, ok := reflect.Zero(t).Interface().(wrapper); ok && t.Kind() == reflect.Struct {
		return shapeOf(w.Wraps(), inside)
	}

	if sections, ok := reflect.Zero(t).Interface().(sectioned); ok {
		s := &Shape{members: map[string]member{}}
		for name, date := range sections.Since() {
			s.members[name] = member{since: DateOf(date)}
		}
		return s
	}

	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem(), inside)
	case reflect.Slice, reflect.Array, reflect.Map:
		if items := shapeOf(t.Elem(), inside); items != nil {
			return &Shape{items: items}
		}
	case reflect.Struct:
		s := &Shape{members: map[string]member{}}
		s.older, _ = reflect.Zero(t).Interface().(older)
		s.addFields(t, inside)
		if len(s.members) > 0 {
			return s
		}
	}
	return nil
}

func (s *Shape) addFields(t reflect.Type, inside map[reflect.Type]bool) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous && name == "" {
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if embedded.Kind() == reflect.Struct {
				s.addFields(embedded, inside)
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		m := parse(f.Tag.Get("since"))
		m.name = name
		m.shape = shapeOf(f.Type, inside)
		if m.since != "" || m.values != nil || m.shape != nil {
			s.members[name] = m
		}
	}
}

// parse reads the tag of a field: a version, or a version and values with what older
// versions show instead.
func parse(tag string) member {
	words := strings.Fields(tag)
	if len(words) == 0 {
		return member{}
	}
	date := DateOf(words[0])
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		panic(fmt.Sprintf("the tag since:%q has no date", tag))
	}
	if len(words) == 1 {
		return member{since: date}
	}
	m := member{values: map[string]value{}}
	for _, w := range words[1:] {
		added, older, ok := strings.Cut(w, "=")
		if !ok {
			panic(fmt.Sprintf("the tag since:%q has a value without its older value", tag))
		}
		m.values[added] = value{date, older, added == null}
	}
	return m
}

// Params returns the parameters of a request that versions added, with the date.
func Params(t reflect.Type) map[string]string {
	found := map[string]string{}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return found
	}
	for f := range t.Fields() {
		if f.Anonymous {
			for name, date := range Params(f.Type) {
				found[name] = date
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("query"), ",")
		if date := f.Tag.Get("since"); name != "" && date != "" {
			found[name] = DateOf(date)
		}
	}
	return found
}
