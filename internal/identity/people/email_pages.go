package people

import (
	"context"
	"net/http"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/fault"
)

var (
	emailChangePage = pages.NewPage(`
<h1>Confirm your email address</h1>
<p>{{.Name}}, do you want to sign in with <strong>{{.PendingEmail}}</strong> instead of <strong>{{.Email}}</strong>?</p>
<form method="post"><button>Confirm</button></form>`)
	emailChangedPage = pages.NewPage(`<h1>Your email address is confirmed</h1><p>From now on, sign in with <strong>{{.Email}}</strong>.</p>`)
)

// showEmailChange changes nothing, because virus scanners also follow the links
// in an email.
func (a *API) showEmailChange(w http.ResponseWriter, r *http.Request) {
	var d dealership.Dealership
	u, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (u User, err error) {
		if u, err = findByEmailChange(ctx, tx, r.PathValue("token")); err != nil {
			return u, err
		}
		d, err = dealership.Find(ctx, tx.In(u.Env))
		return u, err
	})
	if err != nil {
		a.showEmailError(w, r, err)
		return
	}
	emailChangePage.Render(w, http.StatusOK, "Confirm your email address", u, pages.At(d.Name, d.Mode))
}

func (a *API) applyEmailChange(w http.ResponseWriter, r *http.Request) {
	u, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (User, error) {
		return useEmailChange(ctx, tx, r.PathValue("token"))
	})
	if err != nil {
		a.showEmailError(w, r, err)
		return
	}
	emailChangedPage.Render(w, http.StatusOK, "Email address confirmed", u)
}

// showEmailError shows the page for an error.
func (a *API) showEmailError(w http.ResponseWriter, r *http.Request, err error) {
	n := struct{ Heading, Text string }{
		"This link is not valid", "It was used, replaced or has expired. Ask your dealership to change your email address again.",
	}
	status := http.StatusNotFound
	switch fault.KindOf(err) {
	case fault.KindNotFound:
	case fault.KindConflict:
		n.Heading, n.Text = "This address is already used", "Another user has this email address. Ask your dealership to use a different one."
		status = http.StatusConflict
	default:
		a.Log.ErrorContext(r.Context(), "page failed", "path", "/email_changes", "err", err)
		n.Heading, n.Text, status = "Something went wrong", "This is an error on our side. Try again in a minute.", http.StatusServiceUnavailable
	}
	noticePage.Render(w, status, n.Heading, n)
}
