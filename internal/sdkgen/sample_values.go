package sdkgen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// lineWidth is the length of the fields of an object that are printed on one line.
const lineWidth = 60

// object is a JSON object with the order of its fields.
type object []member

type member struct {
	name  string
	value any
}

// body returns an example of a body: the recorded one, or the required fields.
func (s *sampler) body(m Method) (object, error) {
	if m.Body == "" {
		return nil, nil
	}
	if len(m.BodyExample) == 0 {
		return s.required(m.Body, m.Verb == "PATCH"), nil
	}
	var recorded map[string]any
	if err := json.Unmarshal(m.BodyExample, &recorded); err != nil {
		return nil, err
	}
	return s.inOrder(m.Body, recorded), nil
}

// inOrder returns the fields of an object in the order of its type: required ones first.
func (s *sampler) inOrder(name string, values map[string]any) (o object) {
	for _, f := range requiredFirst(s.structs[name].Fields) {
		value, ok := values[f.Name]
		if !ok {
			continue
		}
		o = append(o, member{f.Name, s.ordered(f.Type, value)})
	}
	return o
}

func (s *sampler) ordered(t Type, value any) any {
	switch v := value.(type) {
	case map[string]any:
		if t.Kind == Named {
			return s.inOrder(t.Name, v)
		}
		var o object
		for _, key := range sortedKeys(v) {
			o = append(o, member{key, s.ordered(elem(t), v[key])})
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = s.ordered(elem(t), item)
		}
		return list
	}
	return value
}

func elem(t Type) Type {
	if t.Elem == nil {
		return Type{}
	}
	return *t.Elem
}

func requiredFirst(fields []Field) []Field {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b Field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return fields
}

// required returns the required fields of a type with examples, or its first field for a
// patch.
func (s *sampler) required(name string, patch bool) (o object) {
	for _, f := range s.structs[name].Fields {
		if f.Required || patch && f.Example != nil && len(o) == 0 {
			o = append(o, member{f.Name, s.example(f)})
		}
	}
	return o
}

// example returns an example of a field.
func (s *sampler) example(f Field) any {
	if f.Example != nil {
		return s.ordered(f.Type, f.Example)
	}
	switch f.Type.Kind {
	case Choice:
		return s.enums[f.Type.Name].Values[0]
	case Constant:
		return f.Type.Name
	case Integer, Number:
		return float64(1)
	case Boolean:
		return true
	case Time:
		return "2026-12-01T15:00:00.000Z"
	case Array:
		return []any{s.example(Field{Name: f.Name, Type: *f.Type.Elem})}
	case Named:
		return s.required(f.Type.Name, false)
	case Map:
		return object{}
	}
	return strings.ReplaceAll(f.Name, "_", " ")
}

// query returns the required parameters, the text to search for, or a filter of a list.
func (s *sampler) query(m Method) (o object) {
	for _, f := range m.Query {
		if f.Required || len(o) == 0 && (f.Name == "q" && m.Item == "" || m.Item != "" && f.Type.Kind == Choice) {
			o = append(o, member{f.Name, s.example(f)})
		}
	}
	return o
}

// ---- Go -----------------------------------------------------------------------

func (s *sampler) goQuery(m Method, query object) string {
	var parts []string
	for _, q := range query {
		at := slices.IndexFunc(m.Query, func(f Field) bool { return f.Name == q.name })
		parts = append(parts, GoName(q.name)+": "+s.goValue(m.Query[at].Type, q.value))
	}
	return "slipway." + m.Params + "{" + strings.Join(parts, ", ") + "}"
}

// goValue is a value of a type, without its pointer.
func (s *sampler) goValue(t Type, value any) string {
	switch v := value.(type) {
	case nil:
		return "nil"
	case object:
		return s.goObject(t, v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = s.goElem(elem(t), item)
		}
		return s.goTypeName(Type{Kind: Array, Elem: new(elem(t))}) + "{" + strings.Join(parts, ", ") + "}"
	case string:
		return s.goText(t, v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

func (s *sampler) goText(t Type, text string) string {
	switch t.Kind {
	case Choice:
		return "slipway." + t.Name + GoName(text)
	case Time:
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return fmt.Sprintf("time.Date(%d, %d, %d, %d, %d, 0, 0, time.UTC)", at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute())
		}
	}
	return strconv.Quote(text)
}

func (s *sampler) goObject(t Type, o object) string {
	if t.Kind != Named {
		var parts []string
		for _, f := range o {
			parts = append(parts, fmt.Sprintf("%q: %s", f.name, s.goElem(elem(t), f.value)))
		}
		return s.goTypeName(Type{Kind: Map, Elem: new(elem(t))}) + "{" + strings.Join(parts, ", ") + "}"
	}
	x := s.structs[t.Name]
	var parts []string
	for _, f := range o {
		at := slices.IndexFunc(x.Fields, func(field Field) bool { return field.Name == f.name })
		parts = append(parts, GoName(f.name)+": "+s.goField(x.Fields[at], f.value, x.Patch))
	}
	if line := strings.Join(parts, ", "); len(parts) < 3 && len(line) < lineWidth {
		return "slipway." + t.Name + "{" + line + "}"
	}
	return "slipway." + t.Name + "{\n" + strings.Join(parts, ",\n") + ",\n}"
}

// goField is a value with the pointer or the Opt of its field; see goField of the types.
func (s *sampler) goField(f Field, value any, patch bool) string {
	text := s.goValue(f.Type, value)
	typed := ""
	if f.Type.Kind == Integer || f.Type.Kind == Number {
		typed = "[" + goType(f.Type) + "]"
	}
	pointer := f.Required && f.Type.Nullable && !slices.Contains([]Kind{Array, Map, Any, Null}, f.Type.Kind) ||
		!f.Required && slices.Contains([]Kind{Integer, Number, Boolean, Named}, f.Type.Kind)
	switch {
	case patch && !f.Required && value == nil:
		return "slipway.Clear[" + s.goTypeName(f.Type) + "]()"
	case patch && !f.Required:
		return "slipway.Set" + typed + "(" + text + ")"
	case value == nil || !pointer:
		return text
	case f.Type.Kind == Named:
		return "&" + text
	}
	return "slipway.Ptr" + typed + "(" + text + ")"
}

// goElem is a value in a list or a map.
func (s *sampler) goElem(t Type, value any) string {
	text := s.goValue(t, value)
	if value != nil && s.goElemType(t) != s.goTypeName(t) {
		return "slipway.Ptr(" + text + ")"
	}
	if t.Kind == Named {
		text = strings.TrimPrefix(text, s.goTypeName(t)) // as gofmt -s does
	}
	return text
}

// goElemType is a type whose nil is null.
func (s *sampler) goElemType(t Type) string {
	if strings.HasPrefix(goPointer(t), "*") {
		return "*" + s.goTypeName(t)
	}
	return s.goTypeName(t)
}

// goTypeName is a type outside of the package.
func (s *sampler) goTypeName(t Type) string {
	switch t.Kind {
	case Array:
		return "[]" + s.goElemType(*t.Elem)
	case Map:
		return "map[string]" + s.goElemType(*t.Elem)
	case Named, Choice:
		return "slipway." + t.Name
	}
	return goType(t)
}

// ---- TypeScript ---------------------------------------------------------------

func tsValue(value any) string {
	switch v := value.(type) {
	case object:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = f.name + ": " + tsValue(f.value)
		}
		if line := strings.Join(parts, ", "); len(line) < lineWidth && !strings.Contains(line, "\n") {
			if line == "" {
				return "{}"
			}
			return "{ " + line + " }"
		}
		return "{\n" + indent(strings.Join(parts, ",\n"), "  ") + ",\n}"
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = tsValue(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
		return "null"
	}
	return fmt.Sprint(value)
}
