package identity

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/identity/sso"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

func TestConnections(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		body := map[string]any{"name": "Acme ID", "issuer": "https://id.example.com", "client_id": "1", "client_secret": "hunter2-secret"}
		for _, call := range []func() *testkit.Response{
			func() *testkit.Response { return s.Test.Post("/v1/sso_connections", body, 403, nil) },
			func() *testkit.Response { return s.Test.Get("/v1/sso_connections", 403, nil) },
		} {
			assert.Contains(t, call().Fault(t).Message, "fleet plan")
		}

		c := s.Test.SSOConnection(map[string]any{"client_secret": "hunter2-secret", "domains": []string{"Example.COM", "bücher.example"}})
		assert.Equal(t, c.Protocol, sso.OIDC)
		assert.Equal(t, strings.Join(c.Domains, " "), "example.com xn--bcher-kva.example")
		assert.Equal(t, *c.RedirectURI, "http://localhost/sso/oidc/"+c.ID+"/callback")
		assert.Equal(t, c.ACSURL == nil, true)
		assert.Equal(t, c.Verifications[0].RecordName, "_slipway.example.com")
		for _, text := range testkit.Rows[string](s, `SELECT data FROM {emitted} UNION ALL SELECT changes FROM audit_entries`) {
			assert.Excludes(t, text, "hunter2")
		}
		for _, stored := range testkit.Rows[[]byte](s, `SELECT secrets FROM sso_connections`) {
			assert.Excludes(t, string(stored), "hunter2")
		}

		for name, bad := range map[string]map[string]any{
			"issuer":                   {"issuer": "ftp://x"},
			"client_secret":            {"client_secret": nil},
			"domains":                  {"domains": []string{"gmail.com"}},
			"default_role_id":          {"default_role_id": "role_unknown"},
			"group_mapping[0].role_id": {"group_mapping": []map[string]string{{"group": "x", "role_id": s.RoleID("owner")}}},
			"enforce":                  {"enforce": true},
			"idp_metadata_url":         {"idp_metadata_url": "https://id.example.com/metadata"},
		} {
			full := map[string]any{"name": "x", "issuer": "https://id.example.com", "client_id": "1", "client_secret": "2"}
			for k, v := range bad {
				full[k] = v
			}
			res, err := s.Test.Send("POST", "/v1/sso_connections", full)
			if err != nil || res.StatusCode != 422 && name != "client_secret" || !strings.Contains(string(res.Bytes), `"field":"`+name+`"`) {
				t.Errorf("%s: got %v %s, want an error of the field", name, err, res.Bytes)
			}
		}
		s.Test.Post("/v1/sso_connections", map[string]any{
			"name": "x", "issuer": "https://id.example.com", "client_id": "1", "client_secret": "2", "domains": []string{"example.com"},
		}, 409, nil)

		s.Test.Patch("/v1/sso_connections/"+c.ID, `{"domains": ["example.org"], "support_contact": "it@example.com"}`, 200, &c)
		assert.Equal(t, strings.Join(c.Domains, " "), "example.org")
		s.Test.Delete("/v1/sso_connections/"+c.ID, 204)
		s.Test.Get("/v1/sso_connections/"+c.ID, 404, nil)
	})
}

// A new user is created at the first sign-in, and the groups set the roles at each.
func TestSignIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.Browser()
		wantSignedIn(t, w.signIn(b), "kim@"+domain)
		u := w.user("kim@" + domain)
		assert.Equal(t, u.Status, people.Active)
		assert.Equal(t, *u.SSOSubject, "user-1")
		assert.Equal(t, u.Name, "Kim Vale")
		assert.Equal(t, roleNames(u), "sales")
		assert.Equal(t, isSignedIn(b, w.node(1)), true, "on another node")

		w.idp.Claims["groups"] = []string{"Sales", "Managers", "Others"}
		w.idp.Claims["email"] = "kim.new@" + domain // the subject identifies the user
		wantSignedIn(t, w.signIn(b), "kim@"+domain)
		assert.Equal(t, len(w.user("kim@"+domain).Roles), 2)

		w.idp.Claims["groups"] = "Managers"
		wantSignedIn(t, w.signIn(b), "kim@"+domain)
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "manager")

		// Without a group, the user loses the roles and the sessions.
		w.idp.Claims["groups"] = []string{"Others"}
		w.change(map[string]any{"support_contact": "the help desk"})
		other := w.Browser()
		v := w.signIn(other)
		w.wantRejected(v, "No group of the user is in group_mapping")
		assert.Contains(t, v.Text, "ask the help desk")
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "")
		assert.Equal(t, isSignedIn(b, w.node(1)), false)

		w.change(map[string]any{"default_role_id": w.RoleID("viewer")})
		wantSignedIn(t, w.signIn(other), "kim@"+domain)
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "viewer")
	})
}

// The session ends with the ID token, unless the provider refreshes it.
func TestSessionLifetime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.Browser()
		w.idp.Lifetime = 20 * time.Minute
		w.signIn(b)
		token := w.bearer(b)
		assert.Equal(t, works(w.Server, token), true)
		w.Advance(21 * time.Minute)
		assert.Equal(t, isSignedIn(b, w.Server), false)
		assert.Equal(t, works(w.Server, token), false)

		w.idp.Refresh = true
		w.signIn(b)
		token = w.bearer(b)
		api := w.api()
		for range 3 {
			w.Advance(16 * time.Minute)
			assert.Equal(t, isSignedIn(b, w.Server), true)
			if err := api.RefreshSessions(t.Context(), sso.RefreshSessions{}); err != nil {
				t.Fatal(err)
			}
		}
		assert.Equal(t, works(w.Server, token), true, "the token after refreshes")

		// The user is deactivated at the provider.
		w.idp.Disabled = true
		w.Advance(16 * time.Minute)
		if err := api.RefreshSessions(t.Context(), sso.RefreshSessions{}); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, isSignedIn(b, w.Server), false)
		assert.Equal(t, works(w.Server, token), false)
	})
}

// Userinfo adds claims that the ID token doesn't have.
func TestUserInfo(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, []*testkit.Server{s}, nil)
		w.idp.UserInfo = map[string]any{"email": "kim@" + domain, "email_verified": true, "name": "Kim Vale", "groups": []string{"Managers"}}
		w.idp.Claims = map[string]any{}
		wantSignedIn(t, w.signIn(s.Browser()), "kim@"+domain)
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "manager")
		w.idp.Claims = map[string]any{"groups": []string{"Sales"}}
		w.signIn(s.Browser())
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "sales", "the ID token wins")

		w.idp.UserInfo["sub"] = "user-2"
		w.wantRejected(w.signIn(s.Browser()), "another user than the ID token")
	})
}

// An existing user is linked after a confirmation by email.
func TestLinkByEmail(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.RunJobs()
		p := w.Test.User(map[string]any{"email": "kim@" + domain, "name": "Kim", "role_ids": []string{w.RoleID("viewer")}})
		w.Activate(p)
		b := w.Browser()
		v := w.signIn(b)
		assert.Contains(t, v.Text, "Check your email")
		assert.Equal(t, isSignedIn(b, w.Server), false)
		assert.Equal(t, w.user("kim@"+domain).SSOSubject == nil, true)

		link := w.SSOLinks("kim@"+domain, 1)[0]
		page := w.Browser().Open(link)
		assert.Contains(t, page.Text, "user-1")
		assert.Equal(t, w.user("kim@"+domain).SSOSubject == nil, true, "opening the link changes nothing")
		assert.Contains(t, w.Browser().Submit(page).Text, "Your account is linked")
		assert.Equal(t, w.Browser().Open(link).StatusCode, 404, "the link works once")
		wantSignedIn(t, w.signIn(b), "kim@"+domain)
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "sales")
	})
}

// An administrator can link users, and users with admin need proof.
func TestLinkByAdministrator(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, []*testkit.Server{s}, map[string]any{"group_mapping": []any{}})
		p, owner := s.Person("viewer"), s.Person("owner")
		w.change(map[string]any{"link_users": []map[string]any{{"user_id": p.ID, "subject": "user-1"}}})
		wantSignedIn(t, w.signIn(s.Browser()), p.Email)
		assert.Equal(t, roleNames(w.user(p.Email)), "viewer", "roles without a mapping")

		path, link := "/v1/sso_connections/"+w.conn.ID, []map[string]any{{"user_id": owner.ID, "subject": "boss"}}
		assert.Equal(t, s.Test.Patch(path, map[string]any{"link_users": link}, 403, nil).Fault(t).HasDetail("mfa_token", "mfa"), true)
		w.change(map[string]any{"link_users": link, "mfa_token": s.Test.Proof()})
		s.Test.Patch(path, map[string]any{"name": "x"}, 403, nil) // an administrator is linked now
		s.Test.Delete(path, 403)
		taken := []map[string]any{{"user_id": s.Person("viewer").ID, "subject": "boss"}}
		s.Test.Patch(path, map[string]any{"mfa_token": s.Test.Proof(), "link_users": taken}, 409, nil)

		b := s.Browser()
		w.signIn(b)
		w.change(map[string]any{"mfa_token": s.Test.Proof(), "link_users": []map[string]any{{"user_id": p.ID, "subject": nil}}})
		assert.Equal(t, isSignedIn(b, s), false, "after the link was removed")
	})
}

// A link activates an invited user. The MFA token of an administrator who was deactivated
// must not count because of the link that it is sent for.
func TestOwnTokenCantLinkAdmin(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, []*testkit.Server{s}, map[string]any{"group_mapping": []any{}})
		former := s.Person("owner")
		token := former.OwnProof()
		user := "/v1/users/" + former.ID
		s.Test.Post(user+"/deactivate", map[string]any{"mfa_token": s.Test.Proof()}, 200, nil)
		s.Test.Patch(user, map[string]any{"status": "active", "mfa_token": s.Test.Proof()}, 200, nil)

		body := map[string]any{"mfa_token": token, "link_users": []map[string]any{{"user_id": former.ID, "subject": "boss"}}}
		s.Test.Patch("/v1/sso_connections/"+w.conn.ID, body, 403, nil).WantDetail(t, "mfa_token", "mfa")
	})
}

// Removing a connection ends its sessions.
func TestDeleteConnection(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.Browser()
		w.signIn(b)
		token := w.bearer(b)
		w.Test.Delete("/v1/sso_connections/"+w.conn.ID, 204)
		assert.Equal(t, isSignedIn(b, w.node(1)), false)
		assert.Equal(t, works(w.node(1), token), false)
		assert.Equal(t, b.Open(local(w.conn.LoginURL)).StatusCode, 404)
		assert.Equal(t, w.user("kim@"+domain).SSOSubject == nil, true)
	})
}

// The page to test a connection shows what the provider sent, without signing in.
func TestTestPage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, []*testkit.Server{s}, nil)
		owner := s.Person("owner")
		b := s.Browser()
		page := b.SignIn(b.Open(local(w.conn.TestURL)), owner.Email, testkit.Password, s.Code(owner.Secret))
		assert.Contains(t, page.Text, "Start the test")
		run := func() testkit.View {
			v := b.Submit(b.Open(local(w.conn.TestURL)))
			return b.Open(local(v.Header.Get("Location")))
		}

		v := run()
		for _, want := range []string{"The test succeeded", "would create a user", "kim@" + domain, "Sales", "sales"} {
			assert.Contains(t, v.Text, want)
		}
		assert.Equal(t, w.exists("kim@"+domain), false)
		assert.Contains(t, b.Open("/oauth/account?environment=test").Text, owner.Email)

		w.idp.Claims = map[string]any{
			"_claim_names":   map[string]any{"groups": "src1"},
			"_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.example.com"}},
		}
		v = run()
		assert.Contains(t, v.Text, "The test failed")
		assert.Contains(t, v.Text, "Entra ID sent no groups")
		assert.Contains(t, v.Text, "No email address was found")
		w.idp.Edit = func(claims map[string]any) { claims["nonce"] = "x" }
		assert.Contains(t, run().Text, "its nonce is wrong")
		s.Exec(`UPDATE sso_connections SET issuer = ?`, w.idp.Issuer+"/") // the provider changed it
		v = b.Submit(b.Open(local(w.conn.TestURL)))
		assert.Contains(t, v.Text, "Set issuer to exactly this value")

		// Only administrators of the environment see the page.
		for _, other := range []*testkit.Browser{s.Browser(), signedIn(s, s.Person("manager"))} {
			assert.Excludes(t, other.Open(local(w.conn.TestURL)).Text, "Start the test")
		}
	})
}

// With enforce, only owners with a two-factor method can use a password.
func TestEnforce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		person := func(email string, roles ...string) *testkit.Person {
			p := w.Person(roles...)
			w.Exec(`UPDATE users SET email = ? WHERE id = ?`, email, p.ID)
			w.Activate(p.ID)
			p.Email = email
			return p
		}
		staff, owner := person("staff@"+domain, "sales"), person("owner@"+domain, "owner")
		outside := w.Person("sales")
		w.Test.Patch("/v1/sso_connections/"+w.conn.ID, `{"enforce": true}`, 403, nil)
		w.change(map[string]any{"enforce": true, "mfa_token": w.Test.Proof()})

		signIn := func(p *testkit.Person, code any, want int) {
			t.Helper()
			w.As("").Post("/oauth/sessions", map[string]any{
				"email": p.Email, "password": testkit.Password, "environment": "test", "totp_code": code,
			}, want, nil)
		}
		signIn(staff, nil, 401)
		signIn(outside, nil, 201)
		signIn(owner, nil, 401)
		signIn(owner, w.Code(owner.Secret), 201)
		w.Test.Get("/v1/me", 200, nil) // API keys still work

		// The page leads to the provider, for all addresses of the domain.
		for _, email := range []string{staff.Email, "nobody@" + domain, "NOBODY@" + strings.ToUpper(domain)} {
			b := w.Browser()
			v := b.Submit(b.Open("/oauth/sign-in"), "email", email)
			assert.Contains(t, v.Header.Get("Location"), "/callback?code=")
		}
		b := w.Browser()
		assert.Contains(t, b.Submit(b.Open("/oauth/sign-in"), "email", outside.Email).Text, "Enter your password")
		v := b.SignIn(b.Open("/oauth/sign-in?password=1"), owner.Email, testkit.Password, w.Code(owner.Secret))
		wantSignedIn(t, v, owner.Email)
		b = w.Browser()
		v = b.SignIn(b.Open("/oauth/sign-in?password=1"), staff.Email, testkit.Password, "")
		assert.Contains(t, v.Text, "The email address, password or code is wrong.")
		if err := w.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		entries := testkit.Rows[string](w.Server, `SELECT changes FROM audit_entries WHERE target_id = ?`, staff.ID)
		assert.Contains(t, strings.Join(entries, ""), "Password sign-in is off")

		w.Exec(`UPDATE dealerships SET plan = 'standard'`)
		signIn(staff, nil, 201)
	})
}

// A provider that is not enforced is offered next to the password.
func TestOffered(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, []*testkit.Server{s}, nil)
		b := s.Browser()
		v := b.Submit(b.Open("/oauth/sign-in"), "email", "kim@"+domain)
		assert.Contains(t, v.Text, "Sign in with Acme ID")
		assert.Contains(t, v.Text, local(w.conn.LoginURL)+"?login_hint=kim%40"+domain)
	})
}
