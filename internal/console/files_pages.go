package console

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

//go:embed dist/*.html dist/*.js dist/*.css
var dist embed.FS

const assetPath = Path + "/assets/"

type asset struct {
	kind    string
	content []byte
}

// files are the page and what it needs.
type files struct {
	index  []byte
	assets map[string]asset
}

// built is the page with the files it needs, by their paths. A path has a hash of the
// content, so that browsers can keep the file. The files of screens have one in their names.
var built = sync.OnceValue(func() (all files) {
	read := func(name string) []byte {
		content, err := dist.ReadFile("dist/" + name)
		if err != nil {
			panic(err) // the file is part of the program
		}
		return content
	}
	font := pages.AssetURL("inter.woff2")
	all.index, all.assets = read("index.html"), map[string]asset{}
	for _, shared := range []string{"inter.woff2", "icon.svg"} { // with the other pages
		all.index = bytes.ReplaceAll(all.index, []byte("{{"+shared+"}}"), []byte(pages.AssetURL(shared)))
	}
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	names, err := dist.ReadDir("dist")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, f := range names {
		name, kind := f.Name(), kinds[path.Ext(f.Name())]
		if kind == "" {
			continue
		}
		if !strings.HasPrefix(name, "app.") {
			all.assets[assetPath+name] = asset{kind, read(name)}
			continue
		}
		content := bytes.ReplaceAll(read(name), []byte("url(inter.woff2)"), []byte("url("+font+")"))
		sum, ext := sha256.Sum256(content), path.Ext(name)
		url := assetPath + strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext
		all.assets[url] = asset{kind, content}
		all.index = bytes.ReplaceAll(all.index, []byte("{{"+name+"}}"), []byte(url))
	}
	return all
})

// sendPage sends the page of the console. It is the same for all visitors.
func sendPage(w http.ResponseWriter) {
	protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(built().index) // the client might have disconnected
}

func sendAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := built().assets[r.URL.Path]
	if !ok { // of another version; the page is not kept
		http.NotFound(w, r)
		return
	}
	protect(w.Header())
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}

func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
