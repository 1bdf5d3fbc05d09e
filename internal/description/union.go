package description

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// uniteEvents gives each event type its own schema, and makes the schema Event a
// union of them. The property type selects one, so that a client that has
// compared it knows the type of the data.
func uniteEvents(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	event := schemas["Event"]
	if event == nil || len(doc.Webhooks) == 0 {
		return
	}

	union := unionOf("type", "An event. Its type determines the type of its data.")
	for _, item := range valuesOf(doc.Webhooks) {
		body := item.Post.RequestBody.Content["application/json"]
		special := body.Schema.AllOf[1] // see Webhook
		s := copySchema(event)
		for property, p := range special.Properties {
			s.Properties[property] = p
		}
		s.Description, s.Extensions = item.Post.Summary, special.Extensions

		kind, _ := special.Properties["type"].Const.(string)
		name := componentOf(kind) + "Event"
		schemas[name] = s
		body.Schema = add(union, kind, name)
	}
	schemas["Event"] = union
}

// variants are schemas whose properties depend on the value of one of them.
var variants = []struct {
	schema, property string
	kinds            []variant
}{
	{"LeadMessageSend", "channel", []variant{
		{value: "sms", name: "TextMessageSend", doc: "A text message to send."},
		{value: "email", name: "EmailSend", doc: "An email to send.", sets: []string{"subject"}},
	}},
	{"MFAEnrollment", "kind", []variant{
		{value: "totp", name: "TOTPEnrollment", doc: "A new authenticator app, with the secret to enter in it.", sets: []string{"otpauth_uri", "secret"}},
		{value: "webauthn", name: "WebAuthnEnrollment", doc: "A new passkey or security key, with the options for the browser."},
	}},
}

// variant is one of the schemas in a union. The properties that it sets are
// required and not null. In the others, they are null.
type variant struct {
	value, name string
	doc         string // its sentence
	sets        []string
}

// uniteVariants replaces each schema of variants with a union.
func uniteVariants(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	for _, v := range variants {
		all := schemas[v.schema]
		if all == nil {
			continue
		}
		union := unionOf(v.property, all.Description)
		for _, kind := range v.kinds {
			s := copySchema(all)
			tag := s.Properties[v.property]
			tag.Enum, tag.Const = nil, kind.value
			for _, other := range v.kinds {
				for _, property := range other.sets {
					p := s.Properties[property]
					if other.value == kind.value {
						p.Nullable = false
						s.Required = append(s.Required, property)
					} else {
						s.Properties[property] = &huma.Schema{Type: "null", Description: p.Description, Extensions: p.Extensions}
					}
				}
			}
			slices.Sort(s.Required)
			s.Required = slices.Compact(s.Required)
			s.Description = kind.doc
			schemas[kind.name] = s
			add(union, kind.value, kind.name)
		}
		schemas[v.schema] = union
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

// VariantNames returns the schemas that the description replaces with unions.
func VariantNames() (names []string) {
	for _, v := range variants {
		names = append(names, v.schema)
	}
	return names
}
