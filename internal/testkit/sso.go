package testkit

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"

	"slipway/internal/identity/sso"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// Fleet gives all dealerships the fleet plan, as an operator does.
func (s *Server) Fleet() {
	s.t.Helper()
	s.Exec(`UPDATE dealerships SET plan = 'fleet'`)
}

// Fleet does the same as Server.Fleet.
func (c *Client) Fleet() { c.server.Fleet() }

// SSOConnection adds an OIDC connection. Fields of the body replace the default ones.
// All dealerships get the fleet plan.
func (c *Client) SSOConnection(body map[string]any) (connection sso.Connection) {
	c.server.t.Helper()
	c.server.Fleet()
	full := map[string]any{
		"name": "Acme ID", "issuer": "http://id.example.com", "client_id": "slipway", "client_secret": "secret of the client",
	}
	maps.Copy(full, body)
	c.Post("/v1/sso_connections", full, 201, &connection)
	return connection
}

// VerifyDomain verifies a domain of the first dealership's test environment, as the
// operator does.
func (s *Server) VerifyDomain(domain string) {
	s.t.Helper()
	env := s.TestEnv()
	id, err := db.Read(s.t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		return db.One[string](ctx, tx, `SELECT id FROM dealerships WHERE env = ?`, env)
	})
	check(s.t, err)
	_, err = sso.VerifyDomainFromCommandLine(s.t.Context(), s.DB, id, auth.Test, domain)
	check(s.t, err)
}

// exampleProviders answers for identity providers at example.com, which don't exist. Their
// discovery documents are read when a connection is created. Other hosts are real.
type exampleProviders struct{ http.RoundTripper }

func (e exampleProviders) RoundTrip(req *http.Request) (*http.Response, error) {
	issuer, ok := strings.CutSuffix(req.URL.String(), "/.well-known/openid-configuration")
	if !ok || !strings.HasSuffix(req.URL.Hostname(), ".example.com") {
		return e.RoundTripper.RoundTrip(req)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"issuer": %q, "authorization_endpoint": %q, "token_endpoint": %q, "jwks_uri": %q}`,
		issuer, issuer+"/authorize", issuer+"/token", issuer+"/keys")
	return w.Result(), nil
}
