package signin

import (
	"context"
	"encoding/json"
	"net/http"

	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var (
	passkeyPage = pages.NewPage(`
<h1>Add a passkey</h1>
<p>A passkey confirms that it's you with your fingerprint, your face, your screen lock or a security key. You use it after
  your password, instead of a code.</p>
{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
<form method="post" action="{{.Action}}">
  <input type="hidden" name="form_token" value="{{.Token}}">
  {{if .NeedsCode}}<label for="code">Two-factor code</label>
  <input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required
    {{- if .Problem}} autofocus aria-invalid="true" aria-describedby="problem code-hint"{{else}} aria-describedby="code-hint"{{end}}>
  <p class="hint" id="code-hint">The code from your authenticator app, or a recovery code.</p>{{end}}
  <button>Continue</button>
</form>
<p class="links"><a href="{{.Account}}">Back to your account</a></p>`)

	createPasskeyPage = pages.NewPage(`
<h1>Create your passkey</h1>
<p>Your browser asks you to confirm with your device or your security key.</p>
<form method="post" action="{{.Action}}" id="passkey" data-create data-options="{{.Options}}" hidden>
  <input type="hidden" name="form_token" value="{{.Token}}">
  <input type="hidden" name="factor" value="{{.Factor}}">
  <input type="hidden" name="assertion">
  <p class="bad" role="alert" id="passkey-problem" hidden>The passkey was not created. Try again.</p>
  <button>Create passkey</button>
</form>
<noscript><p class="notice warn">Passkeys and security keys need JavaScript.</p></noscript>
<p class="links"><a href="{{.Account}}">Back to your account</a></p>`)
)

type passkeyForm struct {
	Action, Token, Problem, Account, Factor string

	NeedsCode bool
	Options   string // for navigator.credentials.create, as JSON
}

func (a *API) showAddPasskey(w http.ResponseWriter, r *http.Request) {
	if v, ok := a.require(w, r); ok {
		a.askAddPasskey(w, http.StatusOK, v, "")
	}
}

func (a *API) askAddPasskey(w http.ResponseWriter, status int, v Visitor, problem string) {
	passkeyPage.Render(w, status, "Add a passkey", passkeyForm{
		Action: a.in(v, "/account/passkey"), Token: a.FormToken(v, "passkey"), Account: a.in(v, "/account"),
		Problem: problem, NeedsCode: v.User.HasActiveFactor(),
	}, v.Option())
}

// addPasskey checks the code and lets the browser create the passkey, or stores what
// the browser created.
func (a *API) addPasskey(w http.ResponseWriter, r *http.Request) {
	v, ok := a.require(w, r)
	if !ok {
		return
	}
	if err := a.CheckForm(r, v, "passkey"); err != nil {
		a.showError(w, r, err)
		return
	}
	if factor := r.PostFormValue("factor"); factor != "" {
		a.finishPasskey(w, r, v, factor)
		return
	}

	e, err := a.Access.StartPasskey(r.Context(), v.Principal, r.PostFormValue("code"))
	switch {
	case err == nil:
	case fault.KindOf(err) == fault.KindUnauthenticated:
		a.askAddPasskey(w, http.StatusUnprocessableEntity, v, problemOf(errWrongCode()))
		return
	case isProblem(err):
		setRetryAfter(w, err)
		a.askAddPasskey(w, statusOf(err), v, problemOf(err))
		return
	default:
		a.showError(w, r, err)
		return
	}

	options, err := json.Marshal(e.PublicKey)
	if err != nil {
		a.showError(w, r, err)
		return
	}
	createPasskeyPage.Render(w, http.StatusOK, "Create your passkey", passkeyForm{
		Action: a.in(v, "/account/passkey"), Token: a.FormToken(v, "passkey"), Account: a.in(v, "/account"),
		Factor: e.ID, Options: string(options),
	}, v.Option(), pages.Script("passkey.js"))
}

func (a *API) finishPasskey(w http.ResponseWriter, r *http.Request, v Visitor, factor string) {
	codes, err := db.Write(auth.With(r.Context(), v.Principal), a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return a.Access.FinishPasskey(ctx, tx, v.UserID, factor, r.PostFormValue("assertion"))
	})
	switch kind := fault.KindOf(err); {
	case err == nil:
	case kind == fault.KindNotFound || kind == fault.KindConflict || isProblem(err):
		a.askAddPasskey(w, http.StatusUnprocessableEntity, v, "The passkey was not created. Try again.")
		return
	default:
		a.showError(w, r, err)
		return
	}

	// The rights might have changed, so this sets a new cookie.
	if _, err := a.Visitors(w, r); err != nil {
		a.showError(w, r, err)
		return
	}
	if len(codes) > 0 {
		recoveryPage.Render(w, http.StatusOK, "Save your recovery codes", recovery{codes, a.in(v, "/account")}, v.Option())
		return
	}
	noticePage.Render(w, http.StatusOK, "Your passkey was added", notice{
		Heading: "Your passkey was added", Text: "You can use it the next time you sign in.", Link: a.in(v, "/account"),
		LinkText: "Back to your account",
	}, v.Option())
}
