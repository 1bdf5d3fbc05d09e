package app

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// SLIPWAY_MCP=off turns off /mcp, the document that leads assistants to it, and tokens for it.
func TestMCPSetting(t *testing.T) {
	s := testkit.OnSQLite(t)
	manager, registered := s.Person("manager"), s.Test.App(nil)
	for setting, want := range map[string]struct {
		endpoint, document int
		target             string
	}{
		"on":  {401, 200, ""},
		"off": {404, 404, "invalid_target"},
	} {
		node := s.NodeWith(func(set *app.Settings) { set.MCP = setting })
		res, err := http.Post(node.URL+"/mcp", "application/json", strings.NewReader("{}")) //nolint:noctx // ends with the server
		assert.Equal(t, err, nil)
		assert.Equal(t, res.StatusCode, want.endpoint, "/mcp if MCP is "+setting)
		assert.Equal(t, res.Body.Close(), nil)
		b := node.Browser()
		assert.Equal(t, b.Open("/.well-known/oauth-protected-resource/mcp").StatusCode, want.document, "the document if MCP is "+setting)

		b.SignIn(b.Open("/oauth/sign-in"), manager.Email, testkit.Password, "")
		ask := func(resource string) testkit.View {
			return b.Open("/oauth/authorize?" + url.Values{
				"client_id": {registered.ClientID}, "scope": {"hulls:read"}, "code_challenge": {strings.Repeat("c", 43)}, "code_challenge_method": {"S256"},
				"resource": {resource},
			}.Encode())
		}
		assert.Equal(t, ask("http://localhost").StatusCode, 200, "a token for the API if MCP is "+setting)
		got := ""
		if to, err := ask("http://localhost/mcp").Location(); err == nil {
			got = to.Query().Get("error")
			assert.Contains(t, to.Query().Get("error_description"), "resource must be http://localhost.")
		}
		assert.Equal(t, got, want.target, "a token for MCP if it is "+setting)
	}
}
