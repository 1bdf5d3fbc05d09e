package scim

// attribute describes an attribute (RFC 7643, section 7).
type attribute struct {
	Name        string      `json:"name"`
	Type        string      `json:"type"`
	MultiValued bool        `json:"multiValued"`
	Description string      `json:"description"`
	Required    bool        `json:"required"`
	CaseExact   bool        `json:"caseExact"`
	Mutability  string      `json:"mutability"`
	Returned    string      `json:"returned"`
	Uniqueness  string      `json:"uniqueness"`
	Sub         []attribute `json:"subAttributes,omitempty"`
	References  []string    `json:"referenceTypes,omitempty"`
	Values      []string    `json:"canonicalValues,omitempty"`
}

func text(name, description string) attribute {
	return attribute{Name: name, Type: "string", Description: description, Mutability: "readWrite", Returned: "default", Uniqueness: "none"}
}

func unique(a attribute) attribute {
	a.Required, a.Uniqueness = true, "server"
	return a
}

func of(kind string, a attribute) attribute {
	a.Type = kind
	return a
}

func exactly(a attribute) attribute {
	a.CaseExact = true
	return a
}

func fixed(mutability string, a attribute) attribute {
	a.Mutability = mutability
	return a
}

func reference(to string, a attribute) attribute {
	a.Type, a.CaseExact, a.References = "reference", true, []string{to}
	return a
}

// complexOf returns an attribute with sub-attributes.
func complexOf(many bool, a attribute, sub ...attribute) attribute {
	a.Type, a.MultiValued, a.Sub = "complex", many, sub
	return a
}

func userAttributes() []attribute {
	kind := text("type", "Kind of address.")
	kind.Values = []string{"work"}
	return []attribute{
		unique(text("userName", "Name of the user at the identity provider.")),
		exactly(text("externalId", "ID of the user at the identity provider.")),
		text("displayName", "Name that Slipway shows."),
		complexOf(false, text("name", "Parts of the name."),
			text("formatted", "Full name."), text("givenName", "First name."), text("familyName", "Last name.")),
		of("boolean", text("active", "Whether the user can sign in. False ends their sessions, keys and apps.")),
		complexOf(true, text("emails", "Email address of the user, in a verified domain of the connection."),
			text("value", "Email address."), kind, of("boolean", text("primary", "Always true."))),
		fixed("readOnly", complexOf(true, text("groups", "Groups of the user."),
			fixed("readOnly", exactly(text("value", "ID of the group."))),
			fixed("readOnly", reference("Group", text("$ref", "URL of the group."))),
			fixed("readOnly", text("display", "Name of the group.")))),
	}
}

func groupAttributes() []attribute {
	kind := fixed("immutable", text("type", "Always User."))
	kind.Values = []string{"User"}
	return []attribute{
		unique(text("displayName", "Name of the group. The role mapping of the connection uses it.")),
		exactly(text("externalId", "ID of the group at the identity provider. The role mapping can also use it.")),
		complexOf(true, text("members", "Users in the group."),
			fixed("immutable", exactly(text("value", "ID of the user."))),
			fixed("immutable", reference("User", text("$ref", "URL of the user."))),
			fixed("readOnly", text("display", "Name of the user.")), kind),
	}
}

func describe(base, kind, path string, more resource) resource {
	more["meta"] = map[string]any{"resourceType": kind, "location": base + path}
	return more
}

// schemas are the schemas of users and groups.
func schemas(base string) []resource {
	one := func(id, name, description string, attributes []attribute) resource {
		return describe(base, "Schema", "/Schemas/"+id, resource{
			"schemas": []string{schemaSchema}, "id": id, "name": name, "description": description, "attributes": attributes,
		})
	}
	return []resource{
		one(userSchema, "User", "A person who works at the dealership.", userAttributes()),
		one(groupSchema, "Group", "A group at the identity provider.", groupAttributes()),
	}
}

// resourceTypes are the resources that a provider can manage.
func resourceTypes(base string) []resource {
	one := func(name, path, schema, description string) resource {
		return describe(base, "ResourceType", "/ResourceTypes/"+name, resource{
			"schemas": []string{resourceTypeSchema}, "id": name, "name": name, "endpoint": path, "schema": schema, "description": description,
		})
	}
	return []resource{
		one("User", "/Users", userSchema, "People who work at the dealership."),
		one("Group", "/Groups", groupSchema, "Groups at the identity provider."),
	}
}

// configuration is what this server supports.
func configuration(base string) resource {
	no := map[string]any{"supported": false}
	return describe(base, "ServiceProviderConfig", "/ServiceProviderConfig", resource{
		"schemas": []string{configSchema},
		"patch":   map[string]any{"supported": true}, "etag": map[string]any{"supported": true},
		"bulk":   map[string]any{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter": map[string]any{"supported": true, "maxResults": maxCount}, "changePassword": no, "sort": no,
		"authenticationSchemes": []map[string]any{{
			"type": "oauthbearertoken", "name": "Bearer token", "description": "The SCIM token of the SSO connection.",
		}},
	})
}
