package clients

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipway/internal/cli"
	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// login signs in through the page. open gets the page in the browser, and submits it.
func login(m *machine, s *testkit.Server, open func(page string), args ...string) result {
	m.t.Helper()
	m.env["SLIPWAY_KEY"] = ""
	m.session.OpenBrowser = func(page string) error {
		go open(strings.Replace(page, "http://localhost", s.URL, 1))
		return nil
	}
	return m.run(append([]string{"login"}, args...)...)
}

// A manager signs in the command line. The key is for this machine, expires, and ends with
// logout.
func TestLogin(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m, manager, b := newMachine(t, s, ""), s.Person("manager"), s.Browser()
		r := login(m, s, func(link string) {
			v := b.SignIn(b.Open(link), manager.Email, testkit.Password, "")
			for _, text := range []string{"Sign in on harbor-office?", manager.Email, `value="hulls:read" checked`, "slipway login"} {
				assert.Contains(t, v.Text, text)
			}
			assert.Excludes(t, v.Text, `value="admin"`)
			assert.Contains(t, v.Header.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:")
			v = b.Post(link, fields(v, url.Values{"decision": {"allow"}, "environment": {"test"}, "scope": {"hulls:read", "hulls:write"}}))
			assert.Contains(t, v.Text, "You are signed in")
		})
		assert.Equal(t, r.code, 0, r.err)
		assert.Contains(t, r.err, "The current profile is test.")

		file := filepath.Join(m.config, "profiles.json")
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("got %v and error %v, want the mode 0600", info, err)
		}
		m.env["SLIPWAY_BASE_URL"] = ""
		m.ok("hulls", "list")
		assert.Contains(t, m.fails(cli.ExitFailed, "leads", "list"), "403")
		assert.Equal(t, m.ok("access", "get-me", "--jq", ".credential.label"), "CLI on harbor-office")

		var keys page.Page[access.APIKey]
		s.Test.Get("/v1/api_keys?limit=1", 200, &keys)
		k := keys.Data[0]
		assert.Equal(t, k.Name, "CLI on harbor-office")
		assert.Equal(t, k.CreatedBy.ID, manager.ID)
		assert.Equal(t, k.ExpiresAt.Sub(k.CreatedAt).Round(time.Hour), 90*24*time.Hour)
		assert.Equal(t, s.EventTypes(k.ID), []string{"api_key.created"})

		m.env["SLIPWAY_BASE_URL"] = "https://other.example.com"
		assert.Contains(t, m.fails(cli.ExitFailed, "hulls", "list"), "the profile test is for "+s.URL)
		m.env["SLIPWAY_BASE_URL"] = ""
		assert.Contains(t, m.run("logout").err, "Its key was revoked.")
		s.Test.Get("/v1/api_keys/"+k.ID, 200, &k)
		if k.RevokedAt == nil {
			t.Error("got a key that is not revoked after logout")
		}
		m.fails(cli.ExitNotSignedIn, "hulls", "list")
	})
}

// An administrator who allows administration enters a two-factor code. The sign-in alone is
// not enough.
func TestLoginWithTwoFactorCode(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m, owner, b := newMachine(t, s, ""), s.Person("owner"), s.Browser()
		r := login(m, s, func(link string) {
			v := b.SignIn(b.Open(link), owner.Email, testkit.Password, s.Code(owner.Secret))
			assert.Contains(t, v.Text, "Two-factor code")
			assert.Contains(t, v.Text, `value="admin">`, "administration is not chosen at first")
			allow := func(code string) testkit.View {
				return b.Post(link, fields(v, url.Values{"decision": {"allow"}, "environment": {"test"}, "scope": {"hulls:read", "admin"}, "code": {code}}))
			}
			for code, problem := range map[string]string{"": "enter a two-factor code", "000000": "The code is wrong"} {
				v = allow(code)
				assert.Equal(t, v.StatusCode, http.StatusUnprocessableEntity, v.Text)
				assert.Contains(t, v.Text, problem)
				assert.Contains(t, v.Text, `value="admin" checked`, "what was chosen stays")
			}
			v = allow(s.Code(owner.Secret))
			assert.Contains(t, v.Text, "You are signed in")
		})
		assert.Equal(t, r.code, 0, r.err)
		m.env["SLIPWAY_BASE_URL"] = ""
		assert.Contains(t, m.ok("access", "list-api-keys", "--jq", ".data[].name"), "CLI on harbor-office")
	})
}

// A machine without IPv4 gets the code on its IPv6 address. The policy of the page can't name
// that address.
func TestLoginOverIPv6(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const redirect = "http://[::1]:4321/callback"
		sales, b := s.Person("sales"), s.Browser()
		v := b.SignIn(b.Open(link(s, "redirect_uri", redirect)), sales.Email, testkit.Password, "")
		assert.Contains(t, v.Header.Get("Content-Security-Policy"), "form-action 'self' http:;")
		to := b.Stay(link(s, "redirect_uri", redirect), fields(v, url.Values{"decision": {"allow"}, "environment": {"test"}, "scope": {"hulls:read"}})).Header.Get("Location")
		if !strings.HasPrefix(to, redirect+"?code=") {
			t.Fatalf("got the redirect %s, want the code at %s", to, redirect)
		}
		target, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		f := url.Values{"code": {target.Query().Get("code")}, "code_verifier": {verifier}, "redirect_uri": {redirect}}
		assert.Equal(t, s.Browser().Post("/oauth/cli/token", f).StatusCode, 200)
	})
}

func fields(v testkit.View, more url.Values) url.Values {
	_, f := v.Form()
	for name, values := range more {
		f[name] = values
	}
	return f
}

// link is a page that a machine would open.
func link(s *testkit.Server, pairs ...string) string {
	q := url.Values{
		"redirect_uri": {"http://127.0.0.1:4321/callback"}, "state": {strings.Repeat("s", 26)}, "host": {"office"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return s.URL + "/oauth/cli?" + q.Encode()
}

// verifier belongs to the challenge of link (RFC 7636, appendix B).
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

// What an attacker could try.
func TestLoginAttacks(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		sales, b := s.Person("sales"), s.Browser()
		b.SignIn(b.Open("/oauth/sign-in"), sales.Email, testkit.Password, "")
		for _, pairs := range [][]string{
			{"redirect_uri", "https://evil.example.com/callback"}, {"redirect_uri", "http://127.0.0.1.evil.example.com:80/callback"},
			{"redirect_uri", "http://localhost:80/callback"}, {"redirect_uri", "http://127.0.0.1:80@evil.example.com/callback"},
			{"code_challenge_method", "plain"}, {"code_challenge", "short"}, {"state", "short"},
		} {
			assert.Equal(t, b.Open(link(s, pairs...)).StatusCode, http.StatusBadRequest, pairs[0], pairs[1])
		}
		assert.Excludes(t, b.Open(link(s, "host", `<b>"x`)).Text, "<b>")

		noFollow := func(v url.Values) (int, url.Values) {
			t.Helper()
			_, f := b.Open(link(s)).Form()
			for name, values := range v {
				f[name] = values
			}
			response := b.Stay(link(s), f)
			to, _ := url.Parse(response.Header.Get("Location"))
			return response.StatusCode, to.Query()
		}
		allow := url.Values{"decision": {"allow"}, "environment": {"test"}, "scope": {"hulls:read"}}
		status, _ := noFollow(url.Values{"decision": {"allow"}, "environment": {"test"}, "scope": {"admin"}})
		assert.Equal(t, status, http.StatusUnprocessableEntity, "more scopes than the user has")
		status, _ = noFollow(url.Values{"decision": {"allow"}, "environment": {"live"}, "scope": {"hulls:read"}})
		assert.Equal(t, status, http.StatusUnprocessableEntity, "from test to live")
		status, _ = noFollow(url.Values{"decision": {"allow"}, "environment": {"test"}, "scope": {"hulls:read"}, "form_token": {"forged"}})
		assert.Equal(t, status, http.StatusForbidden, "a forged form")
		_, denied := noFollow(url.Values{"decision": {"deny"}})
		assert.Equal(t, denied.Get("error"), "access_denied")

		exchange := func(code string, pairs ...string) int {
			t.Helper()
			f := url.Values{"code": {code}, "code_verifier": {verifier}, "redirect_uri": {"http://127.0.0.1:4321/callback"}}
			for i := 0; i < len(pairs); i += 2 {
				f.Set(pairs[i], pairs[i+1])
			}
			return s.Browser().Post("/oauth/cli/token", f).StatusCode
		}
		code := func() string {
			t.Helper()
			_, got := noFollow(allow)
			return got.Get("code")
		}
		first := code()
		assert.Equal(t, exchange(first), 200)
		assert.Equal(t, exchange(first), 400, "used twice")
		wrong := code()
		assert.Equal(t, exchange(wrong, "code_verifier", strings.Repeat("x", 43)), 400)
		assert.Equal(t, exchange(wrong), 400, "after a wrong verifier")
		assert.Equal(t, exchange(code(), "redirect_uri", "http://127.0.0.1:1/callback"), 400)
		old := code()
		s.Advance(5*time.Minute + time.Second)
		assert.Equal(t, exchange(old), 400, "after 5 minutes")
		assert.Equal(t, exchange("unknown"), 400)
		late := code()
		s.Test.Post("/v1/users/"+sales.ID+"/deactivate", nil, 200, nil)
		assert.Equal(t, exchange(late), 400, "after the user was deactivated")
	})
}

// A key from stdin becomes a profile. Profiles are listed, chosen and removed.
func TestProfiles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		m := newMachine(t, s, "")
		m.fails(cli.ExitUsage, "login", s.Test.Key)
		for _, key := range []string{s.Test.Key, s.Live.Key} {
			m.session.In = strings.NewReader(key + "\n")
			m.ok("login", "--key")
		}
		assert.Equal(t, m.ok("profiles", "list", "--jq", ".data[] | select(.current) | .name"), "live")
		table := m.ok("profiles", "list", "-o", "table")
		assert.Contains(t, table, "*  live")
		assert.Excludes(t, table, "sk_")
		assert.Equal(t, m.ok("access", "get-me", "--jq", ".environment"), "live")
		assert.Equal(t, m.ok("access", "get-me", "--profile", "test", "--jq", ".environment"), "test")
		m.env["SLIPWAY_PROFILE"] = "test"
		assert.Equal(t, m.ok("access", "get-me", "--jq", ".environment"), "test")
		m.env["SLIPWAY_PROFILE"] = ""
		m.ok("profiles", "use", "test")
		assert.Equal(t, m.ok("access", "get-me", "--jq", ".environment"), "test")
		assert.Contains(t, m.fails(cli.ExitFailed, "profiles", "use", "none"), "The profiles are: live, test")
		m.ok("profiles", "remove", "test")
		assert.Equal(t, m.ok("access", "get-me", "--jq", ".environment"), "live")
	})
}
