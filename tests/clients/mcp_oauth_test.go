package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

const (
	callback = "https://assistant.example.com/callback"
	resource = "http://localhost/mcp" // of the servers in tests
)

var mcpVerifier = strings.Repeat("verifier-", 6)

// client is an assistant that the server doesn't know. Its ID is the URL of its document.
type client struct {
	id string
	t  *testing.T
	s  *testkit.Server
}

// connected is an assistant that an owner has connected first, so that others can, too.
func connected(t *testing.T, s *testkit.Server, changes map[string]any) client {
	t.Helper()
	c, owner, b := newClient(t, s, changes), s.Person("owner"), s.Browser()
	allowApps(s)
	b.SignIn(b.Open("/oauth/sign-in"), owner.Email, testkit.Password, s.Code(owner.Secret))
	assert.Equal(t, c.allow(b, "hulls:read").status, 200)
	return c
}

// allowApps lets an owner connect apps without registration.
func allowApps(s *testkit.Server) {
	for _, c := range []*testkit.Client{s.Test, s.Live} {
		c.Patch("/v1/dealership", `{"settings": {"allowed_apps": "owner_allowed"}}`, 200, nil)
	}
}

func newClient(t *testing.T, s *testkit.Server, changes map[string]any) client {
	t.Helper()
	var id string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		doc := map[string]any{"client_id": id, "client_name": "Sloop Assistant", "redirect_uris": []string{callback}}
		for name, v := range changes {
			doc[name] = v
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(doc)
	}))
	t.Cleanup(site.Close)
	id = site.URL + "/client.json"
	return client{id, t, s}
}

// page opens the page where a user allows scopes.
func (c client) page(b *testkit.Browser, scope string, pairs ...string) testkit.View {
	q := url.Values{
		"client_id": {c.id}, "scope": {scope}, "redirect_uri": {callback}, "state": {"s"}, "resource": {resource},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(mcpVerifier)}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(pairs); i += 2 {
		if q.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	return b.Open("/oauth/authorize?" + q.Encode())
}

type tokens struct {
	status       int
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	InstallID    string `json:"install_id"`
	Scope, Error string
}

func (c client) token(pairs ...string) (out tokens) {
	c.t.Helper()
	form := url.Values{"client_id": {c.id}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	res, err := http.PostForm(c.s.URL+"/oauth/token", form) //nolint:noctx // ends with the server
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		c.t.Fatal(err)
	}
	out.status = res.StatusCode
	return out
}

// allow allows scopes and returns tokens.
func (c client) allow(b *testkit.Browser, scope string, pairs ...string) tokens {
	c.t.Helper()
	return c.finish(b.Submit(c.page(b, scope, pairs...), "decision", "allow"))
}

// finish exchanges the code that the page returns.
func (c client) finish(v testkit.View) tokens {
	c.t.Helper()
	to, err := v.Location()
	if err != nil || to.Query().Get("code") == "" {
		c.t.Fatalf("got %d %s, want a redirect with a code", v.StatusCode, v.Text)
	}
	return c.token("grant_type", "authorization_code", "code", to.Query().Get("code"), "redirect_uri", callback, "code_verifier", mcpVerifier)
}

// careful returns a person with a two-factor method, who can allow changes.
func careful(s *testkit.Server, role string) *testkit.Person {
	p := s.Person(role)
	p.Enroll()
	return p
}

func signedIn(s *testkit.Server, p *testkit.Person) *testkit.Browser {
	b, code := s.Browser(), ""
	if p.Secret != "" {
		code = s.Code(p.Secret)
	}
	b.SignIn(b.Open("/oauth/sign-in"), p.Email, testkit.Password, code)
	b.Secret = p.Secret
	return b
}

// post sends a call without the SDK.
func post(t *testing.T, s *testkit.Server, credential, tool string) *http.Response {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if credential != "" {
		req.Header.Set("Authorization", "Bearer "+credential)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// get reads a document that a URL of the server names.
func get(t *testing.T, s *testkit.Server, address string) (out map[string]any) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(s.URL + u.Path) //nolint:noctx // ends with the server
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(content, &out)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", address, err, content)
	}
	return out
}

// A client that knows only the URL of the endpoint finds its way to a first call.
func TestDiscovery(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		res := post(t, s, "", "find_boats")
		assert.Equal(t, res.StatusCode, 401)
		challenge := res.Header.Get("WWW-Authenticate")
		assert.Contains(t, challenge, `scope="hulls:read leads:read deals:read"`)
		named := regexp.MustCompile(`resource_metadata="([^"]+)"`).FindStringSubmatch(challenge)
		described := get(t, s, named[1])
		assert.Equal(t, described["resource"], any(resource))
		issuer := described["authorization_servers"].([]any)[0].(string)
		server := get(t, s, "http://localhost/.well-known/oauth-authorization-server/oauth")
		assert.Equal(t, server["issuer"], any(issuer))
		assert.Equal(t, server["client_id_metadata_document_supported"], any(true))

		c, sales := connected(t, s, nil), careful(s, "sales")
		b := signedIn(s, sales)
		v := c.page(b, "hulls:read leads:read leads:write")
		for _, want := range []string{"Sloop Assistant", "127.0.0.1", "Propose messages for your approval", "It acts for you"} {
			assert.Contains(t, v.Text, want)
		}
		got := c.allow(b, "hulls:read leads:read leads:write")
		assert.Equal(t, got.status, 200, got.Error)
		a := overHTTP(t, s, got.AccessToken, "")
		lead := s.Test.Lead(nil)
		a.call("update_lead", map[string]any{"lead_id": lead, "status": "contacted"})

		var audit struct {
			Data []struct {
				Actor           struct{ Type, Label string }
				IP              string
				ClientRequestID string `json:"client_request_id"`
			}
		}
		s.Test.Get("/v1/audit?action=lead.updated", 200, &audit)
		assert.Equal(t, audit.Data[0].Actor.Type, "app")
		assert.Contains(t, audit.Data[0].Actor.Label, "Sloop Assistant (")
		assert.Equal(t, s.Settle(t.Context()), nil)
		s.Test.Get("/v2-preview/request_logs?operation=updateLead", 200, &audit)
		assert.Contains(t, audit.Data[0].Actor.Label, "Sloop Assistant (")
		assert.Equal(t, audit.Data[0].IP, "127.0.0.1", "the address of the assistant")
		assert.Contains(t, audit.Data[0].ClientRequestID, "req_", "the request to /mcp")

		// The app is not one that the dealership publishes, but one that it uses.
		var apps struct{ Data []struct{ ID string } }
		s.Test.Get("/v1/apps", 200, &apps)
		assert.Equal(t, len(apps.Data), 0)
		var installs struct {
			Data []struct {
				App struct{ Name, Publisher string }
			}
		}
		s.Test.Get("/v1/installs", 200, &installs)
		assert.Contains(t, installs.Data[0].App.Publisher, "127.0.0.1:")
	})
}

// A token works for the resource that it was requested for, and for nothing else.
func TestAudience(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c, b := connected(t, s, nil), signedIn(s, s.Person("manager"))
		mcpToken := c.allow(b, "hulls:read")
		registered := client{s.Test.App(map[string]any{"type": "public", "redirect_uris": []string{callback}}).ClientID, t, s}
		apiToken := registered.allow(b, "hulls:read", "resource", "")
		for name, want := range map[string]struct {
			credential string
			mcp, api   int
		}{
			"for MCP":           {mcpToken.AccessToken, 200, 401},
			"for the API":       {apiToken.AccessToken, 401, 200},
			"a test key":        {s.Test.Key, 200, 200},
			"a live key":        {s.Live.Key, 401, 200},
			"a session":         {s.Person("sales").Key, 401, 200},
			"a refresh token":   {mcpToken.RefreshToken, 401, 401},
			"another character": {mcpToken.AccessToken + "x", 401, 401},
		} {
			assert.Equal(t, post(t, s, want.credential, "find_boats").StatusCode, want.mcp, name, "on /mcp")
			res, err := s.As(want.credential).Send("GET", "/v1/me", nil)
			assert.Equal(t, err, nil)
			assert.Equal(t, res.StatusCode, want.api, name, "on /v1")
		}

		v := c.page(b, "hulls:read", "resource", "https://other.example/mcp")
		to, err := v.Location()
		assert.Equal(t, err, nil)
		assert.Equal(t, to.Query().Get("error"), "invalid_target")
		refresh := func(r string, pairs ...string) tokens {
			return c.token(append([]string{"grant_type", "refresh_token", "refresh_token", r}, pairs...)...)
		}
		other := registered.token("grant_type", "refresh_token", "refresh_token", apiToken.RefreshToken, "resource", resource)
		assert.Equal(t, other.Error, "invalid_target")
		next := refresh(mcpToken.RefreshToken)
		assert.Equal(t, post(t, s, next.AccessToken, "find_boats").StatusCode, 200, "after a refresh")

		res := post(t, s, next.AccessToken, "update_lead")
		assert.Equal(t, res.StatusCode, 403, "a tool with other scopes")
		assert.Contains(t, res.Header.Get("WWW-Authenticate"), `error="insufficient_scope", scope="hulls:read leads:write"`)
	})
}

// Access ends with the token, the install and the user.
func TestAccessEnds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := connected(t, s, nil)
		sales, manager := s.Person("sales"), careful(s, "manager")
		bySales, byManager := c.allow(signedIn(s, sales), "leads:read"), c.allow(signedIn(s, manager), "leads:read hulls:write")
		status := func(token tokens) int { return post(t, s, token.AccessToken, "list_leads").StatusCode }
		assert.Equal(t, []int{status(bySales), status(byManager)}, []int{200, 200})

		s.Test.Post("/v1/users/"+sales.ID+"/deactivate", map[string]any{}, 200, nil)
		assert.Equal(t, []int{status(bySales), status(byManager)}, []int{401, 200}, "after one user was deactivated")
		s.Advance(61 * time.Minute)
		assert.Equal(t, status(byManager), 401, "after the token has expired")
		next := c.token("grant_type", "refresh_token", "refresh_token", byManager.RefreshToken)
		assert.Equal(t, status(next), 200)
		s.Test.Delete("/v1/installs/"+next.InstallID, 204)
		assert.Equal(t, status(next), 401, "after the app was uninstalled")
	})
}

// What a user allows an assistant is not allowed on the API.
func TestConsentForAPI(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		sales, manager := signedIn(s, careful(s, "sales")), signedIn(s, careful(s, "manager"))
		registered := s.Test.App(map[string]any{"type": "public", "redirect_uris": []string{callback}, "scopes": []string{"leads:read", "leads:write"}})
		public := client{registered.ClientID, t, s}
		assert.Equal(t, public.allow(sales, "leads:read leads:write").status, 200)
		v := public.page(manager, "leads:read leads:write", "resource", "")
		assert.Equal(t, v.StatusCode, 200, "the page for the API, after another user has connected the app to MCP")

		// A confidential app can also get tokens for the API, so the page doesn't promise proposals.
		registered = s.Test.App(map[string]any{"redirect_uris": []string{callback}})
		confidential := client{registered.ClientID, t, s}
		assert.Contains(t, confidential.page(manager, "hulls:write").Text, "Change inventory and see costs.")
	})
}

// A client can revoke its tokens. The access tokens of a refresh token end with it.
func TestRevokedTokens(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c, b := connected(t, s, nil), signedIn(s, s.Person("sales"))
		status := func(token tokens) int { return post(t, s, token.AccessToken, "list_leads").StatusCode }
		revoke := func(token string) {
			t.Helper()
			res, err := http.PostForm(s.URL+"/oauth/revoke", url.Values{"client_id": {c.id}, "token": {token}}) //nolint:noctx // ends with the server
			if err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, res.StatusCode, 200)
			assert.Equal(t, res.Body.Close(), nil)
		}
		byAccess, byRefresh, kept := c.allow(b, "leads:read"), c.allow(b, "leads:read"), c.allow(b, "leads:read")
		assert.Equal(t, []int{status(byAccess), status(byRefresh), status(kept)}, []int{200, 200, 200})

		revoke(byAccess.AccessToken)
		revoke(byRefresh.RefreshToken)
		assert.Equal(t, []int{status(byAccess), status(byRefresh), status(kept)}, []int{401, 401, 200}, "after two were revoked")
		rejected := post(t, s, byAccess.AccessToken, "list_leads")
		assert.Contains(t, rejected.Header.Get("WWW-Authenticate"), `error="invalid_token"`)
		again := c.token("grant_type", "refresh_token", "refresh_token", byRefresh.RefreshToken)
		assert.Equal(t, again.Error, "invalid_grant")
	})
}

// A document must describe the client at its own URL.
func TestClientDocuments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		allowApps(s)
		b := signedIn(s, s.Person("manager"))
		for name, changes := range map[string]map[string]any{
			"another client":          {"client_id": "https://assistant.example.com/client.json"},
			"no redirect URI":         {"redirect_uris": []string{}},
			"another redirect URI":    {"redirect_uris": []string{"https://evil.example/callback"}},
			"a redirect URI on HTTP":  {"redirect_uris": []string{callback, "http://evil.example/callback"}},
			"no name":                 {"client_name": ""},
			"a name with a direction": {"client_name": "Sloop \u202e"},
			"a secret":                {"token_endpoint_auth_method": "client_secret_post"},
			"too large":               {"x": strings.Repeat("x", 70_000)},
		} {
			v := newClient(t, s, changes).page(b, "hulls:read")
			assert.Equal(t, v.StatusCode, 400, name, v.Text)
		}
		for _, id := range []string{"https://user@assistant.example.com/a", "https://assistant.example.com", "http://assistant.example.com/a", "http://169.254.169.254/a"} {
			assert.Equal(t, client{id, t, s}.page(b, "hulls:read").StatusCode, 400, id)
		}
		s.Advance(5 * time.Minute) // an address reads few documents at a time
		local := newClient(t, s, map[string]any{"redirect_uris": []string{"http://127.0.0.1/cb"}})
		v := local.page(b, "hulls:read", "redirect_uri", "http://127.0.0.1:49152/cb")
		assert.Contains(t, v.Text, "An owner must connect this app first", "any port of the own machine")
	})
}
