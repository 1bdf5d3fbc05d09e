package scim

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// change is an operation of a PATCH request.
type change struct {
	op    string // add, replace or remove
	path  path
	value any
}

// maxChanges is how many operations a request can have.
const maxChanges = 1000

// parseChanges reads the body of a PATCH request. Okta leaves out the path and sends an
// object. Entra ID writes the operations in upper case.
func parseChanges(body object) (all []change, err error) {
	operations := body.list("operations")
	if len(operations) == 0 || len(operations) > maxChanges {
		return nil, errInvalid("invalidSyntax", "Operations must have 1 to %d entries.", maxChanges)
	}
	for _, v := range operations {
		o, ok := v.(object)
		if !ok {
			return nil, errInvalid("invalidSyntax", "Operations must be objects.")
		}
		op, err := o.text("op")
		if err != nil {
			return nil, err
		}
		if op = strings.ToLower(op); !slices.Contains([]string{"add", "replace", "remove"}, op) {
			return nil, errInvalid("invalidSyntax", "op must be add, replace or remove.")
		}
		changes, err := parseChange(op, o)
		if err != nil {
			return nil, err
		}
		all = append(all, changes...)
	}
	return all, nil
}

func parseChange(op string, o object) (all []change, err error) {
	text, isText := o["path"].(string)
	if o["path"] != nil && !isText {
		return nil, errInvalid("invalidPath", "path must be a text.")
	}
	if text != "" {
		p, err := parsePath(text)
		return []change{{op, p, o["value"]}}, err
	}

	if op == "remove" {
		return nil, errInvalid("noTarget", "remove requires a path.")
	}
	values, ok := o["value"].(object)
	if !ok {
		return nil, errInvalid("invalidValue", "Without a path, value must be an object.")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p, err := parsePath(name)
		if err != nil {
			return nil, err
		}
		all = append(all, change{op, p, values[name]})
	}
	return all, nil
}

// readOnly are the attributes that a provider can't change.
var readOnly = []string{"id", "meta", "groups", "schemas"}

// apply changes a resource.
func (c change) apply(to object) error {
	p := c.path
	if p.schema != "" {
		return nil // Slipway stores no attributes of extensions
	}
	if slices.Contains(readOnly, p.attr) {
		return c.applyReadOnly(to)
	}

	switch {
	case p.where != nil:
		return c.applyWhere(to)
	case p.sub != "":
		return c.applySub(to)
	case c.op == "remove":
		return c.remove(to)
	}
	old, isObject := to[p.attr].(object)
	merge, both := c.value.(object)
	values, isList := to[p.attr].([]any)
	switch {
	case isObject && both:
		maps.Copy(old, merge)
	case c.op == "add" && (isList || isMultiValued(p.attr)):
		for _, v := range (object{"new": c.value}).list("new") {
			values = appendNew(values, v)
		}
		to[p.attr] = values
	default:
		to[p.attr] = c.value
	}
	return nil
}

// applyReadOnly accepts a value that stays the same, which Okta sends with every change.
func (c change) applyReadOnly(to object) error {
	if c.path.attr == "id" && c.value != to["id"] || c.path.attr == "groups" {
		return errInvalid("mutability", "%s can't be changed.", c.path.attr)
	}
	return nil
}

// appendNew adds a value of a list, unless the list has it. A value with the same value
// and type is replaced.
func appendNew(values []any, v any) []any {
	for i, old := range values {
		was, ok1 := old.(object)
		now, ok2 := v.(object)
		if ok1 && ok2 && was["value"] != nil && was["value"] == now["value"] && was["type"] == now["type"] {
			values[i] = v
			return values
		}
		if reflect.DeepEqual(old, v) {
			return values
		}
	}
	return append(values, v)
}

// remove removes an attribute. If the change has values, it removes only these. Entra ID
// sends members in this form.
func (c change) remove(to object) error {
	gone := (object{"gone": c.value}).values("gone")
	if len(gone) == 0 {
		delete(to, c.path.attr)
		return nil
	}
	to[c.path.attr] = slices.DeleteFunc(slices.Clone(to.list(c.path.attr)), func(v any) bool {
		return slices.ContainsFunc((object{"one": v}).values("one"), func(has any) bool {
			return slices.ContainsFunc(gone, func(g any) bool { return reflect.DeepEqual(g, has) })
		})
	})
	return nil
}

// applySub changes a part of an attribute, such as name.givenName.
func (c change) applySub(to object) error {
	p, found := c.path, false
	for _, v := range to.list(p.attr) {
		if o, ok := v.(object); ok {
			c.setSub(o)
			found = true
		}
	}
	if found || c.op == "remove" {
		return nil
	}
	o := object{p.sub: c.value}
	if to[p.attr] = o; isMultiValued(p.attr) {
		to[p.attr] = []any{o}
	}
	return nil
}

func (c change) setSub(o object) {
	if c.op == "remove" {
		delete(o, c.path.sub)
		return
	}
	o[c.path.sub] = c.value
}

// applyWhere changes the values that fulfill a condition, such as
// emails[type eq "work"].value. If there is none, it adds one that does, because Entra ID
// expects that.
func (c change) applyWhere(to object) error {
	p, found := c.path, false
	var kept []any
	for _, v := range to.list(p.attr) {
		o, ok := v.(object)
		if !ok || !p.where.matches(o) {
			kept = append(kept, v)
			continue
		}
		found = true
		merge, both := c.value.(object)
		switch {
		case c.op == "remove" && p.sub == "":
			continue
		case p.sub != "":
			c.setSub(o)
		case both:
			maps.Copy(o, merge)
		default:
			return errInvalid("invalidValue", "The value of %s must be an object.", p.attr)
		}
		kept = append(kept, o)
	}
	if !found && c.op != "remove" {
		o, ok := p.where.example()
		if !ok {
			return errInvalid("noTarget", "No value of %s matches the path.", p.attr)
		}
		if merge, both := c.value.(object); both && p.sub == "" {
			maps.Copy(o, merge)
		} else if p.sub != "" {
			o[p.sub] = c.value
		}
		kept = append(kept, o)
	}
	to[p.attr] = kept
	return nil
}

// example returns a value that fulfills the condition. It returns false unless the
// condition consists of values that attributes must equal.
func (f filter) example() (object, bool) {
	if f.op == "and" {
		all := object{}
		for _, part := range f.parts {
			o, ok := part.example()
			if !ok {
				return nil, false
			}
			maps.Copy(all, o)
		}
		return all, true
	}
	return object{f.attr: f.value}, f.op == "eq" && f.inner == nil && !strings.Contains(f.attr, ".")
}
