package identity

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// A user without a two-factor method signs in with the password.
func TestSignInWithPassword(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("sales"), newBrowser(t, s)
		v := b.want(b.get("/oauth/account"), 200, "Sign in", `name="email"`)
		assert.Equal(t, v.path, "/oauth/sign-in?return_to=%2Foauth%2Faccount")
		v = b.want(b.submit(v, "email", p.Email), 200, "Enter your password", p.Email, "Forgot your password?")
		v = b.want(b.submit(v, "email", p.Email, "password", testkit.Password), 200, p.Email, "Acme Marine", "Test", "sales")
		assert.Equal(t, v.path, "/oauth/account")

		// The session is a row like every session.
		var list page.Page[people.Session]
		p.Get("/v1/sessions", 200, &list)
		assert.Len(t, list.Data, 2)
		assert.Equal(t, list.Data[0].Method, "password")
		assert.Contains(t, *list.Data[0].UserAgent, "Firefox")

		// The sign-in page leads on.
		assert.Equal(t, b.get("/oauth/sign-in").path, "/oauth/account")
		assert.Equal(t, newBrowser(t, s).get("/oauth/account/sessions").path, "/oauth/sign-in?return_to=%2Foauth%2Faccount%2Fsessions")
	})
}

// An authenticator app or a recovery code is the second step.
func TestSignInWithCode(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		recovery := p.Enroll()

		v := b.want(b.signIn(p.Email, testkit.Password), 200, "Verify it&#39;s you", "Acme Marine", `name="code"`)
		assert.Equal(t, v.path, "/oauth/sign-in/factor")
		assert.Equal(t, b.cookie("slipway-test"), "", "before the code")
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in?")

		v = b.want(b.submit(v, "code", "000000"), 422, "The code is wrong", `role="alert"`)
		v = b.submit(v, "code", s.Code(p.Secret))
		assert.Equal(t, b.want(v, 200, p.Email).path, "/oauth/account")

		// The ticket works once.
		b.want(b.get("/oauth/sign-in/factor"), 410, "Sign in again")

		other := newBrowser(t, s)
		v = other.submit(other.signIn(p.Email, testkit.Password), "code", recovery[0])
		assert.Equal(t, other.want(v, 200, p.Email).path, "/oauth/account")
	})
}

// A ticket is only valid for five minutes, and only for the password that was checked.
func TestTicketExpires(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		p.Enroll()
		v := b.signIn(p.Email, testkit.Password)
		s.Advance(5*time.Minute + time.Second)
		b.want(b.submit(v, "code", s.Code(p.Secret)), 410, "Sign in again")
		assert.Equal(t, b.cookie("slipway-test"), "")

		v = b.signIn(p.Email, testkit.Password)
		s.Activate(p.ID) // sets the password again
		b.want(b.submit(v, "code", s.Code(p.Secret)), 422)
		assert.Equal(t, b.cookie("slipway-test"), "")
	})
}

// Who has to sign in again learns why, and gets back to the page.
func TestSignInAgain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const page, link = "/console/test/boats?status=available", "/oauth/sign-in?return_to=%2Fconsole%2Ftest%2Fboats%3Fstatus%3Davailable"
		p, b := s.Person("viewer"), newBrowser(t, s)
		assert.Excludes(t, b.get(page).text, "Your session has ended")
		p.Enroll()
		v := b.submit(b.submit(b.get(page), "email", p.Email), "email", p.Email, "password", testkit.Password)
		b.submit(v, "code", s.Code(p.Secret))
		s.Advance(3 * time.Hour)
		v = b.want(b.get(page), 200, "Your session has ended. Sign in to continue where you were.")

		// A step that takes too long doesn't lose the page either.
		v = b.submit(b.submit(v, "email", p.Email), "email", p.Email, "password", testkit.Password)
		b.want(v, 200, "Two-factor code")
		s.Advance(6 * time.Minute)
		b.want(b.submit(v, "code", s.Code(p.Secret)), 410, "Sign in again", link)
	})
}

// The owner has an account in each environment and dealership with the same address, and has
// chosen the same password in two of them.
func TestSignInChoosesAccount(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.SharePassword()
		b := newBrowser(t, s)
		v := b.want(b.signIn(s.Owner.Email, s.Owner.Password), 200, "Choose an account", "Acme Marine", "Live", "Test")
		assert.Equal(t, v.path, "/oauth/sign-in/choose")
		assert.Excludes(t, v.text, "Rival Yachts") // it has another password
		assert.Equal(t, strings.Count(v.text, `<button name="user"`), 2)

		// Either of them can be chosen, but no other user.
		test := testkit.Rows[string](s, `SELECT id FROM users WHERE env = ? AND email = ?`, s.TestEnv(), s.Owner.Email)[0]
		assert.Equal(t, b.submit(v, "user", s.Person("sales").ID).path, "/oauth/sign-in/choose")
		f := b.want(b.submit(v, "user", test), 200, "Verify it&#39;s you", "Acme Marine", "Test")
		assert.Equal(t, f.path, "/oauth/sign-in/factor")
		b.want(b.submit(f, "code", s.Code(s.Owner.LiveTOTPSecret)), 422) // of the other account
		assert.Equal(t, b.want(b.submit(f, "code", s.Code(s.Owner.TestTOTPSecret)), 200, "owner").path, "/oauth/account")
		if b.cookie("slipway-test") == "" || b.cookie("slipway-live") != "" {
			t.Error("want a cookie for the test environment only")
		}

		// A browser can be signed in to both.
		v = b.signIn(s.Owner.Email, s.Owner.Password)
		live := testkit.Rows[string](s, `SELECT id FROM users WHERE email = ? AND id <> ? ORDER BY id LIMIT 1`, s.Owner.Email, test)[0]
		v = b.submit(b.submit(v, "user", live), "code", s.Code(s.Owner.LiveTOTPSecret))
		b.want(v, 200, "Live", "Go to Acme Marine · Test")
		b.want(b.get("/oauth/account?environment=test"), 200, "Go to Acme Marine · Live")
	})
}

// The same errors, texts and counts as with POST {auth_url}/sessions.
func TestSignInRejections(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		wrong := b.want(b.signIn(p.Email, "not the password"), 422, "The email address, password or code is wrong.", `aria-describedby="problem"`)
		unknown := b.want(b.signIn("unknown@example.com", "not the password"), 422, "The email address, password or code is wrong.")
		same := func(text, email string) string {
			return hidden.ReplaceAllString(strings.ReplaceAll(strings.ReplaceAll(text, email, "x"), strings.ReplaceAll(email, "@", "%40"), "x"), "")
		}
		assert.Equal(t, same(unknown.text, "unknown@example.com"), same(wrong.text, p.Email))

		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		failed := testkit.Rows[string](s, `SELECT target_id FROM audit_entries WHERE action = 'auth.failed'`)
		assert.Equal(t, failed, []string{p.ID})

		for range 9 {
			b.signIn(p.Email, "not the password")
		}
		v := b.want(b.signIn(p.Email, testkit.Password), 429, "Too many attempts. Wait")
		if v.Header.Get("Retry-After") == "" {
			t.Error("got no Retry-After")
		}
		res := s.As("").Post("/oauth/sessions", map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test"}, 429, nil)
		assert.Contains(t, string(res.Bytes), "rate_limited", "the API has the same limit")
	})
}

// The page for a forgotten password doesn't ask for the environment. It sends a link
// for each account of the address.
func TestForgotPasswordPage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		b := newBrowser(t, s)
		v := b.want(b.get("/oauth/password/forgot"), 200, "Forgot your password?", "Back to sign-in")
		assert.Excludes(t, v.text, "nvironment")
		b.want(b.post("/oauth/password/forgot/sent", "email", s.Owner.Email), 200, "Check your email")
		link := s.ResetLinks(s.Owner.Email, 4)[0] // live and test, in two dealerships
		b.want(b.get(link), 200, "Set a new password", s.Owner.Email, `class="where"`)
	})
}

// A path without a page shows a page.
func TestUnknownPage(t *testing.T) {
	s := testkit.OnSQLite(t)
	b := newBrowser(t, s)
	b.want(b.get("/oauth/account/unknown"), 404, "Page not found")
	b.want(b.get("/oauth/sign-in/unknown"), 404, "Page not found")
}

// A browser doesn't follow redirects of a form to another site, so a page leads on.
func TestSignInLeadsOn(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := s.Person("viewer")
	b := newBrowser(t, s).stay()
	b.header.Set("Accept", "text/html,application/xhtml+xml")
	v := b.get("/oauth/sign-in?return_to=%2Foauth%2Fauthorize%3Fclient_id%3Dapp_1%26state%3D%2522%2526")
	v = b.want(b.submit(v, "email", p.Email, "password", testkit.Password), 200, "You are signed in", "/oauth/authorize?client_id=app_1")
	assert.Equal(t, v.Header.Get("Refresh"), "0; url=/oauth/authorize?client_id=app_1&state=%22%26")
	v = b.submit(b.get("/oauth/sign-in?switch=1&return_to=%2Foauth%2Faccount"), "email", p.Email, "password", testkit.Password)
	assert.Equal(t, b.want(v, 303).Header.Get("Location"), "/oauth/account")
}
