package identity

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/descope/virtualwebauthn"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

const pagePassword = "seven calm herons at low tide"

func TestChangePasswordPage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("sales"), newBrowser(t, s)
		p.Enroll()
		b.submit(b.signIn(p.Email, testkit.Password), "code", s.Code(p.Secret))
		v := b.want(b.get("/oauth/account/password"), 200, "Current password", "Two-factor code", "signs you out everywhere")

		// Each problem is shown at its field, and nothing changes.
		v = b.want(b.submit(v, "old_password", "wrong", "password", pagePassword, "code", "000000"), 422, "The current password is wrong.")
		v = b.want(b.submit(v, "old_password", testkit.Password, "password", "short", "code", "000000"), 422, `id="password-problem"`)
		v = b.want(b.submit(v, "old_password", testkit.Password, "password", pagePassword, "code", "000000"), 422, `id="code-problem"`)
		b.want(b.post("/oauth/account/password", "old_password", testkit.Password, "password", pagePassword), 403)
		b.want(b.get("/oauth/account"), 200, p.Email)

		b.want(b.submit(v, "old_password", testkit.Password, "password", pagePassword, "code", s.Code(p.Secret)), 200, "Your password was changed")
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in?")
		p.Get("/v1/me", 401, nil)
		b.want(b.signIn(p.Email, testkit.Password), 422)
		b.want(b.signIn(p.Email, pagePassword), 200, "6-digit code")
	})
}

var factorField = regexp.MustCompile(`name="factor" value="([^"]*)"`)

// newKey returns a security key of no one.
func newKey(t *testing.T) *securityKey {
	t.Helper()
	k := &securityKey{
		t: t, site: virtualwebauthn.RelyingParty{Name: "Slipway", ID: "localhost", Origin: "http://localhost"},
		device: virtualwebauthn.NewAuthenticator(), credential: virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2),
	}
	for len(k.credential.Key.AttestationData()) != 77 { // the library removes leading zeros
		k.credential = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return k
}

// create responds to the options of a page that creates a passkey.
func (k *securityKey) create(v view) string {
	k.t.Helper()
	found := options.FindStringSubmatch(v.text)
	if found == nil {
		k.t.Fatalf("%s has no options: %s", v.path, v.text)
	}
	asked, err := virtualwebauthn.ParseAttestationOptions(html.UnescapeString(found[1]))
	if err != nil {
		k.t.Fatal(err)
	}
	return virtualwebauthn.CreateAttestationResponse(k.site, k.device, k.credential, *asked)
}

// A user without a two-factor method adds a passkey, saves the recovery codes and
// uses both.
func TestAddFirstPasskey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b, k := s.Person("viewer"), newBrowser(t, s), newKey(t)
		b.signIn(p.Email, testkit.Password)
		v := b.want(b.get("/oauth/account/passkey"), 200, "Add a passkey")
		assert.Excludes(t, v.text, "Two-factor code")
		v = b.want(b.submit(v), 200, "Create your passkey", "passkey-")
		v = b.want(b.submit(v, "assertion", "{}"), 422, "The passkey was not created.")
		v = b.want(b.submit(v), 200, "Create your passkey")
		created := k.create(v)
		done := b.want(b.submit(v, "assertion", created), 200, "Save your recovery codes")
		assert.Len(t, codes.FindAllStringSubmatch(done.text, -1), 10)
		b.want(b.get("/oauth/account"), 200, "On")

		// The response works once.
		b.want(b.submit(v, "assertion", created), 422, "The passkey was not created.")

		c := newBrowser(t, s)
		v = c.want(c.signIn(p.Email, testkit.Password), 200, "Use your passkey or security key.")
		assert.Equal(t, c.submit(v, "assertion", k.sign(v)).path, "/oauth/account")
	})
}

// With a stolen session, no one adds a passkey: it takes a code.
func TestAddPasskeyRequiresCode(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b, k := s.Person("sales"), newBrowser(t, s), newKey(t)
		p.Enroll()
		b.submit(b.signIn(p.Email, testkit.Password), "code", s.Code(p.Secret))
		v := b.want(b.get("/oauth/account/passkey"), 200, "Two-factor code")
		v = b.want(b.submit(v), 422, "wrong")
		v = b.want(b.submit(v, "code", "000000"), 422, "wrong")
		created := b.want(b.submit(v, "code", s.Code(p.Secret)), 200, "Create your passkey")

		// Another user can't finish it.
		other, thief := s.Person("viewer"), newBrowser(t, s)
		thief.signIn(other.Email, testkit.Password)
		theirs := thief.submit(thief.get("/oauth/account/passkey"))
		factor := factorField.FindStringSubmatch(created.text)[1]
		thief.want(thief.submit(theirs, "factor", factor, "assertion", k.create(created)), 422, "The passkey was not created.")

		b.want(b.submit(created, "assertion", k.create(created)), 200, "Your passkey was added")
		c := newBrowser(t, s)
		v = c.want(c.signIn(p.Email, testkit.Password), 200, "6-digit code", "Use a passkey or security key")
		assert.Equal(t, c.submit(view{v.Response, v.text[strings.Index(v.text, "</form>"):], v.path}, "assertion", k.sign(v)).path, "/oauth/account")
	})
}
