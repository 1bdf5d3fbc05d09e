package signin

import (
	"errors"
	"net/http"

	"slipway/internal/identity/access"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/fault"
)

var changePasswordPage = pages.NewPage(`
<h1>Change your password</h1>
<p>This signs you out everywhere, also on the command line. API keys of the dealership and apps keep working.</p>
<form method="post" action="{{.Action}}">
  <input type="hidden" name="form_token" value="{{.Token}}">
  <input name="username" value="{{.Email}}" autocomplete="username" readonly hidden>
  {{range .Fields}}<label for="{{.Name}}">{{.Label}}</label>
  <input id="{{.Name}}" name="{{.Name}}" type="{{.Type}}" autocomplete="{{.Complete}}" maxlength="200" required
    {{- if .Problem}} aria-invalid="true" aria-describedby="{{.Name}}-problem"{{else if .Hint}} aria-describedby="{{.Name}}-hint"{{end}}>
  {{if .Problem}}<p class="bad" role="alert" id="{{.Name}}-problem">{{.Problem}}</p>
  {{- else if .Hint}}<p class="hint" id="{{.Name}}-hint">{{.Hint}}</p>{{end}}
  {{end}}<button>Change password</button>
</form>
<ul class="links">
  <li><a href="{{.Forgot}}">Forgot your password?</a></li>
  <li><a href="{{.Account}}">Back to your account</a></li>
</ul>`)

// passwordField is a field of the form.
type passwordField struct{ Name, Label, Type, Complete, Hint, Problem string }

func (a *API) showChangePassword(w http.ResponseWriter, r *http.Request) {
	if v, ok := a.Require(w, r); ok {
		a.askChangePassword(w, http.StatusOK, v, nil)
	}
}

// askChangePassword shows the form, with the problems of each field.
func (a *API) askChangePassword(w http.ResponseWriter, status int, v Visitor, problems map[string]string) {
	fields := []passwordField{
		{"old_password", "Current password", "password", "current-password", "", ""},
		{"password", "New password", "password", "new-password", "At least 12 characters. A few words that don't belong together work well.", ""},
	}
	if v.User.HasActiveFactor() {
		fields = append(fields, passwordField{
			"code", "Two-factor code", "text", "one-time-code", "The code from your authenticator app, or a recovery code.", "",
		})
	}
	for i := range fields {
		fields[i].Problem = problems[fields[i].Name]
	}
	changePasswordPage.Render(w, status, "Change your password", struct {
		Action, Token, Email, Forgot, Account string
		Fields                                []passwordField
	}{
		a.in(v, "/account/password"), a.FormToken(v, "password"), v.User.Email, a.url("/password/forgot", ""), a.in(v, "/account"), fields,
	}, v.Option())
}

// changePassword sets the new password and ends all sessions.
func (a *API) changePassword(w http.ResponseWriter, r *http.Request) {
	v, ok := a.Require(w, r)
	if !ok {
		return
	}
	if err := a.CheckForm(r, v, "password"); err != nil {
		a.showError(w, r, err)
		return
	}
	change := access.PasswordChange{OldPassword: r.PostFormValue("old_password"), NewPassword: r.PostFormValue("password")}
	if v.User.HasActiveFactor() {
		change.TOTPCode = new(r.PostFormValue("code"))
	}
	err := a.Access.ChangePassword(r.Context(), v.Principal, change)
	if problems := passwordProblems(err); len(problems) > 0 {
		setRetryAfter(w, err)
		a.askChangePassword(w, statusOf(err), v, problems)
		return
	}
	if err != nil {
		a.showError(w, r, err)
		return
	}

	a.setCookie(w, sessionCookie(v.Mode), "", -1)
	noticePage.Render(w, http.StatusOK, "Your password was changed", notice{
		Heading: "Your password was changed", Text: "You were signed out everywhere. Sign in with the new password.",
		Link: a.url("/sign-in", ""), LinkText: "Sign in",
	}, v.Option())
}

// passwordProblems returns the problem of each field of the form, or nil if the
// error is none that the user can fix.
func passwordProblems(err error) map[string]string {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !isProblem(err) {
		return nil
	}
	names := map[string]string{"old_password": "old_password", "new_password": "password", "totp_code": "code"}
	labels := map[string]string{"old_password": "The current password ", "password": "The new password ", "code": "The code "}
	problems := map[string]string{}
	for _, d := range f.Details {
		if name := names[d.Field]; name != "" {
			problems[name] = labels[name] + d.Message + "."
		}
	}
	if len(problems) == 0 {
		problems["old_password"] = problemOf(err)
	}
	return problems
}
