package access

import (
	"slices"
	"testing"
)

// Security keys belong to the host of the sign-in pages, which can differ from the
// host of the API.
func TestRelyingParty(t *testing.T) {
	for name, c := range map[string]struct {
		authURL, baseURL, id string
		origins              []string
	}{
		"same host":  {"https://api.example.com/oauth", "https://api.example.com", "api.example.com", []string{"https://api.example.com"}},
		"other host": {"https://auth.example.com", "https://api.example.com", "auth.example.com", []string{"https://auth.example.com", "https://api.example.com"}},
		"port":       {"http://localhost:8080/oauth", "http://localhost:8080", "localhost", []string{"http://localhost:8080"}},
		"default":    {"", "https://api.example.com", "api.example.com", []string{"https://api.example.com"}},
	} {
		rp, err := relyingParty(c.authURL, c.baseURL)
		if err != nil || rp.Config.RPID != c.id || !slices.Equal(rp.Config.RPOrigins, c.origins) {
			t.Errorf("%s: got %s and %v, %v; want %s and %v", name, rp.Config.RPID, rp.Config.RPOrigins, err, c.id, c.origins)
		}
	}
}
