package signin

import (
	"context"
	"net/http"
	"strings"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var (
	emailPage = pages.NewPage(`
<h1>Sign in</h1>
{{if .Ended}}<p class="notice" role="status">Your session has ended. Sign in to continue where you were.</p>
{{else}}<p>Enter the email address of your account.</p>
{{end}}{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
<form method="post" action="{{.Action}}">
  <input type="hidden" name="form_token" value="{{.Token}}">
  <input type="hidden" name="return_to" value="{{.ReturnTo}}">
  {{- if .WithPassword}}
  <input type="hidden" name="with_password" value="1">{{end}}
  <label for="email">Email address</label>
  <input id="email" name="email" type="email" value="{{.Email}}" autocomplete="username" maxlength="254" required autofocus
    {{- if .Problem}} aria-invalid="true" aria-describedby="problem"{{end}}>
  <button>Continue</button>
</form>`)

	passwordPage = pages.NewPage(`
<h1>Enter your password</h1>
{{with .Problem}}<p class="bad" role="alert" id="problem">{{.}}</p>{{end}}
<form method="post" action="{{.Action}}">
  <input type="hidden" name="form_token" value="{{.Token}}">
  <input type="hidden" name="return_to" value="{{.ReturnTo}}">
  <div class="row"><label for="email">Email address</label><a href="{{.Change}}">Change</a></div>
  <input id="email" name="email" type="email" value="{{.Email}}" autocomplete="username" readonly>
  <div class="row"><label for="password">Password</label><a href="{{.Forgot}}">Forgot your password?</a></div>
  <input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required autofocus
    {{- if .Problem}} aria-invalid="true" aria-describedby="problem"{{end}}>
  <button>Sign in</button>
</form>
{{with .Connections}}<p class="or">or</p>
<div class="actions">{{range .}}<a class="button plain" href="{{.URL}}">Sign in with {{.Name}}{{if eq .Mode "test"}} (test){{end}}</a>
{{end}}</div>{{end}}`)

	choicePage = pages.NewPage(`
<h1>Choose an account</h1>
<p>{{.Email}} has more than one account.</p>
<form method="post" action="{{.Action}}">
  <input type="hidden" name="form_token" value="{{.Token}}">
  <ul class="choices">
  {{range .Accounts}}<li><button name="user" value="{{.User.ID}}"><span>{{.Dealership.Name}}</span>
    <span class="tag {{.Mode}}">{{if eq .Mode "test"}}Test{{else}}Live{{end}}</span></button></li>
  {{end}}</ul>
</form>
<p class="links"><a href="{{.Change}}">Use another email address</a></p>`)
)

// signInForm is the data of the sign-in pages.
type signInForm struct {
	Action, Token, ReturnTo, Email, Problem, Change, Forgot string

	Accounts     []account
	Connections  []Connection
	Ended        bool // the session of this browser
	WithPassword bool // even if single sign-on is enforced for the domain
}

// showSignIn asks for the email address. A visitor who is signed in goes on, unless
// the link asks for another account.
func (a *API) showSignIn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("switch") == "" {
		all, err := a.Visitors(w, r)
		if err != nil {
			a.showError(w, r, err)
			return
		}
		if len(all) > 0 {
			a.leave(w, r, q.Get("return_to"))
			return
		}
	}
	a.askEmail(w, r, http.StatusOK, signInForm{
		ReturnTo: q.Get("return_to"), WithPassword: q.Get("password") != "", Ended: q.Get("ended") != "",
	})
}

func clip(email string) string { return email[:min(len(email), 254)] }

func (a *API) askEmail(w http.ResponseWriter, r *http.Request, status int, f signInForm) {
	f.Action, f.Token, f.ReturnTo = a.url("/sign-in", ""), a.formToken(a.visit(w, r), "sign-in"), a.returnTo(f.ReturnTo)
	emailPage.Render(w, status, "Sign in", f)
}

// askPassword is the step after the email address.
func (a *API) askPassword(w http.ResponseWriter, r *http.Request, status int, f signInForm) {
	f.Action, f.Token, f.ReturnTo = a.url("/sign-in", ""), a.formToken(a.visit(w, r), "sign-in"), a.returnTo(f.ReturnTo)
	f.Change, f.Forgot = a.url("/sign-in", f.ReturnTo, "switch", "1"), a.url("/password/forgot", "")
	passwordPage.Render(w, status, "Enter your password", f)
}

// signIn receives the email address, and then the password.
func (a *API) signIn(w http.ResponseWriter, r *http.Request) {
	if err := a.checkVisit(r, "sign-in"); err != nil {
		a.askEmail(w, r, http.StatusForbidden, signInForm{
			Problem: "The form was too old. Try again.", Email: clip(r.PostFormValue("email")), ReturnTo: r.PostFormValue("return_to"),
		})
		return
	}
	f := signInForm{Email: strings.TrimSpace(r.PostFormValue("email")), ReturnTo: r.PostFormValue("return_to")}
	if local, domain, ok := strings.Cut(f.Email, "@"); !ok || local == "" || domain == "" || len(f.Email) > 254 {
		f.Problem, f.Email = "Enter an email address, such as ann@example.com.", clip(f.Email)
		a.askEmail(w, r, http.StatusUnprocessableEntity, f)
		return
	}
	password := r.PostFormValue("password")
	var err error
	if f.Connections, err = a.connections(r.Context(), f); err != nil {
		a.showError(w, r, err)
		return
	}
	if password == "" {
		f.WithPassword = r.PostFormValue("with_password") != ""
		if one := enforced(f); one != nil {
			a.leaveForSSO(w, r, *one)
			return
		}
		a.askPassword(w, r, http.StatusOK, f)
		return
	}

	if err := a.checkPassword(w, r, f, password); err != nil {
		if !isProblem(err) {
			a.showError(w, r, err)
			return
		}
		setRetryAfter(w, err)
		f.Problem = problemOf(err)
		a.askPassword(w, r, statusOf(err), f)
	}
}

// checkPassword signs the user in, or starts the next step.
func (a *API) checkPassword(w http.ResponseWriter, r *http.Request, f signInForm, password string) error {
	ctx := r.Context()
	found, err := a.Access.CheckPassword(ctx, f.Email, "", password)
	if err != nil {
		return err
	}
	if len(found) == 1 {
		u, err := db.Read(auth.InEnv(ctx, found[0].Env), a.DB, func(ctx context.Context, tx *db.Tx) (people.User, error) {
			return people.FindUser(ctx, tx, found[0].UserID)
		})
		if err != nil {
			return err
		}
		if !u.HasActiveFactor() {
			if err := a.open(w, r, found[0], access.Opening{Verify: a.Access.WithCode(nil, a.DB.Now())}); err != nil {
				return err
			}
			a.leave(w, r, f.ReturnTo)
			return nil
		}
	}

	token, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		return insertTicket(ctx, tx, found, a.returnTo(f.ReturnTo))
	})
	if err != nil {
		return err
	}
	a.setCookie(w, ticketCookie, token, int(ticketLifetime.Seconds()))
	if len(found) > 1 {
		redirect(w, r, a.url("/sign-in/choose", a.returnTo(f.ReturnTo)))
	} else {
		redirect(w, r, a.url("/sign-in/factor", a.returnTo(f.ReturnTo)))
	}
	return nil
}

// accounts returns the users of the ticket in the cookie. If it returns false, it has
// shown an error.
func (a *API) accounts(w http.ResponseWriter, r *http.Request) (token string, all []account, ok bool) {
	token = a.readCookie(r, ticketCookie)
	all, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) ([]account, error) {
		return findAccounts(ctx, tx, token)
	})
	if err != nil {
		a.showError(w, r, err)
	}
	return token, all, err == nil
}

// ticketSubject is the subject of the forms between the password and the session.
func ticketSubject(token string) string { return "ticket/" + token }

func (a *API) showChoices(w http.ResponseWriter, r *http.Request) {
	token, all, ok := a.accounts(w, r)
	if !ok {
		return
	}
	if len(all) == 1 {
		redirect(w, r, a.url("/sign-in/factor", all[0].ReturnTo))
		return
	}
	choicePage.Render(w, http.StatusOK, "Choose an account", signInForm{
		Action: a.url("/sign-in/choose", all[0].ReturnTo), Token: a.formToken(ticketSubject(token), "choose"), Email: all[0].User.Email,
		Accounts: all, Change: a.url("/sign-in", all[0].ReturnTo, "switch", "1"),
	})
}

// choose continues with one of the users whom the password fits.
func (a *API) choose(w http.ResponseWriter, r *http.Request) {
	token, all, ok := a.accounts(w, r)
	if !ok {
		return
	}
	if err := a.checkForm(r, ticketSubject(token), "choose"); err != nil {
		a.showError(w, r, err)
		return
	}
	for _, chosen := range all {
		if chosen.User.ID != r.PostFormValue("user") {
			continue
		}
		if err := a.chosen(w, r, chosen, all); err != nil {
			a.showError(w, r, err)
		}
		return
	}
	redirect(w, r, a.url("/sign-in/choose", all[0].ReturnTo))
}

func (a *API) chosen(w http.ResponseWriter, r *http.Request, chosen account, all []account) error {
	_, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		tickets := make([]ticket, len(all))
		for i, c := range all {
			tickets[i] = c.ticket
		}
		return struct{}{}, chooseUser(ctx, tx, chosen.ticket, tickets)
	})
	if err != nil {
		return err
	}
	if chosen.User.HasActiveFactor() {
		redirect(w, r, a.url("/sign-in/factor", chosen.ReturnTo))
		return nil
	}
	return a.complete(w, r, chosen.ticket, a.Access.WithCode(nil, a.DB.Now()))
}

// complete uses up the ticket and opens the session, in one transaction.
func (a *API) complete(w http.ResponseWriter, r *http.Request, t ticket, verify access.Verification) error {
	err := a.open(w, r, t.checked(), access.Opening{Verify: func(ctx context.Context, tx *db.Tx, u people.User) error {
		if err := verify(ctx, tx, u); err != nil {
			return err
		}
		used, err := useTicket(ctx, tx, t)
		if err == nil && !used {
			err = errTicket()
		}
		return err
	}})
	if err == nil {
		a.leave(w, r, t.ReturnTo)
	}
	return err
}

// errWrongCode replaces the error of a sign-in, which names the password.
func errWrongCode() error {
	return fault.Unauthenticated("The code is wrong, expired or was already used.")
}
