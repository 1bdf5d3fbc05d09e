package description

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/enum"
)

// uniteEvents gives each event type its own schema, and makes the schema Event a
// union of them. The property type selects one, so that a client that has
// compared it knows the type of the data. What all events have is in a schema that
// each type includes.
func uniteEvents(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	event := schemas["Event"]
	if event == nil || len(doc.Webhooks) == 0 {
		return
	}

	union := unionOf("type", "An event. Its type determines the type of its data.")
	envelope := copySchema(event)
	delete(envelope.Properties, "type")
	delete(envelope.Properties, "data")
	envelope.Required = slices.DeleteFunc(envelope.Required, func(name string) bool { return envelope.Properties[name] == nil })
	envelope.Description, envelope.AdditionalProperties = "What all events have.", true // each event adds its type and its data
	schemas["EventEnvelope"] = envelope

	for _, item := range valuesOf(doc.Webhooks) {
		body := item.Post.RequestBody.Content["application/json"]
		special := body.Schema.AllOf[1] // see Webhook
		s := &huma.Schema{
			Description: item.Post.Summary, Extensions: withExtension(special.Extensions, "unevaluatedProperties", false),
			AllOf: []*huma.Schema{{Ref: schemaPrefix + "EventEnvelope"}, {
				Type: huma.TypeObject, Properties: special.Properties, Required: []string{"data", "type"}, AdditionalProperties: true,
			}},
		}

		kind, _ := special.Properties["type"].Const.(string)
		name := componentOf(kind) + "Event"
		schemas[name] = s
		body.Schema = add(union, kind, name)
	}
	schemas["Event"] = union
}

// uniteVariants replaces the schema of each type with variants by a union.
func uniteVariants(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	for _, u := range enum.Unions() {
		all := schemas[u.Type.Name()]
		if all == nil {
			continue
		}
		union := unionOf(u.Property, all.Description)
		for _, kind := range u.Variants {
			s := copySchema(all)
			tag := s.Properties[u.Property]
			tag.Enum, tag.Const = nil, kind.Value
			for _, other := range u.Variants {
				for _, property := range other.Sets {
					p := s.Properties[property]
					if other.Value == kind.Value {
						p.Nullable = false
						s.Required = append(s.Required, property)
					} else {
						s.Properties[property] = &huma.Schema{Type: "null", Description: p.Description, Extensions: p.Extensions}
					}
				}
			}
			slices.Sort(s.Required)
			s.Required = slices.Compact(s.Required)
			s.Description = kind.Doc
			schemas[kind.Name] = s
			add(union, kind.Value, kind.Name)
		}
		schemas[u.Type.Name()] = union
	}
}

func unionOf(property, doc string) *huma.Schema {
	return &huma.Schema{Description: doc, Discriminator: &huma.Discriminator{PropertyName: property, Mapping: map[string]string{}}}
}

// add adds a component to a union and returns a reference to it.
func add(union *huma.Schema, value, name string) *huma.Schema {
	ref := schemaPrefix + name
	union.OneOf = append(union.OneOf, &huma.Schema{Ref: ref})
	union.Discriminator.Mapping[value] = ref
	return &huma.Schema{Ref: ref}
}

// componentOf returns hull_photo.updated as HullPhotoUpdated.
func componentOf(kind string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(kind, func(r rune) bool { return r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
