// Package pages renders HTML pages with one layout. It sets headers that prevent
// framing, scripts and leaking the URL.
package pages

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed layout.html
var layout string

// Page is a template within the layout. It works without JavaScript.
type Page struct{ template *template.Template }

// NewPage parses the body of a page. It panics if the template is invalid.
func NewPage(body string) Page {
	return Page{template.Must(template.Must(template.New("layout").Parse(layout)).New("body").Parse(body))}
}

// Option changes the policy of a page.
type Option func(*policy)

// policy is the part of the Content-Security-Policy that pages can change.
type policy struct{ formAction string }

// FormAction also allows the form of a page to redirect to an origin, such as
// https://example.com. Browsers apply form-action to redirects, too.
func FormAction(origin string) Option { return func(p *policy) { p.formAction += " " + origin } }

// Render writes the page. Title is the title of the browser tab.
func (p Page) Render(w http.ResponseWriter, status int, title string, data any) {
	p.RenderWith(w, status, title, data)
}

// RenderWith writes the page with options.
func (p Page) RenderWith(w http.ResponseWriter, status int, title string, data any, options ...Option) {
	policy := policy{formAction: "'self'"}
	for _, o := range options {
		o(&policy)
	}
	var b bytes.Buffer
	err := p.template.ExecuteTemplate(&b, "layout", struct {
		Title string
		Data  any
	}{title, data})
	if err != nil {
		http.Error(w, "Something went wrong. This is an error on our side.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action "+policy.formAction+"; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer") // the URL can contain a token
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client might have disconnected
}

// Guarded rejects forms that are sent from other sites (CSRF).
func Guarded(h http.Handler) http.Handler { return http.NewCrossOriginProtection().Handler(h) }
