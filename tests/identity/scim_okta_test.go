package identity

import (
	"testing"

	"slipway/internal/testkit/assert"
)

// The requests of Okta: it looks for the user, creates it, replaces it with PUT, and
// deactivates it with PATCH without a path.
func TestSCIMOktaUsers(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		none := p.do("GET", `/Users?filter=userName%20eq%20%22ann%40acme.example.com%22&startIndex=1&count=100`, nil, 200)
		assert.Equal(t, none.TotalResults, 0)
		assert.Equal(t, none.Schemas[0], "urn:ietf:params:scim:api:messages:2.0:ListResponse")

		const body = `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ann@acme.example.com",
			"name": {"givenName": "Ann", "familyName": "Bell"}, "emails": [{"primary": true, "value": "ann@acme.example.com", "type": "work"}],
			"displayName": "Ann Bell", "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq", "active": true}`
		made, res := p.send("POST", "/Users", body, 201)
		assert.Equal(t, made.ExternalID, "00ujl29u0le5T6Aj10h7")
		assert.Equal(t, made.Name.GivenName+" "+made.Name.FamilyName, "Ann Bell")
		assert.Equal(t, made.Active, true)
		assert.Equal(t, res.Header.Get("Location"), made.Meta.Location)
		assert.Equal(t, res.Header.Get("ETag"), made.Meta.Version)
		u := p.user("ann@" + domain)
		assert.Equal(t, u.ID, made.ID)
		assert.Equal(t, u.Name, "Ann Bell")
		assert.Equal(t, string(u.Status), "active")
		assert.Equal(t, roleNames(u), "")

		duplicate := p.do("POST", "/Users", body, 409)
		assert.Equal(t, duplicate.ScimType, "uniqueness")
		assert.Equal(t, duplicate.Status, "409")
		assert.Len(t, p.find(`userName eq "ANN@acme.example.com"`), 1)
		assert.Len(t, p.find(`externalId eq "00ujl29u0le5T6Aj10h7"`), 1)
		assert.Equal(t, p.do("GET", "/Users/"+made.ID, nil, 200).UserName, "ann@acme.example.com")

		changed := p.do("PUT", "/Users/"+made.ID, `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "id": "`+made.ID+`",
			"userName": "ann@acme.example.com", "name": {"givenName": "Ann", "middleName": "", "familyName": "Cole"},
			"emails": [{"primary": true, "value": "ann@acme.example.com", "type": "work", "display": "ann@acme.example.com"}],
			"displayName": "Ann Cole", "externalId": "00ujl29u0le5T6Aj10h7", "active": true, "groups": [], "meta": {"resourceType": "User"}}`, 200)
		assert.Equal(t, changed.Name.FamilyName, "Cole")
		assert.Equal(t, p.user("ann@"+domain).Name, "Ann Cole")

		off := p.do("PATCH", "/Users/"+made.ID, ops(`[{"op": "replace", "value": {"active": false}}]`), 200)
		assert.Equal(t, off.Active, false)
		assert.Equal(t, string(p.user("ann@"+domain).Status), "deactivated")
		on := p.do("PATCH", "/Users/"+made.ID, ops(`[{"op": "replace", "value": {"active": true}}]`), 200)
		assert.Equal(t, on.Active, true)
		assert.Equal(t, string(p.user("ann@"+domain).Status), "active")
		assert.Equal(t, on.ExternalID, made.ExternalID)
	})
}

// Okta pushes groups: it creates them, adds and removes members by path, and replaces all.
func TestSCIMOktaGroups(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		ann, ben := p.add("ann", nil), p.add("ben", nil)
		g := p.do("POST", "/Groups", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Sales", "members": []}`, 201)
		assert.Equal(t, p.do("POST", "/Groups", `{"displayName": "SALES"}`, 409).ScimType, "uniqueness")

		p.do("PATCH", "/Groups/"+g.ID, ops(`[{"op": "add", "path": "members", "value": [
			{"value": "`+ann.ID+`", "display": "ann@acme.example.com"}, {"value": "`+ben.ID+`", "display": "ben@acme.example.com"}]}]`), 204)
		assert.Equal(t, p.roles(ann.ID), "sales")
		assert.Equal(t, p.roles(ben.ID), "sales")
		assert.Equal(t, p.do("GET", "/Users/"+ann.ID, nil, 200).Groups[0].Display, "Sales")

		p.do("PATCH", "/Groups/"+g.ID, ops(`[{"op": "remove", "path": "members[value eq \"`+ann.ID+`\"]"}]`), 204)
		assert.Equal(t, p.roles(ann.ID), "")
		p.do("PATCH", "/Groups/"+g.ID, ops(`[{"op": "replace", "path": "members", "value": [{"value": "`+ann.ID+`"}]}]`), 204)
		assert.Equal(t, p.roles(ann.ID), "sales")
		assert.Equal(t, p.roles(ben.ID), "")

		// Another name maps to another role.
		p.do("PATCH", "/Groups/"+g.ID, ops(`[{"op": "replace", "value": {"id": "`+g.ID+`", "displayName": "Managers"}}]`), 204)
		assert.Equal(t, p.roles(ann.ID), "manager")
		put := p.do("PUT", "/Groups/"+g.ID, `{"displayName": "Managers", "members": [{"value": "`+ben.ID+`"}]}`, 200)
		assert.Len(t, put.Members, 1)
		assert.Equal(t, p.roles(ann.ID)+p.roles(ben.ID), "manager")
		p.do("DELETE", "/Groups/"+g.ID, nil, 204)
		p.do("GET", "/Groups/"+g.ID, nil, 404)
		assert.Equal(t, p.roles(ben.ID), "")
	})
}
