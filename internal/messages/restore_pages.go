package messages

import (
	"context"
	"net/http"

	"slipway/internal/consent"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// restorePath is the path of the links that restore consent.
const restorePath = "/resubscribe/"

var (
	restorePage = pages.NewPage(`
<h1>Receive email again</h1>
<p>You asked {{.Dealership}} to stop sending email to {{.Address}}. Do you want to receive it again?</p>
<ul>{{range .Again}}<li>{{.What}}{{if .Text}}. You agreed to this: “{{.Text}}”{{end}}</li>{{end}}</ul>
<form method="post"><button>Receive email again</button></form>
<p>If you don't want it, close this page. Nothing changes.</p>`)
	restoredPage = pages.NewPage(`
<h1>You receive email again</h1>
<p>{{.Dealership}} can send this to {{.Address}}:</p>
<ul>{{range .Again}}<li>{{.What}}</li>{{end}}</ul>
<p>Reply STOP to any email to end it.</p>`)
)

// restoration is what the pages show.
type restoration struct {
	Dealership, Address string
	Again               []restored
}

type restored struct{ What, Text string }

// restorePages serves the pages at {base_url}/resubscribe/.
func (a *API) restorePages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+restorePath+"{token}", a.askToRestore)
	mux.HandleFunc("POST "+restorePath+"{token}", a.restoreByLink)
	return pages.Guarded(mux)
}

// askToRestore changes nothing, because virus scanners also follow the links in an email.
func (a *API) askToRestore(w http.ResponseWriter, r *http.Request) {
	v, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (v restoration, err error) {
		m, err := findByLink(ctx, tx, restorePath, r.PathValue("token"))
		if err != nil {
			return v, err
		}
		if !m.canRestore(tx.Now) {
			return v, noLink()
		}
		tx = tx.In(m.Env)
		again, err := restorable(ctx, tx, m)
		if err != nil {
			return v, err
		}
		return newRestoration(ctx, tx, m, again)
	})
	a.renderRestoration(w, r, restorePage, v, err)
}

// restoreByLink restores the consents.
func (a *API) restoreByLink(w http.ResponseWriter, r *http.Request) {
	v, err := db.Write(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (v restoration, err error) {
		m, err := findByLink(ctx, tx, restorePath, r.PathValue("token"))
		if err != nil {
			return v, err
		}
		tx = tx.In(m.Env)
		if err := consent.Lock(ctx, tx, m.AddressHash); err != nil {
			return v, err
		}
		again, err := useLink(ctx, tx, m.ID)
		if err != nil {
			return v, err
		}
		return newRestoration(ctx, tx, m, again)
	})
	a.renderRestoration(w, r, restoredPage, v, err)
}

// newRestoration returns what the pages show. Without a consent that the person can
// restore, for example because a user recorded another opt-out, the link doesn't work.
func newRestoration(ctx context.Context, tx *db.Tx, m LeadMessage, again []consent.Consent) (restoration, error) {
	if len(again) == 0 {
		return restoration{}, noLink()
	}
	d, err := dealership.Find(ctx, tx)
	v := restoration{Dealership: d.Name, Address: null.Text(m.To)}
	for _, c := range again {
		v.Again = append(v.Again, restored{describe(c), null.Text(c.ConsentText)})
	}
	return v, err
}

func (a *API) renderRestoration(w http.ResponseWriter, r *http.Request, p pages.Page, v restoration, err error) {
	switch {
	case err == nil:
		p.Render(w, http.StatusOK, "Receive email again", v, pages.At(v.Dealership, ""))
	case fault.KindOf(err) == fault.KindNotFound:
		errorPage.Render(w, http.StatusNotFound, "This link doesn't work", struct{ Heading, Text string }{"This link doesn't work",
			"It works once, for 24 hours. It might have been used, or be incomplete. Reply to an email from the dealership instead."})
	default:
		a.renderError(w, r, err)
	}
}
