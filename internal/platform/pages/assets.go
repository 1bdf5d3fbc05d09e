package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"
)

// AssetPath is where the stylesheet, the font and the scripts are served, on the
// host of each page.
const AssetPath = "/assets/"

//go:embed assets/*.css assets/*.js assets/*.svg assets/*.woff2
var assetFiles embed.FS

type asset struct {
	url, contentType string
	content          []byte
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2",
}

// assets are the files by name. Each has a hash of its content in the URL, so that
// browsers can keep it.
var assets = func() map[string]asset {
	loaded := map[string]asset{}
	for _, name := range []string{"inter.woff2", "icon.svg", "passkey.js", "pages.css"} { // the stylesheet names the font
		content, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // the file is part of the program
		}
		if name == "pages.css" {
			content = append([]byte(withTokens(loaded["inter.woff2"].url)), content...)
		}
		sum, ext := sha256.Sum256(content), path.Ext(name)
		url := AssetPath + strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext
		loaded[name] = asset{url, contentTypes[ext], content}
	}
	return loaded
}()

// withTokens returns the start of a stylesheet: the font and the tokens.
func withTokens(font string) string {
	tokens, err := assetFiles.ReadFile("assets/tokens.css")
	if err != nil {
		panic(err) // the file is part of the program
	}
	return strings.ReplaceAll(string(tokens), "url(inter.woff2)", "url("+font+")")
}

// Tokens returns the font, colors and sizes of all pages as CSS, for pages with a
// layout and a stylesheet of their own.
func Tokens() string { return withTokens(AssetURL("inter.woff2")) }

// AssetURL returns the path of an asset. It panics if there is none with this name.
func AssetURL(name string) string {
	a, ok := assets[name]
	if !ok {
		panic("pages: unknown asset " + name)
	}
	return a.url
}

// Assets serves the files of the pages.
func Assets() http.Handler {
	byURL := map[string]asset{}
	for _, a := range assets {
		byURL[a.url] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := byURL[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
	})
}
