// Package front renders the pages that the customers of a dealership see: its boats, its forms
// and its links to deals and documents. They show the name, the logo and the color of the
// dealership, and work without scripts.
//
//   - Shell is the layout, with the header, the footer and what search engines read
//   - Say has the words of all pages, in words/en.json
//   - Bots checks forms that everyone can send
package front

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"slipway/internal/vocab/phone"
)

//go:embed layout.html
var layout string

// Page is a body within the shell.
type Page struct{ template func() *template.Template }

// NewPage returns a page with a body. It is parsed when it is first shown, and panics then if the
// template is invalid.
func NewPage(bodies ...string) Page {
	return Page{sync.OnceValue(func() *template.Template {
		t := template.Must(template.New("layout").Funcs(template.FuncMap{"asset": AssetURL, "say": Say, "count": Count}).Parse(layout))
		for _, b := range bodies[1:] {
			template.Must(t.Parse(b))
		}
		return template.Must(t.New("body").Parse(bodies[0]))
	})}
}

// Link is a link with its text.
type Link struct {
	URL  template.URL
	Text string
	Here bool // it is the page itself
}

// Tel returns a link that calls a number.
func Tel(e164 string) *Link {
	return &Link{URL: template.URL("tel:" + strings.Map(digit, e164)), Text: phone.Format(e164)} //nolint:gosec // only digits
}

func digit(r rune) rune {
	if r == '+' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// Place is where customers find the dealership.
type Place struct {
	Name  string
	Lines []string
	Phone *Link
}

// Shell is what is around the body of a page.
type Shell struct {
	Title, Name string // the name of the dealership
	Home        string // path of the first page
	Brand       string // path of the stylesheet with the color
	Logo        string // path of the logo, or ""
	Class       string // of the body, as in buyers.css

	Nav    []Link
	Phone  *Link
	Places []Place
	Links  []Link
	Fine   string

	// What search engines and previews of links read. Private leaves it out, and asks
	// browsers and caches not to keep the page.
	Private                            bool
	NoIndex                            bool
	Description, Canonical, ShareTitle string
	ShareImage                         string
	Data                               any // schema.org, as JSON-LD

	Scripts []string // names of assets

	CacheControl string // "no-store" if empty

	Body any
}

// Lang is the language of the words.
func (Shell) Lang() string { return language }

// Robots is what search engines may do.
func (s Shell) Robots() string {
	if s.Private || s.NoIndex {
		return "noindex, nofollow, noarchive"
	}
	return "index, follow"
}

// Initial is shown if there is no logo.
func (s Shell) Initial() string {
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(s.Name))
	if r == utf8.RuneError {
		return ""
	}
	return string(unicode.ToUpper(r))
}

// policy returns the Content-Security-Policy. Data for search engines is no script, so it needs
// nothing.
func (s Shell) policy() string {
	policy := "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if len(s.Scripts) > 0 {
		policy += "; script-src 'self'"
	}
	return policy
}

// headers sets the headers of a page.
func (s Shell) headers(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", s.policy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	switch {
	case s.Private:
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", s.Robots())
	case s.CacheControl != "":
		h.Set("Cache-Control", s.CacheControl)
	}
	if s.NoIndex {
		h.Set("X-Robots-Tag", s.Robots())
	}
}

// Render writes the page.
func (p Page) Render(w http.ResponseWriter, status int, s Shell) {
	if s.Private {
		s.Description, s.Canonical, s.ShareTitle, s.ShareImage, s.Data = "", "", "", "", nil
	}
	var b bytes.Buffer
	if err := p.template().ExecuteTemplate(&b, "layout", s); err != nil {
		http.Error(w, Say("failed.title"), http.StatusInternalServerError)
		return
	}
	s.headers(w.Header())
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client might have disconnected
}
