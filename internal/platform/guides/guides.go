// Package guides serves the documentation under /docs: an overview, the guides in
// docs/, the error codes and the search. The pages work without JavaScript and load
// nothing from other hosts.
package guides

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"slipway/internal/platform/pages"
)

// Files is the folder docs. The program sets it to the files that it contains, and tests
// to the folder itself. This package doesn't embed them: after a change of a guide, each
// test that links the server would run again.
var Files fs.FS

// Guide is a page that is written in Markdown.
type Guide struct {
	Name    string // of the file in docs/, without .md
	Label   string // in the navigation
	Group   string // heading in the navigation
	Summary string // what it helps you do
}

// URL is the path of the page.
func (g Guide) URL() string {
	if g.Name == "errors" { // doc_url of errors has this path
		return "/docs/errors"
	}
	return "/docs/guides/" + g.Name
}

// Source is the path of the Markdown.
func (g Guide) Source() string { return "/docs/guides/" + g.Name + ".md" }

// List has the guides in the order in which to read them.
var List = []Guide{
	{"tour", "Tour", "Get started", "Try the API with a demo dealership, from the first boat to the signed contract."},
	{"concepts", "Concepts", "Get started", "Environments, lists, retries and errors: the rules of all endpoints."},
	{"versions", "Versions", "Get started", "How the API changes without breaking your integration, and the preview."},
	{"errors", "Errors", "Get started", "What each error code means and what to do about it."},
	{"going-live", "Go live", "Get started", "What to check before real customers depend on your integration."},
	{"limits", "Limits", "Get started", "All limits in one table."},
	{"glossary", "Glossary", "Get started", "Words of the boat trade, for people outside of it."},
	{"console", "Console", "Sell boats", "The web console for daily work: inventory, leads, deals, reports and developer tools."},
	{"approvals", "Approvals", "Sell boats", "Let programs propose changes, and approve them in the console."},
	{"boats", "Boats", "Sell boats", "Statuses, holds, photos, channels, imports and prices of the inventory."},
	{"imports", "Imports", "Sell boats", "Bring in boats from Excel or from other software, and keep them in sync."},
	{"feeds", "Feeds", "Sell boats", "Give your boats to marketplaces and websites: feed URLs, formats, and listings that are sent."},
	{"website", "Website", "Sell boats", "Show your boats to buyers on pages that Slipway serves."},
	{"messages", "Leads and messages", "Sell boats", "Contacts, leads, consent, and email and text messages."},
	{"deals", "Deals", "Sell boats", "From the first offer to delivery: prices, taxes, financing, payments and documents."},
	{"appointments", "Appointments", "Sell boats", "Appointments with reminders, calendars, and calls, notes and tasks."},
	{"reports", "Reports", "Sell boats", "Inventory, profit, leads and cash as JSON and CSV, and lists across deals."},
	{"sdks", "SDKs", "Integrate", "Call the API from Go, TypeScript and Python."},
	{"own-website", "Your own website", "Integrate", "Show your boats on your website."},
	{"lead-forms", "Lead forms", "Integrate", "Get leads from a form on your website, with consent to text messages."},
	{"lead-assistant", "Answers to leads", "Integrate", "Let a program draft answers, which a person approves."},
	{"sync", "Sync", "Integrate", "Copy boats and contacts to another system, and keep the copy up to date."},
	{"mcp", "Assistants", "Integrate", "Let an AI assistant work with your dealership through MCP."},
	{"webhooks", "Webhooks and events", "Integrate", "Read events, and receive them at your own URL."},
	{"users", "Users and access", "Integrate", "Roles, locations, passwords, two-factor methods and the audit log."},
	{"oauth", "OAuth apps", "Integrate", "Build an app that dealerships install."},
	{"sign-in", "Sign in", "Integrate", "The pages for passwords, passkeys and two-factor codes."},
	{"sso", "Single sign-on", "Integrate", "Sign in with SAML or OpenID Connect."},
	{"scim", "SCIM", "Integrate", "Let your identity provider manage users and roles."},
	{"install", "Install Slipway", "Run it", "Install Slipway, create your dealership, and check that everything works."},
	{"configure", "Configure", "Run it", "All settings, HTTPS, proxies, email, text messages and databases."},
	{"backups", "Back up and restore", "Run it", "Backups on a schedule, continuous copies, restore, and the master key."},
	{"monitor", "Monitor", "Run it", "Metrics, alerts, logs and overload."},
	{"operating", "Operate", "Run it", "Help users, upgrade, and run several servers."},
	{"command-line", "Command line", "Run it", "The commands of the program, their output and exit codes."},
	{"failures", "Survive failures", "Run it", "Run several servers with a PostgreSQL cluster that survives the loss of a machine."},
	{"scaling", "Grow", "Run it", "Estimate what a database server can serve, and distribute dealerships over several."},
	{"performance", "Performance", "Run it", "How fast Slipway is, what it costs, and how to measure it yourself."},
	{"security", "Security", "Run it", "How Slipway protects your data."},
}

// Find returns the guide with a name.
func Find(name string) (Guide, bool) {
	i := slices.IndexFunc(List, func(g Guide) bool { return g.Name == name })
	if i < 0 {
		return Guide{}, false
	}
	return List[i], true
}

// Markdown returns the text of a guide.
func (g Guide) Markdown() []byte {
	text, err := fs.ReadFile(Files, g.Name+".md")
	if err != nil {
		panic(err) // the file is part of the program
	}
	return text
}

// Operation is an endpoint, for the search.
type Operation struct {
	Method, Path, Summary, Text, URL string
}

// Site is the documentation of a server.
type Site struct {
	baseURL string
	entries func() []Entry
	index   func() []byte // the entries as JSON
	pages   func() map[string]response
}

// New returns the documentation of the server at this URL. The operations are read
// when they are needed.
func New(baseURL string, operations func() []Operation) *Site {
	s := &Site{baseURL: strings.TrimSuffix(baseURL, "/")}
	s.entries = sync.OnceValue(func() []Entry { return entriesOf(operations()) })
	s.index = sync.OnceValue(func() []byte {
		text, err := json.Marshal(s.entries())
		if err != nil {
			panic(err) // only strings
		}
		return text
	})
	s.pages = sync.OnceValue(s.render)
	return s
}

//go:embed layout.html
var layoutSource string

//go:embed assets/docs.css assets/search.js
var assetFiles embed.FS

// assets are the stylesheet and the script by their URLs, which contain a hash.
var assets = func() map[string]response {
	script, err := assetFiles.ReadFile("assets/search.js")
	if err != nil {
		panic(err) // the file is part of the program
	}
	style, err := assetFiles.ReadFile("assets/docs.css")
	if err != nil {
		panic(err)
	}
	style = append([]byte(pages.Tokens()), style...)
	return map[string]response{
		assetURL("docs.css", style):   newResponse("text/css; charset=utf-8", style),
		assetURL("search.js", script): newResponse("text/javascript; charset=utf-8", script),
	}
}()

func assetURL(name string, content []byte) string {
	return fmt.Sprintf("/docs/static/%.6x/%s", sha256.Sum256(content), name)
}

// urlOf returns the URL of an asset by its name.
func urlOf(name string) string {
	for url := range assets {
		if strings.HasSuffix(url, "/"+name) {
			return url
		}
	}
	panic("guides: unknown asset " + name)
}

var layout = template.Must(template.New("").Funcs(template.FuncMap{
	"asset": urlOf, "page": pages.AssetURL, "groups": groups,
}).Parse(layoutSource))

// Group is a heading of the navigation with its guides.
type Group struct {
	Name   string
	Guides []Guide
}

func groups() (all []Group) {
	for _, g := range List {
		if len(all) == 0 || all[len(all)-1].Name != g.Group {
			all = append(all, Group{Name: g.Group})
		}
		last := &all[len(all)-1]
		last.Guides = append(last.Guides, g)
	}
	return all
}

// view is what a page shows.
type view struct {
	Title    string
	URL      string // of the page, to mark it in the navigation
	Body     template.HTML
	Contents []Section
	Source   string
	Previous *Guide
	Next     *Guide
	BaseURL  string
	Query    string
	Results  []Entry
}

// render renders the pages whose content doesn't depend on the request, by path.
func (s *Site) render() map[string]response {
	all := map[string]response{}
	all["/docs"] = s.page("index", view{Title: "Documentation", URL: "/docs", BaseURL: s.baseURL})
	for i, g := range List {
		p := parse(g)
		v := view{Title: p.title, URL: g.URL(), Body: p.html, Contents: p.contents(), Source: g.Source()}
		if i > 0 {
			v.Previous = &List[i-1]
		}
		if i+1 < len(List) {
			v.Next = &List[i+1]
		}
		all[g.URL()] = s.page("guide", v)
		all[g.Source()] = newResponse("text/markdown; charset=utf-8", g.Markdown())
	}
	for name, image := range plots() {
		plot := newResponse("image/svg+xml", image)
		plot.policy = plotPolicy(image)
		all["/docs/guides/"+name] = plot
	}
	all["/docs/search.json"] = newResponse("application/json", s.index())
	return all
}

// plots returns the images of the guides by their names in docs/. The guides name
// them relative to their own URLs.
func plots() map[string][]byte {
	names, err := fs.Glob(Files, "plots/*.svg")
	if err != nil {
		panic(err) // the pattern is valid
	}
	all := map[string][]byte{}
	for _, name := range names {
		if all[name], err = fs.ReadFile(Files, name); err != nil {
			panic(err) // the file is part of the program
		}
	}
	return all
}

func (s *Site) page(name string, v view) response {
	var b bytes.Buffer
	if err := layout.ExecuteTemplate(&b, name, v); err != nil {
		panic(err) // the template is part of the program
	}
	return newResponse("text/html; charset=utf-8", b.Bytes())
}

// response is a rendered page or file.
type response struct {
	contentType, etag, policy string
	body                      []byte
}

func newResponse(contentType string, body []byte) response {
	return response{contentType, fmt.Sprintf(`"%.12x"`, sha256.Sum256(body)), policy, body}
}

// policy allows only the stylesheet, the font and the script of this server.
const policy = "default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// plotPolicy allows only the style of a plot, for browsers that open it on its own.
func plotPolicy(image []byte) string {
	_, rest, _ := bytes.Cut(image, []byte("<style>"))
	style, _, _ := bytes.Cut(rest, []byte("</style>"))
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; frame-ancestors 'none'"
}

func (p response) send(w http.ResponseWriter, r *http.Request, cache string) {
	h := w.Header()
	h.Set("Content-Type", p.contentType)
	h.Set("Content-Security-Policy", p.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", cache)
	h.Set("ETag", p.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.body))
}

// Paths are the patterns that ServeHTTP handles.
var Paths = []string{
	"/docs", "/docs/", "/docs/guides", "/docs/guides/*", "/docs/errors", "/docs/search", "/docs/search.json", "/docs/static/*",
}

// ServeHTTP serves the pages.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if a, ok := assets[path]; ok {
		a.send(w, r, "public, max-age=31536000, immutable")
		return
	}
	if path == "/docs/search" {
		s.search(w, r)
		return
	}
	if page, ok := s.pages()[path]; ok {
		page.send(w, r, "no-cache")
		return
	}

	switch path {
	case "/docs/", "/docs/guides", "/docs/guides/":
		http.Redirect(w, r, "/docs", http.StatusMovedPermanently)
	case "/docs/guides/errors":
		http.Redirect(w, r, "/docs/errors", http.StatusMovedPermanently)
	default:
		s.missing(w)
	}
}

// missing writes the page for an unknown path.
func (s *Site) missing(w http.ResponseWriter) {
	p := s.page("missing", view{Title: "Page not found"})
	h := w.Header()
	h.Set("Content-Type", p.contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(p.body) // the client might have disconnected
}

// search shows the results of a query, for browsers without JavaScript and for the
// link to all results.
func (s *Site) search(w http.ResponseWriter, r *http.Request) {
	query := clip(r.URL.Query().Get("q"))
	p := s.page("search", view{Title: "Search", URL: "/docs/search", Query: query, Results: Search(s.entries(), query)})
	p.send(w, r, "no-cache")
}
