package browsertest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"slipway/internal/testkit"
)

// signIn goes through the steps until the password.
func (b *tab) signIn(email, password string) {
	b.t.Helper()
	b.visit("/oauth/sign-in")
	b.want("Sign in", "email")
	b.fill("#email", email)
	b.click("main button")
	b.want("Enter your password", "password")
	b.fill("#password", password)
	b.click("main button")
}

// A user signs in with a password and a code, in both themes and on a phone.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("sales")
	p.Enroll()
	b := open(t, s, desk)

	b.signIn(p.Email, "not the password")
	b.want("Enter your password", "password-wrong")
	b.fill("#password", testkit.Password)
	b.click("main button")
	b.want("Verify it's you", "code")
	b.fill("#code", "000000")
	b.click("main button")
	b.want("Verify it's you", "code-wrong")
	b.run(chromedp.Click("summary", chromedp.ByQuery))
	b.fill("#recovery", "aaaaa-aaaaa")
	b.click("details button")
	b.want("Verify it's you", "recovery-wrong")
	b.fill("#code", s.Code(p.Secret))
	b.click("main button")
	b.review("account")
	if got := b.path(); got != "/oauth/account" {
		t.Fatalf("got %s, want the account", got)
	}

	b.js(`[...document.querySelectorAll("a.button")].find((e) => e.innerText === "Open the console").click()`)
	b.see(".sidebar, nav")
	if got := b.path(); !strings.HasPrefix(got, "/console/") {
		t.Fatalf("got %s, want the console", got)
	}

	b.visit("/oauth/account/sessions")
	b.want("Where you are signed in", "sessions")
	b.click(".rows button")
	b.want("Where you are signed in", "sessions-ended")
	b.visit("/oauth/sign-out")
	b.want("Sign out?", "sign-out")
	b.click("main button")
	b.want("You are signed out", "signed-out")
}

// The owner chooses an account, and the pages of links look the same.
func TestOtherPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.RunJobs()
	s.SharePassword()
	b := open(t, s, desk)
	b.signIn(s.Owner.Email, s.Owner.Password)
	b.want("Choose an account", "choose")

	b.visit("/oauth/password/forgot")
	b.want("Forgot your password?", "forgot")
	b.fill("#email", s.Owner.Email)
	b.click("main button")
	b.want("Check your email", "forgot-sent")
	b.visit("/oauth/password/reset/unknown")
	b.want("This link is not valid", "reset-invalid")

	s.Test.Post("/v1/users", map[string]any{"email": "ann@example.com", "name": "Ann Bell"}, 201, nil)
	b.visit(s.InvitationLinks("ann@example.com", 1)[0])
	b.want("Welcome, Ann Bell", "invitation")
	b.fill("#password", "password1234")
	b.click("main button")
	b.want("Welcome, Ann Bell", "invitation-weak")
	b.fill("#password", testkit.Password)
	b.click("main button")
	b.want("You're all set, Ann Bell", "invitation-accepted")
}

// An administrator without a two-factor method sets one up.
func TestEnroll(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("owner")
	s.Exec(`DELETE FROM mfa_factors WHERE user_id = ?`, p.ID)
	b := open(t, s, desk)
	b.signIn(p.Email, testkit.Password)
	b.want("Set up two-factor authentication", "enroll")

	var secret string
	b.run(chromedp.Text("code.secret", &secret, chromedp.ByQuery))
	b.fill("#code", s.Code(strings.ReplaceAll(secret, " ", "")))
	b.click("main button")
	b.want("Save your recovery codes", "recovery-codes")
	b.click("main a.button")
	b.review("account-administrator")
}

// A user whose only two-factor method is a passkey signs in with it.
func TestPasskey(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("viewer")
	b := open(t, s, desk)
	b.addAuthenticator()
	b.enrollPasskey(p, "")

	b.signIn(p.Email, testkit.Password)
	b.want("Verify it's you", "passkey")
	b.click("#passkey button")
	b.review("account-passkey")
	if got := b.path(); got != "/oauth/account" {
		t.Fatalf("got %s, want the account", got)
	}
}

// A user with an app and a passkey uses either of them.
func TestPasskeyOrCode(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("viewer")
	p.Enroll()
	b := open(t, s, desk)
	b.addAuthenticator()
	b.enrollPasskey(p, p.OwnProof())

	b.signIn(p.Email, testkit.Password)
	b.want("Verify it's you", "passkey-or-code")
	b.fill("#code", s.Code(p.Secret))
	b.click("main button")
	b.visit("/oauth/sign-out")
	b.click("main button")
	b.signIn(p.Email, testkit.Password)
	b.click("#passkey button")
	if got := b.path(); got != "/oauth/account" {
		t.Fatalf("got %s, want the account", got)
	}
}

// addAuthenticator adds a virtual authenticator to the browser.
func (b *tab) addAuthenticator() {
	b.t.Helper()
	b.run(webauthn.Enable(), chromedp.ActionFunc(func(ctx context.Context) error {
		return cdp.Execute(ctx, webauthn.CommandAddVirtualAuthenticator, webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
			HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}), nil)
	}))
}

// enrollPasskey creates a passkey in the browser. The service has no page for it, so
// it calls the API with the session of the person, at the address of the browser.
func (b *tab) enrollPasskey(p *testkit.Person, mfaToken string) {
	b.t.Helper()
	b.visit("/healthz")
	var result string
	b.run(chromedp.Evaluate(createPasskey, nil), chromedp.Evaluate(fmt.Sprintf("createPasskey(%q, %q, %q)", p.Key, p.ID, mfaToken), &result, await))
	if result != "ok" {
		b.t.Fatal(result)
	}
}

// createPasskey is what a client of the API does to enroll a passkey.
const createPasskey = `
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
async function createPasskey(key, user, mfaToken) {
  const call = async (path, body) => {
    const res = await fetch("/v1/users/" + user + "/mfa_factors" + path, {
      method: "POST", body: JSON.stringify(body),
      headers: {Authorization: "Bearer " + key, "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID()},
    });
    if (!res.ok) throw new Error(await res.text());
    return res.json();
  };
  const factor = await call("", mfaToken ? {kind: "webauthn", mfa_token: mfaToken} : {kind: "webauthn"});
  const {publicKey} = factor.public_key;
  publicKey.challenge = bytes(publicKey.challenge);
  publicKey.user.id = bytes(publicKey.user.id);
  const c = await navigator.credentials.create({publicKey});
  await call("/" + factor.id + "/verify", {assertion: {
    id: c.id, rawId: text(c.rawId), type: c.type,
    response: {attestationObject: text(c.response.attestationObject), clientDataJSON: text(c.response.clientDataJSON)},
  }});
  return "ok";
}`

func await(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// Names with markup or without spaces are shown as text and don't break the layout.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("viewer")
	name := `<img src=x onerror=alert(1)>` + strings.Repeat("Verylongname", 14)
	s.Exec(`UPDATE dealerships SET name = ?`, name)
	s.Exec(`UPDATE users SET name = ? WHERE id = ?`, name, p.ID)
	b := open(t, s, desk)
	b.signIn(p.Email, testkit.Password)
	b.want(name, "hostile-account")
	b.visit("/oauth/account/sessions")
	b.want("Where you are signed in", "hostile-sessions")

	s.SharePassword()
	b = open(t, s, desk)
	b.signIn(s.Owner.Email, s.Owner.Password)
	b.want("Choose an account", "hostile-choose")
}

// The policy of a form also applies to the redirects that follow it. A sign-in can
// still lead to a page that leads to another site.
func TestSignInLeadsToAnotherSite(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("viewer")
	p.Enroll()
	b := open(t, s, desk)
	b.visit("/oauth/sign-in?return_to=%2Foauth%2Fauthorize%2Fredirecting%3Fstate%3D1")
	b.fill("#email", p.Email)
	b.click("main button")
	b.fill("#password", testkit.Password)
	b.click("main button")
	b.fill("#code", s.Code(p.Secret))
	b.run(chromedp.Click("main button", chromedp.ByQuery), chromedp.WaitVisible(`//h1[text()="Landed"]`))
}
