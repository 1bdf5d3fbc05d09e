package signin

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var factorPage = pages.NewPage(`
<h1>Verify it's you</h1>
<p>{{if .App}}Enter the 6-digit code from your authenticator app.{{else}}Use your passkey or security key.{{end}}</p>
{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
{{if .App}}<form method="post" action="{{.Action}}">
  <input type="hidden" name="form_token" value="{{.Token}}">
  <label for="code">Two-factor code</label>
  <input id="code" class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="11" required
    {{- if not .Recovery}} autofocus{{if .Problem}} aria-invalid="true" aria-describedby="problem"{{end}}{{end}}>
  <button>Verify</button>
</form>{{end}}
{{with .Options}}{{if $.App}}<p class="or needs-passkey" hidden>or</p>{{end}}
<form method="post" action="{{$.Action}}" id="passkey" data-options="{{.}}" hidden>
  <input type="hidden" name="form_token" value="{{$.Token}}">
  <input type="hidden" name="assertion">
  <p class="bad" role="alert" id="passkey-problem" hidden>The passkey didn't work. Try again, or use another method.</p>
  <button{{if $.App}} class="plain"{{end}}>Use a passkey or security key</button>
</form>
<noscript><p class="notice warn">Passkeys and security keys need JavaScript.</p></noscript>{{end}}
<details{{if .Recovery}} open{{end}}><summary>Use a recovery code</summary>
<form method="post" action="{{.Action}}">
  <input type="hidden" name="form_token" value="{{.Token}}">
  <input type="hidden" name="recovery" value="1">
  <label for="recovery">Recovery code</label>
  <input id="recovery" name="code" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="40" required
    {{- if .Recovery}} autofocus aria-invalid="true" aria-describedby="problem recovery-hint"{{else}} aria-describedby="recovery-hint"{{end}}>
  <p class="hint" id="recovery-hint">One of the codes that you saved when you set up two-factor authentication.
    Each works once.</p>
  <button class="plain">Use recovery code</button>
</form></details>
<p class="links"><a href="{{.Change}}">Sign in with another account</a></p>`)

type factorForm struct {
	Action, Token, Problem, Change string

	App, Recovery bool
	Options       string // for navigator.credentials.get, as JSON
}

// showFactor asks for the two-factor method of the user in the ticket.
func (a *API) showFactor(w http.ResponseWriter, r *http.Request) {
	token, all, ok := a.accounts(w, r)
	if !ok {
		return
	}
	if len(all) > 1 {
		redirect(w, r, a.url("/sign-in/choose", all[0].ReturnTo))
		return
	}
	a.askFactor(w, r, http.StatusOK, all[0], factorForm{Token: a.factorToken(token)})
}

// factorToken returns the form token of a ticket.
func (a *API) factorToken(ticket string) string { return a.formToken(ticketSubject(ticket), "factor") }

func (a *API) askFactor(w http.ResponseWriter, r *http.Request, status int, c account, f factorForm) {
	f.Action = a.url("/sign-in/factor", c.ReturnTo)
	f.Change = a.url("/sign-in", c.ReturnTo, "switch", "1")
	for _, method := range c.User.MFAFactors {
		f.App = f.App || method.Active && method.Kind == "totp"
	}
	options, err := db.Write(auth.InEnv(r.Context(), c.Env), a.DB, func(ctx context.Context, tx *db.Tx) (map[string]any, error) {
		options, sealed, err := a.Access.BeginPasskey(ctx, tx, c.User, c.place())
		if err != nil || options == nil {
			return nil, err
		}
		return options, saveChallenge(ctx, tx, c.ticket, sealed)
	})
	if err != nil {
		a.showError(w, r, err)
		return
	}

	show := []pages.Option{pages.At(c.Dealership.Name, c.Mode)}
	if options != nil {
		text, err := json.Marshal(options)
		if err != nil {
			a.showError(w, r, err)
			return
		}
		f.Options = string(text)
		show = append(show, pages.Script("passkey.js"))
	}
	factorPage.Render(w, status, "Verify it's you", f, show...)
}

// verifyFactor checks a code, a recovery code or the response of a security key.
func (a *API) verifyFactor(w http.ResponseWriter, r *http.Request) {
	received := a.DB.Now()
	token, all, ok := a.accounts(w, r)
	if !ok {
		return
	}
	if err := a.checkForm(r, ticketSubject(token), "factor"); err != nil || len(all) > 1 {
		redirect(w, r, a.url("/sign-in/factor", all[0].ReturnTo))
		return
	}

	c := all[0]
	err := a.Access.CheckSecondStep(r.Context(), c.checked())
	if err == nil {
		code := strings.TrimSpace(r.PostFormValue("code"))
		verify := a.Access.WithCode(&code, received)
		if response := r.PostFormValue("assertion"); response != "" {
			verify = a.withPasskey(c.ticket, response)
		}
		err = a.complete(w, r, c.ticket, verify)
	}
	switch {
	case err == nil:
	case fault.KindOf(err) == fault.KindUnauthenticated:
		err = errWrongCode()
		fallthrough
	case isProblem(err):
		setRetryAfter(w, err)
		a.askFactor(w, r, statusOf(err), c, factorForm{
			Token: a.factorToken(token), Problem: problemOf(err), Recovery: r.PostFormValue("recovery") != "",
		})
	default:
		a.showError(w, r, err)
	}
}

// withPasskey checks the response to the challenge of a ticket, which works once.
func (a *API) withPasskey(t ticket, response string) access.Verification {
	check := a.Access.WithPasskey(response, t.Challenge, t.place())
	return func(ctx context.Context, tx *db.Tx, u people.User) error {
		if err := useChallenge(ctx, tx, t); err != nil {
			return err
		}
		return check(ctx, tx, u)
	}
}
