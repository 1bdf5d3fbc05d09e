package sso

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"slipway/internal/identity/sso/oidc"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// providers caches the discovery documents and keys of OIDC providers.
type providers struct {
	mu  sync.Mutex
	all map[string]cachedProvider
}

type cachedProvider struct {
	*oidc.Provider
	until time.Time
}

const (
	discoverEvery = time.Hour
	maxProviders  = 1000
)

// find returns a provider, which it discovers if necessary.
func (p *providers) find(ctx context.Context, client *http.Client, issuer string, now time.Time) (*oidc.Provider, error) {
	p.mu.Lock()
	cached, ok := p.all[issuer]
	p.mu.Unlock()
	if ok && now.Before(cached.until) && cached.until.Sub(now) <= discoverEvery {
		return cached.Provider, nil
	}

	found, err := oidc.Discover(ctx, client, issuer)
	if err != nil {
		if ok { // a provider that is briefly unavailable must not end all sign-ins
			return cached.Provider, nil
		}
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil || len(p.all) >= maxProviders {
		p.all = map[string]cachedProvider{}
	}
	p.all[issuer] = cachedProvider{found, now.Add(discoverEvery)}
	return found, nil
}

// checkIssuer reads the discovery document, so that a mistyped issuer isn't noticed only when
// someone signs in.
func (a *API) checkIssuer(ctx context.Context, c Connection) error {
	_, err := oidc.Discover(ctx, a.HTTP, c.issuer())
	if err == nil {
		return nil
	}
	problem := "the provider could not be reached"
	if f, ok := errors.AsType[*oidc.Fault](err); ok { // without addresses inside the network
		problem = f.Message
	}
	var bad fault.Fields
	bad.Add("issuer", "metadata", "could not be checked: %s", strings.TrimSuffix(problem, "."))
	return bad.Err()
}

// client returns this server as a client of the provider.
func (a *API) client(ctx context.Context, c Connection) (oidc.Client, error) {
	provider, err := a.providers.find(ctx, a.HTTP, c.issuer(), a.DB.Now())
	if err != nil {
		return oidc.Client{}, err
	}
	s, err := c.openSecrets(a.Box)
	if err != nil {
		return oidc.Client{}, err
	}
	return oidc.Client{
		Provider: provider, ClientID: *c.ClientID, ClientSecret: s.ClientSecret, RedirectURL: *c.RedirectURI, Now: a.DB.Now,
	}, nil
}

func (a *API) startOIDC(w http.ResponseWriter, r *http.Request) {
	a.start(w, r, OIDC, func(l located, state string) error { return a.sendToOIDC(w, r, l, state) })
}

// sendToOIDC redirects to the provider.
func (a *API) sendToOIDC(w http.ResponseWriter, r *http.Request, l located, state string) error {
	client, err := a.client(r.Context(), l.Connection)
	if err != nil {
		return err
	}
	to := client.LoginURL(state, nonceOf(a.DB, state), verifierOf(a.DB, state))
	if hint := r.URL.Query().Get("login_hint"); hint != "" && len(hint) <= 254 {
		to += "&login_hint=" + url.QueryEscape(hint)
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// returnFromOIDC is where the browser returns to. The login is used up first, so that
// a code can't be tried twice.
func (a *API) returnFromOIDC(w http.ResponseWriter, r *http.Request) {
	l, err := a.read(r, OIDC)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	q := r.URL.Query()
	state, browser := q.Get("state"), a.SignIn.Cookie(r, browserCookie)
	o := outcome{}
	o.login, err = db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (login, error) {
		return useLogin(ctx, tx, l.Connection, state, browser)
	})
	if err != nil {
		a.showError(w, r, l, err)
		return
	}

	o.id, err = a.identify(r.Context(), l.Connection, q, state)
	if reason := problemOf(err); reason != "" && o.login.TestSession != "" {
		o.id.Problem, err = reason, nil
	}
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	a.finish(w, r, l, o)
}

// identify exchanges the code of a login.
func (a *API) identify(ctx context.Context, c Connection, q url.Values, state string) (identity, error) {
	client, err := a.client(ctx, c)
	if err != nil {
		return identity{}, err
	}
	code, err := client.CheckReply(q)
	if err != nil {
		return identity{}, err
	}
	found, err := client.Exchange(ctx, code, verifierOf(a.DB, state), nonceOf(a.DB, state), c.wantedClaims())
	if err != nil {
		return identity{}, err
	}

	id := identity{
		Issuer: found.Issuer, Subject: found.Subject, SessionIndex: found.SessionID, ExpiresAt: found.ExpiresAt, IDToken: found.IDToken,
		RefreshToken: found.RefreshToken, Overage: found.HasGroupOverage(), Attributes: map[string][]string{},
	}
	for name, claim := range found.Claims {
		if values := oidc.Values(claim); len(values) > 0 {
			id.Attributes[name] = values
		}
	}
	return id, nil
}

// wantedClaims are the claims to get from userinfo if the ID token doesn't have them.
func (c Connection) wantedClaims() []string {
	wanted := []string{or(c.AttributeNames.Email, "email"), or(c.AttributeNames.Name, "name")}
	if len(c.GroupMapping) > 0 {
		wanted = append(wanted, or(c.AttributeNames.Groups, "groups"))
	}
	return wanted
}

// or returns a text, or another one if it is null.
func or(text *string, otherwise string) string {
	if text == nil {
		return otherwise
	}
	return *text
}

// maxLogoutToken limits the size of a logout token.
const maxLogoutToken = 64 << 10

// backchannelLogout ends the sessions that the provider has ended.
func (a *API) backchannelLogout(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	l, err := a.read(r, OIDC)
	if err != nil {
		a.refuseLogout(w, r, l, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxLogoutToken)
	client, err := a.client(r.Context(), l.Connection)
	if err != nil {
		a.refuseLogout(w, r, l, err)
		return
	}
	logout, err := client.VerifyLogout(r.Context(), r.PostFormValue("logout_token"))
	if err != nil {
		a.refuseLogout(w, r, l, err)
		return
	}

	_, err = db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
		if err := useMessage(ctx, tx, l.Connection, sentMessage{"logout_token", logout.ID}, logout.ExpiresAt); err != nil {
			return 0, err
		}
		var indexes []string
		if logout.SessionID != "" {
			indexes = []string{logout.SessionID}
		}
		return endSessionsAt(ctx, tx, l.Connection, logout.Subject, indexes)
	})
	if err != nil {
		a.refuseLogout(w, r, l, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// refuseLogout responds to a logout token that is not valid. The reason is only in the
// audit log.
func (a *API) refuseLogout(w http.ResponseWriter, r *http.Request, l located, err error) {
	status := http.StatusServiceUnavailable
	if reason := problemOf(err); reason != "" {
		status = http.StatusBadRequest
		a.AuthLog.Reject(r.Context(), authlog.Rejection{
			Env: l.Env, Kind: authlog.KindSSOConnection, ID: l.ID, Err: fault.Forbidden("Logout: %s", reason),
		})
	} else if fault.KindOf(err) == fault.KindNotFound {
		status = http.StatusNotFound
	} else {
		a.Log.ErrorContext(r.Context(), "logout failed", "connection", l.ID, "err", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_request"}) // the client might have disconnected
}

// frontchannelLogout is a page that the provider opens in a frame. A browser sends no
// cookies there, so the session is found by sid, which only the provider, the user
// and Slipway know.
func (a *API) frontchannelLogout(w http.ResponseWriter, r *http.Request) {
	l, err := a.read(r, OIDC)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	q := r.URL.Query()
	if sid := q.Get("sid"); sid != "" && q.Get("iss") == l.issuer() {
		_, err = db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
			return endSessionsAt(ctx, tx, l.Connection, "", []string{sid})
		})
	}
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors "+originOf(l.issuer()))
	_, _ = w.Write([]byte("<!doctype html><title>Signed out</title>")) // the client might have disconnected
}

// originOf returns the origin of a URL for a policy.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.ContainsAny(u.Host, " ;,\"'") {
		return "'none'"
	}
	return u.Scheme + "://" + u.Host
}
