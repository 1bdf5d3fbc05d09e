package identity

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"slipway/internal/identity/sso/oidc/oidctest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// publicKey returns the key of the provider as text, which an attacker also has.
func publicKey(t *testing.T, p *oidctest.Provider) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(p.Key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// set returns an edit that replaces a claim. Nil removes it.
func set(name string, value any) func(map[string]any) {
	return func(claims map[string]any) {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
}

// tokenAttacks are ID tokens that must be rejected, with the reason that the
// administrator sees.
var tokenAttacks = []struct {
	name   string
	edit   func(claims map[string]any)
	sign   func(t *testing.T, p *oidctest.Provider) func(claims map[string]any) string
	reason string // "": accepted
}{
	{name: "control"},
	{name: "alg none", reason: "not valid", sign: func(*testing.T, *oidctest.Provider) func(map[string]any) string {
		return oidctest.Unsigned
	}},
	{name: "HS256 with the public key", reason: "not valid", sign: func(t *testing.T, p *oidctest.Provider) func(map[string]any) string {
		key := publicKey(t, p)
		return func(c map[string]any) string { return oidctest.SignedWith(jose.HS256, key, "key-1", c) }
	}},
	{name: "HS256 with the client secret", reason: "not valid", sign: func(*testing.T, *oidctest.Provider) func(map[string]any) string {
		return func(c map[string]any) string {
			return oidctest.SignedWith(jose.HS256, []byte(oidctest.ClientSecret+oidctest.ClientSecret), "key-1", c)
		}
	}},
	{name: "unknown kid", reason: "not valid", sign: func(*testing.T, *oidctest.Provider) func(map[string]any) string {
		return func(c map[string]any) string {
			return oidctest.SignedWith(jose.RS256, oidctest.ForeignKey(), "key-9", c)
		}
	}},
	{name: "foreign key with a known kid", reason: "not valid", sign: func(*testing.T, *oidctest.Provider) func(map[string]any) string {
		return func(c map[string]any) string {
			return oidctest.SignedWith(jose.RS256, oidctest.ForeignKey(), "key-1", c)
		}
	}},
	{name: "changed payload", reason: "not valid", sign: func(_ *testing.T, p *oidctest.Provider) func(map[string]any) string {
		return func(c map[string]any) string {
			parts := strings.Split(p.Signed(c), ".")
			c["sub"] = "admin"
			parts[1] = strings.Split(oidctest.Unsigned(c), ".")[1]
			return strings.Join(parts, ".")
		}
	}},
	{name: "wrong nonce", edit: set("nonce", "another"), reason: "nonce is wrong"},
	{name: "no nonce", edit: set("nonce", nil), reason: "nonce is wrong"},
	{name: "wrong issuer", edit: set("iss", "https://evil.example"), reason: "not valid"},
	{name: "wrong audience", edit: set("aud", "another"), reason: "not valid"},
	{name: "more audiences without azp", edit: set("aud", []string{"slipway", "another"}), reason: "issued to the client"},
	{name: "azp of another client", edit: set("azp", "another"), reason: "issued to the client"},
	{name: "azp of the wrong type", edit: set("azp", 1), reason: "issued to the client"},
	{name: "expired", edit: set("exp", time.Now().Add(-time.Hour).Unix()), reason: "not valid"},
	{name: "not yet valid", edit: set("nbf", time.Now().Add(time.Hour).Unix()), reason: "not valid"},
	{name: "issued in the future", edit: set("iat", time.Now().Add(time.Hour).Unix()), reason: "issued in the future"},
	{name: "no subject", edit: set("sub", ""), reason: "no valid subject"},
	{name: "subject too long", edit: set("sub", strings.Repeat("x", 256)), reason: "no valid subject"},
	{name: "at_hash of another access token", edit: set("at_hash", "77QmUPtjPfzWtF2AnpK9RQ"), reason: "another access token"},
	{name: "unverified email", edit: set("email_verified", false), reason: "email_verified"},
	{name: "unverified email as text", edit: set("email_verified", "false"), reason: "email_verified"},
	{name: "email verified twice", edit: set("email_verified", []any{"true", "false"}), reason: "email_verified"},
	{name: "no email", edit: set("email", nil), reason: "no email address"},
	{name: "two emails", edit: set("email", []string{"a@" + domain, "b@evil.example"}), reason: "no email address"},
	{name: "email of another domain", edit: set("email", "kim@evil.example"), reason: "not a domain of this connection"},
	{name: "email of a subdomain", edit: set("email", "kim@sub."+domain), reason: "not a domain of this connection"},
	{name: "email with two at signs", edit: set("email", `"kim@`+domain+`"@evil.example`), reason: "not a domain of this connection"},
	{name: "email with a display name", edit: set("email", "x@"+domain+" <kim@evil.example>"), reason: "no email address"},
	{name: "email with a line break", edit: set("email", "kim@"+domain+"\r\nBcc: x@evil.example"), reason: "no email address"},
	{name: "email of a look-alike domain", edit: set("email", "kim@аcme.example.com"), reason: "not a domain of this connection"},
	{name: "group in another case", edit: set("groups", []string{"sales", "SALES"}), reason: "No group of the user"},
	{name: "group with a space", edit: set("groups", []string{"Sales ", " Sales"}), reason: "No group of the user"},
	{name: "group with a look-alike letter", edit: set("groups", []string{"Sаles"}), reason: "No group of the user"},
	{name: "group in another Unicode form", edit: set("groups", []string{"Se\u0301rie"}), reason: "No group of the user"},
	{name: "groups that are not texts", reason: "No group of the user", edit: set("groups", []any{
		map[string]any{"name": "Sales"}, []any{"Sales"},
	})},
	{name: "too many groups for Entra ID", edit: set("hasgroups", true), reason: "Entra ID sent no groups"},
}

func TestTokenAttacks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.change(map[string]any{"group_mapping": []map[string]string{
			{"group": "Sales", "role_id": w.RoleID("sales")}, {"group": "S\u00e9rie", "role_id": w.RoleID("manager")},
		}})
		for i, a := range tokenAttacks {
			t.Run(a.name, func(t *testing.T) {
				w := w.in(t)
				w.Advance(time.Minute) // rejections within a minute are combined
				w.idp.Subject, w.idp.Edit, w.idp.Sign = "subject-"+a.name, a.edit, nil
				w.idp.Claims["email"] = "user" + string(rune('a'+i%26)) + "@" + domain
				if a.sign != nil {
					w.idp.Sign = a.sign(t, w.idp)
				}
				b := w.Browser().In(w.Server)
				v := b.Open(w.node(i).URL + w.start(b, ""))
				if a.reason == "" {
					wantSignedIn(t, v, "@"+domain)
					return
				}
				w.wantRejected(v, a.reason)
				assert.Equal(t, isSignedIn(b, w.Server), false)
			})
		}
	})
}

// ssoAttacks are attacks on the flow.
var ssoAttacks = map[string]func(t *testing.T, w *world){
	"state of another browser": func(t *testing.T, w *world) {
		victim, attacker := w.Browser(), w.Browser()
		back := w.start(attacker, "")
		v := victim.Open(back) // login CSRF: the victim would use the account of the attacker
		w.wantRejected(v, "does not match the state")
		w.start(victim, "")
		w.wantRejected(victim.Open(back), "does not match the state")
		assert.Equal(t, isSignedIn(victim, w.Server), false)
		wantSignedIn(t, attacker.Open(back), "kim@"+domain)
	},
	"replayed callback": func(t *testing.T, w *world) {
		b := w.Browser()
		back := w.start(b, "")
		wantSignedIn(t, b.Open(back), "kim@"+domain)
		for i := range 2 {
			w.wantRejected(b.Open(w.node(i).URL+back), "expired or used")
		}
	},
	"expired login": func(t *testing.T, w *world) {
		b := w.Browser()
		back := w.start(b, "")
		w.Advance(16 * time.Minute)
		w.wantRejected(b.Open(back), "expired or used")
	},
	"code of another login": func(t *testing.T, w *world) {
		b := w.Browser()
		first, second := w.start(w.Browser(), ""), w.start(b, "")
		code := query(t, first).Get("code")
		u, q := strings.Split(second, "?")[0], query(t, second)
		q.Set("code", code)
		w.wantRejected(b.Open(u+"?"+q.Encode()), "invalid_grant") // PKCE
	},
	"state of another connection": func(t *testing.T, w *world) {
		b := w.Browser()
		back := w.start(b, "")
		other := w.Test.SSOConnection(map[string]any{"issuer": w.idp.Issuer})
		w.wantRejected(b.Open(strings.Replace(back, w.conn.ID, other.ID, 1)), "expired or used")
	},
	"mix-up": func(t *testing.T, w *world) {
		b := w.Browser()
		back := w.start(b, "")
		u, q := strings.Split(back, "?")[0], query(t, back)
		q.Set("iss", "https://evil.example")
		w.wantRejected(b.Open(u+"?"+q.Encode()), "from the issuer")
		back = w.start(b, "")
		u, q = strings.Split(back, "?")[0], query(t, back)
		q.Del("iss")
		w.wantRejected(b.Open(u+"?"+q.Encode()), "from the issuer")
	},
	"error of the provider": func(t *testing.T, w *world) {
		b := w.Browser()
		back := w.start(b, "")
		u, q := strings.Split(back, "?")[0], query(t, back)
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("error_description", "<script>alert(1)</script> secret detail")
		v := b.Open(u + "?" + q.Encode())
		w.wantRejected(v, "access_denied")
		assert.Excludes(t, v.Text, "secret detail")
	},
	"open redirect": func(t *testing.T, w *world) {
		for _, to := range []string{
			"https://evil.example", "//evil.example", `/\evil.example`, "/oauth/account/../../evil", "javascript:alert(1)", "/v1/hulls",
		} {
			v := w.Browser().Open(w.start(w.Browser(), "?return_to="+url.QueryEscape(to)))
			assert.Excludes(t, v.Header.Get("Location"), "evil")
			b := w.Browser()
			v = b.Open(w.start(b, "?return_to="+url.QueryEscape(to)))
			assert.Equal(t, v.Request.URL.Path, "/oauth/account", to)
		}
		b := w.Browser()
		v := b.Open(w.start(b, "?return_to=/oauth/account/sessions"))
		assert.Equal(t, v.Request.URL.Path, "/oauth/account/sessions", "a page of this site")
	},
	"wrong client secret": func(t *testing.T, w *world) {
		w.change(map[string]any{"client_secret": "wrong"})
		w.wantRejected(w.signIn(w.Browser()), "client_secret")
	},
	"replayed logout token": func(t *testing.T, w *world) {
		b, token := w.Browser(), w.idp.LogoutToken(nil)
		w.signIn(b)
		assert.Equal(t, w.backchannel(w.Server, token), 200)
		w.signIn(b)
		for i := range 2 {
			assert.Equal(t, w.backchannel(w.node(i), token), 400)
		}
		assert.Equal(t, isSignedIn(b, w.Server), true)
	},
	"replayed logout token in a race": func(t *testing.T, w *world) {
		token := w.idp.LogoutToken(nil)
		statuses := make(chan int, 8)
		for i := range 8 {
			go func() {
				form := url.Values{"logout_token": {token}}
				res, err := http.PostForm(w.node(i).URL+local(*w.conn.BackchannelLogoutURI), form) //nolint:noctx // ends with the server
				if err != nil {
					statuses <- 0
					return
				}
				_ = res.Body.Close()
				statuses <- res.StatusCode
			}()
		}
		accepted := 0
		for range 8 {
			if <-statuses == 200 {
				accepted++
			}
		}
		assert.Equal(t, accepted, 1)
	},
	"forged logout token": func(t *testing.T, w *world) {
		b := w.Browser()
		w.signIn(b)
		claims := w.idp.LogoutClaims(nil)
		for name, token := range map[string]string{
			"unsigned":       oidctest.Unsigned(claims),
			"foreign key":    oidctest.SignedWith(jose.RS256, oidctest.ForeignKey(), "key-1", claims),
			"public key":     oidctest.SignedWith(jose.HS256, publicKey(t, w.idp), "key-1", claims),
			"ID token":       w.idp.IDToken("nonce"),
			"with a nonce":   w.idp.LogoutToken(map[string]any{"nonce": "x"}),
			"no event":       w.idp.LogoutToken(map[string]any{"events": nil}),
			"no jti":         w.idp.LogoutToken(map[string]any{"jti": nil}),
			"no subject":     w.idp.LogoutToken(map[string]any{"sub": nil, "sid": nil}),
			"other audience": w.idp.LogoutToken(map[string]any{"aud": "x"}),
			"other issuer":   w.idp.LogoutToken(map[string]any{"iss": "https://evil.example"}),
			"expired":        w.idp.LogoutToken(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}),
			"empty":          "",
			"10 MB":          strings.Repeat("x", 10<<20),
		} {
			assert.Equal(t, w.backchannel(w.node(1), token), 400, name)
		}
		assert.Equal(t, isSignedIn(b, w.Server), true)
		assert.Equal(t, w.backchannel(w.node(1), w.idp.LogoutToken(nil)), 200)
	},
	"unverified domain": func(t *testing.T, w *world) {
		w.change(map[string]any{"domains": []string{domain, "new.example.com"}})
		w.idp.Claims["email"] = "kim@new.example.com"
		w.wantRejected(w.signIn(w.Browser()), "is not verified")
		assert.Equal(t, w.exists("kim@new.example.com"), false)
		w.VerifyDomain("new.example.com")
		wantSignedIn(t, w.signIn(w.Browser()), "kim@new.example.com")
	},
	"domain removed and added again": func(t *testing.T, w *world) {
		w.change(map[string]any{"domains": []string{}})
		w.change(map[string]any{"domains": []string{domain}})
		w.wantRejected(w.signIn(w.Browser()), "is not verified")
	},
	"account takeover by email": func(t *testing.T, w *world) {
		p := w.Person("manager")
		w.Exec(`UPDATE users SET email = ? WHERE id = ?`, "kim@"+domain, p.ID)
		b := w.Browser()
		assert.Contains(t, w.signIn(b).Text, "Check your email")
		assert.Equal(t, isSignedIn(b, w.Server), false)
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "manager", "the roles stay")
	},
	"verified in the ID token, but the email is from userinfo": func(t *testing.T, w *world) {
		for name, c := range map[string]struct{ token, info any }{
			"userinfo says no": {true, false}, "ID token says no": {false, true},
			"only userinfo says no": {nil, false}, "only the ID token says no": {false, nil},
		} {
			w.idp.Subject = name
			w.idp.Claims = map[string]any{"name": "Kim", "groups": []string{"Sales"}}
			w.idp.UserInfo = map[string]any{"email": "kim@" + domain}
			if c.token != nil {
				w.idp.Claims["email_verified"] = c.token
			}
			if c.info != nil {
				w.idp.UserInfo["email_verified"] = c.info
			}
			v := w.signIn(w.Browser())
			assert.Equal(t, v.StatusCode, 403, name)
			assert.Equal(t, w.exists("kim@"+domain), false, name)
		}
		w.idp.Claims["email_verified"], w.idp.UserInfo["email_verified"] = true, true
		wantSignedIn(t, w.signIn(w.Browser()), "kim@"+domain)
	},
	"deactivated user": func(t *testing.T, w *world) {
		b := w.Browser()
		w.signIn(b)
		w.Test.Post("/v1/users/"+w.user("kim@"+domain).ID+"/deactivate", nil, 200, nil)
		assert.Equal(t, isSignedIn(b, w.Server), false)
		w.wantRejected(w.signIn(b), "is deactivated")
	},
	"another issuer with the same subject": func(t *testing.T, w *world) {
		w.signIn(w.Browser())
		evil := oidctest.Start(t)
		evil.Now, evil.Claims, evil.Subject = w.idp.Now, w.idp.Claims, w.idp.Subject
		w.change(map[string]any{"issuer": evil.Issuer})
		b := w.Browser()
		assert.Contains(t, w.signIn(b).Text, "Check your email")
		assert.Equal(t, isSignedIn(b, w.Server), false)
	},
	"owner role by group": func(t *testing.T, w *world) {
		path := "/v1/sso_connections/" + w.conn.ID
		mapping := []map[string]string{{"group": "Sales", "role_id": w.RoleID("owner")}}
		w.Test.Patch(path, map[string]any{"group_mapping": mapping, "mfa_token": w.Test.Proof()}, 422, nil)
		w.Test.Patch(path, map[string]any{"group_mapping": mapping, "allow_owner_role": true}, 403, nil)
		w.change(map[string]any{"group_mapping": mapping, "allow_owner_role": true, "mfa_token": w.Test.Proof()})
		w.signIn(w.Browser())
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "owner")
	},
	"last owner loses the group": func(t *testing.T, w *world) {
		w.change(map[string]any{"allow_owner_role": true, "mfa_token": w.Test.Proof(), "group_mapping": []map[string]string{
			{"group": "Owners", "role_id": w.RoleID("owner")}, {"group": "Sales", "role_id": w.RoleID("sales")},
		}})
		w.idp.Claims["groups"] = []string{"Owners"}
		w.signIn(w.Browser())
		kim := w.user("kim@" + domain)
		w.idp.Claims["groups"] = []string{"Sales"}
		w.signIn(w.Browser())
		assert.Equal(t, roleNames(w.user("kim@"+domain)), "sales", "another owner remains")
		w.idp.Claims["groups"] = []string{"Owners"}
		w.signIn(w.Browser())
		w.Exec(`UPDATE users SET status = 'deactivated' WHERE env = ? AND id <> ?`, w.TestEnv(), kim.ID)
		w.idp.Claims["groups"] = []string{"Sales"}
		w.signIn(w.Browser())
		names := testkit.Rows[string](w.Server, `SELECT r.name FROM user_roles u JOIN roles r ON r.env = u.env AND r.id = u.role_id
			WHERE u.user_id = ?`, kim.ID)
		assert.Contains(t, strings.Join(names, " "), "owner")
	},
	"standard plan": func(t *testing.T, w *world) {
		back := w.start(w.Browser(), "")
		w.Exec(`UPDATE dealerships SET plan = 'standard'`)
		for _, page := range []string{local(w.conn.LoginURL), back, local(w.conn.TestURL)} {
			assert.Equal(t, w.Browser().Open(page).StatusCode, 404, page)
		}
		assert.Equal(t, w.backchannel(w.Server, w.idp.LogoutToken(nil)), 404)
	},
	"provider that returns 10 MB": func(t *testing.T, w *world) {
		w.idp.Claims["padding"] = strings.Repeat("x", 10<<20)
		w.wantRejected(w.signIn(w.Browser()), "token")
	},
	"cookie as a Bearer token": func(t *testing.T, w *world) {
		b := w.Browser()
		w.signIn(b)
		token := w.bearer(b)
		assert.Equal(t, works(w.node(1), token), true)
		b2 := w.Browser()
		b2.Header.Set("Cookie", "slipway-test="+token)
		assert.Equal(t, isSignedIn(b2, w.Server), false, "a Bearer token in the cookie")
		p := signedIn(w.Server, w.Person("viewer"))
		assert.Equal(t, p.Submit(p.Open("/sso/token?environment=test")).StatusCode, 403, "a session of a password")
	},
}

// query returns the parameters of an address.
func query(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func TestSSOAttacks(t *testing.T) {
	for name, attack := range ssoAttacks {
		t.Run(name, func(t *testing.T) { each(t, attack) })
	}
}
