package console

import (
	"net/http"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// API serves the console.
type API struct {
	DB      *db.DB
	SignIn  *signin.API
	BaseURL string
}

// Mount registers the pages below /console.
func (a *API) Mount(r *rest.Router) {
	r.Handle(Path, http.HandlerFunc(a.show))
	r.Handle(Path+"/*", http.HandlerFunc(a.show))
}

func (a *API) show(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, assetPath):
		sendAsset(w, r)
	case r.URL.Path == apiPath+"/session":
		a.showSession(w, r)
	case modeOf(r.URL.Path) == "":
		a.choose(w, r)
	default:
		if _, ok := a.SignIn.RequireIn(w, r, modeOf(r.URL.Path)); ok {
			sendPage(w)
		}
	}
}

// choose leads to the environment in which the visitor is signed in. Live is first.
func (a *API) choose(w http.ResponseWriter, r *http.Request) {
	v, ok := a.SignIn.Require(w, r)
	if !ok {
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, Path+"/"+string(v.Mode)+"/", http.StatusSeeOther)
}

// session is what the console shows about the visitor.
type session struct {
	Environment auth.Mode `json:"environment"`
	// Environments are those that the visitor can switch to.
	Environments []auth.Mode `json:"environments"`

	User       user         `json:"user"`
	Roles      []string     `json:"roles"`
	Scopes     []auth.Scope `json:"scopes"`
	Manager    bool         `json:"manager"` // can make exceptions and book money
	Dealership place        `json:"dealership"`
	AccountURL string       `json:"account_url"`
	SignOut    form         `json:"sign_out"`
}

type user struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

type place struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Plan     dealership.Plan `json:"plan"`
	Timezone string          `json:"timezone"`

	LostReasons []string `json:"lost_reasons"`
}

// form is a form that the console sends.
type form struct {
	Action string `json:"action"`
	Token  string `json:"token"`
}

// showSession returns who is signed in to the environment of the request. The console
// shows what the scopes allow. The API decides.
func (a *API) showSession(w http.ResponseWriter, r *http.Request) {
	if _, err := a.sessionOf(r); err != nil {
		rest.Fail(w, r, err)
		return
	}
	all, err := a.SignIn.Visitors(w, r)
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	mode := auth.Mode(r.Header.Get(modeHeader))
	for _, v := range all {
		if v.Mode == mode {
			a.sendSession(w, r, v, environments(all[0].Mode))
			return
		}
	}
	rest.Fail(w, r, errEnded())
}

func (a *API) sendSession(w http.ResponseWriter, r *http.Request, v signin.Visitor, environments []auth.Mode) {
	d, err := db.Read(auth.With(r.Context(), v.Principal), a.DB, dealership.Find)
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	action, token := a.SignIn.SignOut(v)
	body, err := wire.Marshal(session{
		Environment: v.Mode, Environments: environments, Roles: rolesOf(v.User), Scopes: v.Scopes, Manager: auth.Payout.Allows(v.Principal),
		User:       user{v.User.ID, v.User.Name, v.User.Email},
		Dealership: place{d.ID, d.Name, d.Plan, d.Timezone, d.Settings.LostReasons},
		AccountURL: a.SignIn.AccountURL(v), SignOut: form{action, token},
	})
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the client might have disconnected
}

// environments returns where the visitor of an environment can go. A visitor of the live
// environment gets a session in test.
func environments(first auth.Mode) []auth.Mode {
	if first == auth.Live {
		return []auth.Mode{auth.Live, auth.Test}
	}
	return []auth.Mode{auth.Test}
}

func rolesOf(u people.User) []string {
	names := []string{}
	for _, r := range u.Roles {
		names = append(names, r.Name)
	}
	return names
}
