package identity

import (
	"testing"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// An attacker guesses what a user has to prove beyond the password: the signature of
// a security key, an MFA token, or a code on the command line. Each leaves an entry.
func TestGuessedSecondFactorsAreAudited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		e, path := enroll(p, "webauthn")
		elsewhere := newDevice(t)
		elsewhere.site.Origin = "https://localhost.example.com"
		p.Post(path+"/verify", map[string]any{"assertion": elsewhere.create(e.PublicKey)}, 422, nil)

		s.Test.Post("/v1/api_keys", map[string]any{"name": "A", "scopes": []string{"admin"}, "mfa_token": "mfa_guess"}, 403, nil)
		settle(t, s)
		var me access.Me
		s.Test.Get("/v1/me", 200, &me)

		_, err := access.IssueKeyFromCommandLine(t.Context(), s.DB, s.Box, access.CommandKey{DealershipID: me.Dealership.ID, Mode: auth.Test, Key: access.KeyRequest{Name: "A", Scopes: []auth.Scope{auth.Admin}}, By: access.Operator{Email: s.Owner.Email, Code: wrongCode(t, s, s.Owner.TOTPSecret(auth.Test))}})
		if err == nil {
			t.Fatal("got no error for a wrong code, want one")
		}

		owner := testkit.Rows[string](s, `SELECT id FROM users WHERE env = ? AND email = ?`, s.TestEnv(), s.Owner.Email)[0]
		for target, want := range map[string]string{p.ID: "authenticator", me.Credential.ID: "mfa_token", owner: "code"} {
			found := ""
			for _, f := range failures(s) {
				if f.target == target {
					found = f.entry.Changes["reason"][1].(string)
				}
			}
			assert.Contains(t, found, want, target)
		}
	})
}
