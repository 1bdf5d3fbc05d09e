package identity

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/platform/password"
	"slipway/internal/platform/site"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The address of the next page can't lead to another site.
func TestOpenRedirect(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := s.Person("viewer")
	for given, want := range map[string]string{
		"https://evil.example/":                                        "/oauth/account",
		"//evil.example/oauth/account":                                 "/oauth/account",
		"///evil.example/oauth/account":                                "/oauth/account",
		`/\evil.example/oauth/account`:                                 "/oauth/account",
		`\\evil.example/oauth/account`:                                 "/oauth/account",
		`/oauth/account/..\..\..\\evil.example`:                        "/oauth/account",
		"/\t/evil.example/oauth/account":                               "/oauth/account",
		"/\n//evil.example":                                            "/oauth/account",
		"/%09/evil.example":                                            "/oauth/account",
		"/%2f%2fevil.example":                                          "/oauth/account",
		"/oauth/account/%2e%2e/%2e%2e//evil":                           "/oauth/account",
		"/oauth/account/../../..//evil.example":                        "/oauth/account",
		"/oauth/account//evil.example":                                 "/oauth/account",
		"javascript:alert(1)//oauth/account":                           "/oauth/account",
		"javascript://%0aalert(1)/oauth/account":                       "/oauth/account",
		"data:text/html,<script>alert(1)</script>":                     "/oauth/account",
		"http:/oauth/account":                                          "/oauth/account",
		"https:evil.example/oauth/account":                             "/oauth/account",
		"//localhost@evil.example/oauth/account":                       "/oauth/account",
		"evil.example/oauth/account":                                   "/oauth/account",
		"/oauth/accountant":                                            "/oauth/account",
		"/docs":                                                        "/oauth/account",
		"/v1/hulls":                                                    "/oauth/account",
		"/oauth/sign-out":                                              "/oauth/account",
		"/oauth/authorize\r\nSet-Cookie: a=b":                          "/oauth/account",
		"":                                                             "/oauth/account",
		"/oauth/account/sessions?environment=test":                     "/oauth/account/sessions?environment=test",
		"/oauth/authorize?client_id=app_1&scope=a+b":                   "/oauth/authorize?client_id=app_1&scope=a+b",
		"/oauth/authorize?redirect_uri=https%3A%2F%2Fapp.example%2Fcb": "/oauth/authorize?redirect_uri=https%3A%2F%2Fapp.example%2Fcb",
	} {
		b := newBrowser(t, s).stay()
		v := b.want(b.get("/oauth/sign-in?return_to="+url.QueryEscape(given)), 200)
		v = b.want(b.submit(v, "email", p.Email, "password", testkit.Password), 303)
		assert.Equal(t, v.Header.Get("Location"), want, given)

		// A form that was changed, and a visitor who is signed in.
		c := newBrowser(t, s).stay()
		v = c.submit(c.get("/oauth/sign-in"), "email", p.Email, "password", testkit.Password, "return_to", given)
		assert.Equal(t, v.Header.Get("Location"), want, given)
		assert.Equal(t, c.get("/oauth/sign-in?return_to="+url.QueryEscape(given)).Header.Get("Location"), want, given)
		s.Advance(2 * time.Minute) // for the limit of attempts
	}
}

// A token that is in the cookie before the sign-in is never used after it.
func TestSessionFixation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, attacker := s.Person("viewer"), s.Person("viewer")
		b := newBrowser(t, s)
		b.signIn(attacker.Email, testkit.Password)
		planted := b.cookie("slipway-test")

		victim := newBrowser(t, s)
		victim.setCookie("slipway-test", planted)
		victim.want(victim.signIn(p.Email, testkit.Password), 200, p.Email)
		if got := victim.cookie("slipway-test"); got == planted || got == "" {
			t.Error("the sign-in kept the token that was planted")
		}
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in", "the planted session has ended")

		// A made-up token is not adopted either.
		victim.setCookie("slipway-test", "st_test_chosen-by-the-attacker")
		assert.Contains(t, victim.get("/oauth/account").path, "/oauth/sign-in")
		victim.signIn(p.Email, testkit.Password)
		assert.Excludes(t, victim.cookie("slipway-test"), "chosen")
	})
}

// Another site can't sign a user in to the attacker's account.
func TestLoginCSRF(t *testing.T) {
	s := testkit.OnSQLite(t)
	attacker := s.Person("viewer")
	signIn := []string{"email", attacker.Email, "password", testkit.Password}
	own := newBrowser(t, s)
	token := hidden.FindStringSubmatch(own.get("/oauth/sign-in").text)[2] // of the attacker's own visit

	for name, forge := range map[string]func(b *browser) view{
		"no token":             func(b *browser) view { return b.post("/oauth/sign-in", signIn...) },
		"the attacker's token": func(b *browser) view { return b.post("/oauth/sign-in", append(signIn, "form_token", token)...) },
		"the token of another form": func(b *browser) view {
			b.get("/oauth/sign-in")
			return b.post("/oauth/sign-in", append(signIn, "form_token", token)...)
		},
		"garbage": func(b *browser) view { return b.post("/oauth/sign-in", append(signIn, "form_token", "AAAA")...) },
		"from another site": func(b *browser) view {
			v := b.get("/oauth/sign-in")
			b.header.Set("Sec-Fetch-Site", "cross-site")
			return b.submit(v, signIn...)
		},
		"from another host of the site": func(b *browser) view {
			v := b.get("/oauth/sign-in")
			b.header.Set("Sec-Fetch-Site", "same-site")
			return b.submit(v, signIn...)
		},
		"with the origin of another site": func(b *browser) view {
			v := b.get("/oauth/sign-in")
			b.header.Set("Origin", "https://evil.example")
			return b.submit(v, signIn...)
		},
		"with an opaque origin": func(b *browser) view {
			v := b.get("/oauth/sign-in")
			b.header.Set("Origin", "null")
			return b.submit(v, signIn...)
		},
	} {
		b := newBrowser(t, s)
		v := forge(b)
		assert.Equal(t, v.StatusCode, 403, name)
		assert.Equal(t, b.cookie("slipway-test"), "", name)
	}

	// Another site can't complete the second step or end a session either.
	p := s.Person("viewer")
	p.Enroll()
	b := newBrowser(t, s)
	v := b.signIn(p.Email, testkit.Password)
	b.header.Set("Sec-Fetch-Site", "cross-site")
	assert.Equal(t, b.submit(v, "code", s.Code(p.Secret)).path, "/oauth/sign-in/factor")
	assert.Equal(t, b.cookie("slipway-test"), "")
	b.header.Del("Sec-Fetch-Site")
	b.submit(v, "code", s.Code(p.Secret))
	for _, path := range []string{"/oauth/sign-out", "/oauth/account/sessions"} {
		b.want(b.post(path, "session", "others"), 403, "another site")
	}
	b.want(b.get("/oauth/account"), 200, p.Email)
}

// The token of a form works for one visitor and one purpose.
func TestFormTokenOfAnotherVisitor(t *testing.T) {
	s := testkit.OnSQLite(t)
	p, other := s.Person("viewer"), s.Person("viewer")
	mine, theirs := newBrowser(t, s), newBrowser(t, s)
	mine.signIn(p.Email, testkit.Password)
	theirs.signIn(other.Email, testkit.Password)

	token := func(b *browser, path string) string { return hidden.FindStringSubmatch(b.get(path).text)[2] }
	mine.want(mine.post("/oauth/sign-out", "form_token", token(theirs, "/oauth/account")), 403)
	mine.want(mine.post("/oauth/sign-out", "form_token", token(mine, "/oauth/account/sessions")), 403)
	mine.want(mine.post("/oauth/sign-out", "form_token", token(mine, "/oauth/account")), 200, "You are signed out")
}

// A browser session is only accepted in a cookie, and a session of the API only in
// the Authorization header.
func TestCookieIsNoBearerToken(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		b.signIn(p.Email, testkit.Password)
		s.As(b.cookie("slipway-test")).Get("/v1/me", 401, nil)
		s.As(b.cookie("slipway-test")).Do("DELETE", "/oauth/sessions/current", nil, 401, nil)
		b.want(b.get("/oauth/account"), 200, p.Email)

		b.setCookie("slipway-test", p.Key)
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in", "a bearer token in the cookie")
		b.setCookie("slipway-test", s.Test.Key)
		assert.Contains(t, b.get("/oauth/account").path, "/oauth/sign-in", "an API key in the cookie")

		// The cookie of the test environment is not accepted for the live one.
		c := newBrowser(t, s)
		c.signIn(p.Email, testkit.Password)
		c.setCookie("slipway-live", c.cookie("slipway-test"))
		c.setCookie("slipway-test", "")
		assert.Contains(t, c.get("/oauth/account").path, "/oauth/sign-in")
	})
}

// A cookie alone gives no access to the API.
func TestAPIIgnoresCookies(t *testing.T) {
	s := testkit.OnSQLite(t)
	p, b := s.Person("sales"), newBrowser(t, s)
	b.signIn(p.Email, testkit.Password)
	assert.Equal(t, b.get("/v1/me").StatusCode, 401)
}

// Pages can't be framed, cached or read by other sites.
func TestClickjackingHeaders(t *testing.T) {
	s := testkit.OnSQLite(t)
	p, b := s.Person("viewer"), newBrowser(t, s)
	p.Enroll()
	check := func(v view, scripts bool) {
		t.Helper()
		policy := v.Header.Get("Content-Security-Policy")
		want := "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
			"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
		if scripts {
			want = strings.Replace(want, "form-action", "script-src 'self'; form-action", 1)
		}
		assert.Equal(t, policy, want, v.path)
		assert.Equal(t, v.Header.Get("X-Frame-Options"), "DENY", v.path)
		assert.Equal(t, v.Header.Get("Cache-Control"), "no-store", v.path)
		assert.Equal(t, v.Header.Get("Referrer-Policy"), "strict-origin", v.path)
		assert.Excludes(t, v.text, "style=")
		assert.Excludes(t, v.text, "<style")
	}
	v := b.get("/oauth/sign-in")
	check(v, false)
	v = b.signIn(p.Email, testkit.Password)
	check(v, false)
	check(b.submit(v, "code", s.Code(p.Secret)), false)
	check(b.get("/oauth/account/sessions"), false)
	check(b.get("/oauth/sign-out"), false)
	check(b.get("/oauth/password/forgot"), false)
	check(b.get("/oauth/sign-in/factor"), false)
}

// A flood of sign-ins makes users wait for a moment, but not for long.
func TestFloodOfSignInPages(t *testing.T) {
	s := testkit.OnSQLite(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for {
		leave, err := password.Unknown.Enter(canceled)
		if err != nil {
			break // the queue is full
		}
		t.Cleanup(leave)
	}
	b := newBrowser(t, s)
	v := b.want(b.signIn("unknown@example.com", testkit.Password), 429, "Slipway is busy. Wait 5 seconds and try again.")
	assert.Equal(t, v.Header.Get("Retry-After"), "5")
}

// Guessing recovery codes is limited, also for a user without an authenticator app.
func TestGuessRecoveryCodes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, b := s.Person("viewer"), newBrowser(t, s)
		p.Enroll()
		s.Exec(`UPDATE mfa_factors SET kind = 'other' WHERE user_id = ?`, p.ID) // no app that could be locked
		v := b.signIn(p.Email, testkit.Password)
		statuses := map[int]int{}
		for range 15 {
			statuses[b.submit(v, "code", "aaaaa-aaaaa").StatusCode]++
		}
		assert.Equal(t, statuses, map[int]int{422: 10, 429: 5})

		// Those over the limit are recorded too.
		if err := s.AuthLog.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		recorded := testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action = 'auth.failed' AND target_id = ?`, p.ID)
		entries := strings.Join(recorded, "\n")
		assert.Contains(t, entries, "Too many sign-in attempts")
		assert.Contains(t, entries, `"times":[null,5]`)
		assert.Contains(t, entries, `"times":[null,10]`)
	})
}

// Cookies are safe on https: with the prefix, so that no other host can set them.
func TestCookieFlags(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := s.Person("viewer")
	for _, authURL := range []string{"http://localhost/oauth", "https://auth.example.com/oauth"} {
		set := s.Settings()
		set.AuthURL = authURL
		a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if err := site.LoadKeys(t.Context(), a.DB, a.Box, false); err != nil {
			t.Fatal(err)
		}
		send := func(method string, cookies []*http.Cookie, form url.Values) *http.Response {
			req := httptest.NewRequest(method, "/oauth/sign-in", strings.NewReader(form.Encode()))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for _, c := range cookies {
				req.AddCookie(c)
			}
			w := httptest.NewRecorder()
			a.Handler.ServeHTTP(w, req)
			return w.Result()
		}

		first := send(http.MethodGet, nil, nil)
		text, err := io.ReadAll(first.Body)
		if err != nil {
			t.Fatal(err)
		}
		token := hidden.FindStringSubmatch(string(text))[2]
		form := url.Values{"email": {p.Email}, "password": {testkit.Password}, "form_token": {token}}
		res := send(http.MethodPost, first.Cookies(), form)
		assert.Equal(t, res.StatusCode, 303)

		https, found := strings.HasPrefix(authURL, "https"), 0
		for _, c := range append(first.Cookies(), res.Cookies()...) {
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("%s: got %+v; want HttpOnly, SameSite=Lax, Path=/ and no Domain", authURL, c)
			}
			if c.Secure != https || strings.HasPrefix(c.Name, "__Host-") != https {
				t.Errorf("%s: got %+v; want Secure and __Host- on https only", authURL, c)
			}
			if strings.TrimPrefix(c.Name, "__Host-") == "slipway-test" && c.MaxAge == 0 && c.Value != "" {
				found++
			}
		}
		assert.Equal(t, found, 1, "cookie of the session")
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
