package browsertest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// An owner installs an app, from the link of the app to its first call of the API. The
// next time, signing in is enough.
func TestInstall(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("owner")
	var app struct {
		ClientID string `json:"client_id"`
		Secret   string `json:"client_secret"`
	}
	s.Test.Post("/v1/apps", map[string]any{
		"name": "Fleet Sync", "redirect_uris": []string{s.other}, "scopes": []string{"hulls:read", "hulls:write"},
		"homepage_url": "https://app.example.com",
	}, 201, &app)
	link := authorizeLink(url.Values{"client_id": {app.ClientID}, "scope": {"hulls:read hulls:write"}})

	b := open(t, s, desk)
	b.visit(link)
	b.signInHere(p)
	b.run(chromedp.WaitVisible(`button[value=allow]`, chromedp.ByQuery))
	b.review("consent")
	b.fill("#code", s.Code(p.Secret))
	b.run(chromedp.Click(`button[value=allow]`, chromedp.ByQuery))
	landed := b.landed()
	if got := landed.Get("state"); got != "state-1" {
		t.Fatalf("got the state %q, want state-1", got)
	}

	token := s.exchange(t, landed.Get("code"), url.Values{"client_id": {app.ClientID}, "client_secret": {app.Secret}})
	s.As(token).Get("/v1/hulls", 200, nil)

	again := open(t, s, desk)
	again.visit(link)
	again.signInHere(p)
	if again.landed().Get("code") == "" {
		t.Error("got no code for an app that was allowed before")
	}
}

// A person connects an assistant that the server doesn't know, and chooses the environment.
func TestConnectAssistant(t *testing.T) {
	t.Parallel()
	s := start(t)
	var id string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": id, "client_name": "Sloop Assistant", "redirect_uris": []string{s.other}})
	}))
	defer site.Close()
	id = site.URL + "/client.json"
	s.Activate(testkit.Rows[string](s.Server, `SELECT u.id FROM users u JOIN dealerships d ON d.env = u.env WHERE d.mode = 'live' ORDER BY u.env LIMIT 1`)[0])
	owner := &testkit.Person{Email: s.Owner.Email, Secret: s.Owner.LiveTOTPSecret}
	s.Test.Patch("/v1/dealership", `{"settings": {"allowed_apps": "owner_allowed"}}`, 200, nil)
	s.Live.Patch("/v1/dealership", `{"settings": {"allowed_apps": "owner_allowed"}}`, 200, nil)

	b := open(t, s, desk)
	b.visit(authorizeLink(url.Values{
		"client_id": {id}, "scope": {"hulls:read hulls:write leads:read leads:write deals:read"}, "redirect_uri": {s.other}, "resource": {s.url + "/mcp"},
	}))
	b.signInHere(owner)
	b.run(chromedp.WaitVisible(`button[value=allow]`, chromedp.ByQuery))
	for _, want := range []string{"Connect Sloop Assistant?", "Read contacts", "Change leads", "Propose messages for your approval", "It acts for you"} {
		assert.Contains(t, b.text(), want)
	}
	assert.Equal(t, strings.Count(b.text(), "Changes data"), 1, "scopes that change data; the others only propose")
	assert.Equal(t, evaluate[string](b, "document.querySelector('#environment').value"), "test", "the environment that is offered first")
	b.review("consent-assistant")
	b.fill("#code", s.Code(s.Owner.TestTOTPSecret))
	b.run(chromedp.Click(`button[value=allow]`, chromedp.ByQuery))
	token := s.exchange(t, b.landed().Get("code"), url.Values{"client_id": {id}})

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", strings.NewReader(
		`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find_boats", "arguments": {}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, res.StatusCode, 200)
	assert.Equal(t, res.Body.Close(), nil)
}

var verifier = strings.Repeat("verifier-", 6)

// authorizeLink returns the link where a user allows an app.
func authorizeLink(query url.Values) string {
	challenge := sha256.Sum256([]byte(verifier))
	query.Set("state", "state-1")
	query.Set("code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:]))
	query.Set("code_challenge_method", "S256")
	return "/oauth/authorize?" + query.Encode()
}

// exchange returns the access token for a code.
func (s *server) exchange(t *testing.T, code string, client url.Values) string {
	t.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {s.other}}
	maps.Copy(form, client)
	res, err := http.PostForm(s.url+"/oauth/token", form) //nolint:noctx // ends with the server
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var token struct {
		Access string `json:"access_token"`
	}
	if err := json.NewDecoder(res.Body).Decode(&token); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v; want a token", res.StatusCode, err)
	}
	return token.Access
}

// signInHere signs in at the page that the browser shows.
func (b *tab) signInHere(p *testkit.Person) {
	b.t.Helper()
	b.fill("#email", p.Email)
	b.click("main button")
	b.fill("#password", testkit.Password)
	b.click("main button")
	b.fill("#code", b.s.Code(p.Secret))
	b.run(chromedp.Click("main button", chromedp.ByQuery))
}

// landed waits until the browser is at the app, and returns the parameters that the
// app receives.
func (b *tab) landed() url.Values {
	b.t.Helper()
	var query string
	b.run(chromedp.WaitVisible(`//h1[text()="Landed"]`), chromedp.Evaluate("location.search.slice(1)", &query))
	values, err := url.ParseQuery(query)
	if err != nil {
		b.t.Fatal(err)
	}
	return values
}
