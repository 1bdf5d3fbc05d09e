package identity

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The audit log and the events contain no credentials.
func TestSecretsAreNotLogged(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		secrets := map[string]string{
			"the password": "a password of the user", "a wrong password": "a guess at the password", "the owner's TOTP secret": s.Owner.TestTOTPSecret,
		}
		var key, next, admin access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &key)
		s.Test.Post("/v1/api_keys/"+key.ID+"/rotate", nil, 201, &next)
		s.Test.Post("/v1/api_keys/"+key.ID+"/revoke", nil, 200, nil)
		s.As(key.Key).Get("/v1/me", 401, nil)
		secrets["a key"], secrets["a rotated key"] = strings.TrimPrefix(key.Key, key.Prefix), strings.TrimPrefix(next.Key, next.Prefix)

		id := s.Test.User(map[string]any{"email": "uma@example.com", "role_ids": []string{s.RoleID("owner")}, "mfa_token": s.Test.Proof()})
		link := s.InvitationLinks("uma@example.com", 1)[0]
		secrets["the invitation"] = link[strings.LastIndex(link, "/")+1:]
		form := url.Values{"password": {secrets["the password"]}}
		accepted, err := http.PostForm(s.URL+link, form) //nolint:noctx // the server is closed with the test
		if err != nil {
			t.Fatal(err)
		}
		defer accepted.Body.Close()
		assert.Equal(t, accepted.StatusCode, 200, "accept the invitation")

		var first access.SignedIn
		s.As("").Post("/oauth/sessions", signIn("uma@example.com", "password", secrets["the password"]), 201, &first)
		uma := &testkit.Person{Client: s.As(first.Token), ID: id}
		e, factor := enroll(uma, "totp")
		secrets["the TOTP secret"], secrets["a code"] = *e.Secret, code(t, s, *e.Secret)
		var proof access.MFAProof
		uma.Post(factor+"/verify", map[string]any{"code": secrets["a code"]}, 200, &proof)
		secrets["an MFA token"], secrets["a recovery code"] = *proof.MFAToken, proof.RecoveryCodes[0]
		uma.Post(factor+"/verify", map[string]any{"code": secrets["a recovery code"]}, 200, nil)
		uma.Post(factor+"/verify", map[string]any{"code": wrongCode(t, s, *e.Secret)}, 422, nil)
		s.Test.Post("/v1/api_keys", map[string]any{
			"name": "Operations", "scopes": []string{"admin"}, "mfa_token": secrets["an MFA token"],
		}, 201, &admin)
		secrets["an admin key"] = strings.TrimPrefix(admin.Key, admin.Prefix)

		s.As("").Post("/oauth/sessions", signIn("uma@example.com", "password", secrets["a wrong password"]), 401, nil)
		var in access.SignedIn
		body := signIn("uma@example.com", "password", secrets["the password"], "totp_code", code(t, s, *e.Secret))
		s.As("").Post("/oauth/sessions", body, 201, &in)
		secrets["a session"] = in.Token[len("st_test_")+16:]
		s.As(in.Token).Delete("/oauth/sessions/current", 204)
		uma.With("MFA-Token", mfaToken(uma.Client, factor, code(t, s, *e.Secret))).Delete(factor, 204)
		s.Test.Post("/v1/users/"+id+"/deactivate", map[string]any{"mfa_token": s.Test.Proof()}, 200, nil)
		settle(t, s)

		entries := testkit.Rows[string](s,
			`SELECT id || actor_label || action || target_id || COALESCE(user_agent, '') || changes FROM audit_entries`)
		text := strings.Join(append(entries, testkit.Rows[string](s, `SELECT data FROM {emitted}`)...), "\n")
		for what, secret := range secrets {
			if len(secret) < 6 || strings.Contains(text, secret) || strings.Contains(text, strings.ReplaceAll(secret, "-", "")) {
				t.Errorf("got %s (%q) in the text or shorter than 6 characters", what, secret)
			}
		}
		for _, hash := range testkit.Rows[string](s, `SELECT password_hash FROM users WHERE password_hash IS NOT NULL`) {
			assert.Excludes(t, text, hash, "password hash")
		}
		// The text must contain all these actions. Otherwise the test proves nothing.
		for _, action := range []string{
			"api_key.created", "api_key.rotated", "api_key.revoked", "user.provisioned", "user.activated", "mfa_factor.enrolled",
			"mfa_factor.verified", "recovery_code.used", "auth.failed", "session.started", "session.ended", "mfa_factor.removed", "user.deactivated",
		} {
			assert.Contains(t, text, action, "entry")
		}
	})
}
