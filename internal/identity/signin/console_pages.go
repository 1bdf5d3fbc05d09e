package signin

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"slipway/internal/identity/access"
	"slipway/internal/vocab/auth"
)

// The console uses the same sessions as the other pages. These functions are for it.

// RequireIn returns the visitor in an environment, and whether the visitor is signed in to live.
// A visitor of the live environment gets a session in the test environment. If it returns false,
// it has redirected to a page that sends the visitor back to this URL.
func (a *API) RequireIn(w http.ResponseWriter, r *http.Request, mode auth.Mode) (v Visitor, live, ok bool) {
	all, ok := a.requireAll(w, r)
	if !ok {
		return v, false, false
	}
	for _, v = range all {
		switch {
		case v.Mode == mode && v.MustEnroll:
			redirect(w, r, a.url("/account/two-factor", a.here(r), "environment", string(mode)))
			return v, false, false
		case v.Mode == mode:
			return v, all[0].Mode == auth.Live, true
		}
	}
	if mode == auth.Live { // there is no way from test to live
		redirect(w, r, a.url("/sign-in", a.here(r), "switch", "1"))
		return v, false, false
	}
	if all[0].MustEnroll {
		redirect(w, r, a.url("/account/two-factor", a.here(r), "environment", string(auth.Live)))
		return v, false, false
	}

	if err := a.openTest(w, r); err != nil {
		a.showError(w, r, err)
		return v, false, false
	}
	redirect(w, r, a.here(r))
	return v, false, false
}

// openTest opens a test session for the visitor of the live environment.
func (a *API) openTest(w http.ResponseWriter, r *http.Request) error {
	live, err := a.Access.Auth.AuthenticateBrowser(r.Context(), a.SessionToken(r, auth.Live))
	if err != nil {
		return err
	}
	o, err := a.Access.OpenTestSession(r.Context(), live, a.SessionToken(r, auth.Test))
	if err == nil {
		a.setCookie(w, sessionCookie(auth.Test), o.Token, 0)
	}
	return err
}

// SignOut returns the address of the form that ends all sessions of the browser, and its
// token.
func (a *API) SignOut(v Visitor) (action, token string) {
	return a.url("/sign-out", ""), a.FormToken(v, "sign-out")
}

// AccountURL returns the page of the visitor's account.
func (a *API) AccountURL(v Visitor) string { return a.in(v, "/account") }

// links are addresses that sign a user in once, without a password. Only the demo has
// some. They are in memory, so they end with the server.
type links struct {
	mu    sync.Mutex
	users map[string]link // by token
}

type link struct {
	user     access.Checked
	returnTo string
}

// AddLink returns the path of a new link.
func (a *API) AddLink(user access.Checked, returnTo string) string {
	token := strings.ToLower(rand.Text())
	a.links.mu.Lock()
	defer a.links.mu.Unlock()
	if a.links.users == nil {
		a.links.users = map[string]link{}
	}
	a.links.users[token] = link{user, returnTo}
	return a.authPath() + "/sign-in/link?" + url.Values{"token": {token}}.Encode()
}

// take returns the user of a link, and ends the link.
func (l *links) take(token string) (link, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, ok := l.users[token]
	delete(l.users, token)
	return found, ok
}

func (a *API) useLink(w http.ResponseWriter, r *http.Request) {
	found, ok := a.links.take(r.URL.Query().Get("token"))
	if !ok {
		noticePage.Render(w, http.StatusGone, "The link was used", notice{
			Heading: "The link was used", Text: "It signs you in once. Sign in with the email address and the password.",
			Link: a.url("/sign-in", ""), LinkText: "Sign in",
		})
		return
	}
	o, err := a.Access.OpenLinkedSession(r.Context(), found.user, a.SessionToken(r, found.user.Mode))
	if err != nil {
		a.showError(w, r, err)
		return
	}
	a.setCookie(w, sessionCookie(found.user.Mode), o.Token, 0)
	a.leave(w, r, found.returnTo)
}
