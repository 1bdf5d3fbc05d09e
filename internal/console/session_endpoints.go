package console

import (
	"context"
	"net/http"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/identity/signin"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
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
	case r.URL.Path == visitorPath:
		a.showVisitor(w, r)
	case modeOf(r.URL.Path) == "":
		a.choose(w, r)
	default:
		a.open(w, r)
	}
}

// open sends the page of a screen with the session of the visitor.
func (a *API) open(w http.ResponseWriter, r *http.Request) {
	mode := modeOf(r.URL.Path)
	v, live, ok := a.SignIn.RequireIn(w, r, mode)
	if !ok {
		return
	}
	if back := r.URL.Query().Get("back"); strings.HasPrefix(back, reference) {
		http.Redirect(w, r, back, http.StatusSeeOther)
		return
	}

	s, err := a.sessionOf(r.Context(), v, live)
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	body, err := wire.Marshal(s)
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	sendPage(w, strings.Trim(strings.TrimPrefix(r.URL.Path, Path+"/"+string(mode)), "/"), body)
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

	User    user         `json:"user"`
	Roles   []string     `json:"roles"`
	Scopes  []auth.Scope `json:"scopes"`
	Manager bool         `json:"manager"` // can make exceptions and book money
	// Able are the roles that have each scope, for an action that the visitor can't do.
	Able map[auth.Scope][]string `json:"able"`

	Dealership place  `json:"dealership"`
	AccountURL string `json:"account_url"`
	SignOut    form   `json:"sign_out"`
	LastEvent  string `json:"last_event"` // what the page shows is not older than this
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

// sessionOf returns who is signed in to an environment. The console shows what the scopes
// allow. The API decides.
func (a *API) sessionOf(ctx context.Context, v signin.Visitor, live bool) (session, error) {
	return db.Read(auth.With(ctx, v.Principal), a.DB, func(ctx context.Context, tx *db.Tx) (s session, err error) {
		d, err := dealership.Find(ctx, tx)
		if err != nil {
			return s, err
		}
		able, err := people.RolesByScope(ctx, tx)
		if err != nil {
			return s, err
		}
		last, err := events.Last(ctx, tx)
		action, token := a.SignIn.SignOut(v)
		return session{
			Environment: v.Mode, Environments: environments(live), Roles: rolesOf(v.User), Scopes: v.Scopes, Manager: auth.Payout.Allows(v.Principal), Able: able,
			User:       user{v.User.ID, v.User.Name, v.User.Email},
			Dealership: place{d.ID, d.Name, d.Plan, d.Timezone, d.Settings.LostReasons},
			AccountURL: a.SignIn.AccountURL(v), SignOut: form{action, token}, LastEvent: last,
		}, err
	})
}

// environments returns where a visitor can go. A visitor of the live environment gets a session
// in test.
func environments(live bool) []auth.Mode {
	if live {
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
