package console

import (
	"net/http"
	"slices"

	"slipway/internal/identity/signin"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/wire"
)

// reference is the start of the pages where people try operations. They send people to the
// console to sign in, and get them back.
const reference = "/docs/reference"

// visitorPath is where these pages ask who is signed in.
const visitorPath = apiPath + "/visitor"

// visitor is what the reference shows about a person. The API decides what they can do.
type visitor struct {
	Name   string       `json:"name"`
	Roles  []string     `json:"roles"`
	Scopes []auth.Scope `json:"scopes"`
}

// showVisitor returns who is signed in to the environment of the request, or 204 for nobody,
// because the pages also work without a session.
func (a *API) showVisitor(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	mode, err := a.ownMode(r)
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	all, err := a.SignIn.Visitors(w, r)
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	i := slices.IndexFunc(all, func(v signin.Visitor) bool { return v.Mode == mode && !v.MustEnroll })
	if i < 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, err := wire.Marshal(visitor{all[i].User.Name, rolesOf(all[i].User), all[i].Scopes})
	if err != nil {
		rest.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the client might have disconnected
}
