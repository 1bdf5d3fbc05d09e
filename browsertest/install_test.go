package browsertest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"slipway/internal/testkit"
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
	verifier := strings.Repeat("verifier-", 6)
	challenge := sha256.Sum256([]byte(verifier))
	link := "/oauth/authorize?" + url.Values{
		"client_id": {app.ClientID}, "scope": {"hulls:read hulls:write"}, "state": {"state-1"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode()

	b := open(t, s, desk)
	b.visit(link)
	b.signInHere(p)
	b.run(chromedp.WaitVisible(`button[value=allow]`, chromedp.ByQuery))
	b.review("consent")
	b.run(chromedp.Click(`button[value=allow]`, chromedp.ByQuery))
	landed := b.landed()
	if got := landed.Get("state"); got != "state-1" {
		t.Fatalf("got the state %q, want state-1", got)
	}

	var token struct {
		Access string `json:"access_token"`
	}
	res, err := http.PostForm(s.url+"/oauth/token", url.Values{ //nolint:noctx // ends with the server
		"grant_type": {"authorization_code"}, "code": {landed.Get("code")}, "code_verifier": {verifier},
		"client_id": {app.ClientID}, "client_secret": {app.Secret}, "redirect_uri": {s.other},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&token); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v; want a token", res.StatusCode, err)
	}
	s.As(token.Access).Get("/v1/hulls", 200, nil)

	again := open(t, s, desk)
	again.visit(link)
	again.signInHere(p)
	if again.landed().Get("code") == "" {
		t.Error("got no code for an app that was allowed before")
	}
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
