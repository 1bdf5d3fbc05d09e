package identity

import (
	"net/url"
	"testing"

	"slipway/internal/testkit/assert"
)

// The requests of Entra ID: operations in capitals, booleans as texts, paths with
// conditions, and the enterprise extension.
func TestSCIMEntraUsers(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		const random = "af3a24c9-1a3b-4c1d-9b0e-6a3f6c9fd2f1" // the test of the connection looks for an unknown user
		assert.Len(t, p.find(`userName eq "`+random+`"`), 0)

		made := p.do("POST", "/Users", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
			"externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef", "userName": "ben@acme.example.com", "active": true, "displayName": "Ben Ode",
			"emails": [{"primary": true, "type": "work", "value": "ben@acme.example.com"}], "meta": {"resourceType": "User"},
			"name": {"formatted": "Ben Ode", "familyName": "Ode", "givenName": "Ben"}, "title": "Sales", "preferredLanguage": "en-US", "roles": [],
			"addresses": [{"type": "work", "locality": "Annapolis"}], "phoneNumbers": [{"type": "work", "value": "+14105550199"}],
			"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Sales", "employeeNumber": "12", "manager": {"value": "x"}}}`, 201)
		assert.Equal(t, made.Emails[0].Value, "ben@acme.example.com")
		assert.Len(t, p.find(`externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"`), 1)
		assert.Len(t, p.find(`emails[type eq "work"].value eq "Ben@acme.example.com"`), 1)
		assert.Len(t, p.find(`id eq "`+made.ID+`" and manager eq "x"`), 0)

		changed := p.do("PATCH", "/Users/"+made.ID, ops(`[
			{"op": "Replace", "path": "displayName", "value": "Benjamin Ode"},
			{"op": "Replace", "path": "name.givenName", "value": "Benjamin"},
			{"op": "Add", "path": "phoneNumbers[type eq \"mobile\"].value", "value": "+14105550100"},
			{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "Service"},
			{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", "value": "y"},
			{"op": "Remove", "path": "title"}]`), 200)
		assert.Equal(t, changed.Name.GivenName, "Benjamin")
		assert.Equal(t, p.user("ben@"+domain).Name, "Benjamin Ode")

		// A new address must be confirmed, as for other changes of it.
		changed = p.do("PATCH", "/Users/"+made.ID, ops(`[{"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "benjamin@acme.example.com"},
			{"op": "Replace", "path": "userName", "value": "benjamin@acme.example.com"}]`), 200)
		assert.Equal(t, changed.UserName+" "+changed.Emails[0].Value, "benjamin@acme.example.com benjamin@acme.example.com")
		u := p.user("ben@" + domain)
		assert.Equal(t, *u.PendingEmail, "benjamin@acme.example.com")
		p.RunJobs()
		assert.Len(t, p.EmailChangeLinks("benjamin@"+domain, 1), 1)
		again := p.do("PATCH", "/Users/"+made.ID, ops(`[{"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "benjamin@acme.example.com"}]`), 200)
		assert.Equal(t, again.Meta.Version, changed.Meta.Version) // nothing changed, and no other link is sent

		off := p.do("PATCH", "/Users/"+made.ID, ops(`[{"op": "Replace", "path": "active", "value": "False"}]`), 200)
		assert.Equal(t, off.Active, false)
		assert.Equal(t, string(p.user("ben@"+domain).Status), "deactivated")
		on := p.do("PATCH", "/Users/"+made.ID, ops(`[{"op": "Add", "path": "active", "value": "True"}]`), 200)
		assert.Equal(t, on.Active, true)

		p.do("DELETE", "/Users/"+made.ID, nil, 204)
		p.do("GET", "/Users/"+made.ID, nil, 404)
		p.do("DELETE", "/Users/"+made.ID, nil, 404)
		assert.Len(t, p.find(`userName eq "benjamin@acme.example.com"`), 0)
		assert.Equal(t, string(p.user("ben@"+domain).Status), "deactivated")

		// The provider can create the same person again.
		back := p.add("ben", nil)
		assert.Equal(t, back.ID, made.ID)
		assert.Equal(t, string(p.user("ben@"+domain).Status), "active")
	})
}

// Entra ID leaves out the members, adds and removes one at a time, and sends the values to
// remove. It calls groups by their object ID at a sign-in, so the mapping can do so, too.
func TestSCIMEntraGroups(t *testing.T) {
	const objectID = "8d2af1b6-0b1c-4f7b-a41c-5b0f2f6c3e55"
	eachProvider(t, func(t *testing.T, p *provider) {
		p.change(map[string]any{"group_mapping": []map[string]string{{"group": objectID, "role_id": p.RoleID("sales")}}})
		ann := p.add("ann", nil)
		assert.Equal(t, p.do("GET", "/Groups?excludedAttributes=members&filter="+url.QueryEscape(`displayName eq "Crew"`), nil, 200).TotalResults, 0)
		g := p.do("POST", "/Groups", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "externalId": "`+objectID+`", "displayName": "Crew",
			"meta": {"resourceType": "Group"}}`, 201)
		p.do("PATCH", "/Groups/"+g.ID, ops(`[{"op": "Add", "path": "members", "value": [{"$ref": null, "value": "`+ann.ID+`"}]}]`), 204)
		assert.Equal(t, p.roles(ann.ID), "sales")

		found := p.do("GET", "/Groups?excludedAttributes=members&filter="+url.QueryEscape(`displayName eq "crew"`), nil, 200)
		assert.Len(t, found.Resources, 1)
		assert.Len(t, found.Resources[0].Members, 0)
		assert.Len(t, p.do("GET", "/Groups/"+g.ID+"?excludedAttributes=members", nil, 200).Members, 0)
		assert.Len(t, p.do("GET", "/Groups/"+g.ID, nil, 200).Members, 1)
		member := url.QueryEscape(`id eq "` + g.ID + `" and members eq "` + ann.ID + `"`)
		assert.Equal(t, p.do("GET", "/Groups?excludedAttributes=members&filter="+member, nil, 200).TotalResults, 1)

		p.do("PATCH", "/Groups/"+g.ID, ops(`[{"op": "Replace", "path": "displayName", "value": "Deck crew"}]`), 204)
		assert.Equal(t, p.roles(ann.ID), "sales")
		p.do("PATCH", "/Groups/"+g.ID, ops(`[{"op": "Remove", "path": "members", "value": [{"$ref": null, "value": "`+ann.ID+`"}]}]`), 204)
		assert.Equal(t, p.roles(ann.ID), "")
		p.do("DELETE", "/Groups/"+g.ID, nil, 204)
	})
}
