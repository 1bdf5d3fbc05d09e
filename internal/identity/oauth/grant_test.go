package oauth

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

func TestMatchRedirectURI(t *testing.T) {
	registered := []string{"https://app.example.com/cb?a=1", "http://127.0.0.1:3000/cb", "http://[::1]/cb", "http://localhost/cb"}
	for uri, want := range map[string]bool{
		"https://app.example.com/cb?a=1":     true,
		"https://app.example.com/cb":         false,
		"https://app.example.com:443/cb?a=1": false,
		"http://127.0.0.1/cb":                true,
		"http://127.0.0.1:1/cb":              true,
		"http://127.0.0.1:65535/cb":          true,
		"http://[::1]:8080/cb":               true,
		"http://[::2]:8080/cb":               false,
		"http://localhost:8080/cb":           true,
		"http://localhost.:8080/cb":          false,
		"http://localhost:8080/cb#":          false,
		"http://localhost:8080/cb?":          false,
		"http://localhost:8080/":             false,
		"http://x@localhost:8080/cb":         false,
		"http://localhost:/cb":               false,
		"http://LOCALHOST/cb":                false,
	} {
		assert.Equal(t, matchRedirectURI(registered, uri), want, uri)
	}
}

// A redirect URI that passes the check leads where it says: its host has no
// characters that parsers treat differently, and the response keeps its query.
func FuzzRedirectURI(f *testing.F) {
	for _, seed := range []string{
		"https://app.example.com/cb", "http://127.0.0.1:1/cb", "http://[::1]:1/cb?x=1", "javascript:alert(1)", "https://a@b", "https://a\\b", "https://a;b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if checkRedirectURI(uri) != "" {
			if matchRedirectURI([]string{"https://app.example.com/cb", "http://127.0.0.1/cb"}, uri) {
				t.Errorf("%q is not valid, but matches", uri)
			}
			return
		}
		u, err := url.Parse(addParams(uri, url.Values{"code": {"x y&z"}}))
		if err != nil || u.Query().Get("code") != "x y&z" || (u.Scheme != "https" && !isLoopback(u.Hostname())) || u.User != nil || u.Fragment != "" {
			t.Errorf("%q: got %v %v", uri, u, err)
		}
		if source := formAction(uri); strings.ContainsAny(source, " ;,'\"") {
			t.Errorf("%q: got the source %q, which would change the policy", uri, source)
		}
	})
}

func TestVerifyPKCE(t *testing.T) {
	// The example of RFC 7636, appendix B.
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	for _, c := range []struct {
		challenge, verifier string
		want                bool
	}{
		{challenge, verifier, true},
		{challenge, verifier + "x", false},
		{challenge, "", false},
		{challenge, challenge, false},
		{verifier, verifier, false},
		{"", "", true},
		{"", verifier, false},
	} {
		assert.Equal(t, verifyPKCE(c.challenge, c.verifier), c.want, c.challenge, c.verifier)
	}
}

func TestScopes(t *testing.T) {
	got, unknown := parseScopes(" hulls:write  hulls:read hulls:read ")
	if want := []auth.Scope{auth.HullsRead, auth.HullsWrite}; !slices.Equal(got, want) || unknown != "" {
		t.Errorf("got %v %q, want %v", got, unknown, want)
	}
	if _, unknown := parseScopes("hulls:read openid"); unknown != "openid" {
		t.Errorf("got %q, want openid", unknown)
	}
	held := []auth.Scope{auth.HullsRead, auth.LeadsRead}
	if got := missing([]auth.Scope{auth.HullsRead, auth.Admin}, held); !slices.Equal(got, []auth.Scope{auth.Admin}) {
		t.Errorf("got %v, want admin", got)
	}
	if got := common(held, []auth.Scope{auth.LeadsRead, auth.Admin}); !slices.Equal(got, []auth.Scope{auth.LeadsRead}) {
		t.Errorf("got %v, want leads:read", got)
	}
}

func TestHasSecret(t *testing.T) {
	now := time.Now()
	secret, _ := token.New(token.ClientSecret, auth.Test, 1)
	old, _ := token.New(token.ClientSecret, auth.Test, 1)
	a := App{Type: Confidential, SecretHash: token.Hash(secret), OldSecretHash: token.Hash(old), OldSecretExpiresAt: new(now.Add(time.Second))}
	for text, want := range map[string]bool{secret: true, old: true, "": false, "x": false} {
		assert.Equal(t, a.hasSecret(text, now), want, text)
	}
	if a.hasSecret(old, now.Add(time.Second)) {
		t.Error("the old secret still works after it has expired")
	}
	if (App{}).hasSecret("", now) || (App{Type: Public}).hasSecret("", now) {
		t.Error("an app without a secret accepts one")
	}
}
