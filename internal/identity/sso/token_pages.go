package sso

import (
	"context"
	"net/http"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var (
	askTokenPage = pages.NewPage(`
<h1>Get a token for the API</h1>
<p>The token can do what you can do. It ends together with your session, or when you sign out at your identity provider.</p>
<form method="post" action="{{.Action}}"><input type="hidden" name="form_token" value="{{.Token}}"><button>Create a token</button></form>
<p class="links"><a href="{{.Account}}">Back to your account</a></p>`)

	tokenPage = pages.NewPage(`
<h1>Your token</h1>
<p>Send it in the header <code>Authorization: Bearer</code>. It is valid until {{.Until}}.</p>
<p><code class="secret">{{.Bearer}}</code></p>
<p class="notice warn">The token is not shown again.</p>
<p class="links"><a href="{{.Account}}">Back to your account</a></p>`)
)

type tokenData struct{ Action, Token, Account, Bearer, Until string }

func (a *API) tokenData(v signin.Visitor) tokenData {
	q := "?environment=" + string(v.Mode)
	return tokenData{Action: Prefix + "/token" + q, Token: a.SignIn.FormToken(v, "sso-token"), Account: a.Access.AuthPath() + "/account" + q}
}

func (a *API) showToken(w http.ResponseWriter, r *http.Request) {
	if v, ok := a.SignIn.Require(w, r); ok {
		askTokenPage.Render(w, http.StatusOK, "Get a token for the API", a.tokenData(v), v.Option())
	}
}

// createToken opens a second session with the same end and the same session at the
// provider. Its token is for the Authorization header.
func (a *API) createToken(w http.ResponseWriter, r *http.Request) {
	v, ok := a.SignIn.Require(w, r)
	if !ok {
		return
	}
	if err := a.SignIn.CheckForm(r, v, "sso-token"); err != nil {
		a.showError(w, r, located{}, err)
		return
	}
	opened, err := db.Write(auth.With(r.Context(), v.Principal), a.DB, func(ctx context.Context, tx *db.Tx) (access.Opened, error) {
		return a.openBearer(ctx, tx, v)
	})
	if err != nil {
		a.showError(w, r, located{}, err)
		return
	}
	data := a.tokenData(v)
	data.Bearer, data.Until = opened.Token, opened.Session.ExpiresAt.UTC().Format("January 2, 2006 15:04 MST")
	tokenPage.Render(w, http.StatusOK, "Your token", data, v.Option())
}

func (a *API) openBearer(ctx context.Context, tx *db.Tx, v signin.Visitor) (o access.Opened, err error) {
	s, ok, err := findSession(ctx, tx, v.Session.ID)
	if err != nil {
		return o, err
	}
	if !ok { // of a password, which POST {auth_url}/sessions accepts
		return o, fault.Forbidden("The session was not opened with single sign-on.")
	}
	u, err := people.FindUserForUpdate(ctx, tx, v.UserID)
	if err != nil {
		return o, err
	}
	current, err := people.FindSession(ctx, tx, v.Session.ID) // a logout can end it at the same time
	if err != nil || u.Status != people.Active {
		return o, fault.Forbidden("The session has ended.")
	}
	o, err = a.Access.OpenSSOSession(ctx, tx, u, access.NewSession{Mode: v.Mode, Method: current.Method, ExpiresAt: current.ExpiresAt})
	if err != nil {
		return o, err
	}
	s.ID, s.Secrets, s.RefreshAt, s.ExpiresAt = o.Session.ID, nil, nil, current.ExpiresAt.Add(keepFor).Truncate(time.Millisecond)
	return o, addSession(ctx, tx, s)
}
