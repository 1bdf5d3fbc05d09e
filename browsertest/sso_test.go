//go:build sso

package browsertest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// connection is what the tests need of an SSO connection.
type connection struct {
	ID            string `json:"id"`
	SPEntityID    string `json:"sp_entity_id"`
	SPMetadataURL string `json:"sp_metadata_url"`
	RedirectURI   string `json:"redirect_uri"`
	PostLogout    string `json:"post_logout_redirect_uri"`
	Backchannel   string `json:"backchannel_logout_uri"`
	TestURL       string `json:"test_url"`
}

// identityProvider is how a user and the tests use the pages of a provider.
type identityProvider interface {
	setUser(u account)
	signIn(b *tab, u account, name string) // on the page where Slipway sends the browser
	confirmSignOut(b *tab)                 // after Slipway has sent the browser, if the provider asks
	signOut(b *tab)                        // on the pages of the provider
	asks(b *tab) bool                      // whether the page asks for the password
}

// onTwoNodes runs a test on both databases, each with two servers and in another look.
func onTwoNodes(t *testing.T, test func(t *testing.T, s *server, l look)) {
	t.Run("SQLite", func(t *testing.T) { test(t, startNodes(t, testkit.OnSQLite(t)), looks[0]) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, startNodes(t, testkit.OnPostgres(t)), looks[3]) })
}

const domain = "harbor.example.com"

// connect adds a connection to a dealership with the fleet plan.
func connect(s *server, body map[string]any) (c connection) {
	s.Exec(`UPDATE dealerships SET plan = 'fleet'`)
	body["domains"], body["jit"], body["support_contact"] = []string{domain}, true, "it@"+domain
	body["group_mapping"] = []map[string]string{
		{"group": "Boat Sales", "role_id": s.RoleID("sales")}, {"group": "Back Office", "role_id": s.RoleID("finance")},
	}
	s.Test.Post("/v1/sso_connections", body, 201, &c)
	s.Exec(`UPDATE sso_domains SET verified_at = ?, verified_by = 'operator' WHERE domain = ?`, s.DB.Now(), domain)
	return c
}

// at returns an address that the API returned, on the host that the browser uses.
func (s *server) at(address string) string {
	_, path, _ := strings.Cut(address, "/sso/")
	return s.url + "/sso/" + path
}

// roles returns the names of the roles of the user, or nil if there is no user.
func roles(s *server, email string) (names []string) {
	var list struct {
		Data []struct {
			Email string
			Roles []struct{ Name string }
		}
	}
	s.Test.Get("/v1/users?limit=100", 200, &list)
	for _, u := range list.Data {
		if u.Email == email {
			names = []string{}
			for _, r := range u.Roles {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// A user signs in for the first time, signs out, changes the group, and loses access.
// The session ends at both sides, whichever side starts the logout.
func testProvider(t *testing.T, s *server, l look, name string, idp identityProvider) {
	kim := account{ID: "kim-1", Email: "kim@" + domain, Name: "Kim Roe", Groups: []string{"Boat Sales"}}
	idp.setUser(kim)
	b := open(t, s, l)

	t.Log("first sign-in")
	b.startAt(kim.Email, name)
	idp.signIn(b, kim, name)
	b.waitFor(s.url + "/oauth/account")
	b.review(name + "-account")
	assert.Equal(t, roles(s, kim.Email), []string{"sales"})

	t.Log("sign-out at Slipway")
	b.visit("/oauth/sign-out")
	b.want("Sign out?", name+"-sign-out")
	b.click("main button")
	idp.confirmSignOut(b)
	b.waitFor(s.url + "/sso/")
	b.want("You are signed out", name+"-signed-out")
	b.wantSignedOut()

	t.Log("sign-in with another group")
	kim.Groups = []string{"Back Office", "boat sales"}
	idp.setUser(kim)
	b.startAt(kim.Email, name)
	if !idp.asks(b) {
		t.Fatalf("the session at the provider has not ended:\n%s", b.text())
	}
	idp.signIn(b, kim, name+"-again")
	b.waitFor(s.url + "/oauth/account")
	assert.Equal(t, roles(s, kim.Email), []string{"finance"})

	t.Log("token for the API")
	b.visit("/sso/token?environment=test")
	b.want("Get a token for the API", name+"-token")
	b.click("main button")
	b.want("Your token", name+"-token-created")
	var token string
	b.run(chromedp.Text("code.secret", &token, chromedp.ByQuery))
	s.As(token).Get("/v1/me", 200, nil)

	t.Log("sign-out at the provider")
	idp.signOut(b)
	b.wantSignedOut()
	s.As(token).Get("/v1/me", 401, nil)

	t.Log("sign-in without a group")
	kim.Groups = []string{"Visitors"}
	idp.setUser(kim)
	b.startAt(kim.Email, name)
	idp.signIn(b, kim, name+"-denied")
	b.waitFor(s.url + "/sso/")
	b.want("You don't have access", name+"-no-access")
	assert.Contains(t, b.text(), "it@"+domain)
	b.wantSignedOut()
}

// startAt enters the email address and leaves for the provider.
func (b *tab) startAt(email, name string) {
	b.t.Helper()
	b.choose(email, name)
	b.waitFor(b.s.sites[0])
}

// choose enters the email address and chooses to sign in with the provider.
func (b *tab) choose(email, name string) {
	b.t.Helper()
	b.visit("/oauth/sign-in")
	b.fill("#email", email)
	b.click("main button")
	b.run(chromedp.WaitVisible(`main a[href*="/sso/"]`, chromedp.ByQuery))
	b.review(name + "-choice")
	b.run(chromedp.Click(`main a[href*="/sso/"]`, chromedp.ByQuery))
}

// wantSignedOut checks that the cookies of the browser no longer open the account.
func (b *tab) wantSignedOut() {
	b.t.Helper()
	b.visit("/oauth/account")
	if got := b.path(); !strings.HasPrefix(got, "/oauth/sign-in") {
		b.t.Fatalf("still signed in, at %s:\n%s", got, b.text())
	}
}

// An administrator tests the connection. The page shows what the provider sent, and
// the administrator stays signed in.
func testConnection(t *testing.T, s *server, l look, name string, c connection, idp identityProvider) {
	owner := s.Person("owner")
	lee := account{ID: "lee-2", Email: "lee@" + domain, Name: "Lee Fox", Groups: []string{"Boat Sales", "Visitors"}}
	idp.setUser(lee)
	b := open(t, s, l)
	b.signIn(owner.Email, testkit.Password)
	b.fill("#code", s.Code(owner.Secret))
	b.click("main button")

	b.run(chromedp.Navigate(s.at(c.TestURL)))
	b.review(name + "-test")
	b.click("main button")
	b.waitFor(s.sites[0])
	idp.signIn(b, lee, name+"-test")
	b.waitFor(s.url + "/sso/")
	b.want("The test succeeded", name+"-test-result")
	for _, part := range []string{lee.Email, lee.Name, "Boat Sales", "sales"} {
		assert.Contains(t, b.text(), part)
	}
	if got := roles(s, lee.Email); got != nil {
		t.Errorf("the test created a user with the roles %v", got)
	}
	b.visit("/oauth/account")
	assert.Contains(t, b.text(), owner.Email)
}

type simpleSAMLphp struct{ *provider }

// harborSAML is a connection to SimpleSAMLphp, which always encrypts with AES-128-CBC.
func harborSAML(p *provider) map[string]any {
	return map[string]any{"name": "Harbor SAML", "idp_metadata_url": p.url + "/saml2/idp/metadata.php", "allow_cbc": true}
}

func TestSSOWithSimpleSAMLphp(t *testing.T) {
	onTwoNodes(t, func(t *testing.T, s *server, l look) {
		p := startSimpleSAMLphp(t, "HTTP-Redirect")
		s.sites = []string{p.url + "/"}
		c := connect(s, harborSAML(p))
		p.write("service.xml", p.get(s.at(c.SPMetadataURL)))
		testProvider(t, s, l, "saml", simpleSAMLphp{p})
		testConnection(t, s, l, "saml", c, simpleSAMLphp{p})
	})
}

// The login is a form that the user sends to the provider. Its policy must allow this.
func TestSSOByPost(t *testing.T) {
	s := startNodes(t, testkit.OnSQLite(t))
	p := startSimpleSAMLphp(t, "HTTP-POST")
	s.sites = []string{p.url + "/"}
	c := connect(s, harborSAML(p))
	p.write("service.xml", p.get(s.at(c.SPMetadataURL)))
	kim := account{ID: "kim-1", Email: "kim@" + domain, Name: "Kim Roe", Groups: []string{"Boat Sales"}}
	p.setSAMLUser(kim)

	b := open(t, s, looks[0])
	b.choose(kim.Email, "post")
	b.waitFor(s.url + "/sso/")
	b.want("Continue to Harbor SAML", "post-continue")
	b.run(chromedp.Click("main button", chromedp.ByQuery))
	b.waitFor(p.url)
	simpleSAMLphp{p}.signIn(b, kim, "post")
	b.waitFor(s.url + "/oauth/account")
	assert.Equal(t, roles(s, kim.Email), []string{"sales"})
}

// A login that starts at the provider only works where it is allowed.
func TestSSOStartsAtProvider(t *testing.T) {
	s := startNodes(t, testkit.OnSQLite(t))
	p := startSimpleSAMLphp(t, "HTTP-Redirect")
	s.sites = []string{p.url + "/"}
	c := connect(s, harborSAML(p))
	p.write("service.xml", p.get(s.at(c.SPMetadataURL)))
	kim := account{ID: "kim-1", Email: "kim@" + domain, Name: "Kim Roe", Groups: []string{"Boat Sales"}}
	p.setSAMLUser(kim)
	start := p.url + "/saml2/idp/SSOService.php?spentityid=" + url.QueryEscape(s.at(c.SPEntityID))

	b := open(t, s, looks[0])
	b.run(chromedp.Navigate(start))
	simpleSAMLphp{p}.signIn(b, kim, "initiated")
	b.waitFor(s.url + "/sso/")
	b.want("The sign-in failed", "initiated-refused")
	assert.Equal(t, roles(s, kim.Email), nil)

	s.Test.Patch("/v1/sso_connections/"+c.ID, map[string]any{"allow_idp_initiated": true}, 200, nil)
	b.run(chromedp.Navigate(start)) // the user is still signed in there
	b.waitFor(s.url + "/oauth/account")
	assert.Equal(t, roles(s, kim.Email), []string{"sales"})
}

func (p simpleSAMLphp) setUser(u account) { p.setSAMLUser(u) }

func (p simpleSAMLphp) signIn(b *tab, u account, name string) {
	b.screenshot(name + "-provider")
	b.fill("#username", u.ID)
	b.fill("#password", testkit.Password)
	b.run(chromedp.Click("#submit_button, #regularsubmit button, button[type=submit]", chromedp.ByQuery))
}

func (p simpleSAMLphp) confirmSignOut(*tab) {}

func (p simpleSAMLphp) signOut(b *tab) {
	b.run(chromedp.Navigate(p.url + "/saml2/idp/SingleLogoutService.php?ReturnTo=" + url.QueryEscape(p.url+"/logout.php")))
	b.waitFor(p.url + "/logout.php")
	b.screenshot("saml-provider-signed-out")
}

func (p simpleSAMLphp) asks(b *tab) bool { return strings.Contains(b.text(), "password") }

type oidcProvider struct{ *provider }

func TestSSOWithOIDCProvider(t *testing.T) {
	onTwoNodes(t, func(t *testing.T, s *server, l look) {
		p := startOIDCProvider(t)
		s.sites = []string{p.url + "/", "https://fonts.googleapis.com/"} // its pages use a font
		const secret = "only-for-tests-0123456789abcdefghijklmnopqrstuvwxyz"
		c := connect(s, map[string]any{"name": "Harbor OIDC", "issuer": p.url, "client_id": "slipway", "client_secret": secret})
		p.setOIDCUser(account{})
		p.write("clients.json", []any{map[string]any{
			"client_id": "slipway", "client_secret": secret, "redirect_uris": []string{s.at(c.RedirectURI)},
			"post_logout_redirect_uris": []string{s.at(c.PostLogout)}, "backchannel_logout_uri": s.at(c.Backchannel),
			"backchannel_logout_session_required": true, "token_endpoint_auth_method": "client_secret_basic",
		}})
		testProvider(t, s, l, "oidc", oidcProvider{p})
		testConnection(t, s, l, "oidc", c, oidcProvider{p})
	})
}

func (p oidcProvider) setUser(u account) { p.setOIDCUser(u) }

// signIn enters a name, with any password, and allows the client to sign the user in.
func (p oidcProvider) signIn(b *tab, u account, name string) {
	b.screenshot(name + "-provider")
	b.run(chromedp.SetValue("input[name=login]", u.ID, chromedp.ByQuery)) // Slipway has sent the email address as a hint
	b.fill("input[name=password]", testkit.Password)
	b.click("button[type=submit]")
	if strings.HasPrefix(b.location(), p.url) {
		b.screenshot(name + "-provider-consent")
		b.run(chromedp.Click("button[type=submit]", chromedp.ByQuery))
	}
}

func (p oidcProvider) confirmSignOut(b *tab) {
	b.waitFor(p.url)
	b.screenshot("oidc-provider-sign-out")
	b.run(chromedp.Click("button[value=yes]", chromedp.ByQuery))
}

func (p oidcProvider) signOut(b *tab) {
	b.run(chromedp.Navigate(p.url + "/session/end"))
	b.click("button[value=yes]")
	b.screenshot("oidc-provider-signed-out")
}

func (p oidcProvider) asks(b *tab) bool {
	var found bool
	b.run(chromedp.Evaluate(`document.querySelector("input[name=password]") !== null`, &found))
	return found
}
