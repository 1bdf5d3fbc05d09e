package identity

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/token"
)

// A token works for its connection only, and nothing else works instead of it.
func TestSCIMToken(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		path := "/v2-preview/sso_connections/" + p.conn.ID + "/scim_token"
		p.Test.Post(path, nil, 403, nil) // without proof
		p.Test.Post(path, `{"mfa_token": "mft_wrong"}`, 403, nil)

		first := p.scim.Key
		for name, key := range map[string]string{
			"none": "", "an API key": p.Test.Key, "another secret": token.WithOtherSecret(first), "cut off": first[:len(first)-1],
			"of the other mode": strings.Replace(first, "scim_test", "scim_live", 1), "a session": p.Person("manager").Key,
		} {
			res, err := p.As(key).Send("GET", "/scim/v2/Users", nil)
			if err != nil || res.StatusCode != 401 || res.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: got %d %s, %v; want 401", name, res.StatusCode, res.Bytes, err)
			}
		}
		p.As(first).Get("/v1/users", 401, nil)
		assert.Contains(t, strings.Join(p.reasons(), "\n"), "Invalid token")
		p.do("GET", "/Users", nil, 200)
		if err := p.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		var used struct {
			Data []struct{ Target struct{ ID string } }
		}
		p.Test.Get("/v1/audit?action=sso_connection.used", 200, &used)
		assert.Len(t, used.Data, 1)
		assert.Equal(t, used.Data[0].Target.ID, p.conn.ID)

		// Nothing stores the token, and the state doesn't show it.
		if rows := testkit.Rows[int64](p.Server, `SELECT COUNT(*) FROM audit_entries WHERE changes LIKE ?`, "%"+first+"%"); rows[0] != 0 {
			t.Error("the audit log contains the token")
		}
		text, _ := json.Marshal(p.state())
		assert.Excludes(t, string(text), first)
		assert.Equal(t, p.state().Enabled, true)

		p.scim = p.As(scimToken(p.Test, p.conn)).With("Content-Type", "application/scim+json")
		p.do("GET", "/Users", nil, 200)
		p.As(first).Do("GET", "/scim/v2/Users", nil, 401, nil)
		p.Test.Delete(path, 204)
		p.Test.Delete(path, 404)
		p.do("GET", "/Users", nil, 401)
		assert.Equal(t, p.state().Enabled, false)
	})
}

func TestSCIMPlanAndGuesses(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, nil)
		s.Exec(`UPDATE dealerships SET plan = 'standard'`)
		p.do("GET", "/Users", nil, 403)
		s.Test.Post("/v2-preview/sso_connections/"+p.conn.ID+"/scim_token", map[string]any{"mfa_token": s.Test.Proof()}, 403, nil)
		s.Fleet()

		last := 0
		for range 40 {
			res, err := p.As(token.WithOtherSecret(p.scim.Key)).Send("GET", "/scim/v2/Users", nil)
			if err != nil {
				t.Fatal(err)
			}
			last = res.StatusCode
		}
		assert.Equal(t, last, 429)
		p.do("GET", "/Users", nil, 200) // no one can lock the provider out
	})
}

// Users of another dealership, of the other mode and of another connection don't exist.
func TestSCIMIsolation(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		ann := p.add("ann", nil)
		g := p.group("Sales", ann.ID)
		elsewhere := map[string]*provider{}
		for name, c := range map[string]*testkit.Client{"another dealership": p.Other, "the live mode": p.Live} {
			conn := c.SSOConnection(map[string]any{"issuer": "https://id.example.com", "domains": []string{domain}})
			p.Exec(`UPDATE sso_domains SET verified_at = ? WHERE verified_at IS NULL`, p.DB.Now().UTC())
			if c == p.Other { // the owner of the first dealership can't prove anything there
				key := insertToken(p, conn.ID)
				elsewhere[name] = &provider{p.world, p.t, p.As(key).With("Content-Type", "application/scim+json")}
				continue
			}
			elsewhere[name] = &provider{p.world, p.t, p.As(scimToken(c, conn)).With("Content-Type", "application/scim+json")}
		}
		conn := p.Test.SSOConnection(map[string]any{"domains": []string{"second.example.com"}})
		p.VerifyDomain("second.example.com")
		elsewhere["another connection"] = &provider{p.world, p.t, p.As(scimToken(p.Test, conn)).With("Content-Type", "application/scim+json")}

		for name, other := range elsewhere {
			for _, request := range []struct{ method, path, body string }{
				{"GET", "/Users/" + ann.ID, ""}, {"GET", "/Groups/" + g.ID, ""}, {"DELETE", "/Users/" + ann.ID, ""}, {"DELETE", "/Groups/" + g.ID, ""},
				{"PUT", "/Users/" + ann.ID, `{"userName": "ann@acme.example.com"}`}, {"PUT", "/Groups/" + g.ID, `{"displayName": "x"}`},
				{"PATCH", "/Users/" + ann.ID, ops(`[{"op": "replace", "value": {"active": false}}]`)},
				{"PATCH", "/Groups/" + g.ID, ops(`[{"op": "replace", "value": {"displayName": "x"}}]`)},
			} {
				res, err := other.scim.Send(request.method, "/scim/v2"+request.path, request.body)
				if err != nil || res.StatusCode != 404 {
					t.Errorf("%s: %s %s: got %d %s, %v; want 404", name, request.method, request.path, res.StatusCode, res.Bytes, err)
				}
			}
			for _, r := range other.do("GET", "/Users", nil, 200).Resources {
				if r.ID == ann.ID {
					t.Errorf("%s: the list contains the user", name)
				}
			}
			assert.Len(t, other.find(`userName eq "ann@acme.example.com"`), 0)
			assert.Len(t, other.find(`id eq "`+ann.ID+`"`), 0)
			assert.Equal(t, other.do("GET", "/Groups", nil, 200).TotalResults, 0)
			refused := other.do("POST", "/Groups", `{"displayName": "Sales", "members": [{"value": "`+ann.ID+`"}]}`, 400)
			assert.Equal(t, refused.ScimType, "invalidValue")
		}
		assert.Equal(t, p.roles(ann.ID), "sales")
		assert.Equal(t, p.do("GET", "/Users/"+ann.ID, nil, 200).Active, true)
	})
}

// insertToken adds a token as an administrator of another dealership does.
func insertToken(p *provider, connectionID string) string {
	text, publicID := token.New(token.SCIM, "test", 1)
	p.Exec(`INSERT INTO scim_tokens (env, connection_id, public_id, hash, created_by, created_at) VALUES (?, ?, ?, ?, 'usr_1', ?)`,
		p.Env("sso_connections", connectionID), connectionID, publicID, token.Hash(text), p.DB.Now().UTC())
	return text
}

// A provider sees only users of its verified domains, and can't create others.
func TestSCIMDomains(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		outside := p.Person("sales") // at example.com
		p.do("GET", "/Users/"+outside.ID, nil, 404)
		p.do("DELETE", "/Users/"+outside.ID, nil, 404)
		refused := p.do("POST", "/Users", `{"userName": "`+outside.Email+`"}`, 400)
		assert.Equal(t, refused.ScimType, "invalidValue")
		p.do("POST", "/Users", `{"userName": "x@sub.acme.example.com"}`, 400)
		p.do("POST", "/Users", `{"userName": "x@acme.example.com.evil.example"}`, 400)

		ann := p.add("ann", nil)
		moved := p.do("PATCH", "/Users/"+ann.ID, ops(`[{"op": "replace", "path": "emails", "value": [{"value": "ann@evil.example", "primary": true}]}]`), 400)
		assert.Equal(t, moved.ScimType, "invalidValue")
		p.change(map[string]any{"domains": []string{domain, "new.example.com"}}) // not verified
		p.do("POST", "/Users", `{"userName": "x@new.example.com"}`, 400)
	})
}

// A provider can't take over an administrator: not by the email address, not by a new
// password, and not by deactivating and activating them.
func TestSCIMAdministrator(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		boss := p.Person("owner")
		p.Exec(`UPDATE users SET email = 'boss@acme.example.com' WHERE id = ?`, boss.ID)
		seen := p.find(`userName eq "boss@acme.example.com"`)
		assert.Len(t, seen, 1)
		assert.Equal(t, p.do("POST", "/Users", `{"userName": "boss@acme.example.com"}`, 409).ScimType, "uniqueness")
		p.do("POST", "/Users", `{"userName": "other", "emails": [{"value": "boss@acme.example.com"}]}`, 409)

		p.do("PUT", "/Users/"+boss.ID, `{"userName": "evil@acme.example.com", "displayName": "Evil", "active": true,
			"emails": [{"value": "evil@acme.example.com", "primary": true}], "password": "four boats in a row"}`, 200)
		u := p.user("boss@" + domain)
		if u.Name == "Evil" || u.PendingEmail != nil || roleNames(u) != "owner" {
			t.Errorf("got %+v; want an unchanged administrator", u)
		}
		boss.Get("/v1/me", 200, nil)

		p.do("PATCH", "/Users/"+boss.ID, ops(`[{"op": "replace", "value": {"active": false}}]`), 200)
		boss.Get("/v1/me", 401, nil)
		p.do("PATCH", "/Users/"+boss.ID, ops(`[{"op": "replace", "value": {"active": true}}]`), 200)
		assert.Equal(t, p.roles(boss.ID), "") // the role needs proof again
		p.As("").Post("/oauth/sessions", map[string]any{"email": "boss@" + domain, "password": testkit.Password, "environment": "test"}, 401, nil)
	})
}

// The last owner can't be deactivated or deleted, and a failed change changes nothing.
func TestSCIMLastOwner(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		owner := p.OwnerSession("test")
		p.Exec(`UPDATE users SET email = 'own@acme.example.com' WHERE id = ?`, owner.ID)
		p.do("PATCH", "/Users/"+owner.ID, ops(`[{"op": "replace", "value": {"active": false, "externalId": "x"}}]`), 409)
		p.do("DELETE", "/Users/"+owner.ID, nil, 409)
		g := p.group("Sales", owner.ID)
		p.do("DELETE", "/Groups/"+g.ID, nil, 204)
		assert.Equal(t, p.roles(owner.ID), "owner")
		owner.Get("/v1/me", 200, nil)
		assert.Equal(t, p.do("GET", "/Users/"+owner.ID, nil, 200).ExternalID, "")
	})
}

// A group that maps to a role with the admin scope doesn't assign it. An administrator
// does, with proof. SCIM then keeps it, and takes it away with the group.
func TestSCIMPendingRoles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		role := s.Test.Role("admin", "hulls:read")
		p := newProvider(t, s, map[string]any{"mfa_token": s.Test.Proof(), "default_role_id": s.RoleID("viewer"), "group_mapping": []map[string]string{
			{"group": "IT", "role_id": role}, {"group": "Sales", "role_id": s.RoleID("sales")},
		}})
		ann := p.add("ann", nil)
		assert.Equal(t, p.roles(ann.ID), "viewer")
		it := p.group("IT", ann.ID)
		assert.Equal(t, p.roles(ann.ID), "viewer")
		pending := p.state().PendingRoles
		assert.Len(t, pending, 1)
		assert.Equal(t, pending[0].UserID+" "+pending[0].RoleID, ann.ID+" "+role)

		// A sign-in without groups doesn't assign it either.
		p.idp.Claims = map[string]any{"email": "ann@" + domain, "email_verified": true}
		wantSignedIn(t, p.signIn(s.Browser()), "ann@"+domain)
		assert.Equal(t, p.roles(ann.ID), "viewer")

		assign := map[string]any{"role_ids": []string{role}}
		s.Test.Put("/v1/users/"+ann.ID+"/roles", assign, 403, nil)
		assign["mfa_token"] = s.Test.Proof()
		s.Test.Put("/v1/users/"+ann.ID+"/roles", assign, 200, nil)
		assert.Len(t, p.state().PendingRoles, 0)
		sales := p.group("Sales", ann.ID)
		if got := p.do("GET", "/Users/"+ann.ID, nil, 200); len(got.Groups) != 2 || !hasRole(p, ann.ID, role) {
			t.Errorf("got %+v, want two groups and the role", got)
		}
		p.do("DELETE", "/Groups/"+it.ID, nil, 204)
		assert.Equal(t, p.roles(ann.ID), "sales")
		p.do("DELETE", "/Groups/"+sales.ID, nil, 204)
		assert.Equal(t, p.roles(ann.ID), "viewer")
	})
}

// hasRole reports whether a user has a role.
func hasRole(p *provider, userID, roleID string) bool {
	var u people.User
	p.Test.Get("/v1/users/"+userID, 200, &u)
	return slices.ContainsFunc(u.Roles, func(r people.UserRole) bool { return r.ID == roleID })
}

// Requests that are not valid change nothing and say why.
func TestSCIMErrors(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		ann, ben := p.add("ann", nil), p.add("ben", nil)
		for _, c := range []struct {
			method, path, body string
			status             int
			scimType           string
		}{
			{"GET", "/Users?filter=userName", "", 400, "invalidFilter"},
			{"GET", "/Users?count=many", "", 400, "invalidValue"},
			{"GET", "/Groups?filter=displayName%20is%20%22x%22", "", 400, "invalidFilter"},
			{"GET", "/Schemas?filter=id%20pr", "", 403, ""},
			{"GET", "/Nothing", "", 404, ""},
			{"GET", "/Users/usr_unknown", "", 404, ""},
			{"GET", "/Users/%00", "", 404, ""},
			{"GET", "/Users/%ff", "", 404, ""},
			{"GET", "/Groups/%ff", "", 404, ""},
			{"GET", "/Users?filter=userName%20eq%20%22%ff%22", "", 400, "invalidFilter"},
			{"POST", "/Users", `{`, 400, "invalidSyntax"},
			{"POST", "/Users", `[]`, 400, "invalidSyntax"},
			{"POST", "/Users", `{}`, 400, "invalidValue"},
			{"POST", "/Groups", `{"displayName": " "}`, 400, "invalidValue"},
			{"POST", "/Groups", `{"displayName": "x", "members": [{"value": "usr_unknown"}]}`, 400, "invalidValue"},
			{"POST", "/Schemas", `{}`, 405, ""},
			{"DELETE", "/Users", "", 405, ""},
			{"PUT", "/Users/" + ann.ID, `{"userName": "ben@acme.example.com"}`, 409, "uniqueness"},
			{"PATCH", "/Users/" + ann.ID, ops(`[{"op": "replace", "path": "userName", "value": "BEN@acme.example.com"}]`), 409, "uniqueness"},
			{"PATCH", "/Users/" + ann.ID, ops(`[{"op": "replace", "path": "emails[type eq", "value": "x"}]`), 400, "invalidPath"},
			{"PATCH", "/Users/" + ann.ID, ops(`[{"op": "replace", "path": "emails[type sw \"x\"].value", "value": "x"}]`), 400, "noTarget"},
			{"PATCH", "/Users/" + ann.ID, ops(`[{"op": "replace", "path": "id", "value": "x"}]`), 400, "mutability"},
			{"PATCH", "/Users/" + ann.ID, ops(`[{"op": "remove", "path": "userName"}]`), 400, "invalidValue"},
		} {
			got := p.do(c.method, c.path, c.body, c.status)
			assert.Equal(t, got.ScimType, c.scimType, c.method+" "+c.path)
			assert.Equal(t, got.Status, fmt.Sprint(c.status), c.method+" "+c.path)
		}
		res, err := p.scim.With("Content-Type", "text/plain").Send("POST", "/scim/v2/Users", "{}")
		assert.Equal(t, err, nil)
		assert.Equal(t, res.StatusCode, 415)
		large, err := p.scim.Send("POST", "/scim/v2/Users", `{"userName": "`+strings.Repeat("x", 1<<20)+`"}`)
		assert.Equal(t, err, nil)
		assert.Equal(t, large.StatusCode, 413)

		// Versions.
		stale := p.scim.With("If-Match", `W/"0.0"`)
		stale.Do("DELETE", "/scim/v2/Users/"+ben.ID, nil, 412, nil)
		p.scim.With("If-None-Match", ben.Meta.Version).Do("GET", "/scim/v2/Users/"+ben.ID, nil, 304, nil)
		p.scim.With("If-Match", ben.Meta.Version).Do("DELETE", "/scim/v2/Users/"+ben.ID, nil, 204, nil)
	})
}

// Lists have pages, and the server describes itself.
func TestSCIMListsAndSchemas(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		for i := range 5 {
			p.add(fmt.Sprintf("user%d", i), nil)
		}
		list := p.do("GET", "/Users?startIndex=2&count=3", nil, 200)
		assert.Equal(t, fmt.Sprint(list.TotalResults, list.ItemsPerPage, len(list.Resources)), "5 3 3")
		assert.Equal(t, list.Resources[0].UserName, "user1@"+domain)
		assert.Len(t, p.do("GET", "/Users?count=0", nil, 200).Resources, 0)
		assert.Len(t, p.do("GET", "/Users?startIndex=9", nil, 200).Resources, 0)
		assert.Len(t, p.do("GET", "/Users?startIndex=-1&count=-1", nil, 200).Resources, 0)
		few := p.do("GET", "/Users?attributes=userName&count=1", nil, 200).Resources[0]
		assert.Equal(t, few.UserName+few.DisplayName, "user0@"+domain)

		config := p.do("GET", "/ServiceProviderConfig", nil, 200)
		assert.Equal(t, config.Patch.Supported && config.Etag.Supported && !config.Sort.Supported, true)
		for path, want := range map[string]string{
			"/ResourceTypes": `"totalResults":2`, "/Schemas": `"totalResults":2`, "/ResourceTypes/Group": `"endpoint":"/Groups"`,
			"/Schemas/urn:ietf:params:scim:schemas:core:2.0:User": `"name":"userName"`,
		} {
			assert.Contains(t, string(p.scim.Do("GET", "/scim/v2"+path, nil, 200, nil).Bytes), want)
		}
		p.do("GET", "/ResourceTypes/Boat", nil, 404)
	})
}
