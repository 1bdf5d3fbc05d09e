package identity

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// loginKey signs in the command line of a person and returns its key.
func loginKey(t *testing.T, s *testkit.Server, p *testkit.Person, scopes ...string) string {
	t.Helper()
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	const redirect = "http://127.0.0.1:4321/callback"
	link := s.URL + "/oauth/cli?" + url.Values{
		"redirect_uri": {redirect}, "state": {strings.Repeat("s", 26)}, "host": {"office"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode()
	b, code := s.Browser(), ""
	if p.Secret != "" {
		code = s.Code(p.Secret)
	}
	_, f := b.SignIn(b.Open(link), p.Email, testkit.Password, code).Form()
	f["decision"], f["environment"], f["scope"] = []string{"allow"}, []string{"test"}, scopes
	if p.Secret != "" {
		f["code"] = []string{s.Code(p.Secret)}
	}
	to, err := url.Parse(b.Stay(link, f).Header.Get("Location"))
	if err != nil || to.Query().Get("code") == "" {
		t.Fatalf("got the redirect %v, %v; want a code", to, err)
	}
	v := s.Browser().Post("/oauth/cli/token", url.Values{"code": {to.Query().Get("code")}, "code_verifier": {verifier}, "redirect_uri": {redirect}})
	var got struct{ Key string }
	if err := json.Unmarshal([]byte(v.Text), &got); err != nil || got.Key == "" {
		t.Fatalf("got %d %s, %v; want a key", v.StatusCode, v.Text, err)
	}
	return got.Key
}

// A key of slipway login ends with what the person signs in with.
func TestLoginKeyEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, end := range map[string]func(p *testkit.Person){
			"deactivated": func(p *testkit.Person) { s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil) },
			"deactivated, kept keys": func(p *testkit.Person) {
				s.Test.Post("/v1/users/"+p.ID+"/deactivate", `{"revoke_keys": false}`, 200, nil)
			},
			"deactivated, first version": func(p *testkit.Person) {
				s.Test.With("Service-Version", "2026-11-15").Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil)
			},
			"password changed": func(p *testkit.Person) {
				p.Post("/oauth/password", map[string]any{"old_password": testkit.Password, "new_password": "correct horse battery staple"}, 204, nil)
			},
			"password reset": func(p *testkit.Person) {
				s.Test.Patch("/v1/users/"+p.ID, map[string]any{"reset_password": true, "mfa_token": s.Test.Proof()}, 200, nil)
			},
			"signed out everywhere": func(p *testkit.Person) {
				b := s.Browser()
				b.SignIn(b.Open("/oauth/account/sessions"), p.Email, testkit.Password, "")
				_, f := b.Open("/oauth/account/sessions").Form()
				f["session"] = []string{"others"}
				assert.Equal(t, b.Post("/oauth/account/sessions", f).StatusCode, 200)
			},
		} {
			p := s.Person("sales")
			key := s.As(loginKey(t, s, p, "hulls:read"))
			key.Get("/v1/hulls", 200, nil)
			end(p)
			if res, err := key.Send("GET", "/v1/hulls", nil); err != nil || res.StatusCode != 401 {
				t.Errorf("%s: got %d %s, %v; want 401", name, res.StatusCode, res.Bytes, err)
			}
		}
	})
}

// A key of slipway login can do what the person can do now.
func TestLoginKeyFollowsRoles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("sales")
		key := s.As(loginKey(t, s, p, "hulls:read", "leads:read"))
		key.Get("/v1/leads", 200, nil)
		s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{s.Test.Role("hulls:read")}}, 200, nil)
		key.Get("/v1/leads", 403, nil)
		key.Get("/v1/hulls", 200, nil)
		s.Test.Put("/v1/users/"+p.ID+"/roles", map[string]any{"role_ids": []string{}}, 200, nil)
		key.Get("/v1/hulls", 403, nil)
		key.Get("/v1/me", 200, nil)
	})
}
