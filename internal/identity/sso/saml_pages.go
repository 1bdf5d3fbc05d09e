package sso

import (
	"context"
	"crypto"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
)

// signAfter is how old a new key must be before it signs. Until then it is only in
// the metadata, so that providers can read it there.
const signAfter = 30 * 24 * time.Hour

// keyPairs returns the keys of a connection. The last one signs.
func keyPairs(keys []privateKey, now time.Time) ([]saml.KeyPair, error) {
	var fresh, pairs []saml.KeyPair
	for i, k := range keys {
		certificate, err := x509.ParseCertificate(k.Certificate)
		if err != nil {
			return nil, err
		}
		parsed, err := x509.ParsePKCS8PrivateKey(k.Key)
		if err != nil {
			return nil, err
		}
		signer, ok := parsed.(crypto.Signer)
		if !ok {
			return nil, errors.New("a key of an SSO connection can't sign")
		}
		pair := saml.KeyPair{Certificate: certificate, Key: signer}
		if i > 0 && now.Sub(k.CreatedAt) < signAfter {
			fresh = append(fresh, pair)
		} else {
			pairs = append(pairs, pair)
		}
	}
	return append(fresh, pairs...), nil
}

// service returns this connection as a SAML service provider.
func (a *API) service(c Connection) (saml.Service, error) {
	secrets, err := c.openSecrets(a.Box)
	if err != nil {
		return saml.Service{}, err
	}
	keys, err := keyPairs(secrets.Keys, a.DB.Now())
	if err != nil {
		return saml.Service{}, err
	}
	provider, err := saml.ParseMetadata([]byte(c.Metadata))
	return saml.Service{
		EntityID: *c.SPEntityID, ACSURL: *c.ACSURL, SLOURL: *c.SLOURL, Keys: keys, Provider: provider,
		AllowIDPInitiated: c.AllowIDPInitiated, AllowCBC: c.AllowCBC, Now: a.DB.Now,
	}, err
}

// showMetadata serves the metadata for the provider.
func (a *API) showMetadata(w http.ResponseWriter, r *http.Request) {
	l, err := a.read(r, SAML)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	service, err := a.service(l.Connection)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	text, err := service.Metadata()
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	w.Header().Set("Content-Type", "application/samlmetadata+xml")
	w.Header().Set("Content-Disposition", `attachment; filename="slipway-metadata.xml"`)
	_, _ = w.Write(text) // the client might have disconnected
}

func (a *API) startSAML(w http.ResponseWriter, r *http.Request) {
	a.start(w, r, SAML, func(l located, state string) error { return a.sendToSAML(w, r, l, state) })
}

// sendToSAML leads to the provider.
func (a *API) sendToSAML(w http.ResponseWriter, r *http.Request, l located, state string) error {
	service, err := a.service(l.Connection)
	if err != nil {
		return err
	}
	request, err := service.Login(requestIDOf(a.DB, state), state)
	if err != nil {
		return err
	}
	sendMessage(w, r, l, "Continue to "+l.Name, request)
	return nil
}

var postPage = pages.NewPage(`<h1>{{.Heading}}</h1><p>Press the button to continue.</p>
<form method="post" action="{{.Action}}">
{{range $name, $value := .Fields}}<input type="hidden" name="{{$name}}" value="{{$value}}">
{{end}}<button autofocus>Continue</button></form>`)

// sendMessage sends the browser to the provider with a message: with a redirect, or
// with a form. The pages have no scripts, so the user has to press its button.
func sendMessage(w http.ResponseWriter, r *http.Request, l located, heading string, m saml.Request) {
	if m.URL != "" {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, m.URL, http.StatusSeeOther)
		return
	}
	data := struct {
		Heading, Action string
		Fields          map[string]string
	}{heading, m.PostURL, m.Fields}
	options := []pages.Option{pages.FormAction(originOf(m.PostURL))}
	if l.Dealership.Name != "" {
		options = append(options, pages.At(l.Dealership.Name, l.Dealership.Mode))
	}
	postPage.Render(w, http.StatusOK, heading, data, options...)
}

// maxMessage limits the size of a form with a SAML message.
const maxMessage = 3 << 20

// receiveAssertion is where the provider sends assertions. The form comes from
// another site, so the browser sends no cookies with it. It checks everything except
// for the browser, and leads to a page that gets the cookies.
func (a *API) receiveAssertion(w http.ResponseWriter, r *http.Request) {
	l, err := a.read(r, SAML)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxMessage)
	if err := r.ParseForm(); err != nil {
		a.showError(w, r, l, errFailed("The form with the SAML response can't be read, or it is larger than 3 MiB."))
		return
	}
	service, err := a.service(l.Connection)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}

	state := r.PostForm.Get("RelayState")
	expected := requestIDOf(a.DB, state)
	assertion, err := service.Response(r.PostForm, func(inResponseTo string) error {
		if subtle.ConstantTimeCompare([]byte(inResponseTo), []byte(expected)) != 1 {
			return errors.New("another request")
		}
		return nil
	})
	if reason := problemOf(err); reason != "" && a.isTest(r.Context(), l, state) {
		err = a.saveTestProblem(r.Context(), l, state, reason)
	} else if err == nil {
		state, err = a.acceptAssertion(w, r, l, assertion, state)
	}
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/sso/saml/"+l.ID+"/finish?"+url.Values{"state": {state}}.Encode(), http.StatusSeeOther)
}

// acceptAssertion stores an assertion for the browser, once. A login that started at
// the provider has no state, so it gets one.
func (a *API) acceptAssertion(w http.ResponseWriter, r *http.Request, l located, m saml.Assertion, state string) (string, error) {
	id := identity{
		Issuer: l.issuer(), Subject: m.NameID, SubjectFormat: m.NameIDFormat, SessionIndex: m.SessionIndex, ExpiresAt: m.SessionUntil,
		Attributes: m.Attributes, Overage: hasGroupLink(m.Attributes),
	}
	if strings.HasSuffix(m.NameIDFormat, ":transient") {
		id.Problem = "The provider sent a transient NameID, which is different each time. Set the NameID format to persistent or emailAddress."
	}
	browser := ""
	if m.InResponseTo == "" {
		browser = newSecret() // the old cookie is not visible here
		a.SignIn.SetCookie(w, browserCookie, browser, 0)
	}
	return db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		if err := useMessage(ctx, tx, l.Connection, sentMessage{"assertion", m.ID}, m.ValidUntil); err != nil {
			return "", err
		}
		state := state
		if m.InResponseTo == "" {
			var err error
			if state, err = insertLogin(ctx, tx, l.Connection, browser, login{ReturnTo: a.SignIn.SafeReturn(m.RelayState)}); err != nil {
				return "", err
			}
		}
		login, err := findLogin(ctx, tx, l.Connection, state)
		if err != nil {
			return "", err
		}
		return state, a.saveResult(ctx, tx, login, id)
	})
}

// hasGroupLink reports whether Entra ID sent a link instead of the groups, because
// the user has too many of them.
func hasGroupLink(attributes map[string][]string) bool {
	return len(attributes["http://schemas.microsoft.com/claims/groups.link"]) > 0
}

// isTest reports whether a login tests the connection.
func (a *API) isTest(ctx context.Context, l located, state string) bool {
	found, err := db.Read(l.as(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (login, error) {
		return findLogin(ctx, tx, l.Connection, state)
	})
	return err == nil && found.TestSession != ""
}

// saveTestProblem stores why the test of a connection failed.
func (a *API) saveTestProblem(ctx context.Context, l located, state, reason string) error {
	_, err := db.Write(l.as(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		found, err := findLogin(ctx, tx, l.Connection, state)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, a.saveResult(ctx, tx, found, identity{Problem: reason})
	})
	return err
}

// finishSAML completes a login with the cookies of the browser.
func (a *API) finishSAML(w http.ResponseWriter, r *http.Request) {
	l, err := a.read(r, SAML)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	state, browser := r.URL.Query().Get("state"), a.SignIn.Cookie(r, browserCookie)
	o, err := db.Write(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (o outcome, err error) {
		if o.login, err = useLogin(ctx, tx, l.Connection, state, browser); err != nil {
			return o, err
		}
		o.id, err = a.result(o.login)
		return o, err
	})
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	a.finish(w, r, l, o)
}
