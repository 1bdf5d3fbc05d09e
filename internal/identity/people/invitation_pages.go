package people

import (
	"context"
	"net/http"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
)

var (
	invitationPage = pages.NewPage(`
<h1>Welcome, {{.Name}}</h1>
<p>Choose a password for <strong>{{.Email}}</strong>.</p>
{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
<form method="post">
  <input name="username" value="{{.Email}}" autocomplete="username" readonly hidden>
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required autofocus
    {{if .Problem}}aria-invalid="true" aria-describedby="problem hint"{{else}}aria-describedby="hint"{{end}}>
  <p class="hint" id="hint">At least 12 characters. Several random words are easy to remember.</p>
  <button>Set password</button>
</form>`)
	acceptedPage = pages.NewPage(`<h1>You're all set, {{.Name}}</h1><p>Your password is set. You can close this page and sign in.</p>
<a class="button" href="{{.SignIn}}">Sign in</a>`)
	noticePage = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>`)
)

// maxForm limits the size of a form.
const maxForm = 16 << 10

// mountPages registers the pages below {auth_url}.
func (a *API) mountPages(r *rest.Router) {
	path := AuthPath(a.AuthURL)
	served := http.StripPrefix(path, a.pages())
	r.Handle(path+"/password/forgot", served)
	for _, form := range []string{"/invitations/*", "/email_changes/*", "/password/forgot/sent", "/password/reset/*"} {
		r.HandleForm(path+form, served)
	}
}

func (a *API) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /invitations/{token}", a.showInvitation)
	mux.HandleFunc("POST /invitations/{token}", a.acceptInvitation)
	mux.HandleFunc("GET /email_changes/{token}", a.showEmailChange)
	mux.HandleFunc("POST /email_changes/{token}", a.applyEmailChange)
	mux.HandleFunc("GET /password/forgot", a.showForgot)
	mux.Handle("GET /password/forgot/sent", http.RedirectHandler(a.AuthURL+"/password/forgot", http.StatusSeeOther))
	mux.HandleFunc("POST /password/forgot/sent", a.forgot)
	mux.HandleFunc("GET /password/reset/{token}", a.showReset)
	mux.HandleFunc("POST /password/reset/{token}", a.reset)
	return pages.Guarded(mux)
}

// passwordForm is the data of a page with a form for a new password.
type passwordForm struct {
	Name, Email, Problem, SignIn string
	NeedsCode                    bool

	dealership dealership.Dealership
}

// formFor returns the form for a user.
func (a *API) formFor(ctx context.Context, tx *db.Tx, u User) (passwordForm, error) {
	d, err := dealership.Find(ctx, tx.In(u.Env))
	return passwordForm{Name: u.Name, Email: u.Email, NeedsCode: u.HasActiveFactor(), SignIn: a.AuthURL + "/sign-in", dealership: d}, err
}

// at shows the dealership on the page.
func (f passwordForm) at() pages.Option { return pages.At(f.dealership.Name, f.dealership.Mode) }

// showForm shows the page with a form for the user of a link.
func (a *API) showForm(w http.ResponseWriter, r *http.Request, kind linkKind, page pages.Page) {
	form, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (passwordForm, error) {
		u, err := findByLink(ctx, tx, kind, r.PathValue("token"), FindUser)
		if err != nil {
			return passwordForm{}, err
		}
		return a.formFor(ctx, tx, u)
	})
	if err != nil {
		a.showError(w, r, err)
		return
	}
	page.Render(w, http.StatusOK, "Set your password", form, form.at())
}

// readForm reads the password from a form, checks it and hashes it. If it returns
// false, it has shown the page with the problem.
func (a *API) readForm(w http.ResponseWriter, r *http.Request, kind linkKind, page pages.Page) (form passwordForm, hash string, ok bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	chosen := r.PostFormValue("password")
	problem := ""
	form, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (passwordForm, error) {
		u, err := findByLink(ctx, tx, kind, r.PathValue("token"), FindUser)
		if err != nil {
			return passwordForm{}, err
		}
		found, err := CheckNewPassword(ctx, tx, u, chosen)
		problem = found.Message
		if err != nil {
			return passwordForm{}, err
		}
		return a.formFor(ctx, tx, u)
	})
	if err == nil && problem == "" {
		hash, err = HashNewPassword(r.Context(), a.DB, form.Email, chosen)
	}
	if err != nil {
		a.showError(w, r, err)
		return form, "", false
	}
	if problem != "" {
		form.Problem = "The password " + problem + "."
		page.Render(w, http.StatusUnprocessableEntity, "Set your password", form, form.at())
		return form, "", false
	}
	return form, hash, true
}

func (a *API) showInvitation(w http.ResponseWriter, r *http.Request) {
	a.showForm(w, r, invitationLink, invitationPage)
}

func (a *API) acceptInvitation(w http.ResponseWriter, r *http.Request) {
	form, hash, ok := a.readForm(w, r, invitationLink, invitationPage)
	if !ok {
		return
	}
	_, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (User, error) {
		return acceptInvitation(ctx, tx, a.Jobs, r.PathValue("token"), hash)
	})
	if err != nil {
		a.showError(w, r, err)
		return
	}
	acceptedPage.Render(w, http.StatusOK, "Password set", form, form.at())
}

// showError shows the page for an error.
func (a *API) showError(w http.ResponseWriter, r *http.Request, err error) {
	type notice struct{ Heading, Text string }
	n, status := notice{"Something went wrong", "This is an error on our side. Try again in a minute."}, http.StatusServiceUnavailable
	switch fault.KindOf(err) {
	case fault.KindNotFound:
		n = notice{"This link is not valid", "It was used, replaced or has expired. Ask for a new one."}
		status = http.StatusNotFound
	case fault.KindRateLimited:
		n, status = notice{"Too many attempts", "Wait a few minutes and try again."}, http.StatusTooManyRequests
	case fault.KindUnavailable:
		n = notice{"Please wait", "Slipway is busy. Try again in a minute."}
	default:
		a.Log.ErrorContext(r.Context(), "page failed", "err", err)
	}
	noticePage.Render(w, status, n.Heading, n)
}
