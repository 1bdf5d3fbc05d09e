package clilogin

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

func TestParseRequest(t *testing.T) {
	valid := url.Values{
		"redirect_uri": {"http://127.0.0.1:4321/callback"}, "state": {strings.Repeat("s", 26)}, "host": {"office"},
		"code_challenge": {strings.Repeat("c", 43)}, "code_challenge_method": {"S256"},
	}
	for _, c := range []struct {
		name, value string
		ok          bool
	}{
		{"host", "", true},
		{"redirect_uri", "http://[::1]:80/callback", true},
		{"redirect_uri", "", false},
		{"redirect_uri", "https://127.0.0.1:4321/callback", false},
		{"redirect_uri", "http://127.0.0.1/callback", false},
		{"redirect_uri", "http://127.0.0.1:0/callback", false},
		{"redirect_uri", "http://127.0.0.1:80/callback?x=1", false},
		{"redirect_uri", "http://127.0.0.1:80/callback#x", false},
		{"redirect_uri", "http://127.0.0.2:80/callback", false},
		{"redirect_uri", "http://localhost:80/callback", false},
		{"redirect_uri", "http://127.0.0.1.example.com:80/callback", false},
		{"redirect_uri", "http://127.0.0.1:80@example.com/callback", false},
		{"code_challenge_method", "plain", false},
		{"code_challenge_method", "", false},
		{"code_challenge", strings.Repeat("c", 42), false},
		{"state", "", false},
		{"state", strings.Repeat("s", 201), false},
	} {
		q := url.Values{}
		for name, values := range valid {
			q[name] = values
		}
		q.Set(c.name, c.value)
		if _, problem := parseRequest(q); (problem == "") != c.ok {
			t.Errorf("%s=%s: got %q, want it to be valid: %t", c.name, c.value, problem, c.ok)
		}
	}
	valid["state"] = append(valid["state"], "again")
	if _, problem := parseRequest(valid); problem == "" {
		t.Error("got no problem for a repeated parameter")
	}
}

func TestHostName(t *testing.T) {
	for text, want := range map[string]string{
		"harbor-office": "harbor-office", "": "unknown machine", "\u202eecart": "ecart", "a\nb": "ab", strings.Repeat("x", 99): strings.Repeat("x", 60),
	} {
		assert.Equal(t, hostName(text), want, text)
	}
}

// The verifier and the challenge are those of RFC 7636, appendix B.
func TestCheck(t *testing.T) {
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	now := time.Date(2026, 5, 1, 14, 0, 0, 0, time.UTC)
	c := code{Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", RedirectURI: "http://127.0.0.1:1/callback", ExpiresAt: now.Add(codeLifetime)}
	for _, test := range []struct {
		verifier, redirect string
		after              time.Duration
		ok                 bool
	}{
		{verifier, c.RedirectURI, 0, true},
		{verifier, c.RedirectURI, codeLifetime - 1, true},
		{verifier, c.RedirectURI, codeLifetime, false},
		{verifier, "http://127.0.0.1:2/callback", 0, false},
		{verifier[:42], c.RedirectURI, 0, false},
		{strings.Repeat("x", 43), c.RedirectURI, 0, false},
		{"", c.RedirectURI, 0, false},
	} {
		if err := c.check(test.verifier, test.redirect, now.Add(test.after)); (err == nil) != test.ok {
			t.Errorf("%+v: got %v, want no error: %t", test, err, test.ok)
		}
	}
}

func TestBlocked(t *testing.T) {
	held := []auth.Scope{auth.HullsRead}
	for _, c := range []struct {
		name   string
		status people.UserStatus
		scopes []auth.Scope
		want   string
	}{
		{"allowed", people.Active, held, ""},
		{"nothing chosen", people.Active, nil, "Choose at least one scope."},
		{"more than the user has", people.Active, []auth.Scope{auth.HullsRead, auth.HullsWrite}, "You don't have the scope hulls:write."},
		{"deactivated", people.Deactivated, held, "Your account is not active."},
	} {
		if got := blocked(people.User{Status: c.status}, held, c.scopes); !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
