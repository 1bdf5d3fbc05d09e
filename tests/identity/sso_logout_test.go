package identity

import (
	"net/url"
	"testing"

	"slipway/internal/identity/sso/oidc/oidctest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// backchannel sends a logout token and returns the status.
func (w *world) backchannel(node *testkit.Server, token string) int {
	w.t.Helper()
	return w.Browser().Post(node.URL+local(*w.conn.BackchannelLogoutURI), url.Values{"logout_token": {token}}).StatusCode
}

// A logout at the provider ends the cookie and the Bearer token, on every node.
func TestLogoutAtProvider(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b, other := w.Browser(), w.Browser()
		w.signIn(b)
		token := w.bearer(b)
		w.idp.SessionID = "session-2"
		w.signIn(other)
		w.idp.SessionID = "session-1"

		assert.Equal(t, w.backchannel(w.node(1), w.idp.LogoutToken(nil)), 200)
		assert.Equal(t, isSignedIn(b, w.Server), false)
		assert.Equal(t, works(w.Server, token), false)
		assert.Equal(t, isSignedIn(other, w.Server), true, "another session of the user")
		assert.Equal(t, w.backchannel(w.Server, w.idp.LogoutToken(map[string]any{"sid": nil})), 200)
		assert.Equal(t, isSignedIn(other, w.node(1)), false, "all sessions of the user")

		// The front channel needs no cookies.
		w.signIn(b)
		page := local(*w.conn.FrontchannelLogoutURI)
		for _, wrong := range []string{
			"?sid=session-1", "?iss=" + w.idp.Issuer, "?sid=session-9&iss=" + w.idp.Issuer, "?sid=session-1&iss=https://evil.example",
		} {
			w.Browser().Open(page + wrong)
		}
		assert.Equal(t, isSignedIn(b, w.Server), true)
		v := w.Browser().Open(page + "?sid=session-1&iss=" + url.QueryEscape(w.idp.Issuer))
		assert.Contains(t, v.Header.Get("Content-Security-Policy"), "frame-ancestors "+w.idp.Issuer)
		assert.Equal(t, isSignedIn(b, w.node(1)), false)
	})
}

// Signing out here also ends the tokens, and leads to the provider.
func TestLogoutHere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.Browser()
		w.signIn(b)
		token := w.bearer(b)
		v := b.Submit(b.Open("/oauth/sign-out"))
		assert.Equal(t, isSignedIn(b, w.node(1)), false)
		assert.Equal(t, works(w.node(1), token), false)
		next := v.Header.Get("Refresh")
		assert.Contains(t, next, "0; url=/sso/logout?")
		v = b.Open(next[len("0; url="):])
		assert.Equal(t, v.Request.URL.Path, "/logout")
		q := v.Request.URL.Query()
		assert.Equal(t, q.Get("post_logout_redirect_uri"), "http://localhost/sso/signed-out")
		assert.Equal(t, q.Get("client_id"), oidctest.ClientID)
		assert.Equal(t, len(q.Get("id_token_hint")) > 100, true)

		// The link of another session doesn't work.
		u, err := url.Parse(next[len("0; url="):])
		if err != nil {
			t.Fatal(err)
		}
		q = u.Query()
		q.Set("session", "ses_other")
		assert.Equal(t, b.Open(u.Path+"?"+q.Encode()).Request.URL.Path, "/sso/logout")
	})
}
