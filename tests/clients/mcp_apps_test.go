package clients

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A stranger's document leads no one to another site, and makes the server read nothing for
// unauthenticated clients.
func TestStrangersApp(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c, reads := newClient(t, s, nil), new(atomic.Int64)
		allowApps(s)
		counted := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reads.Add(1)
			w.WriteHeader(http.StatusNotFound)
		}))
		t.Cleanup(counted.Close)
		missing := client{counted.URL + "/client.json", t, s}

		for range 3 {
			v := missing.page(s.Browser(), "hulls:read")
			assert.Contains(t, v.Text, "Sign in", "without a session")
		}
		assert.Equal(t, reads.Load(), 0, "documents that were read without a session")

		owner, b := s.Person("owner"), s.Browser()
		b.SignIn(b.Open("/oauth/sign-in"), owner.Email, testkit.Password, s.Code(owner.Secret))
		for range 3 {
			assert.Equal(t, missing.page(b, "hulls:read").StatusCode, 400)
		}
		assert.Equal(t, reads.Load(), 1, "a failure is remembered")
		s.Advance(61 * time.Second)
		missing.page(b, "hulls:read")
		assert.Equal(t, reads.Load(), 2, "for a minute")

		for _, pairs := range [][]string{
			{"response_type", "x"}, {"scope", "x"}, {"resource", "https://other.example/mcp"}, {"resource", ""}, {"code_challenge", ""},
		} {
			v := c.page(b, "hulls:read", pairs...)
			assert.Equal(t, v.StatusCode, 400, pairs[0])
			assert.Equal(t, v.Header.Get("Location"), "", pairs[0])
		}
		assert.Equal(t, c.allow(b, "hulls:read").status, 200)
		to, err := c.page(b, "hulls:read", "response_type", "x").Location()
		assert.Equal(t, err, nil)
		assert.Equal(t, to.Query().Get("error"), "unsupported_response_type", "after an owner has connected it")
	})
}

// One address can't make the server read documents without a limit.
func TestDocumentsAreLimited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		site := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(site.Close)
		b, last := signedIn(s, s.Person("sales")), 0
		for i := range 12 {
			last = client{site.URL + "/" + strings.Repeat("x", i+1), t, s}.page(b, "hulls:read").StatusCode
		}
		assert.Equal(t, last, http.StatusTooManyRequests)
	})
}

// Apps without registration need the setting, and an owner who connects them first.
func TestAllowedApps(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c, owner, sales := newClient(t, s, nil), s.Person("owner"), signedIn(s, s.Person("sales"))
		b := s.Browser()
		b.SignIn(b.Open("/oauth/sign-in"), owner.Email, testkit.Password, s.Code(owner.Secret))
		for name, who := range map[string]*testkit.Browser{"owner": b, "sales": sales} {
			v := c.page(who, "hulls:read")
			assert.Equal(t, v.StatusCode, 403, name)
			assert.Contains(t, v.Text, "only allows registered apps", name)
		}

		allowApps(s)
		assert.Contains(t, c.page(sales, "hulls:read").Text, "An owner must connect this app first")
		assert.Equal(t, c.allow(b, "hulls:read").status, 200)
		assert.Equal(t, c.allow(sales, "hulls:read").status, 200)

		s.Test.Patch("/v1/dealership", `{"settings": {"allowed_apps": "registered"}}`, 200, nil)
		assert.Equal(t, c.page(sales, "hulls:read").StatusCode, 403)
	})
}

// register registers an assistant.
func register(t *testing.T, s *testkit.Server, body string) (id string, status int, problem string) {
	t.Helper()
	res, err := http.Post(s.URL+"/oauth/register", "application/json", strings.NewReader(body)) //nolint:noctx // ends with the server
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out struct {
		ClientID string   `json:"client_id"`
		URIs     []string `json:"redirect_uris"`
		Method   string   `json:"token_endpoint_auth_method"`
		Error    string
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	if res.StatusCode == http.StatusCreated {
		assert.Equal(t, out.URIs, []string{callback})
		assert.Equal(t, out.Method, "none")
	}
	return out.ClientID, res.StatusCode, out.Error
}

// An assistant registers itself, and only works for MCP.
func TestRegistration(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		server := get(t, s, "http://localhost/.well-known/oauth-authorization-server/oauth")
		assert.Equal(t, server["registration_endpoint"], any("http://localhost/oauth/register"))
		allowApps(s)
		owner, b := s.Person("owner"), s.Browser()
		b.SignIn(b.Open("/oauth/sign-in"), owner.Email, testkit.Password, s.Code(owner.Secret))
		valid := `{"client_name": "Sloop Assistant", "redirect_uris": ["` + callback + `"], "grant_types": ["authorization_code", "refresh_token"], "scope": "x"}`

		id, status, _ := register(t, s, valid)
		assert.Equal(t, status, 201)
		c := client{id, t, s}
		assert.Contains(t, c.page(b, "hulls:read").Text, "an unknown publisher")
		assert.Equal(t, c.page(b, "hulls:read", "resource", "").StatusCode, 400, "for the API")
		assert.Equal(t, c.page(b, "hulls:read", "redirect_uri", "https://evil.example/").StatusCode, 400, "another redirect URI")
		assert.Equal(t, client{id + "x", t, s}.page(b, "hulls:read").StatusCode, 400, "another signature")
		got := c.allow(b, "hulls:read")
		assert.Equal(t, got.status, 200, got.Error)
		assert.Equal(t, post(t, s, got.AccessToken, "find_boats").StatusCode, 200)
		s.As(got.AccessToken).Get("/v1/me", 401, nil)

		unused, _, _ := register(t, s, valid)
		s.Advance(25 * time.Hour)
		b.SignIn(b.Open("/oauth/sign-in"), owner.Email, testkit.Password, s.Code(owner.Secret))
		assert.Contains(t, client{unused, t, s}.page(b, "hulls:read").Text, "has expired")
		assert.Equal(t, c.page(b, "hulls:read").StatusCode, 200, "an app that is in use")

		for body, want := range map[string]string{
			`{}`: "invalid_redirect_uri", `{"redirect_uris": ["http://evil.example/"]}`: "invalid_redirect_uri", `x`: "invalid_client_metadata",
			`{"redirect_uris": ["` + callback + `"], "grant_types": ["client_credentials"]}`: "invalid_client_metadata",
		} {
			_, status, problem := register(t, s, body)
			assert.Equal(t, status, 400, body)
			assert.Equal(t, problem, want, body)
		}
		for range 10 {
			_, status, _ = register(t, s, valid)
		}
		assert.Equal(t, status, 429, "one address")
	})
}

// A request without the scope names it (RFC 6750).
func TestInsufficientScope(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		res := s.As(s.Key("hulls:read")).Get("/v1/leads", 403, nil)
		assert.Contains(t, res.Header.Get("WWW-Authenticate"), `Bearer realm="slipway", error="insufficient_scope", scope="leads:read"`)
		res = s.As(s.Key("hulls:read")).Get("/v1/hulls/hull_unknown", 404, nil)
		assert.Equal(t, res.Header.Get("WWW-Authenticate"), "")
	})
}

// Introspection says the same as a request with the token: a dead one is only not active.
func TestIntrospectionOfAnAssistant(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		manager := s.Person("manager")
		app := s.Test.App(map[string]any{"redirect_uris": []string{callback}, "scopes": []string{"hulls:read", "leads:read"}})
		confidential, b := client{app.ClientID, t, s}, signedIn(s, manager)
		to, err := b.Submit(confidential.page(b, "hulls:read leads:read"), "decision", "allow").Location()
		assert.Equal(t, err, nil)
		got := confidential.token("grant_type", "authorization_code", "code", to.Query().Get("code"), "redirect_uri", callback,
			"code_verifier", mcpVerifier, "client_secret", app.Secret)
		describe := func() (out map[string]any) {
			t.Helper()
			form := url.Values{"client_id": {app.ClientID}, "client_secret": {app.Secret}, "token": {got.AccessToken}}
			res, err := http.PostForm(s.URL+"/oauth/introspect", form) //nolint:noctx // ends with the server
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		assert.Equal(t, describe()["scope"], any("hulls:read leads:read"))
		s.Test.Put("/v1/users/"+manager.ID+"/roles", map[string]any{"role_ids": []string{s.Test.Role("hulls:read")}}, 200, nil)
		assert.Equal(t, describe()["scope"], any("hulls:read"), "after the user has lost a scope")
		s.Exec(`UPDATE users SET status = 'deactivated' WHERE id = ?`, manager.ID)
		assert.Equal(t, describe(), map[string]any{"active": false})
	})
}
