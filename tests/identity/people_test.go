package identity

import (
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func TestProvisionUser(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location, role := s.Test.Location(), s.RoleID("sales")
		var u people.User
		created := s.Test.Post("/v1/users", map[string]any{
			"email": "Ann.Bell@Example.com", "name": " Ann Bell ", "role_ids": []string{role}, "location_ids": []string{location},
		}, 201, &u)
		assert.Equal(t, u.Email, "ann.bell@example.com")
		assert.Equal(t, u.Name, "Ann Bell")
		assert.Equal(t, u.Status, people.Invited)
		assert.Equal(t, u.Version, 1)
		assert.Equal(t, u.LastSeenAt, nil)
		assert.Equal(t, u.LocationIDs, []string{location})
		assert.Equal(t, u.Roles, []people.UserRole{{ID: role, Name: "sales"}})
		assert.Len(t, u.MFAFactors, 0)
		read := s.Test.Get("/v1/users/"+u.ID, 200, nil)
		assert.Equal(t, string(read.Bytes), string(created.Bytes), "read after create")

		liveRole, liveLocation := idOf(t, s.Live, "/v1/roles"), s.Live.Location()
		for body, c := range map[string]struct {
			status      int
			field, code string
		}{
			`{"email": "ann.bell@example.com", "name": "A"}`:                                           {409, "email", "duplicate"},
			`{"email": "ANN.BELL@EXAMPLE.COM", "name": "A"}`:                                           {409, "email", "duplicate"},
			`{"email": "owner@example.com", "name": "A"}`:                                              {409, "email", "duplicate"},
			`{"email": "ann", "name": "A"}`:                                                            {422, "email", "format"},
			`{"email": "Ann <a@example.com>", "name": "A"}`:                                            {422, "email", "format"},
			`{"email": "a@example.com", "name": "  "}`:                                                 {422, "name", "too_short"},
			`{"email": "a@example.com"}`:                                                               {400, "name", "required"},
			`{"email": "a@example.com", "name": "A", "role_ids": ["role_00000000000000000000000000"]}`: {422, "role_ids", "not_found"},
			`{"email": "a@example.com", "name": "A", "role_ids": ["` + liveRole + `"]}`:                {422, "role_ids", "not_found"},
			`{"email": "a@example.com", "name": "A", "role_ids": ["` + role + `", "` + role + `"]}`:    {422, "role_ids", "duplicate"},
			`{"email": "a@example.com", "name": "A", "location_ids": ["loc_00000000000000000000000000"]}`: {422, "location_ids",
				"not_found"},
			`{"email": "a@example.com", "name": "A", "location_ids": ["` + location + `", "` + liveLocation + `"]}`: {422, "location_ids",
				"not_found"},
			`{"email": "a@example.com", "name": "A", "password": "a chosen password"}`: {422, "password",
				"unknown_field"},
			`{"email": "a@example.com", "name": "A", "status": "active"}`: {422, "status",
				"unknown_field"},
		} {
			s.Test.Post("/v1/users", body, c.status, nil).WantDetail(t, c.field, c.code, body)
		}

		s.Live.Post("/v1/users", `{"email": "ann.bell@example.com", "name": "Ann"}`, 201, nil) // another environment
		tally := testkit.Concurrently(t, 8, func(i int) (*testkit.Response, error) {
			email := []string{"race@example.com", "RACE@example.com"}[i%2]
			return s.Test.Send("POST", "/v1/users", map[string]any{"email": email, "name": "R"})
		})
		assert.Equal(t, tally[201], 1, "of eight simultaneous requests")
		assert.Equal(t, tally[409], 7, "of eight simultaneous requests")
	})
}

func idOf(t *testing.T, c *testkit.Client, list string) string {
	t.Helper()
	var rows struct{ Data []struct{ ID string } }
	c.Get(list, 200, &rows)
	return rows.Data[0].ID
}

func TestUpdateUser(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		path := "/v1/users/" + s.Test.User(map[string]any{"email": "ann@example.com"})
		other := s.Test.User(map[string]any{"email": "ben@example.com"})
		var u people.User
		s.Test.Patch(path, `{"email": "Ann.Bell@example.com", "name": "Ann B.", "location_ids": ["`+location+`"]}`, 200, &u)
		assert.Equal(t, u.Email, "ann.bell@example.com")
		assert.Equal(t, u.Name, "Ann B.")
		assert.Len(t, u.LocationIDs, 1)
		assert.Equal(t, u.Version, 2)
		assert.Equal(t, u.Status, people.Invited)
		s.Test.Patch(path, `{"location_ids": []}`, 200, &u)
		assert.Len(t, u.LocationIDs, 0)
		assert.Equal(t, u.Email, "ann.bell@example.com")

		for body, c := range map[string]struct {
			status      int
			field, code string
		}{
			`{"email": "BEN@example.com"}`: {409, "email", "duplicate"},
			`{"email": "ben"}`:             {422, "email", "format"},
			`{"email": null}`:              {400, "email", "type"},
			`{"name": " "}`:                {422, "name", "too_short"},
			`{"location_ids": ["loc_00000000000000000000000000"]}`: {422, "location_ids", "not_found"},
			`{"role_ids": []}`:          {422, "role_ids", "unknown_field"},
			`{"status": "deactivated"}`: {422, "status", "enum"},
			`{"status": "active"}`:      {409, "status", "state"}, // only the user can accept an invitation
		} {
			s.Test.Patch(path, body, c.status, nil).WantDetail(t, c.field, c.code, body)
		}

		for method, at := range map[string]string{"PATCH": path, "PUT": path + "/roles", "POST": path + "/deactivate"} {
			body := map[string]any{"PATCH": `{"name": "X"}`, "PUT": `{"role_ids": []}`, "POST": nil}[method]
			s.Test.With("If-Match", `"1"`).Do(method, at, body, 409, nil)
		}

		var list page.Page[people.User]
		for query, want := range map[string][]string{
			"email=ANN.BELL@example.com": {u.ID}, "email=ben@example.com&status=invited": {other},
			"email=ben@example.com&status=active": {}, "email=ann@example.com": {},
			"status=invited": {other, u.ID}, "status=deactivated": {},
		} {
			s.Test.Get("/v1/users?"+query, 200, &list)
			got := []string{}
			for _, u := range list.Data {
				got = append(got, u.ID)
			}
			assert.Equal(t, got, want, query)
		}
	})
}

// Deactivation ends the sessions immediately. Reactivation doesn't restore them.
func TestDeactivation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("viewer"), s.Person("viewer")
		second := s.As(s.Token(p.Email))
		path := "/v1/users/" + p.ID
		var u people.User
		s.Test.Post(path+"/deactivate", nil, 200, &u)
		assert.Equal(t, u.Status, people.Deactivated)

		signIn := map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test"}
		wantSignedOut := func(when string) {
			for _, c := range []*testkit.Client{p.Client, second} {
				assert.Equal(t, c.Get("/v1/me", 401, nil).Fault(t).Code, "unauthenticated", when)
			}
			var open page.Page[people.Session]
			s.Test.Get("/v1/sessions?user_id="+p.ID, 200, &open)
			assert.Len(t, open.Data, 0, when)
		}
		wantSignedOut("deactivated")
		other.Get("/v1/me", 200, nil)
		s.As("").Post("/oauth/sessions", signIn, 401, nil)
		s.Test.Post(path+"/deactivate", nil, 409, nil).WantDetail(t, "status", "state")

		s.Advance(time.Minute)
		s.Test.Patch(path, `{"status": "active"}`, 200, &u)
		assert.Equal(t, u.Status, people.Invited)
		assert.Len(t, u.Roles, 1)
		wantSignedOut("reactivated")
		s.As("").Post("/oauth/sessions", signIn, 401, nil) // the old password
		s.Activate(p.ID)
		s.As(s.Token(p.Email)).Get("/v1/hulls", 200, nil)
		s.Test.Patch(path, `{"status": "active"}`, 409, nil).WantDetail(t, "status", "state", "already active")
	})
}

// A reactivated user is invited again, because others might know the old password.
func TestReactivationInvitesAgain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.User(nil)
		invitations := func() int64 {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE kind = 'invite_user'`)[0]
		}
		if n := invitations(); n != 1 {
			t.Fatalf("got %d invitations, want 1", n)
		}
		var u people.User
		s.Test.Post("/v1/users/"+id+"/deactivate", nil, 200, nil)
		s.Test.Patch("/v1/users/"+id, `{"status": "active"}`, 200, &u)
		assert.Equal(t, u.Status, people.Invited)
		assert.Equal(t, invitations(), 2)

		s.Activate(id)
		s.Test.Post("/v1/users/"+id+"/deactivate", nil, 200, nil)
		s.Test.Patch("/v1/users/"+id, `{"status": "active"}`, 200, &u)
		assert.Equal(t, u.Status, people.Invited, "with a password")
		assert.Equal(t, invitations(), 3, "with a password")
		hashes := testkit.Rows[*string](s, `SELECT password_hash FROM users WHERE id = ?`, id)
		assert.Equal(t, hashes, []*string{nil}, "the old password")
	})
}

// ownerOf returns the owner of the test environment.
func ownerOf(t *testing.T, s *testkit.Server) string {
	t.Helper()
	var list page.Page[people.User]
	s.Test.Get("/v1/users?email=owner@example.com", 200, &list)
	return list.Data[0].ID
}

func TestLastOwnerIsProtected(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		owner, manager := s.RoleID("owner"), s.RoleID("manager")
		first, second := ownerOf(t, s), &testkit.Person{}
		proofOf := func(id string) string {
			if id == first {
				return s.Test.Proof()
			}
			return second.OwnProof()
		}

		removals := map[string]func(id string, want int) *testkit.Response{
			"deactivated": func(id string, want int) *testkit.Response {
				return s.Test.Post("/v1/users/"+id+"/deactivate", map[string]any{"mfa_token": proofOf(id)}, want, nil)
			},
			"removed from all roles": func(id string, want int) *testkit.Response {
				return s.Test.Put("/v1/users/"+id+"/roles", map[string]any{"role_ids": []string{}, "mfa_token": proofOf(id)}, want, nil)
			},
			"changed to a manager": func(id string, want int) *testkit.Response {
				body := map[string]any{"role_ids": []string{manager}, "mfa_token": proofOf(id)}
				return s.Test.Put("/v1/users/"+id+"/roles", body, want, nil)
			},
		}

		wantProtected := func(id, when string) {
			t.Helper()
			before := s.Test.Get("/v1/users/"+id, 200, nil)
			for name, remove := range removals {
				remove(id, 409).WantDetail(t, "user_id", "state", name, when)
			}
			assert.Equal(t, string(s.Test.Get("/v1/users/"+id, 200, nil).Bytes), string(before.Bytes), when, "after the rejected requests")
		}

		wantProtected(first, "only owner")
		second.Email = "second@example.com"
		second.ID = s.Test.User(map[string]any{"email": second.Email, "role_ids": []string{owner}, "mfa_token": s.Test.Proof()})
		wantProtected(first, "other owner is invited")
		s.Activate(second.ID)
		second.Client = s.As(s.Token(second.Email))
		second.Enroll()
		s.Test.Post("/v1/users/"+second.ID+"/deactivate", map[string]any{"mfa_token": s.Test.Proof()}, 200, nil)
		wantProtected(first, "other owner is deactivated")
		s.Test.Patch("/v1/users/"+second.ID, map[string]any{"status": "active", "mfa_token": s.Test.Proof()}, 200, nil)
		wantProtected(first, "other owner is reactivated, but has no password yet")
		s.Activate(second.ID)

		for name, remove := range removals { // one of two owners can be removed
			remove(first, 200)
			wantProtected(second.ID, "other owner was "+name)
			if name == "deactivated" {
				s.Test.Patch("/v1/users/"+first, map[string]any{"status": "active", "mfa_token": second.OwnProof()}, 200, nil)
				s.Activate(first)
			}
			body := map[string]any{"role_ids": []string{owner, manager}, "mfa_token": second.OwnProof()}
			s.Test.Put("/v1/users/"+first+"/roles", body, 200, nil)
		}

		s.Test.Patch("/v1/users/"+first, map[string]any{"name": "Still the owner", "mfa_token": s.Test.Proof()}, 200, nil)
		live := testkit.Rows[string](s, `SELECT id FROM users
			WHERE env = (SELECT env FROM dealerships WHERE name = 'Acme Marine' AND mode = 'live')`)[0]
		s.Live.Post("/v1/users/"+live+"/deactivate", map[string]any{"mfa_token": s.Live.Proof()}, 409, nil)
	})
}

// If both owners are removed at the same time, one of them remains.
func TestConcurrentRemovalOfOwners(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		owner, first, second := s.RoleID("owner"), ownerOf(t, s), s.Person("owner")
		owners := []string{first, second.ID}
		proofs := []func() string{s.Test.Proof, second.OwnProof}

		for round := range 12 {
			tokens := []string{proofs[0](), proofs[1]()}
			tally := testkit.Concurrently(t, 2, func(i int) (*testkit.Response, error) {
				if (round>>i)&1 == 0 { // deactivate both, remove the roles of both, and both combinations
					return s.Test.Send("POST", "/v1/users/"+owners[i]+"/deactivate", map[string]any{"mfa_token": tokens[i]})
				}
				return s.Test.Send("PUT", "/v1/users/"+owners[i]+"/roles", map[string]any{"role_ids": []string{}, "mfa_token": tokens[i]})
			})
			assert.Equal(t, tally[200], 1, "round", round)
			assert.Equal(t, tally[409], 1, "round", round)

			remaining := 0
			for i, id := range owners {
				other := proofs[1-i]
				var u people.User
				s.Test.Get("/v1/users/"+id, 200, &u)
				if u.Status == people.Active && len(u.Roles) == 1 {
					remaining++
					continue
				}
				if u.Status == people.Deactivated {
					s.Test.Patch("/v1/users/"+id, map[string]any{"status": "active", "mfa_token": other()}, 200, nil)
					s.Activate(id)
				}
				s.Test.Put("/v1/users/"+id+"/roles", map[string]any{"role_ids": []string{owner}, "mfa_token": other()}, 200, nil)
			}
			if remaining != 1 {
				t.Fatalf("round %d: got %d remaining owners, want 1", round, remaining)
			}
		}
	})
}
