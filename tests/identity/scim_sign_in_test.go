package identity

import (
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A user that the provider created signs in without an email to confirm, and gets the roles
// of the groups that were sent with SCIM if the sign-in has none.
func TestSCIMSignIn(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		p.change(map[string]any{"jit": false})
		ann := p.add("ann", nil)
		g := p.group("Sales", ann.ID)
		p.idp.Claims = map[string]any{"email": "ann@" + domain, "email_verified": true, "name": "Ann"}
		b := p.Browser()
		wantSignedIn(t, p.signIn(b), "ann@"+domain)
		assert.Equal(t, p.roles(ann.ID), "sales")
		if u := p.user("ann@" + domain); u.SSOSubject == nil {
			t.Error("the identity is not linked")
		}

		// The groups of a sign-in are newer.
		p.idp.Claims["groups"] = []string{"Managers"}
		wantSignedIn(t, p.signIn(b), "ann@"+domain)
		assert.Equal(t, p.roles(ann.ID), "manager")

		// Without a role, the sessions end.
		p.idp.Claims["groups"] = nil
		p.do("DELETE", "/Groups/"+g.ID, nil, 204)
		assert.Equal(t, p.roles(ann.ID), "")
		assert.Equal(t, isSignedIn(b, p.Server), false)
	})
}

// A user who existed before must still confirm the link by email.
func TestSCIMSignInOfExistingUser(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		old := p.Person("sales")
		p.Exec(`UPDATE users SET email = 'old@acme.example.com' WHERE id = ?`, old.ID)
		p.do("PATCH", "/Users/"+old.ID, ops(`[{"op": "add", "path": "externalId", "value": "00u1"}]`), 200)
		p.idp.Claims = map[string]any{"email": "old@" + domain, "email_verified": true, "groups": []string{"Sales"}}
		v := p.signIn(p.Browser())
		assert.Contains(t, v.Text, "email")
		if u := p.user("old@" + domain); u.SSOSubject != nil {
			t.Error("the identity was linked without a confirmation")
		}
	})
}

// active: false and DELETE end everything that acts for the user, with the request.
func TestSCIMEndsAccess(t *testing.T) {
	eachProvider(t, func(t *testing.T, p *provider) {
		for name, end := range map[string]func(p *provider, id string){
			"Okta deactivates": func(p *provider, id string) {
				p.do("PATCH", "/Users/"+id, ops(`[{"op": "replace", "value": {"active": false}}]`), 200)
			},
			"Entra deactivates": func(p *provider, id string) {
				p.do("PATCH", "/Users/"+id, ops(`[{"op": "Replace", "path": "active", "value": "False"}]`), 200)
			},
			"deletes": func(p *provider, id string) { p.do("DELETE", "/Users/"+id, nil, 204) },
		} {
			t.Run(name, func(t *testing.T) {
				p := p.in(t)
				who := p.Person("manager")
				key := loginKey(t, p.Server, who, "hulls:read")
				browser := signedIn(p.Server, who)
				app := newClient(t, p.Server, nil)
				install := app.tokens(signedIn(p.Server, who)).AccessToken
				p.As(install).Get("/v1/hulls", 200, nil)
				p.As(key).Get("/v1/hulls", 200, nil)
				who.Get("/v1/me", 200, nil)
				p.Exec(`UPDATE users SET email = ? WHERE id = ?`, who.ID+"@"+domain, who.ID)

				end(p, who.ID)
				p.As(key).Get("/v1/hulls", 401, nil)
				p.As(install).Get("/v1/hulls", 401, nil)
				who.Get("/v1/me", 401, nil)
				assert.Equal(t, isSignedIn(browser, p.Server), false)
				assert.Contains(t, strings.Join(p.EventTypes(who.ID), " "), "user.deactivated")
				actors := testkit.Rows[string](p.Server, `SELECT actor_id FROM audit_entries WHERE action = 'user.deactivated' AND target_id = ?`, who.ID)
				assert.Equal(t, actors[0], p.conn.ID)
			})
		}
	})
}
