package identity

import (
	"strings"
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The secrets of providers are stored encrypted and are in no response, event or
// audit entry.
func TestInboundSecretsAreNotReturned(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const token, secret = "0123456789abcdef0123456789abcdef", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
		var d dealership.Dealership
		body := `{"settings":{"inbound":{"twilio_auth_token":"` + token + `","email_secret":"` + secret + `"}}}`
		res := s.Test.Patch("/v1/dealership", body, 200, &d)
		assert.Equal(t, d.Settings.Inbound.TwilioAuthTokenSetAt != nil, true)
		assert.Equal(t, d.Settings.Inbound.EmailSecretSetAt != nil, true)
		assert.Contains(t, d.Settings.Inbound.TwilioURL, "http://localhost/hooks/twilio/")
		assert.Contains(t, d.Settings.Inbound.EmailURL, "http://localhost/hooks/email/")

		seen := []string{string(res.Bytes), string(s.Test.Get("/v1/dealership", 200, nil).Bytes)}
		for _, query := range []string{`SELECT settings FROM dealerships`, `SELECT data FROM {emitted}`, `SELECT changes FROM audit_entries`} {
			seen = append(seen, testkit.Rows[string](s, query)...)
		}
		for _, sealed := range testkit.Rows[[]byte](s, `SELECT secret FROM inbound_secrets`) {
			seen = append(seen, string(sealed))
		}
		for _, text := range seen {
			assert.Excludes(t, text, token)
			assert.Excludes(t, text, strings.TrimPrefix(secret, "whsec_"))
		}
		assert.Contains(t, strings.Join(testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action = 'dealership.updated'`), ""),
			"twilio_auth_token_set_at")

		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"twilio_auth_token":null}}}`, 200, &d)
		assert.Equal(t, d.Settings.Inbound.TwilioAuthTokenSetAt, nil)
		assert.Equal(t, d.Settings.Inbound.EmailSecretSetAt != nil, true)
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM inbound_secrets`)[0], 1)
		for body, field := range map[string]string{
			`{"settings":{"inbound":{"twilio_auth_token":"short"}}}`:     "settings.inbound.twilio_auth_token",
			`{"settings":{"inbound":{"email_secret":"whsec_c2hvcnQ="}}}`: "settings.inbound.email_secret",
		} {
			assert.Equal(t, s.Test.Patch("/v1/dealership", body, 422, nil).Fault(t).Details[0].Field, field, body)
		}
	})
}
