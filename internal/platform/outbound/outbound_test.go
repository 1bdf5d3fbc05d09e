package outbound_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/outbound"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

// What names resolve to does not matter: the address that is dialed does.
func TestPrivateAddressesAreRefused(t *testing.T) {
	served := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	defer served.Close()
	_, port, _ := net.SplitHostPort(served.Listener.Addr().String())
	client := outbound.New(2*time.Second, false)
	for _, host := range []string{
		"127.0.0.1", "localhost", "0.0.0.0", "127.1", "10.0.0.1", "172.16.0.1", "192.168.1.1",
		"169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]",
		"[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[2002:7f00:1::]",
	} {
		res, err := client.Get("http://" + host + ":" + port) //nolint:noctx // has a timeout
		if err == nil {
			res.Body.Close()
		}
		if host == "127.1" && err != nil && !errors.Is(err, outbound.ErrPrivateAddress) {
			continue // no name server takes it for a number
		}
		if !errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("%s: got %v, want the error outbound.ErrPrivateAddress", host, err)
		}
	}
}

// No setting lets a webhook read the credentials of the machine from the metadata
// service of a cloud.
func TestMetadataServices(t *testing.T) {
	client := outbound.New(2*time.Second, true)
	for _, host := range []string{"169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "100.100.100.200", "169.254.170.2", "168.63.129.16"} {
		res, err := client.Get("http://" + host + "/latest/meta-data/") //nolint:noctx // has a timeout
		if err == nil {
			res.Body.Close()
		}
		if !errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("%s: got %v, want the error outbound.ErrPrivateAddress", host, err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer inner.Close()
	outer := httptest.NewServer(http.RedirectHandler(inner.URL, http.StatusTemporaryRedirect))
	defer outer.Close()
	res, err := outbound.New(time.Second, true).Get(outer.URL) //nolint:noctx // has a timeout
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	assert.Equal(t, res.StatusCode, http.StatusTemporaryRedirect, res.Status)
}

func TestCheckURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://example.com/hook":          "",
		"http://example.com":                "https",
		"ftp://example.com":                 "format",
		"https://":                          "format",
		"https://:443/":                     "format",
		"//example.com":                     "format",
		"example.com":                       "format",
		"https://user:pass@example.com":     "format",
		"https://example.com/#part":         "format",
		"https://exa mple.com":              "format",
		"https://example.com/\x00":          "format",
		"javascript:alert(1)":               "format",
		"https://example.com:8443/hook":     "",
		"https://example.com:22/":           "port",
		"https://example.com:25/":           "port",
		"https://example.com:5432/":         "port",
		"https://example.com:6379/":         "port",
		"https://example.com:0/":            "port",
		"https://example.com:99999/":        "port",
		"https://" + strings.Repeat("[", 9): "format",
	} {
		var bad fault.Fields
		outbound.CheckURL(&bad, "url", raw, true)
		got := ""
		if len(bad) > 0 {
			got = bad[0].Code
		}
		if got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
	var bad fault.Fields
	if outbound.CheckURL(&bad, "url", "http://example.com", false); len(bad) > 0 {
		t.Errorf("got %v, want len(bad) <= 0", bad)
	}
}
