package sso

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/identity/signin"
	"slipway/internal/identity/sso/oidc"
	"slipway/internal/identity/sso/saml"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Prefix is the path of the pages.
const Prefix = "/sso"

// maxForm limits the size of a form, except for messages of a provider.
const maxForm = 16 << 10

// pages serves the pages below /sso. Providers send forms from their own sites, so
// these are protected by signatures. Our own forms have tokens.
func (a *API) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sso/oidc/{id}/login", a.startOIDC)
	mux.HandleFunc("GET /sso/oidc/{id}/callback", a.returnFromOIDC)
	mux.HandleFunc("POST /sso/oidc/{id}/backchannel_logout", a.backchannelLogout)
	mux.HandleFunc("GET /sso/oidc/{id}/frontchannel_logout", a.frontchannelLogout)
	mux.HandleFunc("GET /sso/saml/{id}/metadata", a.showMetadata)
	mux.HandleFunc("GET /sso/saml/{id}/login", a.startSAML)
	mux.HandleFunc("POST /sso/saml/{id}/acs", a.limited(a.receiveAssertion))
	mux.HandleFunc("GET /sso/saml/{id}/finish", a.finishSAML)
	mux.HandleFunc("GET /sso/saml/{id}/slo", a.limited(a.receiveLogout))
	mux.HandleFunc("POST /sso/saml/{id}/slo", a.limited(a.receiveLogout))
	mux.HandleFunc("GET /sso/logout", a.startLogout)
	mux.HandleFunc("GET /sso/signed-out", a.showSignedOut)
	mux.HandleFunc("GET /sso/links/{token}", a.showLink)
	mux.Handle("POST /sso/links/{token}", pages.Guarded(http.HandlerFunc(a.confirmLink)))
	mux.HandleFunc("GET /sso/test/{id}", a.showTest)
	mux.HandleFunc("POST /sso/test/{id}", a.startTest)
	mux.HandleFunc("GET /sso/token", a.showToken)
	mux.HandleFunc("POST /sso/token", a.createToken)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.showError(w, r, located{}, errNoConnection()) })
	return mux
}

// large has room for the messages of providers that are read at the same time. Anyone
// can send them, and they are larger than other forms.
var large = make(chan struct{}, 16)

// limited serves a page that reads large messages.
func (a *API) limited(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case large <- struct{}{}:
			defer func() { <-large }()
			h(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			a.showError(w, r, located{}, fault.Busy("Too many messages at the same time."))
		}
	}
}

// browserCookie has a secret that binds logins to the browser.
const browserCookie = "slipway-sso"

// browser returns the secret of a browser, and sets a new one if there is none.
func (a *API) browser(w http.ResponseWriter, r *http.Request) string {
	secret := a.SignIn.Cookie(r, browserCookie)
	if len(secret) < 50 {
		secret = newSecret()
		a.SignIn.SetCookie(w, browserCookie, secret, 0)
	}
	return secret
}

// read returns the connection in the path of a page.
func (a *API) read(r *http.Request, protocol Protocol) (located, error) {
	return db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (located, error) {
		return a.locate(ctx, tx, r.PathValue("id"), protocol)
	})
}

// begin stores a login and returns its state.
func (a *API) begin(w http.ResponseWriter, r *http.Request, l located, testSession, returnTo string) (string, error) {
	browser := a.browser(w, r)
	return db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		return insertLogin(ctx, tx, l.Connection, browser, login{TestSession: testSession, ReturnTo: a.SignIn.SafeReturn(returnTo)})
	})
}

// start is a page that starts a login at the provider.
func (a *API) start(w http.ResponseWriter, r *http.Request, protocol Protocol, send func(l located, state string) error) {
	l, err := a.read(r, protocol)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	if state := r.URL.Query().Get("test"); state != "" {
		a.continueTest(w, r, l, state, send)
		return
	}
	state, err := a.begin(w, r, l, "", r.URL.Query().Get("return_to"))
	if err == nil {
		err = send(l, state)
	}
	if err != nil {
		a.showError(w, r, l, err)
	}
}

// finish completes a login in the browser that started it, and shows the result.
func (a *API) finish(w http.ResponseWriter, r *http.Request, l located, o outcome) {
	if o.login.TestSession != "" {
		a.showTestResult(w, r, l, o)
		return
	}
	if o.id.Problem != "" {
		a.showError(w, r, l, errFailed("%s", o.id.Problem))
		return
	}
	replaces := a.SignIn.SessionToken(r, l.Dealership.Mode)
	o, err := db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (outcome, error) {
		return a.complete(ctx, tx, l, o, replaces)
	})
	switch {
	case err != nil:
		a.showError(w, r, l, err)
	case o.linkSent:
		showNotice(w, http.StatusOK, l, notice{
			Heading: "Check your email",
			Text: "You already have an account at " + l.Dealership.Name + ". We sent you an email with a link. " +
				"Open it to confirm that the account is yours, and sign in again.",
		})
	default:
		a.SignIn.Admit(w, r, l.Dealership.Mode, o.opened.Token, o.returnTo)
	}
}

var noticePage = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>
{{with .RequestID}}<p class="hint">Request ID: <code>{{.}}</code></p>{{end}}
{{with .Link}}<a class="button plain" href="{{.}}">{{$.LinkText}}</a>{{end}}`)

type notice struct{ Heading, Text, Link, LinkText, RequestID string }

func showNotice(w http.ResponseWriter, status int, l located, n notice) {
	var options []pages.Option
	if l.Dealership.Name != "" {
		options = append(options, pages.At(l.Dealership.Name, l.Dealership.Mode))
	}
	noticePage.Render(w, status, n.Heading, n, options...)
}

// problemOf returns the reason of an error for an administrator, or "" if it is not
// about the provider.
func problemOf(err error) string {
	if rejected, ok := errors.AsType[*errRejected](err); ok {
		return rejected.Reason
	}
	if f, ok := errors.AsType[*oidc.Fault](err); ok {
		return f.Error()
	}
	if f, ok := errors.AsType[*saml.Fault](err); ok {
		return f.Message
	}
	return ""
}

// showError shows the page for an error. The reason is only in the audit log.
func (a *API) showError(w http.ResponseWriter, r *http.Request, l located, err error) {
	n := notice{Heading: "Something went wrong", Text: "This is an error on our side. Try again in a minute."}
	status := http.StatusServiceUnavailable
	switch reason := problemOf(err); {
	case reason != "":
		rejected, ok := errors.AsType[*errRejected](err)
		if !ok {
			rejected = errFailed("%s", reason)
		}
		a.AuthLog.Reject(r.Context(), authlog.Rejection{
			Env: l.Env, Kind: authlog.KindSSOConnection, ID: l.ID, Err: fault.Forbidden("%s", reason),
		})
		status, n.Heading, n.Text, n.RequestID = http.StatusForbidden, rejected.Heading, rejected.Text, auth.RequestFrom(r.Context()).ID
		n.Link, n.LinkText = a.Access.AuthPath()+"/sign-in", "Back to sign-in"
		l.Dealership = dealership.Dealership{} // an unauthenticated client must not learn its name from the layout
	case fault.KindOf(err) == fault.KindNotFound:
		status, n = http.StatusNotFound, notice{Heading: "Page not found", Text: "The address might be incomplete."}
	case fault.KindOf(err) == fault.KindForbidden:
		status, n = http.StatusForbidden, notice{Heading: "Try again", Text: "This form is from another site, or it is too old."}
	case fault.KindOf(err) == fault.KindUnavailable || fault.KindOf(err) == fault.KindRateLimited:
	default:
		n.RequestID = auth.RequestFrom(r.Context()).ID
		if !errors.Is(err, context.Canceled) {
			a.Log.ErrorContext(r.Context(), "page failed", "page", r.Pattern, "err", err) // the path can contain a secret
		}
	}
	showNotice(w, status, l, n)
}

// Connections returns the connections for the domain of an email address. Only
// verified domains count.
func (a *API) Connections(ctx context.Context, email string) ([]signin.Connection, error) {
	return db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (found []signin.Connection, err error) {
		ids, err := listByDomain(ctx, tx, domainOf(email))
		for _, id := range ids {
			l, err := a.locate(ctx, tx, id, "")
			if fault.KindOf(err) == fault.KindNotFound {
				continue // without the fleet plan
			}
			if err != nil {
				return nil, err
			}
			path := strings.TrimPrefix(l.LoginURL, a.URL)
			found = append(found, signin.Connection{Name: l.Name, Mode: l.Dealership.Mode, URL: path, Enforced: l.Enforce})
		}
		slices.SortStableFunc(found, func(a, b signin.Connection) int { return strings.Compare(string(a.Mode), string(b.Mode)) })
		return found, err
	})
}
