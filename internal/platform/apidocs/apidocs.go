// Package apidocs serves the pages of the API reference and their assets. The pages
// load nothing from other hosts.
package apidocs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// files are Stoplight Elements and its licenses, gzipped by scripts/vendor-reference,
// and the theme of the page.
//
//go:embed assets/*
var files embed.FS

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// policy prevents that the page loads content from other hosts, such as images or
// diagrams in descriptions. Elements needs inline styles. The data image is the
// empty icon of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page is a page of the reference.
type Page struct {
	Path, Title string
	Document    string // path of the OpenAPI document, which ends in .json
	Shows       string // path of the document that the page shows, which can be shorter
}

// OperationURL returns the URL of an operation on the page.
func (p Page) OperationURL(operationID string) string { return p.Path + "#/operations/" + operationID }

// TryIt is how a page sends requests for a person who is signed in.
type TryIt struct {
	API    string // path before the path of an operation, which accepts the session
	SignIn string // page where the person signs in
}

// Handler serves the pages and /docs/assets.
func Handler(all []Page, s TryIt) http.Handler {
	mux := http.NewServeMux()
	urls := map[string]string{}
	for _, a := range assets() {
		urls[a.name] = a.url
		mux.Handle("GET "+a.url, a)
	}

	for _, p := range all {
		var html bytes.Buffer
		if err := page.Execute(&html, map[string]any{"Page": p, "Pages": all, "Assets": urls, "TryIt": s}); err != nil {
			panic(err) // the template is embedded
		}
		etag := fmt.Sprintf(`"%.12x"`, sha256.Sum256(html.Bytes()))
		mux.HandleFunc("GET "+p.Path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
			w.Header().Set("ETag", etag)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(html.Bytes()))
		})
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, r)
	})
}

// asset is a vendored file. Its URL contains a hash of its content, so browsers can
// cache it permanently.
type asset struct {
	name, url string
	gzipped   []byte
}

// contentTypes is fixed here because package mime depends on the machine.
var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

func assets() (all []asset) {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // embedded
	}
	for _, entry := range entries {
		gzipped, err := files.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		name, vendored := strings.CutSuffix(entry.Name(), ".gz")
		if !vendored {
			gzipped = compress(gzipped)
		}
		url := fmt.Sprintf("/docs/assets/%.6x/%s", sha256.Sum256(gzipped), name)
		all = append(all, asset{name, url, gzipped})
	}
	return all
}

func compress(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(plain) // a buffer accepts everything
	_ = w.Close()
	return b.Bytes()
}

func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", contentTypes[path.Ext(a.name)])
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	if acceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
		header.Set("Content-Length", strconv.Itoa(len(a.gzipped)))
		_, _ = w.Write(a.gzipped)
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(a.gzipped))
	if err != nil {
		panic(err) // embedded
	}
	_, _ = io.Copy(w, plain) //nolint:gosec // an embedded file
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
