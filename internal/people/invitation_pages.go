package people

import (
	"context"
	"net/http"
	"unicode/utf8"

	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/fault"
)

// Only the length of a password is checked. Rules about its characters lead to
// weaker passwords.
const (
	minPassword = 12
	maxPassword = 200
)

var (
	invitationPage = pages.NewPage(`
<h1>Welcome, {{.Name}}</h1>
<p>Choose a password for <strong>{{.Email}}</strong>.</p>
{{with .Problem}}<p class="bad" role="alert">{{.}}</p>{{end}}
<form method="post">
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required autofocus>
  <p class="hint">At least 12 characters. Several random words are easy to remember.</p>
  <button>Set password</button>
</form>`)
	acceptedPage = pages.NewPage(`<h1>You're all set, {{.Name}}</h1><p>Your password is set. You can close this page and sign in.</p>`)
	noticePage   = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>`)
)

// Pages serves the pages at {auth_url}/invitations/ and {auth_url}/email_changes/.
func (a *API) Pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /invitations/{token}", a.showInvitation)
	mux.HandleFunc("POST /invitations/{token}", a.setPassword)
	mux.HandleFunc("GET /email_changes/{token}", a.showEmailChange)
	mux.HandleFunc("POST /email_changes/{token}", a.applyEmailChange)
	return pages.Guarded(mux)
}

type invitationForm struct{ Name, Email, Problem string }

func (a *API) showInvitation(w http.ResponseWriter, r *http.Request) {
	u, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (User, error) {
		return findInvited(ctx, tx, r.PathValue("token"))
	})
	if err != nil {
		a.showError(w, r, err)
		return
	}
	invitationPage.Render(w, http.StatusOK, "Set your password", invitationForm{Name: u.Name, Email: u.Email})
}

func (a *API) setPassword(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	password, token := r.PostFormValue("password"), r.PathValue("token")
	u, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (User, error) { return findInvited(ctx, tx, token) })
	if err != nil {
		a.showError(w, r, err)
		return
	}
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		invitationPage.Render(w, http.StatusUnprocessableEntity, "Set your password",
			invitationForm{u.Name, u.Email, "The password must have 12 to 200 characters."})
		return
	}

	hash := HashPassword(password)
	u, err = db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (User, error) {
		return acceptInvitation(ctx, tx, token, hash)
	})
	if err != nil {
		a.showError(w, r, err)
		return
	}
	acceptedPage.Render(w, http.StatusOK, "Password set", u)
}

// showError shows the page for an error.
func (a *API) showError(w http.ResponseWriter, r *http.Request, err error) {
	n := struct{ Heading, Text string }{
		"This link is not valid", "It was used, replaced or has expired. Ask your dealership for a new invitation.",
	}
	status := http.StatusNotFound
	if fault.KindOf(err) != fault.KindNotFound {
		a.Log.ErrorContext(r.Context(), "page failed", "path", "/invitations", "err", err)
		n.Heading, n.Text, status = "Something went wrong", "This is an error on our side. Try again in a minute.", http.StatusServiceUnavailable
	}
	noticePage.Render(w, status, n.Heading, n)
}
