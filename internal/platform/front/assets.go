package front

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"slipway/internal/platform/pages"
)

// AssetPath is where the stylesheet and the scripts are served.
const AssetPath = "/b-assets/"

//go:embed assets/*.css assets/*.js
var assetFiles embed.FS

type asset struct {
	url, contentType string
	content          []byte
}

var contentTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}

// assets are the files by name. Each has a hash of its content in the URL, so that browsers can
// keep it.
var assets = sync.OnceValue(func() map[string]asset {
	loaded := map[string]asset{}
	entries, err := assetFiles.ReadDir("assets")
	for _, e := range entries {
		var content []byte
		if content, err = assetFiles.ReadFile("assets/" + e.Name()); err != nil {
			break
		}
		content = bytes.ReplaceAll(content, []byte("url(inter.woff2)"), []byte("url("+pages.AssetURL("inter.woff2")+")"))
		ext := path.Ext(e.Name())
		loaded[e.Name()] = asset{AssetPath + strings.TrimSuffix(e.Name(), ext) + "-" + Hash(content) + ext, contentTypes[ext], content}
	}
	if err != nil {
		panic(err) // the files are part of the program
	}
	return loaded
})

// Hash returns a short hash of a content, for its URL.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6])
}

// AssetURL returns the path of an asset. It panics if there is none with this name.
func AssetURL(name string) string {
	a, ok := assets()[name]
	if !ok {
		panic("front: unknown asset " + name)
	}
	return a.url
}

// Asset returns the content of an asset.
func Asset(name string) []byte { return assets()[name].content }

// Assets serves the files of the pages.
func Assets() http.Handler {
	byURL := sync.OnceValue(func() map[string]asset {
		all := map[string]asset{}
		for _, a := range assets() {
			all[a.url] = a
		}
		return all
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := byURL()[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		ServeForever(w, r, a.contentType, a.content)
	})
}

// ServeForever serves a file whose URL has a hash of its content.
func ServeForever(w http.ResponseWriter, r *http.Request, contentType string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
