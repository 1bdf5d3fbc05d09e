package rest

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/fault"
)

// suggest adds the name that the client probably meant to the details about unknown
// fields and parameters. These details come first: a misspelled name is also why
// another is missing.
func (x *exchange) suggest(f *fault.Error) {
	q := x.endpoint.request()
	var meant, others []fault.Detail
	for _, d := range f.Details[:min(len(f.Details), maxDetails)] {
		var known []string
		switch d.Code {
		case "unknown_parameter":
			known = q.names("query")
		case "unknown_field":
			known = q.siblings(d.Field)
		}
		if d.Code == "unknown_field" && q.elsewhere(&d) || suggestName(&d, known) {
			meant = append(meant, d)
		} else {
			others = append(others, d)
		}
	}
	if len(meant) > 0 {
		f.Details = append(meant, others...)
		f.Message = fault.Sentence(f.Details)
	}
}

// elsewhere says where a field is changed that the body can't change. The type of the body
// lists these fields in the tag elsewhere of its field _: price_usd=PUT /v1/hulls/{hull_id}/pricing.
func (q *request) elsewhere(d *fault.Detail) bool {
	if q.body == nil || q.body.Type.Kind() != reflect.Struct || q.body.Type.NumField() == 0 {
		return false
	}
	words := strings.Fields(q.body.Type.Field(0).Tag.Get("elsewhere"))
	for i, w := range words {
		if name, method, ok := strings.Cut(w, "="); ok && name == d.Field {
			d.Message = "can't be changed here. Use " + method + " " + words[i+1]
			return true
		}
	}
	return false
}

// suggestName adds the known name that is most like the name of the field. It reports
// whether there is one.
func suggestName(d *fault.Detail, known []string) bool {
	name := d.Field[strings.LastIndexByte(d.Field, '.')+1:]
	suggestion := closest(name, known)
	if suggestion != "" {
		d.Message += " (did you mean " + suggestion + "?)"
	}
	return suggestion != ""
}

// siblings returns the names that an object in a request can have, from the path of
// one of its fields.
func (q *request) siblings(field string) []string {
	s := resolve(q.schemas, q.schema)
	steps := strings.Split(field, ".")
	for _, step := range steps[:len(steps)-1] {
		name, index, _ := strings.Cut(step, "[")
		if s != nil && name != "" {
			s = resolve(q.schemas, s.Properties[name])
		}
		if s != nil && index != "" {
			s = resolve(q.schemas, s.Items)
		}
	}
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

func resolve(schemas huma.Registry, s *huma.Schema) *huma.Schema {
	if s != nil && s.Ref != "" {
		return schemas.SchemaFromRef(s.Ref)
	}
	return s
}

// maxSuggested is longer than every name in the API. It limits the cost of the
// comparison.
const maxSuggested = 64

// closest returns the known name that is most like the unknown one, or "". A name that
// is only spelled in another way, such as priceUsd, and the start of a name, such as
// price, count as alike.
func closest(name string, known []string) string {
	if name == "" || len(name) > maxSuggested {
		return ""
	}
	name = snake(name)
	limit := (len(name) + 2) / 3
	best := ""
	for _, k := range known {
		if len(name) > 2 && (strings.HasPrefix(k, name+"_") || strings.HasSuffix(k, "_"+name)) {
			return k
		}
		if d := levenshtein.Distance(name, k, nil); d <= limit && d < len(k) {
			best, limit = k, d-1
		}
	}
	return best
}

var upper = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// snake writes a name as the names in the API are written.
func snake(name string) string {
	name = upper.ReplaceAllString(name, "${1}_${2}")
	return strings.ToLower(strings.ReplaceAll(name, "-", "_"))
}
