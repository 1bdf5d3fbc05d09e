package sdkgen

import (
	"fmt"
	"slices"
)

// add adds the type of a schema to the model, with the types it refers to.
func (r *reader) add(schemaName string, patch bool) error {
	name := r.typeName(schemaName)
	if r.named[name] || slices.Contains(handwritten, schemaName) {
		return nil
	}
	r.named[name] = true
	x := r.doc.Components.Schemas[schemaName]
	if x == nil {
		return fmt.Errorf("there is no schema %s", schemaName)
	}

	switch {
	case schemaName == "Event":
		return r.addEvent(x)
	case len(x.Enum) > 0:
		r.m.Enums = append(r.m.Enums, Enum{name, x.Description, x.Enum})
		return nil
	case x.Discriminator != nil:
		return r.addUnion(name, x)
	}
	return r.addStruct(name, x, patch)
}

func (r *reader) addStruct(name string, x *schema, patch bool) error {
	s := Struct{Name: name, Doc: x.Description, Patch: patch}
	for _, field := range sortedKeys(x.Properties) {
		f := x.Properties[field]
		t, err := r.typeOf(f, name+GoName(field), patch)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", name, field, err)
		}
		s.Fields = append(s.Fields, Field{
			Name: field, Doc: f.Description, Type: t, Required: slices.Contains(x.Required, field), Example: f.example(),
		})
	}
	r.m.Structs = append(r.m.Structs, s)
	return nil
}

// addEvent adds the fields that all events have. The languages add the type and data.
func (r *reader) addEvent(x *schema) error {
	common := *r.doc.Components.Schemas[refName(r.doc.Components.Schemas[refName(x.OneOf[0])].AllOf[0])]
	common.Description = x.Description
	return r.addStruct("Event", &common, false)
}

func (r *reader) addUnion(name string, x *schema) error {
	u := Union{Name: name, Doc: x.Description, Property: x.Discriminator.PropertyName}
	for _, variant := range x.OneOf {
		if err := r.add(refName(variant), false); err != nil {
			return err
		}
		u.Variants = append(u.Variants, r.typeName(refName(variant)))
	}
	r.m.Unions = append(r.m.Unions, u)
	return nil
}

// typeOf returns the type of a schema. name is the name of the type of an object that
// has no name in the description.
func (r *reader) typeOf(x *schema, name string, patch bool) (Type, error) {
	x, null := x.nullable()
	t, err := r.baseType(x, name, patch)
	t.Nullable = t.Nullable || null
	return t, err
}

func (r *reader) baseType(x *schema, name string, patch bool) (Type, error) {
	switch {
	case x.Ref != "":
		return r.refType(refName(x))
	case x.Const != "":
		return Type{Kind: Constant, Name: x.Const}, nil
	case x.is("array"):
		elem, err := r.typeOf(x.Items, name, false)
		return Type{Kind: Array, Elem: &elem}, err
	case x.is("object"):
		return r.objectType(x, name, patch)
	case len(x.Enum) > 0:
		return Type{}, fmt.Errorf("the enum %v has no name; add one in rest/enums.go", x.Enum)
	}
	return Type{Kind: scalar(x)}, nil
}

func scalar(x *schema) Kind {
	switch {
	case x.is("string") && x.Format == "date-time":
		return Time
	case x.is("string"):
		return String
	case x.is("integer"):
		return Integer
	case x.is("number"):
		return Number
	case x.is("boolean"):
		return Boolean
	case x.is("null"):
		return Null
	}
	return Any
}

func (r *reader) refType(schemaName string) (Type, error) {
	if err := r.add(schemaName, false); err != nil {
		return Type{}, err
	}
	x := r.doc.Components.Schemas[schemaName]
	t := Type{Kind: Named, Name: r.typeName(schemaName)}
	if len(x.Enum) > 0 {
		t.Kind = Choice
	}
	_, t.Nullable = x.nullable()
	return t, nil
}

// objectType is a map, a type that the description has a name for, or a new type.
func (r *reader) objectType(x *schema, name string, patch bool) (Type, error) {
	if len(x.Properties) == 0 {
		values, err := x.elements()
		if err != nil || values == nil {
			return Type{Kind: Map, Elem: &Type{Kind: Any}}, err
		}
		elem, err := r.typeOf(values, name, false)
		return Type{Kind: Map, Elem: &elem}, err
	}

	plain := *x
	plain.Type = names{"object"} // the same without null
	if existing := r.shapes[r.doc.shape(&plain)]; existing != "" {
		return r.refType(existing)
	}
	if r.named[name] {
		return Type{Kind: Named, Name: name}, nil
	}
	r.named[name] = true
	return Type{Kind: Named, Name: name}, r.addStruct(name, x, patch)
}
