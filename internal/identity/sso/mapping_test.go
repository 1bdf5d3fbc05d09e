package sso

import (
	"strings"
	"testing"
	"time"
)

// A personal Google account can have a work address, so the domain must manage it.
func TestCheckEmail(t *testing.T) {
	now := time.Now()
	c := Connection{Verifications: []Verification{{Domain: "acme.example.com", VerifiedAt: &now}, {Domain: "new.example.com"}}}
	for name, test := range map[string]struct {
		issuer, email string
		attributes    map[string][]string
		problem       string // "": accepted
	}{
		"verified domain":           {"https://id.example.com", "kim@acme.example.com", nil, ""},
		"domain in upper case":      {"https://id.example.com", "kim@ACME.example.com", nil, ""},
		"unverified domain":         {"https://id.example.com", "kim@new.example.com", nil, "is not verified"},
		"other domain":              {"https://id.example.com", "kim@evil.example", nil, "not a domain of this connection"},
		"Google, managed":           {googleIssuer, "kim@acme.example.com", map[string][]string{"hd": {"acme.example.com"}}, ""},
		"Google, personal":          {googleIssuer, "kim@acme.example.com", nil, "claim hd"},
		"Google, managed elsewhere": {googleIssuer, "kim@acme.example.com", map[string][]string{"hd": {"evil.example"}}, "claim hd"},
	} {
		id := identity{Issuer: test.issuer, Subject: "1", Attributes: map[string][]string{"email": {test.email}}}
		for k, v := range test.attributes {
			id.Attributes[k] = v
		}
		got := c.checkEmail(id, c.read(id))
		if (got == "") != (test.problem == "") || !strings.Contains(got, test.problem) {
			t.Errorf("%s: got %q, want %q", name, got, test.problem)
		}
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		at   time.Time
		want time.Duration
	}{
		"not set":     {time.Time{}, 12 * time.Hour},
		"8 hours":     {now.Add(8 * time.Hour), 8 * time.Hour},
		"in the past": {now.Add(-time.Hour), time.Minute},
		"a year":      {now.AddDate(1, 0, 0), 30 * 24 * time.Hour},
	} {
		if got := (identity{ExpiresAt: c.at}).expiry(now).Sub(now); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
