// Package privacy knows what the value of a field is: plain, personal, a cost or a
// secret. Fields declare it in the tag privacy, and everything that stores or shows values
// follows: the request log, the audit log, events, exports and erasure.
//
//	Note string `json:"note"`                                     // text is personal
//	Make string `json:"make" privacy:"plain"`                     // text that is not about a person
//	Code string `json:"code" privacy:"personal,sale"`             // stays if the deal is a sale
//	ACV  *int64 `json:"acv_cents" privacy:"cost,deals:write"`     // only for callers with this scope
//	Key  string `json:"key" privacy:"secret"`
//
// Without a tag, text that users can write is personal, and all else is plain: enums, IDs,
// dates, times, numbers and booleans. A tag of the field _ is the class of the text in the
// struct. See docs/decisions/0050.
package privacy

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"slipway/internal/vocab/auth"
)

// Class is what a value is.
type Class int

// The classes, from the least to the most sensitive one.
const (
	Plain Class = iota
	Personal
	Cost
	Secret
)

var classes = map[string]Class{"plain": Plain, "personal": Personal, "cost": Cost, "secret": Secret}

// Field is a field of a struct.
type Field struct {
	Name   string // in JSON, or of the parameter; "" if clients don't see it
	Index  []int
	Class  Class
	Sale   bool         // personal, but the law requires it for a sale
	Needs  auth.Rule    // the scopes to see a cost
	Type   reflect.Type // of the value, or of the items of a list, without pointers
	List   bool         // of values
	Text   bool         // users can write any text in it
	Nested bool         // a struct inside has fields with other classes than plain
	Tag    reflect.StructTag
}

var cached sync.Map // reflect.Type → []Field

// Of returns the fields of a struct that clients see or that are stored. It returns nil
// for other types.
func Of(t reflect.Type) []Field {
	if known, ok := cached.Load(t); ok {
		return known.([]Field)
	}
	if t.Kind() != reflect.Struct || t == timeType {
		return nil
	}
	fields := []Field{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		if field, ok := fieldOf(t, f); ok {
			fields = append(fields, field)
		}
	}
	cached.Store(t, fields)
	return fields
}

// Find returns the field that has this name.
func Find(t reflect.Type, name string) (Field, bool) {
	fields := Of(t)
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && name != "" })
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

var (
	timeType = reflect.TypeFor[time.Time]()
)

// Inside returns the type of a value, or of the items of a list, without pointers, without
// the types of patches, and without the shape of the preview.
func Inside(t reflect.Type) reflect.Type {
	t, _ = inside(t)
	return t
}

func inside(t reflect.Type) (_ reflect.Type, isList bool) {
	for {
		zero := any(nil)
		if t.Kind() == reflect.Struct {
			zero = reflect.Zero(t).Interface()
		}
		w, wraps := zero.(interface{ Wraps() reflect.Type })
		s, shapes := zero.(interface{ Shapes() reflect.Type })
		switch {
		case wraps:
			t = w.Wraps()
		case shapes:
			t = s.Shapes()
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
			isList = isList || t.Kind() == reflect.Slice
			t = t.Elem()
		default:
			return t, isList
		}
	}
}

func fieldOf(t reflect.Type, f reflect.StructField) (Field, bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	for _, in := range []string{"query", "path", "header"} {
		if tag := f.Tag.Get(in); tag != "" {
			name = tag
		}
	}
	isStored := f.Tag.Get("db") != ""
	if name == "-" {
		name = ""
	}
	if name == "" && !isStored {
		return Field{}, false
	}

	field := Field{Name: name, Index: f.Index, Tag: f.Tag}
	field.Type, field.List = inside(f.Type)
	field.Text = name != "" && isText(field.Type, f.Tag) && !isID(name)
	tag, tagged := f.Tag.Lookup("privacy")
	if !tagged && field.Text {
		tag = "personal"
		if byType, ok := ofType(t, f).Tag.Lookup("privacy"); ok {
			tag = byType
		}
	}
	field.parse(tag)
	field.Nested = slices.ContainsFunc(Of(field.Type), func(f Field) bool { return f.Class != Plain || f.Nested })
	return field, true
}

// parse reads the tag. A mistake in a tag is a mistake of the program.
func (f *Field) parse(tag string) {
	if tag == "" {
		return
	}
	class, rest, _ := strings.Cut(tag, ",")
	known, ok := classes[class]
	f.Class = known
	switch {
	case ok && class == "personal" && rest == "sale":
		f.Sale = true
	case ok && class == "cost" && rest != "":
		var scopes []auth.Scope
		for scope := range strings.SplitSeq(rest, "+") {
			scopes = append(scopes, auth.Scope(scope))
		}
		f.Needs = auth.Require(scopes...)
	case !ok || rest != "":
		panic(fmt.Sprintf("privacy: %q is not a class", tag))
	}
}

// ofType returns the field _ of the struct that declares a field.
func ofType(t reflect.Type, f reflect.StructField) reflect.StructField {
	if len(f.Index) > 1 {
		t = t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	for own := range t.Fields() {
		if own.Name == "_" {
			return own
		}
	}
	return reflect.StructField{}
}

// isText reports whether users can write any text in a value. Named types of text are
// enums, or have a form that is checked.
func isText(t reflect.Type, tag reflect.StructTag) bool {
	switch {
	case tag.Get("enum") != "" || tag.Get("format") == "date" || tag.Get("format") == "date-time":
		return false
	case t.Kind() == reflect.Slice: // bytes, such as any JSON
		return true
	}
	return t == reflect.TypeFor[string]() || t.Kind() == reflect.Map || t.Kind() == reflect.Interface
}

func isID(name string) bool {
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
}

// Erase removes the personal data of a row. If it belongs to a sale, what the law requires
// stays. Values that earlier copies of the row share don't change.
func Erase[T any](row *T, isSale bool) {
	remove(reflect.ValueOf(row).Elem(), func(f Field) bool { return f.Class == Personal && (!f.Sale || !isSale) })
}

// Hide returns a value without the costs that a caller with these scopes can't see.
func Hide[T any](v T, scopes []auth.Scope) T {
	remove(reflect.ValueOf(&v).Elem(), func(f Field) bool { return f.Class == Cost && !f.Needs.Allows(scopes) })
	return v
}

// WithoutCosts returns a struct without costs, for readers whose scopes are not known.
func WithoutCosts(v any) any {
	r := reflect.Indirect(reflect.ValueOf(v))
	if !r.IsValid() || !slices.ContainsFunc(Of(r.Type()), func(f Field) bool { return f.Class == Cost || f.Nested }) {
		return v
	}
	copied := reflect.New(r.Type()).Elem()
	copied.Set(r)
	remove(copied, func(f Field) bool { return f.Class == Cost })
	return copied.Interface()
}

// remove empties the fields of a struct, and those of the structs inside.
func remove(v reflect.Value, matches func(Field) bool) {
	for _, f := range Of(v.Type()) {
		value := v.FieldByIndex(f.Index)
		switch {
		case matches(f):
			value.Set(empty(value))
		case f.Class == Plain && f.Nested:
			removeInside(value, matches)
		}
	}
}

func removeInside(v reflect.Value, matches func(Field) bool) {
	switch {
	case v.Kind() == reflect.Struct:
		remove(v, matches)
	case v.Kind() == reflect.Pointer && !v.IsNil():
		inner := reflect.New(v.Type().Elem())
		inner.Elem().Set(v.Elem())
		removeInside(inner.Elem(), matches)
		v.Set(inner)
	case v.Kind() == reflect.Slice && !v.IsNil():
		all := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(all, v)
		for i := range all.Len() {
			removeInside(all.Index(i), matches)
		}
		v.Set(all)
	}
}

// erased is a required text after an erasure.
const erased = "erased"

var id = regexp.MustCompile(`^[a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}$`)

// empty is the value of a field without data. Lists and maps are not null, a required text
// is not empty, and an ID stays: it is not personal.
func empty(v reflect.Value) reflect.Value {
	text := reflect.Indirect(v)
	switch {
	case text.IsValid() && text.Type() == reflect.TypeFor[string]() && id.MatchString(text.String()):
		return v
	case v.Type() == reflect.TypeFor[string]() && v.String() != "":
		return reflect.ValueOf(erased)
	case v.Kind() == reflect.Slice:
		return reflect.MakeSlice(v.Type(), 0, 0)
	case v.Kind() == reflect.Map:
		return reflect.MakeMap(v.Type())
	}
	return reflect.Zero(v.Type())
}

// HiddenCost replaces a cost that a reader can't see.
const HiddenCost = "[cost]"

// Costs are the names of the fields with costs in some types, and the scopes to see each.
type Costs map[string][]auth.Rule

// CostsOf returns the costs in types, and in the types inside.
func CostsOf(types ...reflect.Type) Costs {
	all, seen := Costs{}, map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		if t = Inside(t); seen[t] {
			return
		}
		seen[t] = true
		for _, f := range Of(t) {
			if f.Class == Cost {
				all[f.Name] = append(all[f.Name], f.Needs)
			}
			walk(f.Type)
		}
	}
	for _, t := range types {
		walk(t)
	}
	return all
}

// Mask replaces the costs in decoded JSON that a caller with these scopes can't see.
func (c Costs) Mask(v any, scopes []auth.Scope) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = c.MaskField(name, value, scopes)
		}
	case []any:
		for i, value := range v {
			v[i] = c.Mask(value, scopes)
		}
	}
	return v
}

// MaskField does the same for the value of a field.
func (c Costs) MaskField(name string, value any, scopes []auth.Scope) any {
	if slices.ContainsFunc(c[name], func(needs auth.Rule) bool { return !needs.Allows(scopes) }) {
		return HiddenCost
	}
	return c.Mask(value, scopes)
}
