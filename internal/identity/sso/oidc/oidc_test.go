package oidc_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/sso/oidc"
	"slipway/internal/identity/sso/oidc/oidctest"
)

// exchange goes through a sign-in at a provider.
func exchange(t *testing.T, p *oidctest.Provider, wanted ...string) (oidc.Identity, error) {
	t.Helper()
	provider, err := oidc.Discover(t.Context(), http.DefaultClient, p.Issuer)
	if err != nil {
		t.Fatal(err)
	}
	c := oidc.Client{
		Provider: provider, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RedirectURL: "http://localhost/cb", Now: time.Now,
	}
	verifier := strings.Repeat("v", 43)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(c.LoginURL("state", "nonce", verifier)) //nolint:noctx // ends with the server
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	back, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	code, err := c.CheckReply(back.Query())
	if err != nil {
		t.Fatal(err)
	}
	return c.Exchange(t.Context(), code, verifier, "nonce", wanted)
}

// An email address is verified only if no source says otherwise. The address and the
// claim can come from different sources.
func TestEmailVerifiedOfTwoSources(t *testing.T) {
	const address, verified = "email", "email_verified"
	type claims = map[string]any
	for name, c := range map[string]struct {
		token, info claims
		want        any
	}{
		"both in the ID token":              {claims{address: "a@b.c", verified: true}, claims{verified: false}, true},
		"only userinfo":                     {nil, claims{address: "a@b.c", verified: true}, true},
		"true, but userinfo says false":     {claims{verified: true}, claims{address: "a@b.c", verified: false}, false},
		"true, but userinfo says \"false\"": {claims{verified: true}, claims{address: "a@b.c", verified: "false"}, "false"},
		"false, but userinfo says true":     {claims{verified: false}, claims{address: "a@b.c", verified: true}, false},
		"address of the ID token alone":     {claims{address: "a@b.c"}, claims{address: "x@y.z", verified: true}, nil},
	} {
		p := oidctest.Start(t)
		p.Claims, p.UserInfo = c.token, c.info
		id, err := exchange(t, p, "email", "groups")
		if err != nil || id.Claims["email"] != "a@b.c" || id.Claims["email_verified"] != c.want {
			t.Errorf("%s: got %v and %v, %v; want a@b.c and %v", name, id.Claims["email"], id.Claims["email_verified"], err, c.want)
		}
	}
}

// A discovery document can't send a browser or this server to another kind of address.
func TestDiscovery(t *testing.T) {
	for name, c := range map[string]struct{ document, want string }{
		"other issuer": {`{"issuer": "https://evil.example"}`, "calls itself"},
		"script": {`{"issuer": "ISSUER", "authorization_endpoint": "javascript:alert(1)", "token_endpoint": "http://x/",
			"jwks_uri": "http://x/"}`, "not an https URL"},
		"no key set":       {`{"issuer": "ISSUER", "authorization_endpoint": "http://x/", "token_endpoint": "http://x/"}`, "has no jwks_uri"},
		"not JSON":         {`<html>`, "could not be read"},
		"larger than 1 MB": {`{"x": "` + strings.Repeat("x", 2<<20) + `"}`, "could not be read"},
	} {
		var server *httptest.Server
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.ReplaceAll(c.document, "ISSUER", server.URL)))
		}))
		_, err := oidc.Discover(t.Context(), http.DefaultClient, server.URL)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		server.Close()
	}
}
