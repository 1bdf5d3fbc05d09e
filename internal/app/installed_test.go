package app

import (
	"strings"
	"testing"
)

func TestAddressMismatch(t *testing.T) {
	for name, c := range map[string]struct{ base, listen, want string }{
		"same port":             {"http://localhost:8080", "127.0.0.1:8080", ""},
		"other port":            {"http://localhost:8080", "127.0.0.1:9000", "listens on port 9000"},
		"default port":          {"http://localhost", "127.0.0.1:80", ""},
		"other default port":    {"http://127.0.0.1", "127.0.0.1:8080", "listens on port 8080"},
		"all addresses":         {"http://localhost:8080", "[::]:8080", "from other machines"},
		"IPv6":                  {"http://[::1]:8080", "[::1]:8080", ""},
		"behind a proxy":        {"https://api.example.com", "127.0.0.1:8080", ""},
		"on a public interface": {"https://api.example.com", "0.0.0.0:443", ""},
	} {
		got := addressMismatch(c.base, c.listen)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestCheckTLS(t *testing.T) {
	const base = "https://api.example.com"
	for name, c := range map[string]struct {
		set  Settings
		want string
	}{
		"none":               {Settings{BaseURL: "http://localhost:8080"}, ""},
		"a proxy":            {Settings{BaseURL: base}, ""},
		"files":              {Settings{BaseURL: base, TLSCert: "c", TLSKey: "k"}, ""},
		"files and redirect": {Settings{BaseURL: base, TLSCert: "c", TLSKey: "k", HTTPRedirect: ":80"}, ""},
		"ACME":               {Settings{BaseURL: base, ACMEDomains: []string{"www.example.com", "api.example.com"}}, ""},
		"ACME, no redirect":  {Settings{BaseURL: base, ACMEDomains: []string{"api.example.com"}, HTTPRedirect: "off"}, ""},

		"no key":           {Settings{BaseURL: base, TLSCert: "c"}, "SLIPWAY_TLS_KEY: set both"},
		"files and ACME":   {Settings{BaseURL: base, TLSCert: "c", TLSKey: "k", ACMEDomains: []string{"api.example.com"}}, "only one of them"},
		"plain base URL":   {Settings{BaseURL: "http://api.example.com", TLSCert: "c", TLSKey: "k"}, "must start with https://"},
		"redirect to HTTP": {Settings{BaseURL: "http://api.example.com", HTTPRedirect: ":80"}, "must start with https://"},
		"other domain":     {Settings{BaseURL: base, ACMEDomains: []string{"www.example.com"}}, "must contain api.example.com"},
		"address":          {Settings{BaseURL: base, ACMEDomains: []string{"api.example.com", "192.0.2.1"}}, `"192.0.2.1" is not a domain`},
		"wildcard":         {Settings{BaseURL: base, ACMEDomains: []string{"api.example.com", "*.example.com"}}, `"*.example.com" is not a domain`},
		"bad redirect":     {Settings{BaseURL: base, HTTPRedirect: "80"}, "SLIPWAY_HTTP_REDIRECT"},
	} {
		c.set.Data, c.set.Listen, c.set.LiveRate, c.set.TestRate, c.set.AddressRate = "x", "127.0.0.1:0", 1, 1, 1
		err := c.set.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
}

// One server can lock a data folder. Another one learns which process has it.
func TestLockFolder(t *testing.T) {
	folder := t.TempDir()
	unlock, err := lockFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockFolder(folder); err == nil || !strings.Contains(err.Error(), "(process ") {
		t.Errorf("got error %v for the second lock, want one with the process", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = lockFolder(folder)
	if err != nil {
		t.Fatalf("got error %v after the lock was released, want none", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}
