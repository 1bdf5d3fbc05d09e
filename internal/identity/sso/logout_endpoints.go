package sso

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/identity/sso/saml"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// logoutLifetime is how long the link to sign out at the provider works.
const logoutLifetime = 5 * time.Minute

// logoutToken proves that the user of a session wants to sign out.
func (a *API) logoutToken(env auth.Env, sessionID string, until int64) string {
	return base64.RawURLEncoding.EncodeToString(site.Of(a.DB).MAC(fmt.Appendf(nil, "sso/logout/%d/%s/%d", env, sessionID, until)))
}

// LogoutPage ends the sessions that belong to the same session at the provider, and
// returns the page that ends that one, too. It returns "" for a session that was
// opened with a password.
func (a *API) LogoutPage(ctx context.Context, env auth.Env, s people.Session) (string, error) {
	if s.Method == people.ByPassword {
		return "", nil
	}
	return db.Write(auth.InEnv(ctx, env), a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		found, ok, err := findSession(ctx, tx, s.ID)
		if err != nil || !ok {
			return "", err
		}
		c, err := a.find(ctx, tx, found.ConnectionID)
		if fault.KindOf(err) == fault.KindNotFound {
			return "", nil // the connection was deleted
		}
		if err != nil {
			return "", err
		}
		u, err := people.FindUser(ctx, tx, s.UserID)
		if err != nil {
			return "", err
		}
		ctx = auth.With(ctx, auth.Principal{Env: env, Actor: u.Actor()})
		if _, err := endSessionsAt(ctx, tx, c, found.Subject, indexesOf(found)); err != nil {
			return "", err
		}
		until := tx.Now.Add(logoutLifetime).Unix()
		return Prefix + "/logout?" + url.Values{
			"env": {strconv.FormatInt(int64(env), 10)}, "session": {s.ID}, "until": {strconv.FormatInt(until, 10)},
			"token": {a.logoutToken(env, s.ID, until)},
		}.Encode(), nil
	})
}

func indexesOf(s ssoSession) []string {
	if s.SessionIndex == "" {
		return nil
	}
	return []string{s.SessionIndex}
}

// startLogout sends the browser to the provider to sign out there.
func (a *API) startLogout(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	env, _ := strconv.ParseInt(q.Get("env"), 10, 64)
	until, _ := strconv.ParseInt(q.Get("until"), 10, 64)
	want := a.logoutToken(auth.Env(env), q.Get("session"), until)
	if !hmac.Equal([]byte(want), []byte(q.Get("token"))) || a.DB.Now().Unix() >= until {
		a.showSignedOut(w, r)
		return
	}

	type found struct {
		located
		session ssoSession
		ok      bool
	}
	f, err := db.Read(auth.InEnv(r.Context(), auth.Env(env)), a.DB, func(ctx context.Context, tx *db.Tx) (f found, err error) {
		if f.session, f.ok, err = findSession(ctx, tx, q.Get("session")); err != nil || !f.ok {
			return f, err
		}
		f.located, err = a.locate(ctx, tx, f.session.ConnectionID, "")
		return f, err
	})
	if err != nil || !f.ok || f.session.Issuer != f.issuer() {
		a.showSignedOut(w, r)
		return
	}
	if f.Protocol == OIDC {
		a.logOutOfOIDC(w, r, f.located, f.session)
	} else {
		a.logOutOfSAML(w, r, f.located, f.session)
	}
}

func (a *API) logOutOfOIDC(w http.ResponseWriter, r *http.Request, l located, s ssoSession) {
	client, err := a.client(r.Context(), l.Connection)
	if err != nil {
		a.showSignedOut(w, r) // the user is signed out here
		return
	}
	tokens, err := s.openSecrets(a.Box)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	to := client.LogoutURL(tokens.IDToken, *l.PostLogoutRedirectURI)
	if to == "" {
		a.showSignedOut(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (a *API) logOutOfSAML(w http.ResponseWriter, r *http.Request, l located, s ssoSession) {
	service, err := a.service(l.Connection)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	request, err := service.Logout("_"+newSecret(), s.Subject, s.SubjectFormat, s.SessionIndex, "")
	if saml.CodeOf(err) == saml.CodeNotSupported {
		a.showSignedOut(w, r)
		return
	}
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	sendMessage(w, r, l, "Sign out of "+l.Name, request)
}

func (a *API) showSignedOut(w http.ResponseWriter, _ *http.Request) {
	showNotice(w, http.StatusOK, located{}, notice{
		Heading: "You are signed out", Text: "Your sessions in this browser have ended.",
		Link: a.Access.AuthPath() + "/sign-in", LinkText: "Sign in again",
	})
}

// receiveLogout receives logout requests of a SAML provider, and its responses to
// ours. Both must be signed.
func (a *API) receiveLogout(w http.ResponseWriter, r *http.Request) {
	l, err := a.read(r, SAML)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxMessage)
	service, err := a.service(l.Connection)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	message, err := service.ParseLogout(r)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	if message.IsResponse { // the sessions have already ended
		a.showSignedOut(w, r)
		return
	}

	_, err = db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
		if err := useMessage(ctx, tx, l.Connection, sentMessage{"logout_request", message.ID}, message.ValidUntil); err != nil {
			return 0, err
		}
		return endSessionsAt(ctx, tx, l.Connection, message.NameID, message.SessionIndexes)
	})
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	response, err := service.LogoutResponse(message.ID, message.RelayState)
	if saml.CodeOf(err) == saml.CodeNotSupported {
		a.showSignedOut(w, r)
		return
	}
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	sendMessage(w, r, located{}, "You are signed out", response)
}
