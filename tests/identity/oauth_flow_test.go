package identity

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/identity/oauth"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// A manager installs an app, and the app calls the API.
func TestInstall(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c, manager := newClient(t, s, nil), s.Person("manager")
		b := s.Browser()
		v := b.SignIn(b.Open(c.link()), manager.Email, testkit.Password, "")
		assert.Equal(t, v.StatusCode, 200, v.Text)
		for _, text := range []string{"Install Fleet Sync?", "Acme Marine", "https://app.example.com", "Read inventory", "app.example.com", manager.Email, "deals"} {
			assert.Contains(t, v.Text, text)
		}
		assert.Excludes(t, v.Text, `name="environment"`)
		policy := v.Header.Get("Content-Security-Policy")
		assert.Contains(t, policy, "form-action 'self' https://app.example.com;")
		assert.Contains(t, policy, "frame-ancestors 'none'")

		got := c.returned(b.Submit(v, "decision", "allow"))
		assert.Equal(t, got.Get("state"), "state-1")
		assert.Equal(t, got.Get("iss"), "http://localhost/oauth")
		tok, err := c.Exchange(context.Background(), got.Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, tok.Extra("scope"), any("hulls:read"))

		app := s.As(tok.AccessToken)
		app.Get("/v1/hulls", 200, nil)
		app.Get("/v1/leads", 403, nil)
		var me access.Me
		app.Get("/v1/me", 200, &me)
		assert.Equal(t, me.Credential.Type, "app")
		assert.Equal(t, *me.AppID, c.app.ID)
		assert.Equal(t, *me.UserID, manager.ID)

		installs := listInstalls(s)
		assert.Len(t, installs, 1)
		assert.Equal(t, installs[0].UserID, manager.ID)
		assert.Equal(t, installs[0].App.Publisher, "Acme Marine")
		assert.Equal(t, s.EventTypes(installs[0].ID), []string{"app.installed"})
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if listInstalls(s)[0].LastUsedAt == nil {
			t.Error("got no last use, want a time")
		}
	})
}

func listInstalls(s *testkit.Server) []oauth.Install {
	var list page.Page[oauth.Install]
	s.Test.Get("/v1/installs", 200, &list)
	return list.Data
}

// A request within the grant skips the page. A broader one asks again, and shows
// what is new.
func TestReauthorize(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		b := signedIn(s, careful(s, "manager"))
		first := c.tokens(b)
		c.returned(b.Open(c.link())) // without the page

		v := b.Open(c.link("scope", "hulls:read hulls:write"))
		assert.Equal(t, v.StatusCode, 200)
		for _, text := range []string{"wants more access", "Change inventory and see costs.", "New", "Changes data"} {
			assert.Contains(t, v.Text, text)
		}
		got := c.returned(b.Submit(v, "decision", "allow"))
		r := c.exchange(got.Get("code"))
		assert.Equal(t, r.Scope, "hulls:read hulls:write")
		assert.Equal(t, s.EventTypes(r.Install), []string{"app.installed", "app.reauthorized"})

		// The earlier token has what was allowed then, and can't be widened.
		s.As(first.AccessToken).Post("/v1/hulls", testkit.HullBody(s.Test.Location(), nil), 403, nil)
		wider := c.refresh(first.RefreshToken, "scope", "hulls:read hulls:write")
		assert.Equal(t, wider.Error, "invalid_scope")
		assert.Equal(t, c.refresh(first.RefreshToken).status, 200, "after invalid_scope")
	})
}

// A user can deny, and can't allow more than they can do.
func TestDecide(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, map[string]any{"scopes": []string{"hulls:read", "admin"}, "mfa_token": s.Test.Proof()})
		b := signedIn(s, s.Person("manager"))
		got := c.returned(b.Submit(b.Open(c.link()), "decision", "deny"))
		assert.Equal(t, got.Get("error"), "access_denied")
		assert.Equal(t, got.Get("iss"), "http://localhost/oauth")
		assert.Equal(t, got.Get("state"), "state-1")

		for who, x := range map[string]struct {
			b     *testkit.Browser
			scope string
			want  string
		}{
			"a manager without admin": {b, "admin", "which you don&#39;t have"},
			"sales":                   {signedIn(s, s.Person("sales")), "hulls:read", "Only an owner or a manager"},
		} {
			v := x.b.Open(c.link("scope", x.scope))
			assert.Equal(t, v.StatusCode, 403, who)
			assert.Contains(t, v.Text, x.want, who)
			assert.Excludes(t, v.Text, `value="allow"`, who)
			v = x.b.Submit(v, "decision", "allow")
			assert.Equal(t, v.StatusCode >= 400, true, who, v.Status)
			got := c.returned(x.b.Submit(x.b.Open(c.link("scope", x.scope)), "decision", "deny"))
			assert.Equal(t, got.Get("error"), "access_denied", who)
		}
		assert.Len(t, listInstalls(s), 0)
	})
}

// The admin scope requires a two-factor code on the page, so that a stolen session
// is not enough.
func TestAdminScopeRequiresCode(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, map[string]any{"scopes": []string{"admin"}, "mfa_token": s.Test.Proof()})
		owner := s.Person("owner")
		b := s.Browser()
		v := b.SignIn(b.Open(c.link("scope", "admin")), owner.Email, testkit.Password, s.Code(owner.Secret))
		assert.Contains(t, v.Text, `name="code"`)
		for _, wrong := range []string{"", "000000"} {
			again := b.Submit(v, "decision", "allow", "code", wrong)
			assert.Equal(t, again.StatusCode, 422, wrong)
			assert.Len(t, listInstalls(s), 0)
		}
		r := c.exchange(c.returned(b.Submit(v, "decision", "allow", "code", s.Code(owner.Secret))).Get("code"))
		s.As(r.Access).Get("/v1/users", 200, nil)

		// The app can uninstall itself without proof, but others can't.
		s.Test.Delete("/v1/installs/"+r.Install, 403)
		s.As(r.Access).Delete("/v1/installs/"+r.Install, 204)
		assert.Equal(t, works(s, r.Access), false)
	})
}

// A user of live can choose test. An app of a test environment stays in test.
func TestChooseEnvironment(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		live := clientOf(t, s, s.Live.App(nil))
		b := s.Browser()
		s.Activate(testkit.Rows[string](s, `SELECT u.id FROM users u JOIN dealerships d ON d.env = u.env WHERE d.mode = 'live' ORDER BY u.env LIMIT 1`)[0])
		v := ownerSignIn(t, s, b, live.link("environment", ""))
		assert.Contains(t, v.Text, `name="environment"`)
		v = b.Submit(v, "decision", "allow")
		assert.Equal(t, v.StatusCode, 422, "without a choice")
		r := live.exchange(live.returned(b.Submit(v, "decision", "allow", "environment", "test")).Get("code"))
		var me access.Me
		s.As(r.Access).Get("/v1/me", 200, &me)
		assert.Equal(t, string(me.Environment), "test")
		assert.Contains(t, r.Access, "at_test_")

		// With a request for live only, the app is installed there, too.
		v = b.Open(live.link("environment", "live"))
		assert.Excludes(t, v.Text, `name="environment"`)
		second := live.exchange(live.returned(b.Submit(v, "decision", "allow")).Get("code"))
		assert.Contains(t, second.Access, "at_live_")

		// Client credentials name the install.
		many := live.send(s, "token", "grant_type", "client_credentials")
		assert.Equal(t, many.Error, "invalid_request")
		one := live.send(s, "token", "grant_type", "client_credentials", "install_id", second.Install, "scope", "hulls:read")
		assert.Contains(t, one.Access, "at_live_")
		assert.Equal(t, one.Refresh, "")

		test := newClient(t, s, nil)
		v = b.Open(test.link())
		assert.Excludes(t, v.Text, `name="environment"`)
		assert.Contains(t, test.exchange(test.returned(b.Submit(v, "decision", "allow")).Get("code")).Access, "at_test_")
		refused := b.Open(test.link("environment", "live"))
		assert.Equal(t, refused.StatusCode, 403)
	})
}

// ownerSignIn signs in the owner of the live environment, whose password is Password.
func ownerSignIn(t *testing.T, s *testkit.Server, b *testkit.Browser, link string) testkit.View {
	t.Helper()
	v := b.SignIn(b.Open(link), s.Owner.Email, testkit.Password, s.Code(s.Owner.LiveTOTPSecret))
	assert.Equal(t, v.StatusCode, 200, v.Text)
	return v
}

// Apps of another dealership can be installed, and its publisher can't see by whom.
func TestInstallFromAnotherDealership(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := clientOf(t, s, s.Other.App(nil))
		b := signedIn(s, s.Person("manager"))
		v := b.Open(c.link())
		assert.Contains(t, v.Text, "Rival Yachts")
		r := c.exchange(c.returned(b.Submit(v, "decision", "allow")).Get("code"))
		s.As(r.Access).Get("/v1/hulls", 200, nil)
		var theirs page.Page[oauth.Install]
		s.Other.Get("/v1/installs", 200, &theirs)
		assert.Len(t, theirs.Data, 0)

		// The publisher deletes the app.
		s.Other.Delete("/v1/apps/"+c.app.ID, 204)
		assert.Equal(t, works(s, r.Access), false)
		assert.Equal(t, s.EventTypes(r.Install), []string{"app.installed", "app.uninstalled"})
		var entries page.Page[dealership.AuditEntry]
		s.Test.Get("/v1/audit?action=app.uninstalled", 200, &entries)
		assert.Len(t, entries.Data, 1)
		assert.Equal(t, entries.Data[0].Actor.Type, "system")
		assert.Equal(t, entries.Data[0].IP, nil)
	})
}

// What an app does is recorded with the user who installed it.
func TestActor(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c, manager := newClient(t, s, nil), careful(s, "manager")
		r := c.exchange(c.code(signedIn(s, manager), "scope", "hulls:read hulls:write"))
		app := s.As(r.Access)
		body := testkit.HullBody(s.Test.Location(), nil)
		key := "7c4f7c7e-6e1d-4a39-9d4a-3f6e0c9a1b2d"
		first := app.With("Idempotency-Key", key).Post("/v1/hulls", body, 201, nil)

		// Another token of the install can retry the request.
		again := s.As(c.refresh(r.Refresh).Access).With("Idempotency-Key", key).Post("/v1/hulls", body, 201, nil)
		assert.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
		assert.Equal(t, string(again.Bytes), string(first.Bytes))

		for _, action := range []string{"hull.created", "token.granted", "token.refreshed"} {
			var entries page.Page[dealership.AuditEntry]
			s.Test.Get("/v1/audit?action="+action, 200, &entries)
			assert.Len(t, entries.Data, 1, action)
			assert.Equal(t, entries.Data[0].Actor.Type, "app", action)
			assert.Equal(t, entries.Data[0].Actor.ID, c.app.ID, action)
			assert.Contains(t, entries.Data[0].Actor.Label, "Fleet Sync (", action)
		}
	})
}

// A deactivated user's apps keep working, unless the administrator ends them, too.
func TestDeactivatedUser(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		for _, x := range []struct{ revoke, works bool }{{false, true}, {true, false}} {
			manager := careful(s, "manager")
			b := signedIn(s, manager)
			r := c.exchange(c.code(b, "scope", "hulls:read hulls:write"))
			pending := c.code(b)
			s.Test.Post("/v1/users/"+manager.ID+"/deactivate", map[string]any{"revoke_keys": x.revoke}, 200, nil)
			assert.Equal(t, works(s, r.Access), x.works, "revoke_keys", x.revoke)
			assert.Equal(t, c.exchange(pending).Error, "invalid_grant", "a code of a deactivated user")
			for _, i := range listInstalls(s) {
				s.Test.Delete("/v1/installs/"+i.ID, 204)
			}
		}
	})
}

// An app that changes data requires a two-factor code: a stolen session is not enough.
func TestWriteScopesNeedACode(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		v := signedIn(s, s.Person("manager")).Open(c.link("scope", "hulls:read hulls:write"))
		assert.Equal(t, v.StatusCode, 403)
		assert.Contains(t, v.Text, "you need a two-factor method")

		p := careful(s, "manager")
		b := signedIn(s, p)
		v = b.Open(c.link("scope", "hulls:read hulls:write"))
		assert.Contains(t, v.Text, "will be able to change data")
		for _, code := range []string{"", wrongCode(t, s, p.Secret)} {
			v = b.Submit(v, "decision", "allow", "code", code)
			assert.Equal(t, v.StatusCode, 422, code)
		}
		assert.Equal(t, c.exchange(c.code(b, "scope", "hulls:read hulls:write")).Scope, "hulls:read hulls:write")
		v = b.Open(newClient(t, s, nil).link("scope", "hulls:read"))
		assert.Equal(t, v.StatusCode, 200)
		assert.Excludes(t, v.Text, "Two-factor code", "only to read")
	})
}

// The secret can be rotated without downtime.
func TestRotateSecret(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		c.tokens(signedIn(s, s.Person("manager")))
		ask := func(secret string) int {
			return c.send(s, "token", "grant_type", "client_credentials", "client_secret", secret).status
		}
		var rotated oauth.IssuedApp
		s.Test.Post("/v1/apps/"+c.app.ID+"/rotate_secret", nil, 200, &rotated)
		assert.Equal(t, ask(c.app.Secret), 200, "old secret")
		assert.Equal(t, ask(*rotated.ClientSecret), 200, "new secret")
		s.Test.Post("/v1/apps/"+c.app.ID+"/rotate_secret", nil, 409, nil)
		s.Advance(7*24*time.Hour + time.Second)
		assert.Equal(t, ask(c.app.Secret), 401, "old secret after 7 days")
		assert.Equal(t, ask(*rotated.ClientSecret), 200, "new secret after 7 days")

		var leaked oauth.IssuedApp
		s.Test.Post("/v1/apps/"+c.app.ID+"/rotate_secret", `{"expire_old": true}`, 200, &leaked)
		assert.Equal(t, ask(*rotated.ClientSecret), 401, "leaked secret")
		public := s.Test.App(map[string]any{"type": "public"})
		assert.Equal(t, public.Secret, "", "secret of a public app")
		s.Test.Post("/v1/apps/"+public.ID+"/rotate_secret", nil, 409, nil)
	})
}

// Apps are revoked and described to clients as the RFCs say.
func TestRevokeAndIntrospect(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c, other := newClient(t, s, nil), newClient(t, s, nil)
		b := signedIn(s, s.Person("manager"))
		r := c.exchange(c.code(b))
		assert.Equal(t, r.header.Get("Cache-Control"), "no-store")
		assert.Equal(t, c.send(s, "introspect", "token", r.Access).Active, true)
		assert.Equal(t, c.send(s, "introspect", "token", r.Refresh).Active, true)
		assert.Equal(t, other.send(s, "introspect", "token", r.Access).Active, false, "another client")
		assert.Equal(t, other.send(s, "revoke", "token", r.Access).status, 200)
		assert.Equal(t, works(s, r.Access), true, "after another client revoked it")

		second := c.refresh(r.Refresh)
		assert.Equal(t, c.send(s, "revoke", "token", r.Access).status, 200)
		assert.Equal(t, works(s, r.Access), false)
		assert.Equal(t, works(s, second.Access), true, "the other access token")
		assert.Equal(t, c.send(s, "revoke", "token", second.Refresh, "token_type_hint", "access_token").status, 200)
		assert.Equal(t, works(s, second.Access), false, "an access token of a revoked refresh token")
		assert.Equal(t, c.refresh(second.Refresh).Error, "invalid_grant")
		assert.Equal(t, c.send(s, "introspect", "token", second.Access).Active, false)
		assert.Equal(t, c.send(s, "revoke", "token", "unknown").status, 200)
	})
}

// Access tokens last an hour, refresh tokens 30 days from their last use.
func TestLifetimes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		r := c.exchange(c.code(signedIn(s, s.Person("manager"))))
		s.Advance(59 * time.Minute)
		assert.Equal(t, works(s, r.Access), true)
		s.Advance(time.Minute)
		assert.Equal(t, works(s, r.Access), false)
		for range 3 {
			s.Advance(29 * 24 * time.Hour)
			r = c.refresh(r.Refresh)
			assert.Equal(t, r.status, 200)
		}
		s.Advance(30 * 24 * time.Hour)
		assert.Equal(t, c.refresh(r.Refresh).Error, "invalid_grant")
	})
}

func TestMetadata(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, path := range []string{
			"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/oauth", "/oauth/.well-known/oauth-authorization-server",
		} {
			v := s.Browser().Open(path)
			var m map[string]any
			if err := json.Unmarshal([]byte(v.Text), &m); err != nil || m["issuer"] != "http://localhost/oauth" {
				t.Errorf("%s: got %v %s, want the issuer", path, err, v.Text)
			}
			assert.Equal(t, m["token_endpoint"], any("http://localhost/oauth/token"))
		}
		assert.Contains(t, s.Browser().Open("/.well-known/oauth-protected-resource").Text, `"authorization_servers":["http://localhost/oauth"]`)
		res, err := s.As("").Send("GET", "/v1/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		assert.Contains(t, res.Header.Get("WWW-Authenticate"), `resource_metadata="http://localhost/.well-known/oauth-protected-resource"`)
	})
}

// The client can authenticate with Basic, where both parts are form-encoded.
func TestBasic(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		tok := c.tokens(signedIn(s, s.Person("manager")))
		tok.Expiry = time.Now().Add(-time.Minute)
		for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
			c.Endpoint.AuthStyle = style
			next, err := c.TokenSource(context.Background(), tok).Token()
			if err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, works(s, next.AccessToken), true)
		}
	})
}
