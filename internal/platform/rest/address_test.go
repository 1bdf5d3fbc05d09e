package rest

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"slipway/internal/testkit/assert"
)

func TestAddress(t *testing.T) {
	behind := &Router{Config: Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}}}
	for name, tt := range map[string]struct {
		router    *Router
		remote    string
		forwarded []string
		want      string
	}{
		"no proxy":                  {&Router{}, "203.0.113.7:4711", nil, "203.0.113.7"},
		"an unknown client's claim": {&Router{}, "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7"},
		"not through the proxy":     {behind, "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7"},
		"one proxy":                 {behind, "10.0.0.1:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		"two proxies":               {behind, "10.0.0.1:4711", []string{"198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		"two headers":               {behind, "10.0.0.1:4711", []string{"198.51.100.1", "10.0.0.2"}, "198.51.100.1"},
		"a claim before the proxy":  {behind, "10.0.0.1:4711", []string{"192.0.2.9, 198.51.100.1"}, "198.51.100.1"},
		"a proxy without a header":  {behind, "10.0.0.1:4711", nil, "10.0.0.1"},
		"nonsense":                  {behind, "10.0.0.1:4711", []string{"198.51.100.1, <script>"}, "10.0.0.1"},
		"mapped":                    {behind, "[::ffff:10.0.0.1]:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		"version 6":                 {behind, "[::1]:4711", []string{"2001:db8::1"}, "2001:db8::1"},
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req.RemoteAddr = tt.remote
		req.Header["X-Forwarded-For"] = tt.forwarded
		assert.Equal(t, tt.router.address(req), tt.want, name)
	}
}
