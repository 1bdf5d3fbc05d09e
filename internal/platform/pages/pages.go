// Package pages renders HTML pages with one layout and one stylesheet. It sets
// headers that prevent framing, scripts and leaking the URL.
//
// The stylesheet has these classes for the body of a page:
//
//   - button (primary), button.plain, button.danger, a.button, .actions for several in a row
//   - p.bad with role=alert for an error; p.notice, .notice.warn, .notice.good
//   - label.check around a check box or a radio button, in a fieldset
//   - p.hint below an input, div.row for a label with a link
//   - ul.scopes for permissions, with li.no for one that is not granted
//   - dl.facts, ul.rows for a list with a button per row, ul.choices for a list of buttons
//   - span.tag with .green, .amber, .red, .blue, .live or .test
//   - ul.changes for a list with bullets
//   - p.links, code.secret, ul.codes, ol.steps, div.who
package pages

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"slipway/internal/vocab/auth"
)

//go:embed layout.html
var layout string

// Page is a template within the layout. It works without JavaScript.
type Page struct{ template func() *template.Template }

// NewPage returns a page with a body. It is parsed when it is first shown, and panics then
// if the template is invalid.
func NewPage(body string, functions ...template.FuncMap) Page {
	return Page{sync.OnceValue(func() *template.Template {
		t := template.New("layout").Funcs(template.FuncMap{"asset": AssetURL})
		for _, f := range functions {
			t.Funcs(f)
		}
		return template.Must(template.Must(t.Parse(layout)).New("body").Parse(body))
	})}
}

// view is what the layout shows around the body.
type view struct {
	Title      string
	Data       any
	Dealership string
	Mode       string
	Wide       bool
	Scripts    []string

	formActions []string
}

// Option changes what is around the body of a page.
type Option func(*view)

// At shows the name of the dealership and the environment at the top.
func At(dealership string, mode auth.Mode) Option {
	return func(v *view) { v.Dealership, v.Mode = dealership, string(mode) }
}

// Wide makes room for a list.
func Wide(v *view) { v.Wide = true }

// FormAction lets a form lead to one more origin, or scheme, such as
// https://app.example.com. Browsers also apply it to the redirect that follows a
// form. The caller has validated the origin.
func FormAction(origin string) Option {
	return func(v *view) { v.formActions = append(v.formActions, origin) }
}

// Script loads a script from the assets.
func Script(name string) Option {
	return func(v *view) { v.Scripts = append(v.Scripts, name) }
}

// policy returns the Content-Security-Policy.
func (v *view) policy() string {
	policy := "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
	if len(v.Scripts) > 0 {
		policy += "script-src 'self'; "
	}
	for _, origin := range v.formActions {
		if strings.ContainsAny(origin, " ;,\"'\r\n\t") {
			panic("pages: invalid form action " + origin) // it would change the policy
		}
	}
	actions := strings.Join(append([]string{"'self'"}, v.formActions...), " ")
	return policy + "form-action " + actions + "; frame-ancestors 'none'; base-uri 'none'"
}

// Render writes the page. Title is the title of the browser tab.
func (p Page) Render(w http.ResponseWriter, status int, title string, data any, options ...Option) {
	v := view{Title: title, Data: data}
	for _, o := range options {
		o(&v)
	}
	var b bytes.Buffer
	if err := p.template().ExecuteTemplate(&b, "layout", &v); err != nil {
		http.Error(w, "Something went wrong. This is an error on our side.", http.StatusInternalServerError)
		return
	}

	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", v.policy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "strict-origin") // the path can contain a token; no-referrer would send Origin: null with a form
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client might have disconnected
}

// Guarded rejects forms that are sent from other sites (CSRF).
func Guarded(h http.Handler) http.Handler { return http.NewCrossOriginProtection().Handler(h) }
