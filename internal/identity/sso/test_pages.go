package sso

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
)

var (
	testPage = pages.NewPage(`
<h1>Test {{.Name}}</h1>
<p>Sign in at the identity provider. Then this page shows what it sent and what Slipway would do. You stay signed in as yourself,
and nothing changes.</p>
<dl class="facts">
{{range .Domains}}<dt>{{.Domain}}</dt>
<dd>{{if .VerifiedAt}}<span class="tag green">Verified</span>{{else}}<span class="tag amber">Not verified</span>
  Create the TXT record <code>{{.RecordName}}</code> with the value <code>{{.RecordValue}}</code>{{end}}</dd>
{{else}}<dt>Domains</dt><dd>None. Users can't be created or linked.</dd>
{{end}}</dl>
<form method="post" action="{{.Action}}"><input type="hidden" name="form_token" value="{{.Token}}"><button>Start the test</button></form>`)

	resultPage = pages.NewPage(`
<h1>{{if .Problem}}The test failed{{else}}The test succeeded{{end}}</h1>
{{with .Problem}}<p class="bad" role="alert">{{.}}</p>{{end}}
{{with .Effect}}<p class="notice good" role="status">{{.}}</p>{{end}}
{{range .Missing}}<p class="notice warn">{{.}}</p>{{end}}
{{if .Read}}<h2>What Slipway reads</h2>
<dl class="facts">{{range .Read}}<dt>{{.Name}}</dt><dd>{{.Value}}{{with .From}} <span class="hint">from {{.}}</span>{{end}}</dd>
{{end}}</dl>{{end}}
{{if .Received}}<h2>What the provider sent</h2>
<dl class="facts">{{range .Received}}<dt>{{.Name}}</dt><dd>{{.Value}}</dd>
{{end}}</dl>{{end}}
<p class="links"><a href="{{.Again}}">Test again</a></p>`)
)

// administrator returns the visitor if it is an administrator of the environment of the
// connection. Otherwise it has shown a page.
func (a *API) administrator(w http.ResponseWriter, r *http.Request) (v signin.Visitor, l located, ok bool) {
	l, err := a.read(r, "")
	if err != nil {
		a.showError(w, r, l, err)
		return v, l, false
	}
	all, err := a.SignIn.Visitors(w, r)
	if err != nil {
		a.showError(w, r, l, err)
		return v, l, false
	}
	for _, v := range all {
		if v.Env == l.Env && v.Can(auth.Admin) {
			return v, l, true
		}
	}
	if len(all) == 0 || all[0].MustEnroll {
		_, ok := a.SignIn.Require(w, r) // leads to the sign-in page, and back
		if !ok {
			return v, l, false
		}
	}
	a.showError(w, r, located{}, errNoConnection()) // the same as for a connection that doesn't exist
	return v, l, false
}

func (a *API) showTest(w http.ResponseWriter, r *http.Request) {
	v, l, ok := a.administrator(w, r)
	if !ok {
		return
	}
	testPage.Render(w, http.StatusOK, "Test "+l.Name, struct {
		Name, Action, Token string
		Domains             []Verification
	}{l.Name, Prefix + "/test/" + l.ID, a.SignIn.FormToken(v, "sso-test"), l.Verifications}, v.Option(), pages.Wide)
}

// startTest starts a login that ends with the page of results.
func (a *API) startTest(w http.ResponseWriter, r *http.Request) {
	v, l, ok := a.administrator(w, r)
	if !ok {
		return
	}
	if err := a.SignIn.CheckForm(r, v, "sso-test"); err != nil {
		a.showError(w, r, l, err)
		return
	}
	state, err := a.begin(w, r, l, v.Session.ID, "")
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	// Chromium blocks redirects of a form that end at another site. A page that
	// refreshes is a new navigation.
	next := Prefix + "/" + string(l.Protocol) + "/" + l.ID + "/login?test=" + state
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Refresh", "0; url="+next)
		showNotice(w, http.StatusOK, l, notice{
			Heading: "Starting the test", Text: "Sign in at the identity provider.", Link: next, LinkText: "Continue",
		})
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// continueTest sends the administrator to the provider. A problem is shown as the
// result of the test.
func (a *API) continueTest(w http.ResponseWriter, r *http.Request, l located, state string, send func(l located, state string) error) {
	found, err := db.Read(l.as(r.Context()), a.DB, func(ctx context.Context, tx *db.Tx) (login, error) {
		return findLogin(ctx, tx, l.Connection, state)
	})
	if err == nil && (found.TestSession == "" || !found.isOf(a.SignIn.Cookie(r, browserCookie))) {
		err = errLogin("The test was started in another browser.")
	}
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	err = send(l, state)
	if reason := problemOf(err); reason != "" {
		a.showTestResult(w, r, l, outcome{login: found, id: identity{Problem: reason}})
	} else if err != nil {
		a.showError(w, r, l, err)
	}
}

// fact is a line of the page of results.
type fact struct{ Name, Value, From string }

// showTestResult shows what the provider sent, to the administrator who started the
// test.
func (a *API) showTestResult(w http.ResponseWriter, r *http.Request, l located, o outcome) {
	all, err := a.SignIn.Visitors(w, r)
	if err != nil {
		a.showError(w, r, l, err)
		return
	}
	i := slices.IndexFunc(all, func(v signin.Visitor) bool {
		return v.Env == l.Env && v.Session.ID == o.login.TestSession && v.Can(auth.Admin)
	})
	if i < 0 {
		a.showError(w, r, l, errLogin("The test was started in another session."))
		return
	}
	data := struct {
		Problem, Effect, Again string
		Missing                []string
		Read, Received         []fact
	}{Again: Prefix + "/test/" + l.ID, Problem: o.id.Problem, Received: received(o.id)}
	if o.id.Issuer != "" {
		p, err := db.Write(auth.With(r.Context(), all[i].Principal), a.DB, func(ctx context.Context, tx *db.Tx) (plan, error) {
			return a.plan(ctx, tx, l, o.id)
		})
		if err != nil {
			a.showError(w, r, l, err)
			return
		}
		data.Read, data.Missing = l.facts(o.id, p), l.missing(p.profile)
		if p.rejected != nil && data.Problem == "" {
			data.Problem = p.rejected.Reason
		}
		if data.Problem == "" {
			data.Effect = p.effect()
		}
	}
	resultPage.Render(w, http.StatusOK, "Test of "+l.Name, data, all[i].Option(), pages.Wide)
}

// maxShown limits how many claims the page shows.
const maxShown = 100

// received returns what the provider sent, by name.
func received(id identity) (facts []fact) {
	names := make([]string, 0, len(id.Attributes))
	for name := range id.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), maxShown)] {
		facts = append(facts, fact{Name: name, Value: strings.Join(id.Attributes[name], ", ")})
	}
	return facts
}

// facts returns what Slipway reads from the identity.
func (c Connection) facts(id identity, p plan) []fact {
	orNone := func(text string) string {
		if text == "" {
			return "None"
		}
		return text
	}
	names := make([]string, len(p.roles))
	for i, r := range p.roles {
		names[i] = r.Name
	}
	return []fact{
		{"Subject", id.Subject, ""}, {"Email address", orNone(p.profile.Email), p.profile.EmailName},
		{"Name", orNone(p.profile.Name), p.profile.NameName},
		{"Groups", orNone(strings.Join(p.profile.Groups, ", ")), p.profile.GroupsName}, {"Roles", orNone(strings.Join(names, ", ")), ""},
	}
}

// missing returns what the provider should send, too.
func (c Connection) missing(p profile) (texts []string) {
	if p.Email == "" {
		texts = append(texts, "No email address was found. Send it in the claim or attribute email, or set attribute_names.email.")
	}
	if p.NameName == "" {
		texts = append(texts, "No name was found. Send it in the claim or attribute name, or set attribute_names.name.")
	}
	if len(p.Groups) == 0 && len(c.GroupMapping) > 0 {
		texts = append(texts, "No groups were found. Send them in the claim or attribute groups, or set attribute_names.groups.")
	}
	return texts
}

// effect describes what a sign-in would do.
func (p plan) effect() string {
	switch {
	case p.user.ID == "":
		return "The sign-in would create a user with this email address."
	case !p.linked:
		return "A user has this email address: " + describe(p.user) + ". The sign-in would send an email to confirm that the account is theirs."
	case p.setsRoles:
		return "The sign-in would sign in " + describe(p.user) + " and set these roles."
	}
	return "The sign-in would sign in " + describe(p.user) + ". The roles stay as they are."
}

func describe(u people.User) string { return u.Name + " (" + u.ID + ")" }
