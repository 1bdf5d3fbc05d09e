// Package apidocs serves the pages of the API reference: a page for each operation, and a
// search. The pages work without JavaScript, except for the search and for trying requests.
// They load nothing from other hosts.
package apidocs

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"slipway/internal/platform/pages"
)

//go:embed assets/reference.css assets/reference.js assets/theme.js
var assetFiles embed.FS

//go:embed page.html parts.html
var templates embed.FS

// policy allows only the files and the API of this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// assetPath is where the stylesheet and the scripts are.
const assetPath = "/docs/assets/"

// Site is the reference of a server.
type Site struct {
	References []Reference
	Search     func() []Entry // what the search finds
	API        string         // path before the path of an operation, which accepts the session
	SignIn     string         // page where a person signs in, and returns to the path in the parameter back
	BaseURL    string

	assets map[string]file // by URL
	urls   map[string]string
	layout *template.Template
	index  func() file
	kept   sync.Map // pages by path and version
}

// Paths are the patterns that ServeHTTP handles.
func (s *Site) Paths() []string {
	all := []string{assetPath + "*", indexPath}
	for _, r := range s.References {
		all = append(all, r.Path, r.Path+"/*")
	}
	return all
}

const indexPath = "/docs/reference/search.json"

// New prepares a site.
func New(s *Site) *Site {
	s.assets, s.urls = map[string]file{}, map[string]string{}
	for _, name := range []string{"reference.css", "reference.js", "theme.js"} {
		content, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // embedded
		}
		if name == "reference.css" {
			content = append([]byte(pages.Tokens()), content...)
		}
		url := fmt.Sprintf("%s%.6x/%s", assetPath, sha256.Sum256(content), name)
		s.urls[name], s.assets[url] = url, newFile(contentTypes[path.Ext(name)], content)
	}
	s.layout = template.Must(template.New("").Funcs(template.FuncMap{
		"asset": func(name string) string { return s.urls[name] }, "page": pages.AssetURL, "icon": icon, "verb": verb, "tone": tone,
		"highlight": highlight, "lines": lines, "breaks": breaks, "lower": strings.ToLower,
	}).ParseFS(templates, "*.html"))
	s.index = sync.OnceValue(func() file {
		text, err := json.Marshal(s.Search())
		if err != nil {
			panic(err) // only strings
		}
		return newFile("application/json", text)
	})
	return s
}

// view is what a page shows.
type view struct {
	*Site
	Reference Reference
	API       *API
	Version   string // that the address asks for, or ""
	Title     string
	Operation *Operation // or nil, for the first page
	Page      string     // first, operation, events or missing
	Previous  *Operation
	Next      *Operation
}

// Link returns the URL of a page in the same version.
func (v view) Link(name string) string {
	url := v.Reference.Path
	if name != "" {
		url += "/" + name
	}
	if v.Version != "" {
		url += "?version=" + v.Version
	}
	return url
}

// Latest reports whether the page shows the latest version.
func (v view) Latest() bool { return v.Version == "" || v.Version == v.Reference.Versions[0] }

// Current reports whether the navigation is on the page of an operation.
func (v view) Current(o *Operation) bool { return v.Operation == o }

// Open reports whether the navigation shows the operations of a family.
func (v view) Open(f Family) bool { return v.Operation != nil && v.Operation.Family == f.Name }

// eventsPage is the name of the page with all events.
const eventsPage = "events"

// ServeHTTP serves the pages.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if a, ok := s.assets[r.URL.Path]; ok {
		a.send(w, r, http.StatusOK, "public, max-age=31536000, immutable")
		return
	}
	if r.URL.Path == indexPath {
		s.index().send(w, r, http.StatusOK, "no-cache")
		return
	}
	if to, ok := strings.CutSuffix(r.URL.Path, "/"); ok && slices.ContainsFunc(s.References, func(x Reference) bool { return x.Path == to }) {
		http.Redirect(w, r, to, http.StatusMovedPermanently)
		return
	}

	v := s.find(r.URL.Path, r.URL.Query().Get("version"))
	status := http.StatusOK
	if v.Page == "missing" {
		status = http.StatusNotFound
	}
	key := v.Link(r.URL.Path)
	page, ok := s.kept.Load(key)
	if !ok || status != http.StatusOK {
		var b bytes.Buffer
		if err := s.layout.ExecuteTemplate(&b, "page.html", v); err != nil {
			panic(err) // the templates are embedded
		}
		page = newFile("text/html; charset=utf-8", b.Bytes())
		if status == http.StatusOK {
			s.kept.Store(key, page)
		}
	}
	page.(file).send(w, r, status, "no-cache")
}

// find returns what a path shows. The longest path of a reference decides.
func (s *Site) find(url, date string) view {
	v := view{Site: s, Page: "missing", Title: "Page not found", Reference: s.References[0]}
	for _, r := range s.References {
		if url == r.Path || strings.HasPrefix(url, r.Path+"/") && len(r.Path) >= len(v.Reference.Path) {
			v.Reference = r
		}
	}
	if date != "" && !slices.Contains(v.Reference.Versions, date) {
		date = ""
		url = "" // no such version
	}
	v.Version, v.API = date, v.Reference.Load(date)
	switch name := strings.TrimPrefix(strings.TrimPrefix(url, v.Reference.Path), "/"); {
	case url == "":
	case name == "":
		v.Page, v.Title = "first", v.Reference.Title
	case name == eventsPage && len(v.API.Events) > 0:
		v.Page, v.Title = "events", "Events"
	default:
		var all []*Operation
		for _, f := range v.API.Families {
			all = append(all, f.Operations...)
		}
		i := slices.IndexFunc(all, func(o *Operation) bool { return o.ID == name })
		if i < 0 {
			break
		}
		v.Page, v.Operation, v.Title = "operation", all[i], all[i].Summary
		if i > 0 {
			v.Previous = all[i-1]
		}
		if i+1 < len(all) {
			v.Next = all[i+1]
		}
	}
	return v
}

// file is a page or an asset, compressed.
type file struct {
	contentType, etag string
	gzipped           []byte
}

// contentTypes is fixed here because package mime depends on the machine.
var contentTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

func newFile(contentType string, content []byte) file {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // a buffer accepts everything
	_ = w.Close()
	return file{contentType, fmt.Sprintf(`"%.12x"`, sha256.Sum256(content)), b.Bytes()}
}

func (f file) send(w http.ResponseWriter, r *http.Request, status int, cache string) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", cache)
	h.Set("ETag", f.etag)
	h.Set("Vary", "Accept-Encoding")
	if status == http.StatusOK && r.Header.Get("If-None-Match") == f.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(f.gzipped)))
		w.WriteHeader(status)
		_, _ = w.Write(f.gzipped) // the client might have disconnected
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(f.gzipped))
	if err != nil {
		panic(err) // compressed above
	}
	w.WriteHeader(status)
	_, _ = io.Copy(w, plain) //nolint:gosec // compressed above
}

// acceptsGzip reports whether the client accepts gzip. "gzip;q=0" means that it
// doesn't.
func acceptsGzip(r *http.Request) bool {
	for offer := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(offer, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			_, q, weighted := strings.Cut(weight, "q=")
			value, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return !weighted || err == nil && value > 0
		}
	}
	return false
}

// verb returns the class of a method.
func verb(method string) string {
	return cmp.Or(map[string]string{"GET": "get", "POST": "post", "PATCH": "patch", "PUT": "patch", "DELETE": "del"}[method], "get")
}
