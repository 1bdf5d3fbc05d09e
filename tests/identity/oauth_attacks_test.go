package identity

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/token"
)

// oauthSite is what the attacks run against.
type oauthSite struct {
	*testkit.Server
	nodes   []*testkit.Server // on PostgreSQL, two servers with the same database
	browser *testkit.Browser  // of the manager
}

// node returns the server for the i-th request.
func (s *oauthSite) node(i int) *testkit.Server { return s.nodes[i%len(s.nodes)] }

// oauthAttacks are the attacks of RFC 9700, and some more. Login CSRF and session
// fixation are in package signin.
var oauthAttacks = map[string]func(t *testing.T, s *oauthSite){
	"code replay": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		code := c.code(s.browser)
		r := c.exchange(code)
		assert.Equal(t, works(s.Server, r.Access), true)
		next := c.refresh(r.Refresh)
		assert.Equal(t, c.exchange(code).Error, "invalid_grant")
		for _, access := range []string{r.Access, next.Access} {
			assert.Equal(t, works(s.node(1), access), false, "a token of the code")
		}
		assert.Equal(t, c.refresh(next.Refresh).Error, "invalid_grant")
	},
	"code replay race": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		code := c.code(s.browser)
		all := concurrently(10, func(i int) response {
			return c.send(s.node(i), "token", "grant_type", "authorization_code", "code", code, "redirect_uri", callback, "code_verifier", verifier)
		})
		assert.Equal(t, count(all, 200), 1, "successful exchanges")
		for _, r := range all {
			if r.status == 200 {
				assert.Equal(t, works(s.Server, r.Access), false, "the token after the replay")
			}
		}
	},
	"code injection without a verifier": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		for _, wrong := range []string{"", strings.Repeat("attacker-", 6), verifier[:42]} {
			code := c.code(s.browser)
			assert.Equal(t, c.exchange(code, "code_verifier", wrong).Error, "invalid_grant", wrong)
			assert.Equal(t, c.exchange(code).Error, "invalid_grant", "second guess")
		}
	},
	"PKCE downgrade": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		public := newClient(t, s.Server, map[string]any{"type": "public"})
		for name, got := range map[string]url.Values{
			"plain":                c.allow(s.browser, "code_challenge_method", "plain"),
			"no method":            c.allow(s.browser, "code_challenge_method", ""),
			"only a method":        c.allow(s.browser, "code_challenge", ""),
			"short challenge":      c.allow(s.browser, "code_challenge", "abc"),
			"public without":       public.allow(s.browser, "code_challenge", "", "code_challenge_method", ""),
			"plain of a public":    public.allow(s.browser, "code_challenge_method", "plain"),
			"wrong response type":  c.allow(s.browser, "response_type", "token"),
			"fragment as the mode": c.allow(s.browser, "response_mode", "fragment"),
		} {
			want := "invalid_request"
			if name == "wrong response type" {
				want = "unsupported_response_type"
			}
			assert.Equal(t, got.Get("error"), want, name)
		}

		// The attacker requests a code without PKCE and injects it into a client with it.
		code := c.code(s.browser, "code_challenge", "", "code_challenge_method", "")
		assert.Equal(t, c.exchange(code).Error, "invalid_grant", "a verifier for a code without a challenge")
		code = c.code(s.browser, "code_challenge", "", "code_challenge_method", "")
		assert.Equal(t, c.exchange(code, "code_verifier", "").status, 200, "a confidential app without PKCE")
	},
	"mix-up": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		for _, got := range []url.Values{c.allow(s.browser), c.allow(s.browser, "scope", "unknown"), c.allow(s.browser, "scope", "")} {
			assert.Equal(t, got.Get("iss"), "http://localhost/oauth")
			assert.Equal(t, got.Get("state"), "state-1")
		}
	},
	"wrong client": func(t *testing.T, s *oauthSite) {
		c, other := newClient(t, s.Server, nil), newClient(t, s.Server, nil)
		code := c.code(s.browser)
		assert.Equal(t, other.exchange(code).Error, "invalid_grant", "code")
		r := c.exchange(code)
		assert.Equal(t, r.status, 200, "the code still works for its client")
		assert.Equal(t, other.refresh(r.Refresh).Error, "invalid_grant", "refresh token")
		assert.Equal(t, c.refresh(r.Refresh).status, 200, "the refresh token still works for its client")
		assert.Equal(t, c.refresh(r.Refresh, "client_secret", other.app.Secret).Error, "invalid_client", "secret of another client")
		assert.Equal(t, c.refresh(r.Refresh, "client_secret", "").Error, "invalid_client", "no secret")
		assert.Equal(t, other.send(s.Server, "token", "grant_type", "client_credentials", "install_id", r.Install).Error, "invalid_grant", "install")
	},
	"open redirect": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, map[string]any{"redirect_uris": []string{callback, "http://127.0.0.1/cb"}})
		for _, uri := range []string{
			callback + "/", callback + "?x=1", callback + "#x", "https://app.example.com:443/callback", "https://APP.example.com/callback",
			"http://app.example.com/callback", "https://app.example.com.evil.example/callback", "https://app.example.com@evil.example/callback",
			"https://evil.example/https://app.example.com/callback", "//app.example.com/callback", "https://app.example.com/x/../callback",
			`https://app.example.com\@evil.example/callback`, "https://app.example.com/%63allback", " " + callback, callback + "\r\nX: y",
			"javascript:alert(1)//" + callback, "data:text/html,x", "https:app.example.com/callback", "https://app.example.com", "callback", "/callback",
			"http://127.0.0.1.evil.example/cb", "http://127.0.0.1:80@evil.example/cb", "http://localhost/cb", "https://127.0.0.1/cb",
			"http://127.0.0.2/cb", "http://127.0.0.1:1/cb/", "http://127.0.0.1:1/cb?x", "http://[::1]/cb", "http://127.0.0.1:x/cb", "http://2130706433/cb",
		} {
			v := s.browser.Open(c.link("redirect_uri", uri))
			assert.Equal(t, v.StatusCode, 400, uri)
			assert.Equal(t, v.Header.Get("Location"), "", uri)
		}
		for _, link := range []string{c.link("redirect_uri", ""), c.link() + "&redirect_uri=https://evil.example", c.link("client_id", ""), c.link("client_id", "app_unknown")} {
			assert.Equal(t, s.browser.Open(link).StatusCode, 400, link)
		}

		// Any port of a loopback address is fine.
		v := s.browser.Open(c.link("redirect_uri", "http://127.0.0.1:49152/cb"))
		assert.Equal(t, v.StatusCode, 200)
		assert.Contains(t, v.Header.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:49152;")
	},
	"redirect URI of another request": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, map[string]any{"redirect_uris": []string{callback, callback + "2"}})
		for _, uri := range []string{callback + "2", ""} {
			assert.Equal(t, c.exchange(c.code(s.browser), "redirect_uri", uri).Error, "invalid_grant", uri)
		}
		// It can be omitted in both if there is only one.
		one := newClient(t, s.Server, nil)
		assert.Equal(t, one.exchange(one.code(s.browser, "redirect_uri", ""), "redirect_uri", "").status, 200)
		assert.Equal(t, one.exchange(one.code(s.browser, "redirect_uri", "", "response_type", "", "state", "")).status, 200)
	},
	"refresh race": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		r := c.exchange(c.code(s.browser))
		all := concurrently(50, func(i int) response {
			return c.send(s.node(i), "token", "grant_type", "refresh_token", "refresh_token", r.Refresh)
		})
		assert.Equal(t, count(all, 200), 50, "successful refreshes")
		for _, next := range all {
			assert.Equal(t, next.Refresh, all[0].Refresh, "successor")
			assert.Equal(t, works(s.Server, next.Access), true, "access token")
		}
		assert.Equal(t, c.refresh(all[0].Refresh).status, 200, "the successor works")
	},
	"refresh token reuse": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		r := c.exchange(c.code(s.browser))
		next := c.refresh(r.Refresh)
		s.Advance(29 * time.Second)
		assert.Equal(t, c.refresh(r.Refresh).Refresh, next.Refresh, "within 30 seconds")
		s.Advance(2 * time.Second)
		assert.Equal(t, works(s.Server, next.Access), true)
		assert.Equal(t, c.refresh(r.Refresh).Error, "invalid_grant", "after 30 seconds")
		assert.Equal(t, works(s.node(1), next.Access), false, "the family")
		assert.Equal(t, c.refresh(next.Refresh).Error, "invalid_grant", "the successor")
		assert.Equal(t, testkit.Rows[int64](s.Server, `SELECT COUNT(*) FROM audit_entries WHERE action = 'token.revoked' AND changes LIKE '%used again%' AND actor_id = ?`, c.app.ID)[0], 1)
	},
	"token of a deleted install": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		r := c.exchange(c.code(s.browser))
		code := c.code(s.browser)
		assert.Equal(t, works(s.node(1), r.Access), true)
		s.Test.Delete("/v1/installs/"+r.Install, 204)
		assert.Equal(t, works(s.node(1), r.Access), false, "access token on another node")
		assert.Equal(t, c.refresh(r.Refresh).Error, "invalid_grant", "refresh token")
		assert.Equal(t, c.exchange(code).Error, "invalid_grant", "code")
		assert.Equal(t, c.send(s.Server, "token", "grant_type", "client_credentials").Error, "invalid_grant")
		assert.Equal(t, s.browser.Open(c.link()).StatusCode, 200, "the page asks again")

		r = c.exchange(c.code(s.browser))
		s.Test.Delete("/v1/apps/"+c.app.ID, 204)
		assert.Equal(t, works(s.node(1), r.Access), false, "access token of a deleted app")
		assert.Equal(t, c.refresh(r.Refresh).Error, "invalid_client")
	},
	"access after the app is uninstalled": func(t *testing.T, s *oauthSite) {
		scopes := []string{"admin", "hulls:read", "hulls:write", "leads:read", "webhooks"}
		c := newClient(t, s.Server, map[string]any{"scopes": scopes, "mfa_token": s.Test.Proof()})
		owner := s.Person("owner")
		b := s.Browser()
		v := b.SignIn(b.Open(c.link("scope", strings.Join(scopes, " "))), owner.Email, testkit.Password, s.Code(owner.Secret))
		r := c.exchange(c.returned(b.Submit(v, "decision", "allow", "code", s.Code(owner.Secret))).Get("code"))
		app := s.As(r.Access)

		// The app prepares other ways in: keys, keys of keys, webhooks, push URLs and calendars, also
		// with its keys. What people created stays.
		var key, second struct{ Key string }
		app.Post("/v1/api_keys", map[string]any{"name": "backdoor", "scopes": scopes[1:]}, 201, &key)
		app.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": s.Test.Proof()}, 201, &second)
		s.As(second.Key).Post("/v1/api_keys", `{"name": "backdoor 2", "scopes": ["admin"], "mfa_token": "`+s.Test.Proof()+`"}`, 201, &second)
		var own, ofKey, redirected, kept struct{ ID string }
		app.Post("/v1/webhooks", `{"url": "https://mallory.example.com/", "events": ["*"]}`, 201, &own)
		s.As(key.Key).Post("/v1/webhooks", `{"url": "https://mallory.example.com/3", "events": ["*"]}`, 201, &ofKey)
		owner.Post("/v1/webhooks", `{"url": "https://acme.example.com/mine", "events": ["hull.*"]}`, 201, &kept)
		channels := []string{
			app.Channel(map[string]any{"push_url": "https://mallory.example.com/4"}),
			s.As(key.Key).Channel(map[string]any{"push_url": "https://mallory.example.com/5"}),
			owner.Channel(map[string]any{"push_url": "https://partner.example.com/listings"}),
		}
		app.Post("/v2-preview/users/"+s.Person("sales").ID+"/calendar", nil, 201, nil)
		owner.Post("/v2-preview/users/"+owner.ID+"/calendar", nil, 201, nil)
		s.Test.Post("/v1/webhooks", `{"url": "https://acme.example.com/", "events": ["hull.*"]}`, 201, &redirected)
		app.Patch("/v1/webhooks/"+redirected.ID, `{"url": "https://mallory.example.com/2"}`, 200, nil)

		s.Test.With("MFA-Token", s.Test.Proof()).Delete("/v1/installs/"+r.Install, 204)
		for name, credential := range map[string]string{"token": r.Access, "key": key.Key, "key of a key": second.Key} {
			assert.Equal(t, works(s.node(1), credential), false, name)
		}
		for _, id := range []string{own.ID, ofKey.ID, redirected.ID} {
			s.Test.Get("/v1/webhooks/"+id, 404, nil)
		}
		s.Test.Get("/v1/webhooks/"+kept.ID, 200, nil)
		assert.Equal(t, testkit.Rows[string](s.Server, `SELECT id FROM channels WHERE push_url IS NOT NULL`), channels[2:])
		assert.Equal(t, testkit.Rows[string](s.Server, `SELECT user_id FROM user_calendars`), []string{owner.ID})
	},
	"expired code": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		code := c.code(s.browser)
		s.Advance(time.Minute)
		assert.Equal(t, c.exchange(code).Error, "invalid_grant")
	},
	"CSRF on consent": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		page := s.browser.Open(c.link())
		action, fields := page.Form()
		other := signedIn(s.Server, s.Person("manager"))
		_, foreign := other.Open(c.link()).Form()
		_, broader := s.browser.Open(c.link("scope", "hulls:read hulls:write")).Form()
		for name, form := range map[string]url.Values{"no token": {}, "token of another user": foreign, "token of another request": broader} {
			form.Set("decision", "allow")
			v := s.browser.Post(action, form)
			assert.Equal(t, v.StatusCode, 403, name)
		}
		fields.Set("decision", "allow")
		for _, header := range []string{"Sec-Fetch-Site", "Origin"} {
			s.browser.Header.Set(header, map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}[header])
			assert.Equal(t, s.browser.Post(action, fields).StatusCode, 403, header)
			s.browser.Header.Del(header)
		}
		assert.Equal(t, s.browser.Post(action, fields).StatusCode, 303, "the user")
	},
	"clickjacking": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		for _, v := range []testkit.View{s.browser.Open(c.link()), s.browser.Open(c.link("client_id", "")), s.browser.Open(c.link("environment", "live"))} {
			assert.Equal(t, v.Header.Get("X-Frame-Options"), "DENY")
			assert.Contains(t, v.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
			assert.Excludes(t, v.Header.Get("Content-Security-Policy"), "unsafe")
			assert.Excludes(t, v.Text, "style=")
		}
	},
	"repeated parameters": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		got := c.returned(s.browser.Open(c.link() + "&scope=hulls:write"))
		assert.Equal(t, got.Get("error"), "invalid_request")
		res, err := http.PostForm(s.URL+"/oauth/token", url.Values{ //nolint:noctx // ends with the server
			"client_id": {c.app.ID}, "client_secret": {c.app.Secret}, "grant_type": {"refresh_token", "client_credentials"},
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		assert.Equal(t, res.StatusCode, 400)
	},
	"guessed secret": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		c.tokens(s.browser)
		guess := func() response {
			return c.send(s.Server, "token", "grant_type", "client_credentials", "client_secret", "cs_test_guess")
		}
		first := guess()
		assert.Equal(t, first.status, 401)
		assert.Contains(t, first.header.Get("WWW-Authenticate"), "Basic")
		limited := false
		for range 20 {
			limited = limited || guess().status == 429
		}
		assert.Equal(t, limited, true, "rate limited")
		assert.Equal(t, c.send(s.Server, "token", "grant_type", "client_credentials").status, 200, "the right secret still works")
		public := newClient(t, s.Server, map[string]any{"type": "public"})
		assert.Equal(t, public.send(s.Server, "token", "grant_type", "client_credentials", "client_secret", "").Error, "unauthorized_client")
		assert.Equal(t, public.send(s.Server, "introspect", "token", "x", "client_secret", "").Error, "invalid_client")
		s.Advance(10 * time.Minute)
	},
	"token of another kind": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		code := c.code(s.browser)
		r := c.exchange(code)
		for _, wrong := range []string{
			r.Refresh, code, c.app.Secret, token.WithOtherSecret(r.Access), strings.Replace(r.Access, "at_test_", "at_live_", 1),
		} {
			assert.Equal(t, works(s.Server, wrong), false, wrong)
		}
		assert.Equal(t, c.refresh(r.Access).Error, "invalid_grant")
		assert.Equal(t, c.exchange(r.Refresh).Error, "invalid_grant")
		assert.Equal(t, c.refresh(token.WithOtherSecret(r.Refresh)).Error, "invalid_grant")
		assert.Equal(t, works(s.Server, r.Access), true, "after the attempts")
		assert.Equal(t, c.send(s.Server, "token", "grant_type", "password").Error, "unsupported_grant_type")
	},
	"rights lost on the page": func(t *testing.T, s *oauthSite) {
		c, p := newClient(t, s.Server, nil), s.Person("manager")
		b := signedIn(s.Server, p)
		page := b.Open(c.link())
		s.Test.Put("/v1/users/"+p.ID+"/roles", `{"role_ids": []}`, 200, nil)
		v := b.Submit(page, "decision", "allow")
		assert.Equal(t, v.Header.Get("Location"), "")
		assert.Equal(t, testkit.Rows[int64](s.Server, `SELECT COUNT(*) FROM installs WHERE app_id = ?`, c.app.ID)[0], 0)
	},
	"scopes removed from the app": func(t *testing.T, s *oauthSite) {
		c := newClient(t, s.Server, nil)
		r := c.exchange(c.code(s.browser, "scope", "hulls:read hulls:write"))
		s.Test.Patch("/v1/apps/"+c.app.ID, `{"scopes": ["hulls:read"]}`, 200, nil)
		s.As(r.Access).Post("/v1/hulls", testkit.HullBody(s.Test.Location(), nil), 403, nil)
		assert.Equal(t, c.refresh(r.Refresh).Scope, "hulls:read")
		assert.Equal(t, c.allow(s.browser, "scope", "hulls:write").Get("error"), "invalid_scope")
	},
	"harmful redirect URIs of an app": func(t *testing.T, s *oauthSite) {
		for _, uri := range []string{
			"javascript:alert(1)", "data:text/html,x", "http://app.example.com/cb", "https://*.example.com/cb", "https://app.example.com/*",
			"https://app.example.com/cb#x", "https://app.example.com/cb#", "https://user@app.example.com/cb", "https:///cb", "https:cb", "//app.example.com/cb",
			"com.example.app:/cb", "file:///etc/passwd", `https://app.example.com\cb`, "https://app.example.com/c b", "https://ex;ample.com/", "HTTPS://app.example.com/cb",
			"http://127.0.0.1.example.com/cb", "http://10.0.0.1/cb", "https://app.example.com/\u202ecb",
		} {
			body := map[string]any{"name": "x", "redirect_uris": []string{callback, uri}, "scopes": []string{"hulls:read"}}
			s.Test.Post("/v1/apps", body, 422, nil).WantDetail(t, "redirect_uris[1]", "format", uri)
		}
		for _, body := range []map[string]any{
			{"homepage_url": "javascript:alert(1)"}, {"homepage_url": "http://example.com"}, {"name": "Slipway\u202e"}, {"scopes": []string{"everything"}},
		} {
			full := map[string]any{"name": "x", "redirect_uris": []string{callback}, "scopes": []string{"hulls:read"}}
			for k, v := range body {
				full[k] = v
			}
			s.Test.Post("/v1/apps", full, 422, nil)
		}
	},
}

func TestOAuthAttacks(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		all := &oauthSite{Server: s, nodes: []*testkit.Server{s}, browser: signedIn(s, careful(s, "manager"))}
		if !s.DB.SQLite() {
			all.nodes = append(all.nodes, s.Node())
		}
		for name, attack := range oauthAttacks {
			t.Run(name, func(t *testing.T) {
				one := *all
				one.Server = s.In(t)
				one.browser = all.browser.In(one.Server)
				attack(t, &one)
			})
		}
	})
}

// concurrently calls fn n times at the same time.
func concurrently(n int, fn func(i int) response) []response {
	all := make([]response, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { all[i] = fn(i) })
	}
	wg.Wait()
	return all
}

func count(all []response, status int) (n int) {
	for _, r := range all {
		if r.status == status {
			n++
		}
	}
	return n
}

// Nothing about a rejected client is hidden from its publisher.
func TestRejectedClientsAreRecorded(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := newClient(t, s, nil)
		c.send(s, "token", "grant_type", "client_credentials", "client_secret", "wrong")
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE action = 'auth.failed' AND target_type = 'app' AND target_id = ?`, c.app.ID)
		assert.Equal(t, fmt.Sprint(n), "[1]")
	})
}
