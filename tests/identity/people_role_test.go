package identity

import (
	"slices"
	"testing"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func TestBuiltInRoles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var roles page.Page[people.Role]
		s.Test.Get("/v1/roles", 200, &roles)
		got := map[string]people.Role{}
		for _, r := range roles.Data {
			got[r.Name] = r
		}
		if len(got) != 6 || len(got["owner"].Scopes) != len(auth.Scopes) {
			t.Errorf("got %+v, want 6 roles and %d scopes of the owner", roles.Data, len(auth.Scopes))
		}

		for _, name := range []string{"owner", "manager", "sales", "finance", "marketing", "viewer"} {
			r, ok := got[name]
			assert.Equal(t, ok, true, name)
			assert.Equal(t, r.BuiltIn, true, name)
			assert.Equal(t, slices.Contains(r.Scopes, auth.Admin), name == "owner", name, "has the admin scope")
			for method, body := range map[string]any{"PATCH": `{"name": "custom"}`, "DELETE": nil} {
				s.Test.Do(method, "/v1/roles/"+r.ID, body, 409, nil).WantDetail(t, "role_id", "state", method, name)
			}
		}
	})
}

func TestRoles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var r, other people.Role
		s.Test.Post("/v1/roles", `{"name": " detailing ", "scopes": ["hulls:read"]}`, 201, &r)
		s.Test.Post("/v1/roles", `{"name": "rigging", "scopes": ["hulls:read", "hulls:write"]}`, 201, &other)
		assert.Equal(t, r.Name, "detailing")
		assert.Equal(t, r.BuiltIn, false)
		assert.Equal(t, r.Version, 1)

		path := "/v1/roles/" + r.ID
		for body, c := range map[string]struct {
			status      int
			field, code string
		}{
			`{"name": "rigging", "scopes": ["hulls:read"]}`:             {409, "name", "duplicate"},
			`{"name": "owner", "scopes": ["hulls:read"]}`:               {409, "name", "duplicate"},
			`{"name": "   ", "scopes": ["hulls:read"]}`:                 {422, "name", "too_short"},
			`{"name": "x", "scopes": ["boats:read"]}`:                   {422, "scopes", "enum"},
			`{"name": "x", "scopes": []}`:                               {422, "scopes", "too_few"},
			`{"name": "x", "scopes": ["hulls:read", "hulls:read"]}`:     {422, "scopes", "duplicate"},
			`{"name": "x", "scopes": "hulls:read"}`:                     {400, "scopes", "type"},
			`{"name": "x", "scopes": ["hulls:read"], "built_in": true}`: {422, "built_in", "unknown_field"},
		} {
			for method, at := range map[string]string{"POST": "/v1/roles", "PATCH": path} {
				s.Test.Do(method, at, body, c.status, nil).WantDetail(t, c.field, c.code, method, body)
			}
		}

		s.Test.With("If-Match", `"2"`).Patch(path, `{"name": "x"}`, 409, nil)
		s.Test.Patch(path, `{"scopes": ["hulls:read", "leads:read"]}`, 200, &r)
		assert.Equal(t, r.Name, "detailing")
		assert.Len(t, r.Scopes, 2)
		assert.Equal(t, r.Version, 2)

		user := s.Test.User(map[string]any{"role_ids": []string{r.ID, other.ID}})
		s.Test.Delete(path, 409).WantDetail(t, "role_id", "state", "a role in use")
		s.Test.Put("/v1/users/"+user+"/roles", map[string]any{"role_ids": []string{other.ID}}, 200, nil)
		s.Test.Delete(path, 204)
		s.Test.Patch(path, `{"name": "x"}`, 404, nil)
	})
}

// A change of a role applies to the next request.
func TestRoleAppliesImmediately(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Role("leads:read")
		p := s.Person()
		p.Get("/v1/hulls", 403, nil)
		s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{id}}, 200, nil)
		p.Get("/v1/hulls", 403, nil)
		s.Test.Patch("/v1/roles/"+id, `{"scopes": ["leads:read", "hulls:read"]}`, 200, nil)
		p.Get("/v1/hulls", 200, nil)
		p.Get("/v1/users", 403, nil)
		s.Test.Put("/v1/users/"+p.ID+"/roles", `{"role_ids": []}`, 200, nil)
		p.Get("/v1/hulls", 403, nil)
		var me access.Me
		p.Get("/v1/me", 200, &me)
		assert.Len(t, me.Scopes, 0, "without roles")
		assert.Equal(t, me.UserID, new(p.ID), "without roles")
	})
}

// If a role is assigned and deleted at the same time, only one of the two succeeds.
func TestDeleteRoleDuringAssignment(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		user := s.Test.User(nil)
		for round := range 8 {
			role := s.Test.Role("hulls:read")
			tally := testkit.Concurrently(t, 2, func(i int) (*testkit.Response, error) {
				if i == round%2 {
					return s.Test.Send("DELETE", "/v1/roles/"+role, nil)
				}
				return s.Test.Send("PUT", "/v1/users/"+user+"/roles", map[string]any{"role_ids": []string{role}})
			})

			assigned := tally[200] == 1 && tally[409] == 1
			if deleted := tally[204] == 1 && tally[422] == 1; assigned == deleted {
				t.Errorf("round %d: got %v, want one success", round, tally)
			}
			var u people.User
			if s.Test.Get("/v1/users/"+user, 200, &u); (len(u.Roles) == 1 && u.Roles[0].ID == role) != assigned {
				t.Errorf("round %d: got %v, and the user has %+v; want the role only if it was assigned (%t)", round, tally, u.Roles, assigned)
			}
		}
	})
}

// A caller with only the admin scope can define and assign every role without it.
func TestAdminAssignsRolesWithOtherScopes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		admin := s.Person()
		adminOnly := map[string]any{"role_ids": []string{s.Test.Role("admin")}, "mfa_token": s.Test.Proof()}
		s.Test.Put("/v1/users/"+admin.ID+"/roles", adminOnly, 200, nil)
		admin.Enroll()
		viewer, manager := s.RoleID("viewer"), s.RoleID("manager")

		for who, c := range map[string]*testkit.Client{"key": s.As(s.Key(auth.Admin)), "session": admin.Client} {
			var role people.Role
			c.Post("/v1/roles", map[string]any{"name": "created by a " + who, "scopes": []string{"deals:read", "deals:write"}}, 201, &role)
			c.Patch("/v1/roles/"+role.ID, `{"scopes": ["deals:write", "webhooks"]}`, 200, nil)

			var u people.User
			user := c.User(map[string]any{"role_ids": []string{role.ID, manager}})
			c.Put("/v1/users/"+user+"/roles", map[string]any{"role_ids": []string{viewer}}, 200, &u)
			assert.Equal(t, u.Roles, []people.UserRole{{ID: viewer, Name: "viewer"}}, who)
			c.Patch("/v1/users/"+user, `{"name": "Uma B."}`, 200, nil)
			c.Post("/v1/users/"+user+"/deactivate", nil, 200, nil)
			c.Patch("/v1/users/"+user, `{"status": "active"}`, 200, nil)
			c.Delete("/v1/roles/"+role.ID, 204)
		}
	})
}

// The MFA token of the user who gains a role with the admin scope is never proof. Otherwise
// a stolen key with only the admin scope could make its holder an owner.
func TestOwnTokenCantGiveAdmin(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		owner, manager := s.RoleID("owner"), s.RoleID("manager")
		small, large := s.Test.Role("admin"), s.Test.Role("admin", "hulls:read", "hulls:write")
		mallory, admin := s.Person("manager"), s.Person()
		mallory.Enroll()
		s.Test.Put("/v1/users/"+admin.ID+"/roles", map[string]any{"role_ids": []string{small}, "mfa_token": s.Test.Proof()}, 200, nil)
		admin.Enroll()

		key := s.As(s.Key(auth.Admin))
		for what, c := range map[string]struct {
			person *testkit.Person
			roles  []string
		}{
			"the owner role": {mallory, []string{owner}},
			"a role with only admin, next to the others": {mallory, []string{manager, small}},
			"the owner role, to an administrator":        {admin, []string{small, owner}},
			"another role with admin":                    {admin, []string{large}},
		} {
			var before, after people.User
			path := "/v1/users/" + c.person.ID
			key.Get(path, 200, &before)
			body := map[string]any{"role_ids": c.roles, "mfa_token": c.person.OwnProof()}
			key.Put(path+"/roles", body, 403, nil).WantDetail(t, "mfa_token", "mfa", what)
			key.Get(path, 200, &after)
			assert.Equal(t, after, before, what)
		}

		// An owner has every scope, and can drop or add roles with their own token.
		body := map[string]any{"role_ids": []string{owner}, "mfa_token": s.Test.Proof()}
		key.Put("/v1/users/"+admin.ID+"/roles", body, 200, nil)
		for _, roles := range [][]string{{owner, small}, {small}} {
			key.Put("/v1/users/"+admin.ID+"/roles", map[string]any{"role_ids": roles, "mfa_token": admin.OwnProof()}, 200, nil)
		}
	})
}

// A key can't have scopes that its creator doesn't have.
func TestKeysCantExceedTheirCreator(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		smallAdmin := s.Test.Role("admin", "hulls:read")
		admin := s.Person()
		s.Test.Put("/v1/users/"+admin.ID+"/roles", map[string]any{"role_ids": []string{smallAdmin}, "mfa_token": s.Test.Proof()}, 200, nil)
		admin.Enroll()
		var largeKey access.APIKey
		s.Test.Post("/v1/api_keys", `{"name": "large", "scopes": ["deals:read"]}`, 201, &largeKey)

		for who, c := range map[string]*testkit.Client{"key": s.As(s.Key(auth.Admin, auth.HullsRead)), "session": admin.Client} {
			before := counts(s)
			for path, body := range map[string]any{
				"/v1/api_keys": `{"name": "x", "scopes": ["hulls:read", "webhooks"]}`,
				"/v1/api_keys/" + largeKey.ID + "/rotate": nil,
			} {
				c.Post(path, body, 403, nil).WantDetail(t, "scopes", "scope", path, "by a", who)
			}
			assert.Equal(t, counts(s), before, "after rejected requests of a", who)
			c.Post("/v1/api_keys", `{"name": "x", "scopes": ["hulls:read"]}`, 201, nil)
		}
	})
}

// counts returns the numbers of keys and rotated keys.
func counts(s *testkit.Server) (n [2]int64) {
	for i, query := range []string{
		`SELECT COUNT(*) FROM api_keys`, `SELECT COUNT(*) FROM api_keys WHERE rotated_to IS NOT NULL`,
	} {
		n[i] = testkit.Rows[int64](s, query)[0]
	}
	return n
}
