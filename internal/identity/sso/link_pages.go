package sso

import (
	"context"
	"net/http"

	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var linkPage = pages.NewPage(`
<h1>Sign in with {{.Connection}}?</h1>
<p>Someone signed in with {{.Connection}} as <strong>{{.Email}}</strong>. If it was you, confirm it. From then on, you can use
{{.Connection}} to sign in to your account.</p>
{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
<dl class="facts"><dt>Account</dt><dd>{{.Name}}, {{.Email}}</dd><dt>Identity</dt><dd>{{.Subject}}</dd></dl>
<form method="post">
{{if .NeedsCode}}<label for="code">Two-factor code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="40" required
  {{- if .Problem}} aria-invalid="true" aria-describedby="problem"{{end}}>
{{end}}<button>Confirm</button></form>`)

type linkForm struct {
	Connection, Name, Email, Subject, Problem string

	NeedsCode bool
}

func (o openedLink) form(problem string) linkForm {
	return linkForm{o.located.Name, o.user.Name, o.user.Email, o.Subject, problem, o.user.HasActiveFactor()}
}

// showLink changes nothing, because virus scanners also follow the links in an email.
func (a *API) showLink(w http.ResponseWriter, r *http.Request) {
	o, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (openedLink, error) {
		return a.openLink(ctx, tx, r.PathValue("token"))
	})
	if err != nil {
		a.showLinkError(w, r, err)
		return
	}
	linkPage.Render(w, http.StatusOK, "Confirm your identity", o.form(""), pages.At(o.Dealership.Name, o.Dealership.Mode))
}

// confirmLink links the user. A user with a two-factor method needs a code, because
// the mailbox alone must not be enough to sign in.
func (a *API) confirmLink(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	received, code := a.DB.Now(), r.PostFormValue("code")
	o, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (openedLink, error) {
		o, err := a.openLink(ctx, tx, r.PathValue("token"))
		if err != nil {
			return o, err
		}
		tx = tx.In(o.link.Env)
		u, err := people.FindUserForUpdate(ctx, tx, o.UserID)
		if err != nil {
			return o, err
		}
		ctx = auth.With(ctx, auth.Principal{Env: u.Env, Actor: u.Actor()})
		if u.HasActiveFactor() {
			if err := a.Access.CheckCode(ctx, tx, u, code, received); err != nil {
				return o, err
			}
		}
		return o, useLink(ctx, tx, o, u)
	})
	if db.IsCommitted(err) {
		a.AuthLog.Reject(r.Context(), authlog.Rejection{Env: o.user.Env, Kind: authlog.KindUser, ID: o.user.ID, Err: err})
		status := http.StatusUnprocessableEntity
		if fault.KindOf(err) == fault.KindRateLimited {
			status = http.StatusTooManyRequests
		}
		linkPage.Render(w, status, "Confirm your identity", o.form("The code is wrong, expired or was already used."),
			pages.At(o.Dealership.Name, o.Dealership.Mode))
		return
	}
	if err != nil {
		a.showLinkError(w, r, err)
		return
	}
	showNotice(w, http.StatusOK, o.located, notice{
		Heading: "Your account is linked", Text: "From now on, you can sign in with " + o.located.Name + ".",
		Link: o.LoginURL, LinkText: "Sign in",
	})
}

func (a *API) showLinkError(w http.ResponseWriter, r *http.Request, err error) {
	switch fault.KindOf(err) {
	case fault.KindNotFound, fault.KindConflict:
		showNotice(w, http.StatusNotFound, located{}, notice{
			Heading: "This link is not valid", Text: "It was used, replaced or has expired. Sign in again to get a new one.",
		})
	default:
		a.showError(w, r, located{}, err)
	}
}
