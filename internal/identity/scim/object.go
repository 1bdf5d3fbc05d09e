package scim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// object is a JSON object whose names are in lower case, because the names of attributes
// ignore case.
type object map[string]any

// maxNesting is how deep a body can be.
const maxNesting = 8

// parseObject reads a body.
func parseObject(body []byte) (object, error) {
	var value any
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &value); err != nil {
		return nil, errInvalid("invalidSyntax", "The body is not valid JSON.")
	}
	folded, err := fold(value, 0)
	if err != nil {
		return nil, err
	}
	o, ok := folded.(object)
	if !ok {
		return nil, errInvalid("invalidSyntax", "The body must be a JSON object.")
	}
	return o, nil
}

// fold turns JSON objects into objects.
func fold(value any, depth int) (any, error) {
	if depth > maxNesting {
		return nil, errInvalid("invalidSyntax", "The body has more than %d levels.", maxNesting)
	}
	switch v := value.(type) {
	case map[string]any:
		o := make(object, len(v))
		for name, inner := range v {
			lower := strings.ToLower(name)
			if _, repeated := o[lower]; repeated {
				return nil, errInvalid("invalidSyntax", "%q is repeated.", lower)
			}
			folded, err := fold(inner, depth+1)
			if err != nil {
				return nil, err
			}
			o[lower] = folded
		}
		return o, nil
	case []any:
		all := make([]any, 0, len(v))
		for _, inner := range v {
			folded, err := fold(inner, depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, folded)
		}
		return all, nil
	}
	return value, nil
}

// list returns the values of an attribute. One value is a list of one.
func (o object) list(attr string) []any {
	switch v := o[attr].(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		return []any{v}
	}
}

// values returns the plain values of an attribute, such as name.givenname. The value of a
// complex attribute is its sub-attribute value.
func (o object) values(attr string) (all []any) {
	name, sub, _ := strings.Cut(attr, ".")
	for _, v := range o.list(name) {
		inner, complex := v.(object)
		switch {
		case !complex && sub == "":
			all = append(all, v)
		case complex && sub == "":
			all = append(all, inner.list("value")...)
		case complex:
			all = append(all, inner.list(sub)...)
		}
	}
	return all
}

// text returns the text of an attribute, or "" if it is missing or null.
func (o object) text(attr string) (string, error) {
	switch v := o[attr].(type) {
	case nil:
		return "", nil
	case string:
		return v, checkText(attr, v)
	}
	return "", errInvalid("invalidValue", "%s must be a text.", attr)
}

// maxText is the length of a text in bytes.
const maxText = 500

func checkText(attr, text string) error {
	if len(text) > maxText {
		return errInvalid("invalidValue", "%s must have at most %d bytes.", attr, maxText)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errInvalid("invalidValue", "%s must not contain control characters.", attr)
	}
	return nil
}

// toBool reads true and false. Entra ID sends them as texts.
func toBool(v any) (value, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		return strings.EqualFold(v, "true"), strings.EqualFold(v, "true") || strings.EqualFold(v, "false")
	}
	return false, false
}

// isMultiValued reports whether an attribute is a list. Of other attributes, the change
// itself says it.
func isMultiValued(attr string) bool {
	return slices.Contains([]string{"emails", "members", "phonenumbers", "addresses", "roles", "entitlements", "ims", "photos"}, attr)
}
