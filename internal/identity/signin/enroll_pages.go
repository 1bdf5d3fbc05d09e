package signin

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"rsc.io/qr"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var (
	enrollPage = pages.NewPage(`
<h1>Set up two-factor authentication</h1>
<p>{{if .Required}}Administrators need a second way to prove who they are.
{{- else}}A code from your phone protects your account if someone learns your password.{{end}}</p>
{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
<ol class="steps">
  <li>Scan this code with an authenticator app, such as Google Authenticator, 1Password or Microsoft Authenticator.
    <svg class="qr" viewBox="0 0 {{.Size}} {{.Size}}" shape-rendering="crispEdges" role="img"
      aria-label="QR code for your authenticator app"><path d="{{.Squares}}"/></svg>
    <span class="hint">Can't scan it? Enter this key in the app:</span> <code class="secret">{{.Secret}}</code></li>
  <li>Enter the 6-digit code that the app shows.
    <form method="post" action="{{.Action}}">
      <input type="hidden" name="form_token" value="{{.Token}}">
      <input type="hidden" name="setup" value="{{.Setup}}">
      <input type="hidden" name="return_to" value="{{.ReturnTo}}">
      <label for="code">Code</label>
      <input id="code" class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="11" required
        {{- if .Problem}} autofocus aria-invalid="true" aria-describedby="problem"{{end}}>
      <button>Turn on</button>
    </form></li>
</ol>
<ul class="links">
  <li><a href="{{.Passkey}}">Use a passkey or security key instead</a></li>
  <li>{{if .Required}}<a href="{{.SignOut}}">Sign out</a>{{else}}<a href="{{.Account}}">Not now</a>{{end}}</li>
</ul>`)

	recoveryPage = pages.NewPage(`
<h1>Save your recovery codes</h1>
<p>Two-factor authentication is on. If you lose your phone or your key, sign in with one of these codes. Each works once.</p>
<ul class="codes">{{range .Codes}}<li>{{.}}</li>{{end}}</ul>
<p class="notice warn">They are not shown again. Print this page, or save them in your password manager.</p>
<a class="button" href="{{.Next}}">I saved them</a>`)
)

type enrollForm struct {
	Action, Token, Setup, ReturnTo, Problem, Secret, SignOut, Account, Passkey string

	Required bool
	Squares  string // of the QR code, as an SVG path
	Size     int
}

// recovery is what the page with the recovery codes shows.
type recovery struct {
	Codes []string
	Next  string
}

// setupLifetime is how long a secret on the page can be used.
const setupLifetime = 30 * time.Minute

func (a *API) showEnroll(w http.ResponseWriter, r *http.Request) {
	v, ok := a.require(w, r)
	if !ok {
		return
	}
	if v.User.HasActiveFactor() {
		redirect(w, r, a.in(v, "/account"))
		return
	}
	a.askEnroll(w, r, http.StatusOK, v, enrollForm{ReturnTo: r.URL.Query().Get("return_to")})
}

// askEnroll shows a QR code. It has a new secret unless the form has one.
func (a *API) askEnroll(w http.ResponseWriter, r *http.Request, status int, v Visitor, f enrollForm) {
	setup := access.SetUpTOTP(v.User.Email, v.Mode, f.Secret)
	code, err := qr.Encode(setup.URI, qr.M)
	if err != nil {
		a.showError(w, r, err)
		return
	}
	f.Action, f.Token = a.in(v, "/account/two-factor"), a.FormToken(v, "two-factor")
	f.ReturnTo, f.Required = a.returnTo(f.ReturnTo), v.MustEnroll
	f.Setup, f.Secret = a.sealSetup(v, setup.Secret), grouped(setup.Secret)
	f.Squares, f.Size = squares(code), code.Size+2*quietZone
	f.SignOut, f.Account, f.Passkey = a.in(v, "/sign-out"), a.in(v, "/account"), a.in(v, "/account/passkey")
	enrollPage.Render(w, status, "Set up two-factor authentication", f, v.Option())
}

// sealSetup encrypts the secret for the form. It is only stored when the user has
// entered a code, and the form of another session doesn't work.
func (a *API) sealSetup(v Visitor, secret string) string {
	text := fmt.Sprintf("%d %s", a.DB.Now().Add(setupLifetime).Unix(), secret)
	return base64.RawURLEncoding.EncodeToString(a.Box.Seal([]byte(text), setupPlace(v)))
}

func setupPlace(v Visitor) string { return fmt.Sprintf("setup/%d/%s", v.Env, v.Session.ID) }

// openSetup returns the secret of a form, or "" if it is too old.
func (a *API) openSetup(v Visitor, setup string) string {
	raw, err := base64.RawURLEncoding.DecodeString(setup)
	if err != nil {
		return ""
	}
	text, err := a.Box.Open(raw, setupPlace(v))
	if err != nil {
		return ""
	}
	var until int64
	var secret string
	if _, err := fmt.Sscanf(string(text), "%d %s", &until, &secret); err != nil || a.DB.Now().Unix() >= until {
		return ""
	}
	return secret
}

// enroll turns on two-factor authentication and shows the recovery codes.
func (a *API) enroll(w http.ResponseWriter, r *http.Request) {
	v, ok := a.require(w, r)
	if !ok {
		return
	}
	if err := a.CheckForm(r, v, "two-factor"); err != nil {
		a.showError(w, r, err)
		return
	}
	f := enrollForm{ReturnTo: r.PostFormValue("return_to")}
	secret := a.openSetup(v, r.PostFormValue("setup"))
	if secret == "" {
		f.Problem = "The page was too old. Scan the new code."
		a.askEnroll(w, r, http.StatusUnprocessableEntity, v, f)
		return
	}

	codes, err := db.Write(auth.With(r.Context(), v.Principal), a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return a.Access.EnrollFirst(ctx, tx, v.UserID, secret, r.PostFormValue("code"))
	})
	switch {
	case err == nil:
	case fault.KindOf(err) == fault.KindConflict:
		redirect(w, r, a.in(v, "/account"))
		return
	case fault.KindOf(err) == fault.KindUnprocessable:
		f.Problem = "The code is wrong or expired. Enter the one that the app shows now."
		f.Secret = secret
		a.askEnroll(w, r, http.StatusUnprocessableEntity, v, f)
		return
	default:
		a.showError(w, r, err)
		return
	}

	// The rights have changed, so this sets a new cookie.
	if _, err := a.Visitors(w, r); err != nil {
		a.showError(w, r, err)
		return
	}
	next := a.returnTo(f.ReturnTo)
	if next == "" {
		next = a.in(v, "/account")
	}
	recoveryPage.Render(w, http.StatusOK, "Save your recovery codes", recovery{codes, next}, v.Option())
}

// quietZone is the white border of a QR code.
const quietZone = 4

// squares returns the dark squares of a QR code as an SVG path.
func squares(code *qr.Code) string {
	var b strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	return b.String()
}

// grouped makes a secret easier to type.
func grouped(secret string) string {
	var groups []string
	for len(secret) > 4 {
		groups, secret = append(groups, secret[:4]), secret[4:]
	}
	return strings.Join(append(groups, secret), " ")
}
