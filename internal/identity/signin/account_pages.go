package signin

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	accountPage = pages.NewPage(`
<h1>{{.User.Name}}</h1>
<dl class="facts">
  <dt>Email address</dt><dd>{{.User.Email}}</dd>
  <dt>Dealership</dt><dd>{{.Dealership}}</dd>
  <dt>Environment</dt><dd><span class="tag {{.Mode}}">{{if eq .Mode "test"}}Test{{else}}Live{{end}}</span></dd>
  <dt>Roles</dt><dd>{{range $i, $r := .User.Roles}}{{if $i}}, {{end}}{{$r.Name}}{{else}}None{{end}}</dd>
  <dt>Two-factor</dt><dd>{{if .User.HasActiveFactor}}On{{else}}Off · <a href="{{.TwoFactor}}">Turn on</a>{{end}}</dd>
</dl>
<div class="actions"><a class="button" href="{{.Console}}">Open the console</a>
<a class="button plain" href="{{.Docs}}">Documentation</a>
<a class="button plain" href="{{.Sessions}}">Where you are signed in</a></div>
<form method="post" action="{{.SignOut}}">
  <input type="hidden" name="form_token" value="{{.Token}}"><button class="plain">Sign out</button>
</form>
<ul class="links">
  {{if .APIToken}}<li><a href="{{.APIToken}}">Get a token for the API</a></li>
  {{else}}<li><a href="{{.Password}}">Change your password</a></li>
  <li><a href="{{.Passkey}}">Add a passkey</a></li>{{end}}
  {{range .Others}}<li><a href="{{.URL}}">Go to {{.Dealership}} · {{if eq .Mode "test"}}Test{{else}}Live{{end}}</a></li>{{end}}
  <li><a href="{{.Switch}}">Sign in with another account</a></li>
</ul>`)

	sessionsPage = pages.NewPage(`
<h1>Where you are signed in</h1>
<p>If you don't recognize a session, end it and change your password.</p>
{{with .Notice}}<p class="notice good" role="status">{{.}}</p>{{end}}
<ul class="rows">
{{range .Sessions}}<li><div class="what"><b>{{.Device}}
  {{- if .Current}} <span class="tag green">This browser</span>{{else if not .Browser}} <span class="tag">API</span>{{end}}</b>
  <small>{{with .IP}}{{.}} · {{end}}Last seen <time datetime="{{.SeenAt}}">{{.Seen}}</time> ·
    Signed in <time datetime="{{.StartedAt}}">{{.Started}}</time></small></div>
  {{if not .Current}}<form method="post" action="{{$.Action}}"><input type="hidden" name="form_token" value="{{$.Token}}">
  <button class="small danger" name="session" value="{{.ID}}"
    aria-label="End the session of {{.Device}}, signed in {{.Started}}">End</button></form>{{end}}</li>
{{end}}</ul>
{{if .Keys}}<h2>Command line</h2>
<ul class="rows">
{{range .Keys}}<li><div class="what"><b>{{.Name}}</b>
  <small>{{with .Used}}Last used {{.}} · {{end}}Signed in <time datetime="{{.StartedAt}}">{{.Started}}</time> · Expires {{.Expires}}</small></div>
  <form method="post" action="{{$.Action}}"><input type="hidden" name="form_token" value="{{$.Token}}">
  <button class="small danger" name="key" value="{{.ID}}" aria-label="End the key of {{.Name}}, signed in {{.Started}}">End</button></form></li>
{{end}}</ul>{{end}}
{{if .Others}}<form method="post" action="{{.Action}}"><input type="hidden" name="form_token" value="{{.Token}}">
<button class="danger" name="session" value="others">Sign out everywhere else</button></form>{{end}}
<p class="links"><a href="{{.Account}}">Back to your account</a></p>`)

	signOutPage = pages.NewPage(`
<h1>Sign out?</h1>
<p>You are signed in as <strong>{{.Email}}</strong>.</p>
<form method="post" action="{{.Action}}"><input type="hidden" name="form_token" value="{{.Token}}"><button>Sign out</button></form>
<p class="links"><a href="{{.Change}}">Back to your account</a></p>`)
)

// in adds the environment of a visitor to the address of a page.
func (a *API) in(v Visitor, page string) string {
	return a.url(page, "", "environment", string(v.Mode))
}

func (a *API) showAccount(w http.ResponseWriter, r *http.Request) {
	all, ok := a.requireAll(w, r)
	if !ok {
		return
	}
	v := all[0]
	if v.MustEnroll {
		redirect(w, r, a.in(v, "/account/two-factor"))
		return
	}
	type other struct {
		Visitor
		URL string
	}
	data := struct {
		Visitor
		Sessions, TwoFactor, SignOut, Password, Passkey, Switch, Token, APIToken, Console, Docs string

		Others []other
	}{
		v, a.in(v, "/account/sessions"), a.in(v, "/account/two-factor"), a.in(v, "/sign-out"), a.in(v, "/account/password"),
		a.in(v, "/account/passkey"), a.url("/sign-in", "", "switch", "1"), a.FormToken(v, "sign-out"), a.tokenPage(v),
		a.BaseURL + "/console/" + string(v.Mode), a.BaseURL + "/docs", nil,
	}
	for _, o := range all[1:] {
		data.Others = append(data.Others, other{o, a.in(o, "/account")})
	}
	accountPage.Render(w, http.StatusOK, "Your account", data, v.Option())
}

// sessionRow is a session as the page shows it.
type sessionRow struct {
	people.Session
	Device, Started, StartedAt, Seen, SeenAt string
	Current                                  bool
}

func (a *API) showSessions(w http.ResponseWriter, r *http.Request) {
	if v, ok := a.Require(w, r); ok {
		a.listSessions(w, r, v, "")
	}
}

// maxSessions limits the sessions on the page.
const maxSessions = 100

// keyRow is a key of slipway login as the page shows it.
type keyRow struct {
	access.APIKey
	Started, StartedAt, Used, Expires string
}

// logins are where a user is signed in.
type logins struct {
	sessions []people.Session
	keys     []access.APIKey
}

func (a *API) findLogins(ctx context.Context, v Visitor) (logins, error) {
	return db.Read(auth.With(ctx, v.Principal), a.DB, func(ctx context.Context, tx *db.Tx) (l logins, err error) {
		p, err := people.ListSessions(ctx, tx, v.UserID, page.Query{Limit: maxSessions})
		if err != nil {
			return l, err
		}
		l.sessions = p.Data
		l.keys, err = access.LoginKeysOf(ctx, tx, v.UserID)
		return l, err
	})
}

func (a *API) listSessions(w http.ResponseWriter, r *http.Request, v Visitor, text string) {
	found, err := a.findLogins(r.Context(), v)
	if err != nil {
		a.showError(w, r, err)
		return
	}
	data := struct {
		Sessions                       []sessionRow
		Keys                           []keyRow
		Notice, Action, Token, Account string
		Others                         bool
	}{
		nil, nil, text, a.in(v, "/account/sessions"), a.FormToken(v, "sessions"), a.in(v, "/account"), len(found.sessions)+len(found.keys) > 1,
	}
	now := a.DB.Now().UTC()
	for _, s := range found.sessions {
		row := sessionRow{
			s, device(s.UserAgent), since(now, s.CreatedAt), s.CreatedAt.Format(time.RFC3339), since(now, s.LastSeenAt),
			s.LastSeenAt.Format(time.RFC3339), s.ID == v.Session.ID,
		}
		if row.Current {
			row.Seen = "now"
			data.Sessions = append([]sessionRow{row}, data.Sessions...)
			continue
		}
		data.Sessions = append(data.Sessions, row)
	}
	for _, k := range found.keys {
		row := keyRow{APIKey: k, Started: since(now, k.CreatedAt), StartedAt: k.CreatedAt.Format(time.RFC3339)}
		if k.LastUsedAt != nil {
			row.Used = since(now, *k.LastUsedAt)
		}
		if k.ExpiresAt != nil {
			row.Expires = k.ExpiresAt.Format("Jan 2, 2006")
		}
		data.Keys = append(data.Keys, row)
	}
	sessionsPage.Render(w, http.StatusOK, "Where you are signed in", data, v.Option(), pages.Wide)
}

// revokeSession ends another session or a key of slipway login of the visitor, or all of
// them.
func (a *API) revokeSession(w http.ResponseWriter, r *http.Request) {
	v, ok := a.Require(w, r)
	if !ok {
		return
	}
	if err := a.CheckForm(r, v, "sessions"); err != nil {
		a.showError(w, r, err)
		return
	}

	var err error
	session, key, text := r.PostFormValue("session"), r.PostFormValue("key"), "The session was ended."
	switch {
	case session == "others":
		err, text = a.Access.SignOutElsewhere(r.Context(), v.Principal), "You are signed out everywhere else."
	case key != "":
		err, text = a.Access.RevokeOwnLogin(r.Context(), v.Principal, key), "The command line is signed out there."
	default:
		err = a.Access.EndOwnSession(r.Context(), v.Principal, session)
	}
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		a.showError(w, r, err)
		return
	}
	a.listSessions(w, r, v, text)
}

// showSignOut asks first, because another site can link to this page.
func (a *API) showSignOut(w http.ResponseWriter, r *http.Request) {
	v, ok := a.require(w, r)
	if !ok {
		return
	}
	signOutPage.Render(w, http.StatusOK, "Sign out", signInForm{
		Email: v.User.Email, Action: a.in(v, "/sign-out"), Token: a.FormToken(v, "sign-out"), Change: a.in(v, "/account"),
	}, v.Option())
}

// signOut ends all sessions of this browser.
func (a *API) signOut(w http.ResponseWriter, r *http.Request) {
	v, ok := a.require(w, r)
	if !ok {
		return
	}
	if err := a.CheckForm(r, v, "sign-out"); err != nil {
		a.showError(w, r, err)
		return
	}
	next, err := a.logoutPage(w, r)
	if err != nil {
		a.showError(w, r, err)
		return
	}
	for _, mode := range []auth.Mode{auth.Live, auth.Test} {
		token := a.readCookie(r, sessionCookie(mode))
		if token == "" {
			continue
		}
		if err := a.Access.EndBrowserSession(r.Context(), token); err != nil {
			a.showError(w, r, err)
			return
		}
		a.setCookie(w, sessionCookie(mode), "", -1)
	}
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	if next != "" {
		w.Header().Set("Refresh", "0; url="+next)
		noticePage.Render(w, http.StatusOK, "You are signed out", notice{
			Heading: "You are signed out", Text: "Your sessions in this browser have ended. Now sign out of your identity provider.",
			Link: next, LinkText: "Continue",
		})
		return
	}
	noticePage.Render(w, http.StatusOK, "You are signed out", notice{
		Heading: "You are signed out", Text: "Your sessions in this browser have ended.", Link: a.url("/sign-in", ""), LinkText: "Sign in again",
	})
}

// since describes a time in the past.
func since(now, t time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < 2*time.Minute:
		return "a minute ago"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " minutes ago"
	case d < 2*time.Hour:
		return "an hour ago"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " hours ago"
	}
	return t.Format("Jan 2, 2006")
}
