package identity

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/identity/sso"
	"slipway/internal/identity/sso/oidc/oidctest"
	"slipway/internal/platform/outbound"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

const domain = "acme.example.com"

// world is a dealership with an OIDC connection.
type world struct {
	*testkit.Server
	t     *testing.T
	nodes []*testkit.Server // on PostgreSQL, two servers with the same database
	idp   *oidctest.Provider
	conn  sso.Connection
}

// node returns the server for the i-th request.
func (w *world) node(i int) *testkit.Server { return w.nodes[i%len(w.nodes)] }

// each runs a test on both databases, on PostgreSQL with two nodes.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		nodes := []*testkit.Server{s}
		if !s.DB.SQLite() {
			nodes = append(nodes, s.Node())
		}
		test(t, newWorld(t, s, nodes, nil))
	})
}

// newWorld adds a connection with a verified domain, just-in-time users and a mapping
// of two groups. Fields of the body replace the default ones.
func newWorld(t *testing.T, s *testkit.Server, nodes []*testkit.Server, body map[string]any) *world {
	t.Helper()
	idp := oidctest.Start(t)
	idp.Now = s.DB.Now
	idp.Claims = map[string]any{"email": "kim@" + domain, "email_verified": true, "name": "Kim Vale", "groups": []string{"Sales"}}
	full := map[string]any{
		"issuer": idp.Issuer, "client_id": oidctest.ClientID, "client_secret": oidctest.ClientSecret, "domains": []string{domain}, "jit": true,
		"group_mapping": []map[string]string{
			{"group": "Sales", "role_id": s.RoleID("sales")}, {"group": "Managers", "role_id": s.RoleID("manager")},
		},
	}
	maps.Copy(full, body)
	w := &world{Server: s, t: t, nodes: nodes, idp: idp, conn: s.Test.SSOConnection(full)}
	s.VerifyDomain(domain)
	return w
}

// api returns the feature, to call its jobs directly.
func (w *world) api() *sso.API {
	return &sso.API{
		DB: w.DB, Jobs: w.Jobs, Box: w.Box, URL: "http://localhost", HTTP: outbound.New(time.Minute, true), Log: slog.New(slog.DiscardHandler),
	}
}

// in returns the world for a subtest, with another subject at the provider.
func (w *world) in(t *testing.T) *world {
	c := *w
	c.Server, c.t = w.Server.In(t), t
	return &c
}

// change updates the connection.
func (w *world) change(body map[string]any) {
	w.t.Helper()
	w.Test.Patch("/v1/sso_connections/"+w.conn.ID, body, 200, &w.conn)
}

// local returns the path of a URL of the site. The pages are at http://localhost, and
// the server under test has another port.
func local(address string) string { return strings.TrimPrefix(address, "http://localhost") }

// start opens the sign-in page of the connection and returns where the provider sends
// the browser, without following it.
func (w *world) start(b *testkit.Browser, query string) string {
	w.t.Helper()
	v := b.Open(local(w.conn.LoginURL) + query)
	to := v.Header.Get("Location")
	if v.StatusCode != http.StatusFound || !strings.HasPrefix(to, "http://localhost/sso/oidc/") {
		w.t.Fatalf("got %d %q %s, want a redirect back from the provider", v.StatusCode, to, v.Text)
	}
	return local(to)
}

// signIn goes through a sign-in on the first node and returns the page after it.
func (w *world) signIn(b *testkit.Browser) testkit.View {
	w.t.Helper()
	return b.Open(w.start(b, ""))
}

// wantSignedIn fails unless a page is the account of the user.
func wantSignedIn(t *testing.T, v testkit.View, email string) {
	t.Helper()
	assert.Equal(t, v.StatusCode, 200)
	assert.Contains(t, v.Request.URL.Path, "/oauth/account")
	assert.Contains(t, v.Text, email)
}

// wantRejected fails unless a page rejects the sign-in, and the audit log has the
// reason. The page must not show it.
func (w *world) wantRejected(v testkit.View, reason string) {
	w.t.Helper()
	assert.Equal(w.t, v.StatusCode, 403)
	assert.Excludes(w.t, v.Text, reason)
	if !strings.Contains(strings.Join(w.reasons(), "\n"), reason) {
		w.t.Errorf("got the reasons %q in the audit log, want %q", w.reasons(), reason)
	}
}

// reasons returns why sign-ins with connections were rejected.
func (w *world) reasons() []string {
	w.t.Helper()
	for _, n := range w.nodes {
		if err := n.Settle(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
	return testkit.Rows[string](w.Server, `SELECT changes FROM audit_entries WHERE action = 'auth.failed' AND target_type = 'sso_connection'`)
}

// isSignedIn reports whether a browser is signed in, according to a node.
func isSignedIn(b *testkit.Browser, node *testkit.Server) bool {
	v := b.Open(node.URL + "/oauth/account?environment=test")
	return v.StatusCode == 200 && v.Request.URL.Path == "/oauth/account"
}

// user returns the user with an email address.
func (w *world) user(email string) people.User {
	w.t.Helper()
	var list struct{ Data []people.User }
	w.Test.Get("/v1/users?email="+url.QueryEscape(email), 200, &list)
	assert.Len(w.t, list.Data, 1)
	return list.Data[0]
}

// exists reports whether a user has an email address.
func (w *world) exists(email string) bool {
	w.t.Helper()
	var list struct{ Data []people.User }
	w.Test.Get("/v1/users?email="+url.QueryEscape(email), 200, &list)
	return len(list.Data) > 0
}

// roleNames returns the names of the roles of a user, sorted by ID.
func roleNames(u people.User) string {
	var names []string
	for _, r := range u.Roles {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

// bearer creates a token for the API in a browser that is signed in.
func (w *world) bearer(b *testkit.Browser) string {
	w.t.Helper()
	v := b.Submit(b.Open("/sso/token?environment=test"))
	_, rest, ok := strings.Cut(v.Text, `<code class="secret">`)
	if !ok {
		w.t.Fatalf("got %d %s, want a token", v.StatusCode, v.Text)
	}
	token, _, _ := strings.Cut(rest, "<")
	return token
}
