package description

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/apidocs"
	"slipway/internal/vocab/version"
)

// deepest is how many objects inside each other a page shows.
const deepest = 3

// resolve returns the schema that another one refers to, its name, and whether it can be null.
func (b *builder) resolve(s *huma.Schema) (to *huma.Schema, name string, null bool) {
	for range 10 {
		switch {
		case s.Ref != "":
			name = strings.TrimPrefix(s.Ref, schemaPrefix)
			target := b.doc.Components.Schemas.Map()[name]
			if target == nil {
				return s, name, null
			}
			null = null || s.Nullable || target.Nullable
			s = target
		case len(s.AnyOf) == 2 && isNull(s.AnyOf[1]):
			s, null = s.AnyOf[0], true
		case len(s.AllOf) == 1:
			s = s.AllOf[0]
		default:
			return s, name, null || s.Nullable
		}
	}
	return s, name, null
}

func isNull(s *huma.Schema) bool { return s.Type == "null" || isAny(s) }

// fields returns the properties of an object. prefix starts the IDs of their elements, and first
// are the names that come first.
func (b *builder) fields(s *huma.Schema, prefix string, first []string, inside ...string) (all []apidocs.Field) {
	s, name, _ := b.resolve(s)
	if len(inside) >= deepest || name != "" && slices.Contains(inside, name) {
		return nil
	}
	inside = append(inside, name)

	for _, variant := range s.OneOf {
		target, name, _ := b.resolve(variant)
		all = append(all, apidocs.Field{
			ID: prefix + "-" + name, Name: name, Type: "one of these objects", Doc: code(target.Description),
			Fields: b.fields(variant, prefix+"-"+name, nil, inside...),
		})
	}
	for _, part := range s.AllOf {
		all = append(all, b.fields(part, prefix, first, inside...)...)
	}
	names := slices.SortedFunc(maps.Keys(s.Properties), func(x, y string) int {
		place := func(name string) int {
			if i := slices.Index(first, name); i >= 0 {
				return i
			}
			return len(first)
		}
		return cmp.Or(cmp.Compare(place(x), place(y)), cmp.Compare(x, y))
	})
	for _, n := range names {
		all = append(all, b.field(n, s.Properties[n], prefix, slices.Contains(s.Required, n), inside...))
	}
	return all
}

// field describes a property or a parameter.
func (b *builder) field(name string, s *huma.Schema, prefix string, required bool, inside ...string) apidocs.Field {
	target, ref, null := b.resolve(s)
	f := apidocs.Field{ID: prefix + "-" + name, Name: name, Required: required, Doc: code(cmp.Or(s.Description, target.Description))}
	f.Type, f.Enum = b.typeOf(target, ref), valuesOfEnum(target)
	items := target
	for items.Type == huma.TypeArray && items.Items != nil {
		items, _, _ = b.resolve(items.Items)
		f.Enum = valuesOfEnum(items)
	}
	if null {
		f.Type += " or null"
	}
	f.Notes = notes(s, target)
	for _, from := range []*huma.Schema{s, target} {
		if len(from.Examples) > 0 && f.Example == "" {
			f.Example = fmt.Sprint(from.Examples[0])
		}
	}
	f.Fields = b.fields(target, f.ID, nil, inside...)
	if target.Type == huma.TypeArray && target.Items != nil {
		f.Fields = b.fields(target.Items, f.ID, nil, inside...)
	}
	return f
}

func valuesOfEnum(s *huma.Schema) (values []string) {
	for _, v := range s.Enum {
		if v != nil {
			values = append(values, fmt.Sprint(v))
		}
	}
	return values
}

// typeOf returns the type in words.
func (b *builder) typeOf(s *huma.Schema, name string) string {
	switch {
	case len(s.Enum) > 0:
		return "enum"
	case s.Const != nil:
		return fmt.Sprintf("always %q", s.Const)
	case len(s.OneOf) > 0:
		return cmp.Or(name, "object")
	case s.Type == huma.TypeArray && s.Items != nil:
		items, name, _ := b.resolve(s.Items)
		return "array of " + b.typeOf(items, name)
	case s.Type == huma.TypeObject && name != "":
		return name
	case s.Type == "":
		return "any value"
	}
	format := map[string]string{
		"date-time": "time", "date": "date", "uuid": "UUID", "uri": "URL", "email": "email address", "binary": "file",
	}
	return cmp.Or(format[s.Format], s.Type)
}

// notes returns the default, the limits and the version of a field.
func notes(s, target *huma.Schema) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if value := cmp.Or[any](s.Default, target.Default); value != nil {
		add("defaults to %v", value)
	}
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	const unlimited = 1<<53 - 1
	if m := target.Minimum; m != nil && *m > -unlimited && *m != -1<<31 && *m != 0 {
		add("at least %s", number(*m))
	}
	if m := target.Maximum; m != nil && *m < unlimited && *m != 1<<31-1 {
		add("up to %s", number(*m))
	}
	if m := target.MaxLength; m != nil {
		add("up to %d characters", *m)
	}
	if m := target.MaxItems; m != nil {
		add("up to %d", *m)
	}
	if since, _ := s.Extensions[version.Extension].(string); since != "" {
		add("since %s", since)
	}
	return all
}

// params returns the parameters of an operation: those of the path, the query and then headers.
func (b *builder) params(o *huma.Operation) (all []apidocs.Field) {
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = b.doc.Components.Parameters[strings.TrimPrefix(p.Ref, parameterPrefix)]
		}
		if p == nil || p.In == "cookie" {
			continue
		}
		f := b.field(p.Name, p.Schema, "param", p.Required)
		f.In, f.Doc = p.In, code(cmp.Or(p.Description, p.Schema.Description))
		if p.Example != nil {
			f.Example = fmt.Sprint(p.Example)
		}
		all = append(all, f)
	}
	order := []string{"path", "query", "header"}
	slices.SortStableFunc(all, func(x, y apidocs.Field) int { return cmp.Compare(slices.Index(order, x.In), slices.Index(order, y.In)) })
	return all
}

// body describes the body of a request.
func (b *builder) body(o *huma.Operation) *apidocs.Content {
	if o.RequestBody == nil {
		return nil
	}
	return b.content(o.RequestBody.Content, "body", "")
}

// result describes the response of an operation that didn't fail.
func (b *builder) result(o *huma.Operation) *apidocs.Content {
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		n, err := strconv.Atoi(status)
		if err != nil || n >= 300 || n < 200 {
			continue
		}
		c := b.content(o.Responses[status].Content, "result", "data")
		if c == nil {
			c = &apidocs.Content{}
		}
		c.Status = n
		return c
	}
	return nil
}

// content describes a body. list is the name of the property with the objects of a page, or "".
func (b *builder) content(all map[string]*huma.MediaType, prefix, list string) *apidocs.Content {
	kind := "application/json"
	if all[kind] == nil {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			kind = name
			if name != "multipart/form-data" {
				break
			}
		}
	}
	media := all[kind]
	if media == nil {
		return nil
	}
	c := &apidocs.Content{Type: kind, Example: exampleText(media)}
	if media.Schema == nil {
		return c
	}
	s, name, _ := b.resolve(media.Schema)
	first := keysOf([]byte(c.Example))
	c.Name, c.Text = name, s.Description
	if data := s.Properties[list]; data != nil && data.Items != nil && s.Properties["next_cursor"] != nil {
		item, name, _ := b.resolve(data.Items)
		c.Name, c.Text, c.Page = name, item.Description, true
		s, first = data.Items, keysOf(firstItem([]byte(c.Example), list))
	} else {
		s = media.Schema
	}
	if prefix == "body" {
		target, _, _ := b.resolve(s)
		first = slices.Clone(target.Required)
	}
	c.Fields = b.fields(s, prefix, first)
	if prefix == "result" { // a response has all of its fields
		notRequired(c.Fields)
	}
	return c
}

func notRequired(all []apidocs.Field) {
	for i := range all {
		all[i].Required = false
		notRequired(all[i].Fields)
	}
}

// exampleText returns the example of a body as indented JSON.
func exampleText(m *huma.MediaType) string {
	if m.Example == nil {
		return ""
	}
	text, err := json.Marshal(m.Example)
	if err != nil {
		return ""
	}
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// keysOf returns the names of a JSON object in their order.
func keysOf(text []byte) (names []string) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return names
		}
		names = append(names, fmt.Sprint(name))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return names
		}
	}
	return names
}

func firstItem(text []byte, list string) []byte {
	var page map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(text, &page) != nil || json.Unmarshal(page[list], &items) != nil || len(items) == 0 {
		return nil
	}
	return items[0]
}
