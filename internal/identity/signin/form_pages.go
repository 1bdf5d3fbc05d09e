package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"slipway/internal/platform/pages"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// FormField is the name of the form field with the token.
const FormField = "form_token"

// maxForm limits the size of a form.
const maxForm = 16 << 10

const nonceLen = 16

// FormToken returns the token for a form of the visitor. Put it in a hidden field
// with the name FormField.
func (a *API) FormToken(v Visitor, purpose string) string { return a.formToken(subjectOf(v), purpose) }

// CheckForm returns an error unless the form was sent from this site, by this
// visitor and for this purpose.
func (a *API) CheckForm(r *http.Request, v Visitor, purpose string) error {
	return a.checkForm(r, subjectOf(v), purpose)
}

// subjectOf stays the same when the session gets a new token.
func subjectOf(v Visitor) string { return fmt.Sprintf("session/%d/%s", v.Env, v.Session.ID) }

// formToken returns a token. It is different each time, because pages are
// compressed: the size of a page must not reveal it.
func (a *API) formToken(subject, purpose string) string {
	nonce := make([]byte, nonceLen)
	_, _ = rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(append(nonce, a.formMAC(nonce, subject, purpose)...))
}

func (a *API) formMAC(nonce []byte, subject, purpose string) []byte {
	return site.Of(a.DB).MAC(fmt.Appendf(nil, "forms/%x/%q/%q", nonce, subject, purpose))
}

var sameOrigin = http.NewCrossOriginProtection()

func (a *API) checkForm(r *http.Request, subject, purpose string) error {
	if err := sameOrigin.Check(r); err != nil {
		return errForm()
	}
	if r.PostForm == nil {
		r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.PostFormValue(FormField))
	if err != nil || len(raw) <= nonceLen || !hmac.Equal(raw[nonceLen:], a.formMAC(raw[:nonceLen], subject, purpose)) {
		return errForm()
	}
	return nil
}

func errForm() error {
	return fault.Forbidden("The form is from another site, or it is too old.")
}

// visit returns the subject of forms before the sign-in: a random value in a
// cookie. Another site can't sign a user in to the attacker's account, because it
// doesn't know the value.
func (a *API) visit(w http.ResponseWriter, r *http.Request) string {
	value := a.readCookie(r, visitCookie)
	if len(value) < 20 {
		value = strings.ToLower(rand.Text())
		a.setCookie(w, visitCookie, value, 0)
	}
	return "visit/" + value
}

// checkVisit checks a form before the sign-in.
func (a *API) checkVisit(r *http.Request, purpose string) error {
	value := a.readCookie(r, visitCookie)
	if len(value) < 20 {
		return errForm()
	}
	return a.checkForm(r, "visit/"+value, purpose)
}

// problemOf returns the text of an error for people.
func problemOf(err error) string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return "Something went wrong. This is an error on our side. Try again in a minute."
	}
	switch {
	case f.Crowded || f.Kind == fault.KindUnavailable:
		return "Slipway is busy. Wait " + waitOf(f.RetryAfter) + " and try again."
	case f.Kind == fault.KindRateLimited:
		return "Too many attempts. Wait " + waitOf(f.RetryAfter) + " and try again."
	}
	return f.Message
}

func waitOf(d time.Duration) string {
	if d > time.Minute {
		return strconv.Itoa(int((d+time.Minute-1)/time.Minute)) + " minutes"
	}
	if s := int((d + time.Second - 1) / time.Second); s > 1 {
		return strconv.Itoa(s) + " seconds"
	}
	return "a moment"
}

func setRetryAfter(w http.ResponseWriter, err error) {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	}
}

// statusOf returns the status of a page that shows the problem of a form.
func statusOf(err error) int {
	switch fault.KindOf(err) {
	case fault.KindRateLimited:
		return http.StatusTooManyRequests
	case fault.KindUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// isProblem reports whether the user can fix an error, or has to wait.
func isProblem(err error) bool {
	switch fault.KindOf(err) {
	case fault.KindUnauthenticated, fault.KindRateLimited, fault.KindUnavailable, fault.KindUnprocessable:
		return true
	}
	return false
}

var noticePage = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>
{{with .RequestID}}<p class="hint">Request ID: <code>{{.}}</code></p>{{end}}
{{with .Link}}<a class="button plain" href="{{.}}">{{$.LinkText}}</a>{{end}}`)

type notice struct{ Heading, Text, Link, LinkText, RequestID string }

func (a *API) showNotFound(w http.ResponseWriter, _ *http.Request) {
	noticePage.Render(w, http.StatusNotFound, "Page not found", notice{
		Heading: "Page not found", Text: "The address might be incomplete.", Link: a.url("/account", ""), LinkText: "Go to your account",
	})
}

// showError shows the page for an error.
func (a *API) showError(w http.ResponseWriter, r *http.Request, err error) {
	again := a.url("/sign-in", a.returnTo(r.URL.Query().Get("return_to")))
	n := notice{Heading: "Something went wrong", Text: "This is an error on our side. Try again in a minute."}
	status := http.StatusServiceUnavailable
	switch fault.KindOf(err) {
	case fault.KindForbidden:
		n = notice{Heading: "Try again", Text: "This form is from another site, or it is too old.", Link: again, LinkText: "Continue"}
		status = http.StatusForbidden
	case fault.KindNotFound:
		n = notice{Heading: "Sign in again", Text: "The sign-in took too long or was already completed.", Link: again, LinkText: "Sign in"}
		status = http.StatusGone
	case fault.KindRateLimited, fault.KindUnavailable:
		setRetryAfter(w, err)
		n.Heading, n.Text = "Please wait", problemOf(err)
		if fault.KindOf(err) == fault.KindRateLimited {
			status = http.StatusTooManyRequests
		}
	default:
		n.RequestID = auth.RequestFrom(r.Context()).ID
		if !errors.Is(err, context.Canceled) {
			a.Log.ErrorContext(r.Context(), "page failed", "path", r.URL.Path, "err", err)
		}
	}
	noticePage.Render(w, status, n.Heading, n)
}
