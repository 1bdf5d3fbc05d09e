package effect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// USD is an amount of whole dollars, such as $1,000.
func USD(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + "$" + text
}

// Cents is an amount of cents, such as $1,000 or $12.50.
func Cents(n int64) string {
	if n%100 == 0 {
		return USD(n / 100)
	}
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	return fmt.Sprintf("%s%s.%02d", sign, USD(n/100), n%100)
}

// Word is a value of an enum in words, such as sale pending.
func Word[T ~string](value T) string { return strings.ReplaceAll(string(value), "_", " ") }

// Begin starts a text with a capital letter.
func Begin(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// special are the words of fields that don't follow from their names.
var special = map[string]string{
	"hull_id": "Boat", "user_id": "Person", "owner_id": "Person in charge", "buyer_id": "Buyer", "co_buyer_id": "Co-buyer",
	"hin": "HIN", "msrp_usd": "MSRP", "floor_usd": "Floor", "acv_cents": "Actual cash value", "to": "New status", "object_id": "About",
	"apr_percent": "Rate", "body": "Text", "previous_hull_id": "Earlier record", "hin_absent_reason": "Why no HIN",
}

// Label is what people call a field of a body.
func Label(field string) string {
	if text, ok := special[field]; ok {
		return text
	}
	for _, unit := range []string{"_usd", "_cents", "_id", "_at", "_on", "_percent"} {
		field = strings.TrimSuffix(field, unit)
	}
	return Begin(strings.ReplaceAll(field, "_", " "))
}

// Words says a value of a JSON body. Name returns what people call an object, or "".
type Words struct {
	Zone *time.Location
	Name func(id string) string
}

// Value returns the value of a field.
func (w Words) Value(field string, value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case string:
		if strings.HasSuffix(field, "_percent") {
			return v + " %"
		}
		return w.text(v)
	case float64:
		return w.number(field, json.Number(strconv.FormatFloat(v, 'f', -1, 64)))
	case json.Number:
		return w.number(field, v)
	case []any:
		parts := []string{}
		for _, part := range v {
			parts = append(parts, w.Value(field, part))
		}
		return orNothing(strings.Join(parts, "; "))
	case map[string]any:
		parts := []string{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] != nil {
				parts = append(parts, Label(name)+" "+w.Value(name, v[name]))
			}
		}
		return orNothing(strings.Join(parts, ", "))
	}
	return fmt.Sprint(value)
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func (w Words) text(v string) string {
	if name := w.Name(v); name != "" {
		return name
	}
	if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
		return w.Time(at)
	}
	if at, err := time.ParseInLocation("2006-01-02T15:04", v, w.Zone); err == nil { // of an appointment
		return w.Time(at)
	}
	if !strings.ContainsAny(v, " .@/") { // such as on_hold
		return orNothing(Word(v))
	}
	return v
}

// Time is a time for people.
func (w Words) Time(at time.Time) string { return at.In(w.Zone).Format("Mon, Jan 2, 2006, 3:04 PM") }

func (w Words) number(field string, n json.Number) string {
	whole, err := n.Int64()
	switch {
	case err == nil && strings.HasSuffix(field, "_usd"):
		return USD(whole)
	case err == nil && strings.HasSuffix(field, "_cents"):
		return Cents(whole)
	case strings.HasSuffix(field, "_percent"):
		return n.String() + " %"
	}
	return n.String()
}

// Fields adds a row for each field of a body that changes something. The ID names the
// object that it changes.
func (e *ProposalEffect) Fields(w Words, id string, body map[string]any) error {
	before, err := fieldsOf(e.Before)
	if err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(body))
	for name, value := range before {
		_, sent := body[name]
		if e.Replaces && !sent && value != nil && !slices.Contains([]string{"hull_id", "version", "updated_at", "units"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		was, known := before[name]
		to := w.Value(name, body[name])
		switch from := w.Value(name, was); {
		case slices.Contains(e.Said, name), known && from == to:
		case known && e.Before != nil:
			e.Change(Label(name), id, from, to)
		default:
			e.Fact(Label(name), idOf(body[name]), to)
		}
	}
	return nil
}

// idOf returns the value if it is the ID of an object.
func idOf(value any) string {
	if id, ok := value.(string); ok && Prefix(id) != "" {
		return id
	}
	return ""
}

// Prefix returns the prefix of an ID, or "" if the text isn't one.
func Prefix(id string) string {
	prefix, rest, _ := strings.Cut(id, "_")
	if len(rest) != 26 || strings.ContainsAny(rest, "_ ") {
		return ""
	}
	return prefix
}

func fieldsOf(before any) (fields map[string]any, err error) {
	text, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &fields)
	return fields, err
}
