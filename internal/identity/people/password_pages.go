package people

import (
	"context"
	"net/http"

	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var (
	forgotPage = pages.NewPage(`
<h1>Forgot your password?</h1>
<p>Enter your email address. You will receive a link to set a new password.</p>
<form method="post" action="forgot/sent">
  <label for="email">Email address</label>
  <input id="email" name="email" type="email" autocomplete="username" maxlength="254" required autofocus>
  <button>Send link</button>
</form>
<p class="links"><a href="{{.}}">Back to sign-in</a></p>`)
	resetPage = pages.NewPage(`
<h1>Set a new password</h1>
<p>Choose a new password for <strong>{{.Email}}</strong>. All your sessions will end.</p>
{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
<form method="post">
  <input name="username" value="{{.Email}}" autocomplete="username" readonly hidden>
  <label for="password">New password</label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required autofocus
    {{if .Problem}}aria-describedby="problem hint"{{else}}aria-describedby="hint"{{end}}>
  <p class="hint" id="hint">At least 12 characters. Several random words are easy to remember.</p>
  {{if .NeedsCode}}<label for="code">Two-factor code</label>
  <input id="code" name="code" autocomplete="one-time-code" maxlength="40" required aria-describedby="code-hint">
  <p class="hint" id="code-hint">From your authenticator app, or a recovery code.</p>{{end}}
  <button>Set password</button>
</form>`)
)

func (a *API) showForgot(w http.ResponseWriter, _ *http.Request) {
	forgotPage.Render(w, http.StatusOK, "Forgot your password?", a.AuthURL+"/sign-in")
}

// forgot shows the same page for all email addresses.
func (a *API) forgot(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	mode := auth.Mode(r.PostFormValue("environment"))
	if mode != auth.Test && mode != auth.Live {
		mode = "" // both
	}
	if email := r.PostFormValue("email"); len(email) <= 254 {
		if err := a.RequestReset(r.Context(), email, mode); err != nil {
			a.showError(w, r, err)
			return
		}
	}
	noticePage.Render(w, http.StatusOK, "Check your email", struct{ Heading, Text string }{
		"Check your email", "If a user has this email address, we have sent a link to set a new password. It expires after one hour.",
	})
}

func (a *API) showReset(w http.ResponseWriter, r *http.Request) {
	a.showForm(w, r, resetLink, resetPage)
}

func (a *API) reset(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	code, received := r.PostFormValue("code"), a.DB.Now()
	form, hash, ok := a.readForm(w, r, resetLink, resetPage)
	if !ok {
		return
	}
	_, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		return struct{}{}, a.useResetLink(ctx, tx, resetWith{r.PathValue("token"), hash, code, received})
	})
	switch {
	case err != nil && (!db.IsCommitted(err) || fault.KindOf(err) == fault.KindRateLimited):
		a.showError(w, r, err)
	case err != nil:
		form.Problem = "The two-factor code is wrong, expired or was already used."
		resetPage.Render(w, http.StatusUnprocessableEntity, "Set your password", form, form.at())
	default:
		acceptedPage.Render(w, http.StatusOK, "Password set", form, form.at())
	}
}
