package clients

import (
	"encoding/json"
	"net/http"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The API reference asks who is signed in to the test environment. Only pages of this server get
// an answer, and nobody is no error.
func TestVisitorOfTheReference(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const path = "/console/api/visitor"
		nobody := s.Browser()
		nobody.Header = own("test")
		assert.Equal(t, nobody.Open(path).StatusCode, 204, "nobody")

		b := ownerBrowser(t, s)
		b.Header = own("test")
		assert.Equal(t, b.Open(path).StatusCode, 204, "only in live")
		b.Header = http.Header{}
		v := b.Open("/console/test?back=/docs/reference/acceptOffer")
		assert.Equal(t, v.Request.URL.Path, "/docs/reference/acceptOffer", "back to the operation")
		assert.Equal(t, b.Open("/console/test?back=https://evil.example/docs/reference").Request.URL.Path, "/console/test", "another site")

		b.Header = own("test")
		v = b.Open(path)
		var who struct {
			Name          string
			Roles, Scopes []string
		}
		assert.NoError(t, json.Unmarshal([]byte(v.Text), &who))
		if who.Name == "" || len(who.Scopes) < 8 || v.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("got %s, want the owner, and no cache", v.Text)
		}
		assert.Excludes(t, v.Text, "token")
		assert.Contains(t, b.Open("/console/api/v1/me").Text, `"environment":"test"`)
		for name, header := range map[string]http.Header{
			"another site": {"Slipway-Mode": {"test"}, "Sec-Fetch-Site": {"cross-site"}}, "a link": {"Sec-Fetch-Site": {"same-origin"}},
		} {
			b.Header = header
			assert.Equal(t, b.Open(path).StatusCode, 403, name)
		}
	})
}
