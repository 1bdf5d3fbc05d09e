package identity

import (
	"encoding/json"
	"html"
	"regexp"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/pquerna/otp/totp"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

var (
	options = regexp.MustCompile(`data-options="([^"]*)"`)
	secret  = regexp.MustCompile(`<code class="secret">([A-Z2-7 ]+)</code>`)
	codes   = regexp.MustCompile(`<li>([a-z2-7]{5}-[a-z2-7]{5})</li>`)
)

// securityKey is a security key of a person.
type securityKey struct {
	t          *testing.T
	site       virtualwebauthn.RelyingParty
	device     virtualwebauthn.Authenticator
	credential virtualwebauthn.Credential
}

// addKey enrolls a security key and returns it with the recovery codes.
func addKey(t *testing.T, p *testkit.Person) (*securityKey, []string) {
	t.Helper()
	k := newKey(t)
	var e struct {
		ID        string
		PublicKey json.RawMessage `json:"public_key"`
	}
	p.Post("/v1/users/"+p.ID+"/mfa_factors", `{"kind": "webauthn"}`, 201, &e)
	asked, err := virtualwebauthn.ParseAttestationOptions(string(e.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	var verified struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	created := json.RawMessage(virtualwebauthn.CreateAttestationResponse(k.site, k.device, k.credential, *asked))
	p.Post("/v1/users/"+p.ID+"/mfa_factors/"+e.ID+"/verify", map[string]any{"assertion": created}, 200, &verified)
	return k, verified.RecoveryCodes
}

// sign responds to the challenge of a page.
func (k *securityKey) sign(v view) string {
	k.t.Helper()
	found := options.FindStringSubmatch(v.text)
	if found == nil {
		k.t.Fatalf("%s has no challenge: %s", v.path, v.text)
	}
	asked, err := virtualwebauthn.ParseAssertionOptions(html.UnescapeString(found[1]))
	if err != nil {
		k.t.Fatal(err)
	}
	k.credential.Counter++
	return virtualwebauthn.CreateAssertionResponse(k.site, k.device, k.credential, *asked)
}

// A user whose only two-factor method is a security key signs in with it.
func TestSignInWithSecurityKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		k, recovery := addKey(t, p)

		v := b.want(b.signIn(p.Email, testkit.Password), 200, "Use your passkey or security key.", "passkey-", "Recovery code")
		assert.Excludes(t, v.text, "Enter the 6-digit code")
		assert.Contains(t, v.Header.Get("Content-Security-Policy"), "script-src 'self'")
		signed := k.sign(v)
		assert.Equal(t, b.want(b.submit(v, "assertion", signed), 200, p.Email).path, "/oauth/account")

		// A response works once, and only for its own challenge.
		other := newBrowser(t, s)
		v = other.signIn(p.Email, testkit.Password)
		v = other.want(other.submit(v, "assertion", signed), 422, "wrong")
		old := k.sign(v)
		v = other.want(other.get("/oauth/sign-in/factor"), 200)
		v = other.want(other.submit(v, "assertion", old), 422)
		impostor, _ := addKey(t, s.Person("viewer"))
		v = other.want(other.submit(v, "assertion", impostor.sign(v)), 422)
		elsewhere := *k
		elsewhere.site.Origin = "https://localhost.example.com"
		v = other.want(other.submit(v, "assertion", elsewhere.sign(v)), 422)
		v = other.want(other.submit(v, "assertion", "{}"), 422)
		assert.Equal(t, other.cookie("slipway-test"), "")
		k.credential.Counter += 5
		assert.Equal(t, other.submit(v, "assertion", k.sign(v)).path, "/oauth/account")

		third := newBrowser(t, s)
		assert.Equal(t, third.submit(third.signIn(p.Email, testkit.Password), "code", recovery[0]).path, "/oauth/account")
	})
}

// An administrator without a two-factor method sets one up before anything else.
func TestAdministratorMustEnroll(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("owner"), newBrowser(t, s)
		s.Exec(`DELETE FROM mfa_factors WHERE user_id = ?`, p.ID)
		v := b.want(b.signIn(p.Email, testkit.Password), 200, "Set up two-factor authentication", "Administrators need", "<svg class=\"qr\"")
		for _, path := range []string{"/oauth/account", "/oauth/account/sessions"} {
			assert.Contains(t, b.get(path).path, "/oauth/account/two-factor?", path)
		}
		before := b.cookie("slipway-test")

		key := func(v view) string {
			var text string
			for _, r := range secret.FindStringSubmatch(v.text)[1] {
				if r != ' ' {
					text += string(r)
				}
			}
			return text
		}
		first := key(v)
		v = b.want(b.submit(v, "code", "000000"), 422, "The code is wrong or expired.")
		assert.Equal(t, key(v), first, "the secret after a wrong code")

		// The form of another session doesn't work.
		other := newBrowser(t, s)
		theirs := other.signIn(p.Email, testkit.Password)
		setup := regexp.MustCompile(`name="setup" value="([^"]*)"`).FindStringSubmatch(theirs.text)[1]
		code, err := totp.GenerateCode(key(theirs), s.DB.Now())
		if err != nil {
			t.Fatal(err)
		}
		b.want(b.submit(v, "setup", setup, "code", code), 422, "The page was too old.")

		if code, err = totp.GenerateCode(first, s.DB.Now()); err != nil {
			t.Fatal(err)
		}
		done := b.want(b.submit(v, "code", code), 200, "Save your recovery codes", "/oauth/account")
		recovery := codes.FindAllStringSubmatch(done.text, -1)
		assert.Len(t, recovery, 10)
		if b.cookie("slipway-test") == before {
			t.Error("the token stayed the same")
		}
		b.want(b.get("/oauth/account"), 200, p.Email, "On")
		assert.Equal(t, b.submit(v, "code", code).path, "/oauth/account?environment=test", "once more")
		assert.Equal(t, b.get("/oauth/account/two-factor").path, "/oauth/account?environment=test")

		// The code, the app and the recovery codes work at the next sign-in.
		c := newBrowser(t, s)
		v = c.want(c.signIn(p.Email, testkit.Password), 200, "6-digit code")
		v = c.want(c.submit(v, "code", code), 422) // it was used
		assert.Equal(t, c.submit(v, "code", s.Code(first)).path, "/oauth/account")
		d := newBrowser(t, s)
		assert.Equal(t, d.submit(d.signIn(p.Email, testkit.Password), "code", recovery[0][1]).path, "/oauth/account")
	})
}

// The page to set up an app is only valid for half an hour.
func TestSetupExpires(t *testing.T) {
	s := testkit.OnSQLite(t)
	p, b := s.Person("viewer"), newBrowser(t, s)
	b.signIn(p.Email, testkit.Password)
	v := b.want(b.get("/oauth/account/two-factor?return_to=/oauth/account/sessions"), 200, "protects your account", "Not now")
	s.Advance(31 * time.Minute)
	v = b.want(b.submit(v, "code", "123456"), 422, "The page was too old.", "/oauth/account/sessions")
	assert.Equal(t, len(options.FindString(v.text)), 0)
}
