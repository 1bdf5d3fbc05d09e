package sdks

import (
	"crypto/sha256"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"slipway/internal/platform/rest"
	"slipway/internal/sdkgen"
	"slipway/internal/vocab/version"
)

// Served are the SDKs that a server hands out.
type Served struct{ packages func() (*packages, error) }

// New returns the SDKs for a build of the server. They are packed when someone asks for the
// first time. describe returns the descriptions of /v1 and of the preview.
func New(build string, describe func() (stable, preview []byte, err error)) *Served {
	return &Served{sync.OnceValues(func() (*packages, error) {
		stable, preview, err := describe()
		if err != nil {
			return nil, err
		}
		m, err := sdkgen.Load(version.Latest(), stable, preview)
		if err != nil {
			return nil, err
		}
		return pack(build, m)
	})}
}

// Mount serves the packages.
func (s *Served) Mount(r *rest.Router) {
	r.Handle("/sdk/ts.tgz", s.serve(func(p *packages, w http.ResponseWriter, _ *http.Request) { send(w, "application/gzip", p.npm) }))
	r.Handle("/sdk/python.whl", s.serve(func(p *packages, w http.ResponseWriter, r *http.Request) {
		// pip reads the version in the name of a wheel.
		http.Redirect(w, r, "/sdk/python/"+p.pipName+"/"+url.PathEscape(p.wheelName), http.StatusFound)
	}))
	r.Handle("/sdk/python/*", s.serve(serveIndex))
	r.Handle("/sdk/go/*", s.serve(serveModule))
}

func (s *Served) serve(handle func(*packages, http.ResponseWriter, *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.packages()
		if err != nil {
			panic(fmt.Errorf("pack the SDKs: %w", err)) // a bug; the client gets a 500
		}
		handle(p, w, r)
	})
}

// serveIndex is an index of packages as pip expects it (PEP 503), with one package.
func serveIndex(p *packages, w http.ResponseWriter, r *http.Request) {
	const page = "<!doctype html><title>Slipway</title><a href=\"%s\">%s</a>\n"
	switch strings.TrimPrefix(r.URL.Path, "/sdk/python/") {
	case "":
		send(w, "text/html; charset=utf-8", fmt.Appendf(nil, page, p.pipName+"/", p.pipName))
	case p.pipName + "/":
		link := url.PathEscape(p.wheelName) + fmt.Sprintf("#sha256=%x", sha256.Sum256(p.wheel))
		send(w, "text/html; charset=utf-8", fmt.Appendf(nil, page, html.EscapeString(link), html.EscapeString(p.wheelName)))
	case p.pipName + "/" + p.wheelName:
		send(w, "application/zip", p.wheel)
	default:
		missing(w)
	}
}

// serveModule is a proxy of one module of Go in one version. See https://go.dev/ref/mod#goproxy-protocol.
func serveModule(p *packages, w http.ResponseWriter, r *http.Request) {
	const plain, object = "text/plain; charset=utf-8", "application/json"
	info := fmt.Appendf(nil, `{"Version": %q, "Time": "%sT00:00:00Z"}`, p.goVersion, p.date)
	switch r.URL.Path {
	case "/sdk/go/" + p.goPath + "/@latest":
		send(w, object, info)
	case "/sdk/go/" + p.goPath + "/@v/list":
		send(w, plain, []byte(p.goVersion+"\n"))
	case "/sdk/go/" + p.goPath + "/@v/" + p.goVersion + ".info":
		send(w, object, info)
	case "/sdk/go/" + p.goPath + "/@v/" + p.goVersion + ".mod":
		send(w, plain, p.goMod)
	case "/sdk/go/" + p.goPath + "/@v/" + p.goVersion + ".zip":
		send(w, "application/zip", p.module)
	default:
		missing(w)
	}
}

func missing(w http.ResponseWriter) {
	http.Error(w, "This server has no such package. It only has the SDKs of its own version.", http.StatusNotFound)
}

func send(w http.ResponseWriter, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(content) // the client might have disconnected
}
