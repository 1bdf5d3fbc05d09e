package signin

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
)

// Hooks are what signin calls in features that depend on it: single sign-on.
type Hooks struct {
	// Connections returns the connections for the domain of an email address. The
	// result must not depend on whether a user has the address.
	Connections func(ctx context.Context, email string) ([]Connection, error)

	// Logout returns the page that signs a user out at the identity provider, or "".
	// It is called while the session is still active.
	Logout func(ctx context.Context, env auth.Env, s people.Session) (string, error)
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.links = &links{}
	a.DB.AttachHooks(h)
	return a
}

// Connection is an identity provider that a user can sign in with.
type Connection struct {
	Name     string
	Mode     auth.Mode
	URL      string // path of the page that starts the sign-in
	Enforced bool   // users of the domain can't sign in with a password
}

// connections returns the connections for a sign-in, which lead back to the page
// that the user wanted to see.
func (a *API) connections(ctx context.Context, f signInForm) ([]Connection, error) {
	all, err := db.Attached[Hooks](a.DB).Connections(ctx, f.Email)
	for i := range all {
		q := url.Values{"login_hint": {f.Email}}
		if to := a.returnTo(f.ReturnTo); to != "" {
			q.Set("return_to", to)
		}
		all[i].URL += "?" + q.Encode()
	}
	return all, err
}

// enforced returns the connection to use without asking, or nil.
func enforced(f signInForm) *Connection {
	if len(f.Connections) != 1 || !f.Connections[0].Enforced || f.WithPassword {
		return nil
	}
	return &f.Connections[0]
}

var ssoPage = pages.NewPage(`<h1>Sign in with {{.Name}}</h1><p>Your organization uses single sign-on.</p>
<a class="button" href="{{.URL}}">Continue</a>`)

// leaveForSSO starts the sign-in at the identity provider. Chromium would block a
// redirect after a form; see leave.
func (a *API) leaveForSSO(w http.ResponseWriter, r *http.Request, c Connection) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		redirect(w, r, c.URL)
		return
	}
	w.Header().Set("Refresh", "0; url="+c.URL)
	ssoPage.Render(w, http.StatusOK, "Sign in with "+c.Name, c)
}

// logoutPage returns the page that signs the users of this browser out at their
// identity provider, or "".
func (a *API) logoutPage(w http.ResponseWriter, r *http.Request) (string, error) {
	all, err := a.Visitors(w, r)
	if err != nil {
		return "", err
	}
	for _, v := range all {
		if to, err := db.Attached[Hooks](a.DB).Logout(r.Context(), v.Env, v.Session); err != nil || to != "" {
			return to, err
		}
	}
	return "", nil
}

// tokenPage returns the page with a token for the API. Users with a password get one
// from POST {auth_url}/sessions.
func (a *API) tokenPage(v Visitor) string {
	if v.Session.Method == people.ByPassword {
		return ""
	}
	return a.TokenPage + "?environment=" + string(v.Mode)
}

// Cookie returns the value of a cookie that SetCookie has set, or "".
func (a *API) Cookie(r *http.Request, name string) string { return a.readCookie(r, name) }

// SetCookie sets a cookie that scripts and other sites can't read. It lasts until
// the browser closes, or for maxAge seconds.
func (a *API) SetCookie(w http.ResponseWriter, name, value string, maxAge int) {
	a.setCookie(w, name, value, maxAge)
}

// SessionToken returns the token of the browser's session in an environment, or "".
func (a *API) SessionToken(r *http.Request, mode auth.Mode) string {
	return a.readCookie(r, sessionCookie(mode))
}

// Admit sets the cookie of a new session and leads to a page, or to the account.
func (a *API) Admit(w http.ResponseWriter, r *http.Request, mode auth.Mode, token, returnTo string) {
	a.setCookie(w, sessionCookie(mode), token, 0)
	a.setCookie(w, ticketCookie, "", -1)
	if returnTo == "" {
		returnTo = a.url("/account", "", "environment", string(mode))
	}
	a.leave(w, r, returnTo)
}

// SafeReturn returns a page that a sign-in can lead to, or "".
func (a *API) SafeReturn(given string) string { return a.returnTo(given) }
