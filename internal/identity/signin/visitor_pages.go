package signin

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// API serves the sign-in pages and the pages of an account.
type API struct {
	DB      *db.DB
	Box     *seal.Box
	Access  *access.API
	AuthURL string
	BaseURL string // where the documentation is
	Log     *slog.Logger

	// ReturnTo are paths of pages that a sign-in can lead to, besides the account.
	ReturnTo []string

	// TokenPage is the path of the page with a token for the API.
	TokenPage string

	links *links // of the demo
}

// Visitor is a user who is signed in with a browser.
type Visitor struct {
	auth.Principal
	User       people.User
	Session    people.Session
	Dealership string // its name
}

// Option shows the dealership and the environment of the visitor on a page.
func (v Visitor) Option() pages.Option { return pages.At(v.Dealership, v.Mode) }

// Mount registers the pages.
func (a *API) Mount(r *rest.Router) {
	served := http.StripPrefix(a.authPath(), a.pages())
	for _, path := range []string{"/sign-in", "/sign-in/*", "/sign-out", "/account", "/account/*"} {
		r.HandleForm(a.authPath()+path, served)
	}
}

// pages serves the pages below {auth_url}.
func (a *API) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sign-in", a.showSignIn)
	mux.HandleFunc("POST /sign-in", a.signIn)
	mux.HandleFunc("GET /sign-in/choose", a.showChoices)
	mux.HandleFunc("POST /sign-in/choose", a.choose)
	mux.HandleFunc("GET /sign-in/factor", a.showFactor)
	mux.HandleFunc("POST /sign-in/factor", a.verifyFactor)
	mux.HandleFunc("GET /sign-in/link", a.useLink)
	mux.HandleFunc("GET /sign-out", a.showSignOut)
	mux.HandleFunc("POST /sign-out", a.signOut)
	mux.HandleFunc("GET /account", a.showAccount)
	mux.HandleFunc("GET /account/sessions", a.showSessions)
	mux.HandleFunc("POST /account/sessions", a.revokeSession)
	mux.HandleFunc("GET /account/two-factor", a.showEnroll)
	mux.HandleFunc("POST /account/two-factor", a.enroll)
	mux.HandleFunc("GET /account/passkey", a.showAddPasskey)
	mux.HandleFunc("POST /account/passkey", a.addPasskey)
	mux.HandleFunc("GET /account/password", a.showChangePassword)
	mux.HandleFunc("POST /account/password", a.changePassword)
	mux.HandleFunc("/", a.showNotFound)
	return mux
}

// authPath returns the path of {auth_url} on this server.
func (a *API) authPath() string { return people.AuthPath(a.AuthURL) }

// url returns the path of a page with the page to return to.
func (a *API) url(page, returnTo string, more ...string) string {
	q := url.Values{}
	if returnTo != "" {
		q.Set("return_to", returnTo)
	}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	if len(q) == 0 {
		return a.authPath() + page
	}
	return a.authPath() + page + "?" + q.Encode()
}

// returnTo returns a page that is safe to lead to, or "".
func (a *API) returnTo(given string) string {
	return safeReturn(given, append([]string{a.authPath() + "/account"}, a.ReturnTo...))
}

var continuePage = pages.NewPage(`<h1>You are signed in</h1><p>If the next page doesn't open, continue with this link.</p>
<a class="button plain" href="{{.}}">Continue</a>`)

// leave leads to a page after a sign-in, or to the account.
//
// The page might lead to another site, such as an app. Chromium applies the policy
// of a form to all redirects that follow it, so it would block that. A page that
// refreshes is a new navigation. Clients that are not browsers get a redirect.
func (a *API) leave(w http.ResponseWriter, r *http.Request, returnTo string) {
	account := a.authPath() + "/account"
	if returnTo = a.returnTo(returnTo); returnTo == "" {
		returnTo = account
	}
	isBrowser := strings.Contains(r.Header.Get("Accept"), "text/html")
	if r.Method == http.MethodPost && isBrowser && !strings.HasPrefix(returnTo, account) {
		w.Header().Set("Refresh", "0; url="+returnTo)
		continuePage.Render(w, http.StatusOK, "You are signed in", returnTo)
		return
	}
	redirect(w, r, returnTo)
}

// redirect leads to a page with GET.
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// Require returns the visitor, or redirects to the sign-in page (and back to this
// URL) and returns false. Administrators without a two-factor method have to set up
// one first.
func (a *API) Require(w http.ResponseWriter, r *http.Request) (Visitor, bool) {
	all, ok := a.requireAll(w, r)
	if ok && all[0].MustEnroll {
		redirect(w, r, a.url("/account/two-factor", a.here(r), "environment", string(all[0].Mode)))
		ok = false
	}
	if !ok {
		return Visitor{}, false
	}
	return all[0], true
}

// require does the same as Require for administrators without a two-factor method.
func (a *API) require(w http.ResponseWriter, r *http.Request) (Visitor, bool) {
	all, ok := a.requireAll(w, r)
	if !ok {
		return Visitor{}, false
	}
	return all[0], true
}

// requireAll returns all visitors. The first one is the one of the environment in
// the query, or else of the live environment.
func (a *API) requireAll(w http.ResponseWriter, r *http.Request) ([]Visitor, bool) {
	all, err := a.Visitors(w, r)
	if err != nil {
		a.showError(w, r, err)
		return nil, false
	}
	if len(all) == 0 {
		if a.SessionToken(r, auth.Live) != "" || a.SessionToken(r, auth.Test) != "" {
			redirect(w, r, a.url("/sign-in", a.here(r), "ended", "1"))
		} else {
			redirect(w, r, a.url("/sign-in", a.here(r)))
		}
		return nil, false
	}
	if wanted := auth.Mode(r.URL.Query().Get("environment")); len(all) > 1 && all[1].Mode == wanted {
		slices.Reverse(all)
	}
	return all, true
}

// here returns the address of the current page, if a sign-in can lead to it. The
// router might have removed the prefix of the path, but not from RequestURI.
func (a *API) here(r *http.Request) string {
	u, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		return ""
	}
	return a.returnTo(u.RequestURI())
}

// Visitors returns the users who are signed in with this browser: at most one in
// the live environment and one in the test environment, in this order. If the rights
// of a user have changed, it gives the session a new token.
func (a *API) Visitors(w http.ResponseWriter, r *http.Request) (all []Visitor, err error) {
	ctx := r.Context()
	for _, mode := range []auth.Mode{auth.Live, auth.Test} {
		token := a.readCookie(r, sessionCookie(mode))
		if token == "" {
			continue
		}
		c, err := a.Access.Auth.AuthenticateBrowser(ctx, token)
		if fault.KindOf(err) == fault.KindUnauthenticated || (err == nil && c.Mode != mode) {
			continue // the cookie stays, because another request might have just replaced it
		}
		if err != nil {
			return nil, err
		}

		if c.RightsChanged {
			if token, err = a.Access.RotateSession(ctx, c); err != nil {
				return nil, err
			}
			if token != "" {
				a.setCookie(w, sessionCookie(mode), token, 0)
			}
		}
		d, err := db.Read(auth.With(ctx, c.Principal), a.DB, dealership.Find)
		if err != nil {
			return nil, err
		}
		all = append(all, Visitor{c.Principal, c.User, c.Session, d.Name})
	}
	return all, nil
}

// The names of the cookies. On https they have the prefix __Host-, so that no other
// host can set them.
const (
	visitCookie  = "slipway-visit"  // before the sign-in, against forged sign-ins
	ticketCookie = "slipway-ticket" // between the password and the two-factor method
)

// sessionCookie returns the name of the cookie with the session of an environment.
func sessionCookie(mode auth.Mode) string { return "slipway-" + string(mode) }

func (a *API) cookieName(name string) string {
	if strings.HasPrefix(a.AuthURL, "https://") {
		return "__Host-" + name
	}
	return name
}

func (a *API) readCookie(r *http.Request, name string) string {
	c, err := r.Cookie(a.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie that scripts and other sites can't read. It lasts until
// the browser closes, or for maxAge seconds. A negative maxAge deletes it.
func (a *API) setCookie(w http.ResponseWriter, name, value string, maxAge int) {
	name = a.cookieName(name)
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true,
		Secure: strings.HasPrefix(name, "__Host-"), SameSite: http.SameSiteLaxMode,
	})
}

// open opens a browser session and sets its cookie. A session of the same
// environment in this browser ends. Its token is never used again, so no one can
// choose the token of a user.
func (a *API) open(w http.ResponseWriter, r *http.Request, c access.Checked, how access.Opening) error {
	how.Browser, how.Replaces = true, a.readCookie(r, sessionCookie(c.Mode))
	o, err := a.Access.OpenSession(r.Context(), c, how)
	if err != nil {
		return err
	}
	a.setCookie(w, sessionCookie(c.Mode), o.Token, 0)
	a.setCookie(w, ticketCookie, "", -1)
	a.setCookie(w, visitCookie, "", -1)
	return nil
}

// Leave sends the browser to an app or a machine. It is a 303, because a 307 would send the
// form with it.
func Leave(w http.ResponseWriter, to string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
