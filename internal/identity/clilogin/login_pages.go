package clilogin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/wire"
)

// API serves the page, and what the command line calls.
type API struct {
	DB      *db.DB
	AuthURL string
	Log     *slog.Logger
	Access  *access.API
	SignIn  *signin.API
}

// Path is where the page is, below {auth_url}.
const Path = "/cli"

// Mount registers the page, and what the command line calls.
func (a *API) Mount(r *rest.Router) {
	path := people.AuthPath(a.AuthURL)
	served := http.StripPrefix(path, a.pages())
	r.HandleForm(path+Path, served)
	r.HandleForm(path+Path+"/*", served)
}

// pages serves the paths below {auth_url}.
func (a *API) pages() http.Handler {
	mux := http.NewServeMux()
	page := pages.Guarded(http.HandlerFunc(a.page))
	mux.Handle("GET "+Path, page)
	mux.Handle("POST "+Path, page)
	mux.HandleFunc("POST "+Path+"/token", a.token)
	mux.HandleFunc("POST "+Path+"/revoke", a.revoke)
	return mux
}

// choices returns the environments that the key can be for, test first.
func choices(ctx context.Context, tx *db.Tx, v signin.Visitor) ([]signin.Environment, error) {
	all, err := signin.Environments(ctx, tx, v)
	all = slices.DeleteFunc(all, func(e signin.Environment) bool { return blocked(e.User, e.Held, e.Held) != "" })
	slices.SortFunc(all, func(x, y signin.Environment) int { return -strings.Compare(string(x.Mode), string(y.Mode)) })
	return all, err
}

// page shows what the machine gets, and handles the form.
func (a *API) page(w http.ResponseWriter, r *http.Request) {
	req, problem := parseRequest(r.URL.Query())
	if problem != "" {
		a.notice(w, http.StatusBadRequest, "This link doesn't work", problem+" Run slipway login again.")
		return
	}
	v, ok := a.SignIn.Require(w, r)
	if !ok {
		return
	}
	all, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) ([]signin.Environment, error) { return choices(ctx, tx, v) })
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if len(all) == 0 {
		a.notice(w, http.StatusForbidden, "You can't create a key", "Your account has no access that a key could get. Ask an owner.")
		return
	}
	if r.Method == http.MethodPost {
		a.decide(w, r, login{v, req, all})
		return
	}
	a.show(w, r, login{v, req, all}, form{Scopes: defaultScopes(all)}, "")
}

// login is who wants to sign in where, and the environments to choose from.
type login struct {
	visitor signin.Visitor
	req     request
	all     []signin.Environment
}

// defaultScopes are the scopes that are chosen at first: what the user can do, without
// administration.
func defaultScopes(all []signin.Environment) (scopes []auth.Scope) {
	for _, s := range offered(all) {
		if s != auth.Admin {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// offered returns the scopes that the user has in one of the environments.
func offered(all []signin.Environment) (scopes []auth.Scope) {
	for _, known := range auth.Scopes {
		if slices.ContainsFunc(all, func(e signin.Environment) bool { return slices.Contains(e.Held, known.Scope) }) {
			scopes = append(scopes, known.Scope)
		}
	}
	return scopes
}

// form is what the user has chosen.
type form struct {
	Mode   auth.Mode
	Scopes []auth.Scope
	Code   string
}

// purpose binds the token of the form to the request that the user sees.
func purpose(r *http.Request) string { return "cli " + r.URL.RawQuery }

func (a *API) decide(w http.ResponseWriter, r *http.Request, l login) {
	if err := r.ParseForm(); err != nil {
		a.notice(w, http.StatusBadRequest, "This form is not valid", "Run slipway login again.")
		return
	}
	if err := a.SignIn.CheckForm(r, l.visitor, purpose(r)); err != nil {
		a.notice(w, http.StatusForbidden, "This form is not valid", "It has expired, or was opened in another way. Run slipway login again.")
		return
	}
	if r.PostForm.Get("decision") != "allow" {
		signin.Leave(w, l.req.response("error", "access_denied"))
		return
	}

	f := form{Mode: auth.Mode(r.PostForm.Get("environment")), Code: r.PostForm.Get("code")}
	for _, s := range r.PostForm["scope"] {
		if !slices.Contains(f.Scopes, auth.Scope(s)) {
			f.Scopes = append(f.Scopes, auth.Scope(s))
		}
	}
	i := slices.IndexFunc(l.all, func(e signin.Environment) bool { return e.Mode == f.Mode })
	if i < 0 {
		a.show(w, r, l, f, "Choose an environment.")
		return
	}
	a.allow(w, r, l, l.all[i], f)
}

// allow stores what the user has allowed, and returns the code to the machine.
func (a *API) allow(w http.ResponseWriter, r *http.Request, l login, in signin.Environment, f form) {
	req := l.req
	received := a.DB.Now()
	text, err := db.Write(in.With(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (string, error) {
		in, err := in.Recheck(ctx, tx)
		if err != nil {
			return "", err
		}
		if reason := blocked(in.User, in.Held, f.Scopes); reason != "" {
			return "", db.Committed(errCode(reason))
		}
		if slices.Contains(f.Scopes, auth.Admin) { // a stolen session must not be enough
			if f.Code == "" {
				return "", db.Committed(errCode("To administer the dealership, enter a two-factor code."))
			}
			if err := a.Access.CheckCode(ctx, tx, in.User, f.Code, received); err != nil {
				return "", err
			}
		}
		return insertCode(ctx, tx, code{
			UserID: in.User.ID, Mode: in.Mode, Name: keyName(req.Host), Scopes: f.Scopes, Challenge: req.Challenge, RedirectURI: req.RedirectURI,
		})
	})
	rejected, isFault := errors.AsType[*fault.Error](err)
	switch {
	case isFault && db.IsCommitted(err):
		a.show(w, r, l, f, rejected.Message)
	case err != nil:
		a.fail(w, r, err)
	default:
		signin.Leave(w, req.response("code", text))
	}
}

// token exchanges a code for a key.
func (a *API) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if err := r.ParseForm(); err != nil {
		rest.Fail(w, r, fault.BadRequest("The body could not be read as a form."))
		return
	}
	key, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (access.IssuedKey, error) { return exchange(ctx, tx, r.PostForm) })
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	writeJSON(w, struct {
		Key       string       `json:"key"`
		ID        string       `json:"id"`
		Name      string       `json:"name"`
		Scopes    []auth.Scope `json:"scopes"`
		ExpiresAt *time.Time   `json:"expires_at"`
	}{key.Key, key.ID, key.Name, key.Scopes, key.ExpiresAt})
}

// revoke revokes the key of the request. A key needs no scope to end itself.
func (a *API) revoke(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	p, err := a.Access.Auth.Authenticate(r.Context(), bearer)
	if err == nil && p.Actor.Type != auth.ActorAPIKey {
		err = fault.Forbidden("Only an API key can revoke itself.")
	}
	if err == nil {
		_, err = db.Write(auth.With(r.Context(), p), a.DB, func(ctx context.Context, tx *db.Tx) (rest.None, error) {
			return rest.None{}, access.RevokeOwnKey(ctx, tx)
		})
	}
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func writeJSON(w http.ResponseWriter, v any) {
	text, err := wire.Marshal(v)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the client might have gone
}

var loginPage = pages.NewPage(`
<h1>Sign in on {{.Host}}?</h1>
<p>The command line on this machine gets an API key. It expires in 90 days, and you can revoke it at any time.</p>
<p class="notice warn"><span>Only continue if you just ran <code>slipway login</code> yourself.</span></p>
{{if .Message}}<p class="bad" role="alert">{{.Message}}</p>{{end}}
<dl class="facts">
<dt>Dealership</dt><dd>{{.Dealership}}</dd>
{{if .Only}}<dt>Environment</dt><dd>{{if eq .Only "live"}}Live: your real data{{else}}Test: sample data{{end}}</dd>{{end}}
</dl>
<div class="who"><span>Signed in as {{.Email}}</span> <a href="{{.Switch}}">Not you?</a></div>
<form method="post">
<input type="hidden" name="form_token" value="{{.Token}}">
{{if .Only}}<input type="hidden" name="environment" value="{{.Only}}">
{{else}}<fieldset><legend>Environment</legend>
{{range .Environments}}<label class="check"><input type="radio" name="environment" value="{{.Mode}}"{{if .Chosen}} checked{{end}} required>
<span>{{if eq .Mode "live"}}Live: your real data{{else}}Test: sample data{{end}}</span></label>
{{end}}</fieldset>{{end}}
<fieldset><legend>What the command line can do</legend>
{{range .Scopes}}<label class="check"><input type="checkbox" name="scope" value="{{.Name}}"{{if .Chosen}} checked{{end}}>
<span>{{.Text}}{{if .Warning}} <span class="tag amber">Changes data</span>{{end}}</span></label>
{{end}}</fieldset>
{{if .Admin}}<label for="code">Two-factor code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="40" aria-describedby="why">
<p class="hint" id="why">Only required to administer the dealership. You can also enter a recovery code.</p>{{end}}
<div class="actions">
<button class="plain" name="decision" value="deny" formnovalidate>Cancel</button>
<button name="decision" value="allow">Allow</button>
</div>
</form>`)

var noticePage = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>`)

// option is a radio button or a check box.
type option struct {
	Name, Text string
	Mode       auth.Mode
	Chosen     bool
	Warning    bool // it changes data
}

// show shows the form. The message is why it was rejected, or "".
func (a *API) show(w http.ResponseWriter, r *http.Request, l login, f form, message string) {
	v, req, all, status := l.visitor, l.req, l.all, http.StatusOK
	if message != "" {
		status = http.StatusUnprocessableEntity
	}
	data := struct {
		Host, Message, Email, Token, Switch string
		Dealership                          string
		Environments, Scopes                []option
		Only                                auth.Mode // the environment, if there is no choice
		Admin                               bool
	}{
		Host: req.Host, Message: message, Dealership: v.Dealership, Email: v.User.Email, Token: a.SignIn.FormToken(v, purpose(r)),
		Switch: people.AuthPath(a.AuthURL) + "/sign-in?" + url.Values{"switch": {"1"}, "return_to": {people.AuthPath(a.AuthURL) + Path + "?" + r.URL.RawQuery}}.Encode(),
	}
	for i, c := range all {
		data.Environments = append(data.Environments, option{Mode: c.Mode, Chosen: c.Mode == f.Mode || f.Mode == "" && i == 0})
	}
	if len(all) == 1 {
		data.Only = all[0].Mode
	}
	scopes := offered(all)
	for _, known := range auth.Scopes {
		if slices.Contains(scopes, known.Scope) {
			data.Scopes = append(data.Scopes, option{Name: string(known.Scope), Text: known.Doc, Chosen: slices.Contains(f.Scopes, known.Scope),
				Warning: known.Scope == auth.Admin || strings.HasSuffix(string(known.Scope), ":write")})
		}
	}
	data.Admin = slices.Contains(scopes, auth.Admin)
	loginPage.Render(w, status, "Sign in on "+req.Host, data, pages.At(v.Dealership, data.Only), pages.FormAction(origin(req.RedirectURI)))
}

// origin returns the source that the policy of the page must allow, so that its form can
// redirect there. A policy can't name an IPv6 address.
func origin(redirect string) string {
	if strings.Contains(redirect, "[") {
		return "http:"
	}
	return strings.TrimSuffix(redirect, "/callback")
}

func (a *API) notice(w http.ResponseWriter, status int, heading, text string) {
	noticePage.Render(w, status, heading, struct{ Heading, Text string }{heading, text})
}

func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, context.Canceled) {
		a.Log.ErrorContext(r.Context(), "page failed", "path", Path, "request_id", auth.RequestFrom(r.Context()).ID, "err", err)
	}
	a.notice(w, http.StatusServiceUnavailable, "Something went wrong", "This is an error on our side. Try again in a minute.")
}
