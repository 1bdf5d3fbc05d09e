package clients

import (
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// ownerBrowser returns a browser in which the owner is signed in to the live environment.
func ownerBrowser(t *testing.T, s *testkit.Server) *testkit.Browser {
	t.Helper()
	return as(t, s, s.Owner.Email)
}

// as returns a browser in which a user is signed in to the live environment.
func as(t *testing.T, s *testkit.Server, email string) *testkit.Browser {
	t.Helper()
	link, err := s.SignInLink(t.Context(), email, "/console/live/boats")
	if err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	v := b.Open(link)
	assert.Equal(t, v.StatusCode, 200, v.Text)
	assert.Equal(t, v.Request.URL.Path, "/console/live/boats")
	return b
}

// own are the headers of the console's own requests.
func own(mode string) http.Header {
	return http.Header{"Slipway-Mode": {mode}, "Sec-Fetch-Site": {"same-origin"}}
}

// The sign-in leads back to the page, and the page has the headers that protect it.
func TestPage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b := s.Browser()
		v := b.Open("/console/live/boats?status=available")
		assert.Contains(t, v.Request.URL.String(), "/oauth/sign-in?return_to=%2Fconsole%2Flive%2Fboats%3Fstatus%3Davailable")

		v = b.SignIn(b.Open("/console/test/boats?q=grady"), s.Person("sales").Email, testkit.Password, "")
		assert.Equal(t, v.Header.Get("Refresh")+v.Request.URL.RequestURI(), "/console/test/boats?q=grady", v.Text)

		b = ownerBrowser(t, s)
		v = b.Open("/console/live/boats/hull_1/photos")
		assert.Equal(t, v.StatusCode, 200)
		script := regexp.MustCompile(`/console/assets/[0-9a-f]{12}/app\.js`).FindString(v.Text)
		assert.Contains(t, v.Text, `<script type="module" src="`+script+`"`)
		for name, want := range map[string]string{
			"Content-Security-Policy":    "require-trusted-types-for 'script'; trusted-types 'none'",
			"X-Content-Type-Options":     "nosniff",
			"Cross-Origin-Opener-Policy": "same-origin",
			"Cache-Control":              "no-store",
		} {
			assert.Contains(t, v.Header.Get(name), want, name)
		}
		assert.Excludes(t, v.Header.Get("Content-Security-Policy"), "unsafe")

		v = b.Open(script)
		assert.Equal(t, v.StatusCode, 200, script)
		assert.Equal(t, v.Header.Get("Content-Type"), "text/javascript; charset=utf-8")
		assert.Equal(t, v.Header.Get("Cache-Control"), "public, max-age=31536000, immutable")
		assert.Contains(t, v.Header.Get("Content-Security-Policy"), "script-src 'self'")
		imported := regexp.MustCompile(`import\("\./([^"]+)"\)`).FindStringSubmatch(v.Text)
		assert.Len(t, imported, 2, "app.js imports screens")
		assert.Equal(t, b.Open(path.Join(path.Dir(script), imported[1])).StatusCode, 200, imported[1])
		assert.Equal(t, b.Open("/console/assets/app.js").StatusCode, 404, "without a hash")
		assert.Equal(t, b.Open("/console/assets/000000000000/app.js").StatusCode, 404, "of another build")
		assert.Equal(t, b.Open("/").Request.URL.Path, "/console/live/", "the start page")
	})
}

// The cookie works for requests of the console, and for nothing else.
func TestOnlyTheConsoleUsesTheCookie(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b := ownerBrowser(t, s)
		without := func(names ...string) http.Header {
			h := own("live")
			for _, n := range names {
				h.Del(n)
			}
			return h
		}
		with := func(name, value string) http.Header {
			h := own("live")
			h.Set(name, value)
			return h
		}
		for name, c := range map[string]struct {
			path   string
			header http.Header
			want   int
		}{
			"the console":                       {"/console/api/v1/me", own("live"), 200},
			"the preview":                       {"/console/api/v2-preview/request_logs", own("live"), 200},
			"a page on plain HTTP":              {"/console/api/v1/me", without("Sec-Fetch-Site"), 200},
			"another site":                      {"/console/api/v1/me", with("Sec-Fetch-Site", "cross-site"), 403},
			"another port":                      {"/console/api/v1/me", with("Sec-Fetch-Site", "same-site"), 403},
			"an address that the user typed":    {"/console/api/v1/me", with("Sec-Fetch-Site", "none"), 403},
			"a form, which can't send the mode": {"/console/api/v1/me", without("Slipway-Mode"), 403},
			"an unknown mode":                   {"/console/api/v1/me", with("Slipway-Mode", "prod"), 403},
			"the other environment":             {"/console/api/v1/me", own("test"), 401},
			"the API":                           {"/v1/me", own("live"), 401},
			"a path outside the API":            {"/console/api/oauth/token", own("live"), 200}, // the page of the console
			"a path above":                      {"/console/api/../v1/me", own("live"), 200},    // the same page
		} {
			b.Header = c.header
			v := b.Open(c.path)
			assert.Equal(t, v.StatusCode, c.want, name, v.Text)
			assert.Excludes(t, v.Header.Get("Access-Control-Allow-Origin"), "*", name)
		}

		// A token that was taken from the cookie is not a bearer token.
		for _, cookie := range b.Cookies() {
			assert.Equal(t, status(t, s.As(cookie.Value), "/v1/me"), 401, cookie.Name)
		}
		// A bearer token doesn't replace the cookie.
		assert.Equal(t, status(t, s.Live, "/console/api/v1/me"), 403)

		b.Header = own("live")
		b.Header.Set("Origin", "https://evil.example")
		b.Header.Del("Sec-Fetch-Site")
		assert.Equal(t, b.Send("POST", "/console/api/v1/locations", `{"name": "Evil"}`).StatusCode, 403, "a write of another origin")
		b.Header.Del("Origin")
		assert.Equal(t, b.Send("POST", "/console/api/v1/locations", `{"name": "Annapolis"}`).StatusCode, 201)
	})
}

func status(t *testing.T, c *testkit.Client, path string) int {
	t.Helper()
	res, err := c.Send("GET", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

// The cookies can't be read by scripts, and not be set by other hosts.
func TestCookies(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		secure := s.NodeWith(func(set *app.Settings) { set.BaseURL = "https://slipway.example.com" })
		for name, c := range map[string]struct {
			s      *testkit.Server
			want   string
			secure bool
		}{
			"http":  {s, "slipway-visit", false},
			"https": {secure, "__Host-slipway-visit", true},
		} {
			v := c.s.Browser().Open("/oauth/sign-in?return_to=/console/live/")
			cookie := v.Cookies()[0]
			assert.Equal(t, cookie.Name, c.want, name)
			assert.Equal(t, cookie.Secure, c.secure, name)
			assert.Equal(t, cookie.HttpOnly, true, name)
			assert.Equal(t, cookie.SameSite, http.SameSiteLaxMode, name)
			assert.Equal(t, cookie.Path, "/", name)
		}
	})
}

// A live user gets a test session, which ends with the live session. A test user never
// gets a live session.
func TestSwitch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b := ownerBrowser(t, s)
		v := b.Open("/console/test/leads?assigned=me")
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Equal(t, v.Request.URL.RequestURI(), "/console/test/leads?assigned=me")
		var me struct {
			Environment          string
			Environments, Scopes []string
			SignOut              struct{ Action, Token string } `json:"sign_out"`
			LastEvent            string                         `json:"last_event"`
		}
		_, session, _ := strings.Cut(v.Text, `id="session">`)
		session, _, _ = strings.Cut(session, "</script>")
		assert.Equal(t, json.Unmarshal([]byte(session), &me), nil, session)
		assert.Equal(t, me.Environment, "test")
		assert.Equal(t, me.Environments, []string{"live", "test"})
		assert.Equal(t, len(me.Scopes), len(auth.Scopes), "scopes of the owner")
		b.Header = own("test")
		assert.Equal(t, b.Open("/console/api/v1/me").StatusCode, 200)

		// A request in test keeps the live session from expiring.
		s.Advance(time.Hour + 50*time.Minute)
		assert.Equal(t, b.Open("/console/api/v1/me").StatusCode, 200)
		assert.Equal(t, s.Settle(t.Context()), nil)
		s.Advance(time.Hour + 50*time.Minute)
		b.Header = own("live")
		assert.Equal(t, b.Open("/console/api/v1/me").StatusCode, 200, "the live session")
		var sessions struct{ Data []struct{ ID string } }
		v = b.Open("/console/api/v1/sessions")
		assert.Equal(t, json.Unmarshal([]byte(v.Text), &sessions), nil, v.Text)
		assert.Equal(t, b.Send("DELETE", "/console/api/v1/sessions/"+sessions.Data[0].ID, "").StatusCode, 204)
		b.Header = own("test")
		assert.Equal(t, b.Open("/console/api/v1/me").StatusCode, 401, "the test session after its live session has ended")
	})
}

// A user without an account in test gets one with the same built-in roles, once.
func TestSwitchCreatesUser(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b := salesperson(t, s, "sam@example.com")
		for range 2 {
			assert.Equal(t, b.Open("/console/test/").StatusCode, 200)
		}
		var found struct {
			Data []struct {
				Email, Status string
				Roles         []struct{ Name string }
			}
		}
		s.Test.Get("/v1/users", 200, &found)
		n := 0
		for _, u := range found.Data {
			if u.Email == "sam@example.com" {
				n++
				assert.Equal(t, u.Status, "active")
				assert.Equal(t, u.Roles[0].Name, "sales")
			}
		}
		assert.Equal(t, n, 1, "users in test with the address")
	})
}

// salesperson returns a browser in which a new live user without a two-factor method is
// signed in.
func salesperson(t *testing.T, s *testkit.Server, email string) *testkit.Browser {
	t.Helper()
	var roles struct{ Data []struct{ ID, Name string } }
	s.Live.Get("/v1/roles", 200, &roles)
	for _, r := range roles.Data {
		if r.Name == "sales" {
			s.Activate(s.Live.User(map[string]any{"email": email, "role_ids": []string{r.ID}}))
		}
	}
	return as(t, s, email)
}

// An administrator of the test environment needs a two-factor method in one of the
// environments.
func TestSwitchNeedsTwoFactor(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Activate(s.Test.User(map[string]any{"email": "sam@example.com", "role_ids": []string{s.RoleID("owner")}, "mfa_token": s.Test.Proof()}))
		b := salesperson(t, s, "sam@example.com")
		v := b.Open("/console/test/")
		assert.Contains(t, v.Request.URL.Path, "/account/two-factor")
		b.Header = own("test")
		assert.Equal(t, b.Open("/console/api/v1/users").StatusCode, 403)
	})
}

func TestTestUserStaysInTest(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b := s.Browser()
		v := b.SignIn(b.Open("/console/test/"), s.Person("sales").Email, testkit.Password, "")
		assert.Equal(t, v.StatusCode, 200, v.Text)
		v = b.Open("/console/live/")
		assert.Contains(t, v.Request.URL.String(), "/oauth/sign-in", "a live page")
		b.Header = own("live")
		assert.Equal(t, b.Open("/console/api/v1/me").StatusCode, 401)
		assert.Equal(t, b.Open("/").Request.URL.Path, "/console/test/", "the start page")
	})
}

// A link of the demo works once.
func TestLink(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		link, err := s.SignInLink(t.Context(), s.Owner.Email, "/console/test/today")
		if err != nil {
			t.Fatal(err)
		}
		v := s.Browser().Open(link)
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Equal(t, v.Request.URL.Path, "/console/test/today")
		v = s.Browser().Open(link)
		assert.Equal(t, v.StatusCode, 410)
		assert.Contains(t, v.Text, "The link was used")
		assert.Equal(t, s.Browser().Open("/oauth/sign-in/link?token=").StatusCode, 410)
	})
}
