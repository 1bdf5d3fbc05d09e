package demo

import (
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"slipway/internal/platform/pages"
	"slipway/internal/platform/rest"
)

//go:embed public.html
var publicBody string

//go:embed visit.html
var visitBody string

var publicPage, visitPage = pages.NewPage(publicBody), pages.NewPage(visitBody)

// visitPath is the page of a demo that signs in and shows its key.
const visitPath = "/demo"

// ServeHTTP serves the page where demos start, and the demos.
func (p *Public) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hostOnly(r.Host) == hostOnly(p.base.Host) {
		p.atBase(w, r)
		return
	}
	v := p.find(r.Host)
	switch {
	case v == nil:
		p.show(w, http.StatusNotFound, "This demo has ended. Its data was deleted.")
	case r.URL.Path == visitPath && r.Method == http.MethodPost:
		pages.Guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.enter(w, r, v) })).ServeHTTP(w, r)
	case r.URL.Path == visitPath:
		visitPage.Render(w, http.StatusOK, "Your demo", map[string]any{
			"Users": p.seeded.Users, "Address": p.address(v), "Key": v.key, "Website": p.seeded.Website, "Minutes": int(v.ends.Sub(p.Now()).Minutes()),
		})
	default:
		v.proxy.ServeHTTP(w, r)
	}
}

// atBase serves the first page.
func (p *Public) atBase(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, pages.AssetPath):
		pages.Assets().ServeHTTP(w, r)
	case r.Method == http.MethodGet && r.URL.Path == "/healthz":
		_, _ = fmt.Fprintln(w, p)
	case r.Method == http.MethodPost && r.URL.Path == "/":
		pages.Guarded(http.HandlerFunc(p.begin)).ServeHTTP(w, r)
	case r.URL.Path == "/":
		p.show(w, http.StatusOK, "")
	default:
		p.show(w, http.StatusNotFound, "There is no such page.")
	}
}

func (p *Public) show(w http.ResponseWriter, status int, problem string) {
	below := fmt.Sprintf("%s://*.%s", p.base.Scheme, p.base.Host) // the form leads to a host that isn't known yet
	publicPage.Render(w, status, "Try Slipway", map[string]any{
		"Name": Name, "Problem": problem, "Minutes": int(p.limits.For.Minutes()), "Start": p.base.String() + "/",
	}, pages.FormAction(below), pages.FormAction(p.base.Scheme+"://"+p.base.Host))
}

// begin starts a demo for a visitor.
func (p *Public) begin(w http.ResponseWriter, r *http.Request) {
	address := rest.ClientAddress(r, p.settings.TrustedProxies)
	if p.starts.TakeAddress("demo", address, p.limits.Starts, time.Hour/time.Duration(p.limits.Starts)).Wait > 0 {
		p.show(w, http.StatusTooManyRequests, "You started several demos within an hour. Use one of them, or try again later.")
		return
	}
	v, err := p.start(r.Context())
	switch {
	case errors.Is(err, errFull):
		p.show(w, http.StatusServiceUnavailable, "All demos are in use. Try again in a few minutes.")
	case err != nil:
		p.show(w, http.StatusInternalServerError, "The demo didn't start. Try again.")
	default:
		http.Redirect(w, r, p.address(v)+visitPath, http.StatusSeeOther)
	}
}

// enter signs a visitor in as one of the people.
func (p *Public) enter(w http.ResponseWriter, r *http.Request, v *visitor) {
	email := p.seeded.Users[0].Email
	for _, u := range p.seeded.Users {
		if u.Role == r.PostFormValue("role") {
			email = u.Email
		}
	}
	path, err := v.app.SignInLink(r.Context(), email, "/console/test/today")
	if err != nil {
		http.Error(w, "The sign-in didn't work. Try again.", http.StatusInternalServerError)
		return
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
}
