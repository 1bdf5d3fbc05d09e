package requestlog

import (
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/privacy"
)

// What replaces a masked value. The costs are masked in both environments, because admin
// is enough to read the log, and so are values of fields that don't exist: a misspelled
// name can be that of a secret or a cost.
const (
	maskedSecret   = "[secret]"
	maskedPersonal = "[personal]"
	maskedUnknown  = "[unknown]"
	maskedValue    = "[value]" // not what the field accepts
)

// masker masks a request by the type of its operation. Personal text is kept only in the
// test environment.
type masker struct {
	test   bool
	hidden []string // the texts that were masked
}

// body returns a JSON body without what must not be stored. It returns nil if the body is
// not an object.
func (m *masker) body(body []byte, t reflect.Type) map[string]any {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil || object == nil {
		return nil
	}
	var of reflect.Type
	if t != nil {
		if f, ok := t.FieldByName("Body"); ok {
			of = privacy.Inside(f.Type)
		}
	}
	return m.object(object, of)
}

func (m *masker) object(object map[string]any, t reflect.Type) map[string]any {
	out := map[string]any{}
	for name, value := range object {
		if f, ok := field(t, name); ok {
			out[name] = m.value(f, value)
		} else {
			out[maskName(name)] = m.hide(value, maskedUnknown)
			m.hide(name, "")
		}
	}
	return out
}

// field returns the field of a name. In the preview, an amount has no unit in its name.
func field(t reflect.Type, name string) (f privacy.Field, ok bool) {
	if t == nil {
		return f, false
	}
	for _, unit := range []string{"", "_usd", "_cents"} {
		if f, ok = privacy.Find(t, name+unit); ok {
			return f, ok
		}
	}
	return f, false
}

// value returns the value of a field. Items of a list belong to the field of the list.
func (m *masker) value(f privacy.Field, value any) any {
	switch {
	case value == nil:
		return nil
	case f.Class == privacy.Secret:
		return m.hide(value, maskedSecret)
	case f.Class == privacy.Cost:
		return m.hide(value, privacy.HiddenCost)
	}
	switch v := value.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = m.value(f, item)
		}
		return out
	case map[string]any:
		return m.inside(f, v)
	case string:
		return m.text(f, v)
	}
	if f.Class == privacy.Personal && !m.test {
		return maskedPersonal
	}
	return value // a number or a boolean
}

// inside returns an object in a field: a struct, an amount of the preview, or pairs.
func (m *masker) inside(f privacy.Field, v map[string]any) any {
	switch {
	case f.Type.Kind() == reflect.Struct && (f.Class == privacy.Plain || m.test):
		return m.object(v, f.Type)
	case f.Class == privacy.Personal && !m.test:
		return m.hide(v, maskedPersonal)
	case f.Type.Kind() == reflect.Int64 && isAmount(v):
		return v
	case f.Type.Kind() == reflect.Map && privacy.Inside(f.Type.Elem()).Kind() == reflect.String:
		out := map[string]any{}
		for name, value := range v {
			if text, ok := value.(string); ok {
				out[maskName(name)] = m.text(f, text)
			} else {
				out[maskName(name)] = m.hide(value, maskedValue)
			}
		}
		return out
	}
	return m.hide(v, maskedUnknown) // any JSON can contain everything
}

func isAmount(v map[string]any) bool {
	_, number := v["amount"].(float64)
	currency, _ := v["currency"].(string)
	return len(v) == 2 && number && len(currency) == 3
}

func (m *masker) text(f privacy.Field, text string) string {
	switch {
	case f.Class == privacy.Personal && !m.test:
		return m.hide(text, maskedPersonal)
	case f.Text && (f.Type.Kind() == reflect.String || f.Type.Kind() == reflect.Map), fits(f.Type, text), m.test && f.Type.Kind() == reflect.String:
		return withoutTokens(clean(text, 500))
	}
	return m.hide(text, maskedValue)
}

// hide remembers the texts in a value and returns what replaces it.
func (m *masker) hide(value any, mask string) string {
	switch v := value.(type) {
	case string:
		m.hidden = append(m.hidden, v)
	case float64:
		m.hidden = append(m.hidden, strconv.FormatFloat(v, 'f', -1, 64))
	case []any:
		for _, item := range v {
			m.hide(item, mask)
		}
	case map[string]any:
		for name, item := range v {
			m.hide(name, mask)
			m.hide(item, mask)
		}
	}
	return mask
}

// message returns an error without the texts that were masked: some errors quote what the
// client sent. Short texts are parts of other words.
func (m *masker) message(text string) string {
	for _, hidden := range m.hidden {
		if hidden = strings.TrimSpace(hidden); len(hidden) > 2 && !fieldName.MatchString(hidden) || len(hidden) > 7 {
			text = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(hidden)).ReplaceAllLiteralString(text, "...")
		}
	}
	return withoutTokens(text)
}

// closed is what no one can write a sentence with: IDs, numbers, dates and times.
var closed = regexp.MustCompile(`^([a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}|-?[0-9]{1,12}(\.[0-9]{1,9})?|true|false|[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9TZ:.+-]{0,20})$`)

// fits reports whether a text is a value of a type without free text. A request that fails
// can have anything in a field.
func fits(t reflect.Type, text string) bool {
	return closed.MatchString(text) || slices.Contains(enum.ValuesOf(t), text) || auth.KnownScope(auth.Scope(text))
}

// fieldName is what names of fields look like. Other names are data.
var fieldName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]{0,39}$`)

func maskName(name string) string {
	if fieldName.MatchString(name) {
		return name
	}
	return "[name]"
}

// query returns the parameters of a request, in the order of their names.
func (m *masker) query(query url.Values, t reflect.Type) string {
	var parts []string
	for name, values := range query {
		value := strings.Join(values, ",")
		f, ok := field(t, name)
		if !ok || !m.keepsParam(f, value) {
			value = m.hide(value, "...")
		}
		parts = append(parts, maskName(name)+"="+value)
	}
	slices.Sort(parts)
	return strings.Join(parts, "&")
}

// keepsParam reports whether the value of a parameter can be stored. Searches are personal
// in both environments.
func (m *masker) keepsParam(f privacy.Field, value string) bool {
	if f.Class != privacy.Plain || len(value) > maxWord {
		return false
	}
	return f.Text || !slices.ContainsFunc(strings.Split(value, ","), func(one string) bool { return !fits(f.Type, one) })
}
