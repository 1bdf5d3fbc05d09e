package storefront

import (
	"context"
	"encoding/xml"
	"net/http"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/front"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/wire"
)

// handler answers a request to a website.
type handler func(ctx context.Context, v visit, r *http.Request) (reply, error)

// pages serves everything below Path. There are no cookies, so a form that another site sends can do
// nothing that its sender couldn't do.
func (a *API) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path+"/{slug}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, Path+"/"+r.PathValue("slug")+"/", http.StatusMovedPermanently)
	})
	for pattern, h := range map[string]handler{
		"GET /{slug}/{$}":                 a.showList,
		"GET /{slug}/boats/{boat}":        a.showBoat,
		"GET /{slug}/boats/{boat}/photos": a.showPhotos,
		"GET /{slug}/ask":                 a.showAsk,
		"GET /{slug}/embed.js":            a.embedScript,
		"GET /{slug}/embed/boats":         a.embedList,
		"GET /{slug}/embed/boats/{boat}":  a.embedBoat,
		"GET /{slug}/embed/form":          a.embedForm,
		"GET /{slug}/embed/form/{boat}":   a.embedForm,
		"GET /{slug}/sitemap.xml":         a.sitemap,
		"GET /{slug}/brand/{file}":        a.brandFile,
		"GET /{slug}/logo/{file}":         a.logoFile,
		"GET /{slug}/alerts/{token}":      a.showAlert,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+Path+path, a.read(h))
	}
	mux.HandleFunc("POST "+Path+"/{slug}/ask", a.form(a.sendAsk))
	mux.HandleFunc("POST "+Path+"/{slug}/boats/{boat}/ask", a.form(a.sendAsk))
	mux.HandleFunc("POST "+Path+"/{slug}/boats/{boat}/alert", a.form(a.requestAlert))
	mux.HandleFunc("POST "+Path+"/{slug}/alerts/{token}", a.form(a.changeAlert))
	mux.HandleFunc("POST "+Path+"/{slug}/embed/ask", a.form(a.embedAsk))
	mux.HandleFunc("POST "+Path+"/{slug}/embed/ask/{boat}", a.form(a.embedAsk))
	return mux
}

// read answers a request that changes nothing.
func (a *API) read(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var v visit
		out, err := db.Read(r.Context(), a.DB, func(ctx context.Context, tx *db.Tx) (out reply, err error) {
			if v, err = open(ctx, tx, r.PathValue("slug")); err != nil {
				return out, err
			}
			return h(as(ctx, v), v, r)
		})
		a.answer(w, r, v, out, err)
	}
}

// form answers a form. Everything that it changes is in one transaction.
func (a *API) form(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var v visit
		if err := readForm(w, r); err != nil {
			a.answer(w, r, v, reply{}, err)
			return
		}
		write := func(ctx context.Context) (reply, error) {
			return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (out reply, err error) {
				if v, err = open(ctx, tx, r.PathValue("slug")); err != nil {
					return out, err
				}
				return h(as(ctx, v), v, r)
			})
		}
		out, err := write(r.Context())
		if fault.KindOf(err) == fault.KindConflict { // someone else took this time; now the form says so
			out, err = write(r.Context())
		}
		a.answer(w, r, v, out, err)
	}
}

// as returns the context of changes that a visitor makes.
func as(ctx context.Context, v visit) context.Context {
	return auth.With(ctx, auth.Principal{Env: v.Env, Mode: v.dealer.Mode, DealershipID: v.dealer.ID, Actor: auth.System})
}

// readForm reads the fields. It rejects text that the databases can't store.
func readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return fault.BadRequest("The form could not be read.").WithCause(err)
	}
	for name, values := range r.PostForm {
		for i, value := range values {
			r.PostForm[name][i] = strings.ReplaceAll(strings.ToValidUTF8(value, ""), "\x00", "")
		}
	}
	return nil
}

// answer writes the reply, or the error as a page.
func (a *API) answer(w http.ResponseWriter, r *http.Request, v visit, out reply, err error) {
	share(w, r)
	if err == nil {
		out.write(w, r)
		return
	}
	status, words := http.StatusInternalServerError, "failed"
	switch fault.KindOf(err) {
	case fault.KindNotFound:
		status, words = http.StatusNotFound, "missing"
	case fault.KindBadRequest, fault.KindTooLarge:
		status, words = http.StatusBadRequest, "unreadable"
	case fault.KindRateLimited:
		status, words = http.StatusTooManyRequests, "flood"
		w.Header().Set("Retry-After", "60")
	case fault.KindUnavailable:
		status = http.StatusServiceUnavailable
	}
	if status >= http.StatusInternalServerError {
		a.Log.ErrorContext(r.Context(), "page failed", "path", rest.SafePath(r.URL.Path), "err", err)
	}
	a.problem(v, words, auth.RequestFrom(r.Context()).ID).withStatus(status).write(w, r)
}

// robots lets search engines read the websites and nothing else.
func (a *API) robots() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all, err := db.Read(r.Context(), a.DB, live)
		text := "User-agent: *\nAllow: " + Path + "/\nAllow: " + front.AssetPath + "\nAllow: /assets/\nAllow: /media/\nDisallow: " + Path + "/*/alerts/\nDisallow: /\n"
		if err == nil {
			for _, website := range all {
				text += "Sitemap: " + site.Of(a.DB).URL + website.home() + "sitemap.xml\n"
			}
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = w.Write([]byte(text))
	})
}

// sitemapLimit is how many pages a sitemap can have.
const sitemapLimit = 50_000

type sitemapURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

// sitemap lists the pages of all boats.
func (a *API) sitemap(ctx context.Context, v visit, _ *http.Request) (reply, error) {
	out := struct {
		XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []sitemapURL `xml:"url"`
	}{URLs: []sitemapURL{{Loc: v.origin + v.home()}}}
	const batch = 500
	for after := ""; len(out.URLs) < sitemapLimit; {
		all, err := hulls.PublicAfter(ctx, v.tx, v.ChannelID, after, batch)
		if err != nil {
			return reply{}, err
		}
		for _, h := range all {
			out.URLs = append(out.URLs, sitemapURL{v.origin + v.page(h), h.UpdatedAt.Format(wire.TimeFormat)})
		}
		if len(all) < batch {
			break
		}
		after = all[len(all)-1].ID
	}
	text, err := xml.Marshal(out)
	return reply{kind: "application/xml", content: append([]byte(xml.Header), text...)}, err
}

// brandFile serves the stylesheet with the color. Its name has a hash of it.
func (a *API) brandFile(_ context.Context, v visit, r *http.Request) (reply, error) {
	css := []byte(v.brand().CSS())
	if r.PathValue("file") != front.Hash(css)+".css" {
		return reply{kind: "text/css; charset=utf-8", content: css}, nil // of an earlier page
	}
	return reply{kind: "text/css; charset=utf-8", content: css, forever: true}, nil
}

// logoFile serves the logo.
func (a *API) logoFile(ctx context.Context, v visit, r *http.Request) (reply, error) {
	logo, err := dealership.FindLogo(ctx, v.tx)
	if err != nil {
		return reply{}, err
	}
	if logo == nil || v.dealer.LogoSHA256 == nil {
		return reply{}, errPage
	}
	return reply{kind: "image/png", content: logo, forever: r.PathValue("file") == *v.dealer.LogoSHA256+".png"}, nil
}
