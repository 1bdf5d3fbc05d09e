package browsertest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"slipway/internal/identity/sso"
	"slipway/internal/identity/sso/oidc/oidctest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// The owner connects SCIM with a two-factor code, sees the token once, sees the role that
// waits for an administrator, and replaces and removes the token.
func TestProvisioning(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		idp := oidctest.Start(t)
		s.Exec(`UPDATE dealerships SET plan = 'fleet'`)
		var c sso.Connection
		s.Test.Post("/v1/sso_connections", map[string]any{
			"name": "Harbor SSO", "protocol": "oidc", "issuer": idp.Issuer, "client_id": oidctest.ClientID, "client_secret": oidctest.ClientSecret, "domains": []string{"acme.example.com"},
			"group_mapping": []map[string]string{{"group": "Owners", "role_id": s.Test.Role("admin", "hulls:read")}}, "mfa_token": s.Test.Proof(),
		}, 201, &c)
		s.VerifyDomain("acme.example.com")

		b := ownerAt(t, s, "settings/sso")
		b.read("Let your provider manage users")
		b.button("Create SCIM token")
		b.read("Enter the code of your authenticator app")
		b.set("Code", s.Code(s.Owner.TOTPSecret(auth.Test)))
		b.button("Verify")
		b.read("Slipway shows the token only once")
		b.wantDialogFits("console-scim-token")
		token := b.secret("scim_test_")
		b.check("I stored it in a safe place")
		b.button("Done")
		b.gone("Slipway shows the token only once")
		b.read("0 users, 0 groups. No changes yet.")

		provider := s.As(token).With("Content-Type", "application/scim+json")
		var kim struct{ ID string }
		provider.Post("/scim/v2/Users", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "kim@acme.example.com", "displayName": "Kim Vale", "active": true}`, 201, &kim)
		provider.Post("/scim/v2/Groups", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Owners", "members": [{"value": "`+kim.ID+`"}]}`, 201, nil)
		b.read("1 user, 1 group.") // by a live update
		b.read("Kim Vale: ")
		b.js(`document.querySelector(".sso-steps > :last-child").scrollIntoView()`)
		b.review("console-scim")

		b.button("Replace SCIM token")
		b.read("The current token stops working immediately.")
		b.button("Replace token")
		b.set("Code", s.Code(s.Owner.TOTPSecret(auth.Test)))
		b.button("Verify")
		b.read("Slipway shows the token only once")
		second := b.secret("scim_test_")
		b.check("I stored it in a safe place")
		b.button("Done")
		status := func(token string) int {
			t.Helper()
			res, err := s.As(token).Send(http.MethodGet, "/scim/v2/Users", nil)
			assert.NoError(t, err)
			return res.StatusCode
		}
		assert.Equal(t, status(token), 401, "the first token")
		assert.Equal(t, status(second), 200, "the second token")

		b.button("Remove SCIM token")
		b.button("Remove token")
		b.read("Create SCIM token")
		assert.Equal(t, status(second), 401, "the removed token")
		assert.Equal(t, testkit.Rows[string](s.Server, `SELECT status FROM users WHERE email = 'kim@acme.example.com'`), []string{"active"}, "users stay")
	})
}

// secret returns the secret in the dialog.
func (b *tab) secret(prefix string) (text string) {
	b.t.Helper()
	b.run(chromedp.Evaluate(`[...document.querySelectorAll("dialog code")].map((c) => c.innerText).find((t) => t.startsWith("`+prefix+`")) ?? ""`, &text))
	if !strings.HasPrefix(text, prefix) {
		b.t.Fatalf("got %q, want a secret that starts with %s", text, prefix)
	}
	return text
}
