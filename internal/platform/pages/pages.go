// Package pages renders the pages that people see: one layout, and the
// headers that keep a page from being framed, scripted or leaked.
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

// NewPage parses the body of a page. It panics on a mistake, at start.
func NewPage(body string) Page {
	return Page{template.Must(template.Must(template.New("layout").Parse(layout)).New("body").Parse(body))}
}

// Render writes the page. Title is what the browser's tab says.
func (p Page) Render(w http.ResponseWriter, status int, title string, data any) {
	var b bytes.Buffer
	err := p.template.ExecuteTemplate(&b, "layout", struct {
		Title string
		Data  any
	}{title, data})
	if err != nil {
		http.Error(w, "Something went wrong on our side.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer") // the address may hold a token
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a reader who left is not our error
}

// Guarded refuses forms that another site sends in a user's name.
func Guarded(h http.Handler) http.Handler { return http.NewCrossOriginProtection().Handler(h) }
