package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"slipway/internal/platform/pages"
	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/wire"
)

//go:embed dist/*.html dist/*.json dist/*.js dist/*.css
var dist embed.FS

const assetPath = Path + "/assets/"

type asset struct {
	kind    string
	content []byte
	small   func() []byte // compressed, by the first request
}

// files are the page and what it needs, by its path.
type files struct {
	index  []byte
	routes []route
	assets map[string]asset
}

// route is a path of the console, such as boats/:id/:tab?, and links to the scripts of its screen.
type route struct {
	Path  string `json:"path"`
	File  string `json:"file"`
	links []byte
}

var built = sync.OnceValue(func() files {
	folder, err := fs.Sub(dist, "dist")
	if err == nil {
		var f files
		if f, err = load(folder); err == nil {
			return f
		}
	}
	panic(err) // the files are part of the program
})

// load returns the files of a build. All of them are in a folder that is named by a hash of all
// of them: browsers can keep a file, and the files that it imports are always of the same build.
func load(build fs.FS) (all files, err error) {
	contents, hash := map[string][]byte{}, sha256.New()
	err = fs.WalkDir(build, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(build, name)
		if err != nil {
			return err
		}
		if name == "app.css" {
			content = bytes.ReplaceAll(content, []byte("url(inter.woff2)"), []byte("url("+pages.AssetURL("inter.woff2")+")"))
		}
		contents[name] = content
		fmt.Fprintf(hash, "%s %d\n%s", name, len(content), content)
		return nil
	})
	if err != nil {
		return all, err
	}

	folder := assetPath + hex.EncodeToString(hash.Sum(nil)[:6]) + "/"
	all = files{index: bytes.ReplaceAll(contents["index.html"], []byte("{{icon.svg}}"), []byte(pages.AssetURL("icon.svg"))), assets: map[string]asset{}}
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	for name, content := range contents {
		if kind := kinds[path.Ext(name)]; kind != "" {
			all.assets[folder+name] = asset{kind, content, sync.OnceValue(func() []byte { return compress(content) })}
			all.index = bytes.ReplaceAll(all.index, []byte("{{"+name+"}}"), []byte(folder+name))
		}
	}
	if err := wire.Unmarshal(contents["routes.json"], &all.routes); err != nil {
		return all, err
	}
	for i, r := range all.routes {
		needed := map[string]bool{}
		withImports(contents, "app.js", needed)
		withImports(contents, r.File, needed)
		delete(needed, "app.js")
		for _, name := range slices.Sorted(maps.Keys(needed)) {
			all.routes[i].links = fmt.Appendf(all.routes[i].links, "<link rel=\"modulepreload\" href=\"%s\">\n", folder+name)
		}
	}
	return all, nil
}

// importOf matches the imports of a built file that it needs before it runs.
var importOf = lazy.Regexp(`(?:from|import)"\./([^"]+)"`)

// withImports adds a file and the files that it imports, directly or not, to needed.
func withImports(contents map[string][]byte, name string, needed map[string]bool) {
	if needed[name] {
		return
	}
	needed[name] = true
	for _, m := range importOf().FindAllSubmatch(contents[name], -1) {
		withImports(contents, string(m[1]), needed)
	}
}

// page returns the page at a path of an environment, such as leads. It contains the session, so
// that the browser doesn't have to ask for it, and links to the scripts of the screen.
func (f files) page(at string, session []byte) []byte {
	var links []byte
	for _, r := range f.routes {
		if links == nil && (at == "" || r.matches(at)) { // the first screen is at ""
			links = r.links
		}
	}
	var escaped bytes.Buffer
	json.HTMLEscape(&escaped, session)
	page := bytes.Replace(f.index, []byte("{{links}}"), links, 1)
	return bytes.Replace(page, []byte("{{session}}"), escaped.Bytes(), 1)
}

// matches reports whether a path is one of the route's, like match in router.ts.
func (r route) matches(at string) bool {
	parts, names := strings.Split(at, "/"), strings.Split(r.Path, "/")
	if len(parts) > len(names) {
		return false
	}
	for i, name := range names {
		switch {
		case strings.HasPrefix(name, ":"):
			if i >= len(parts) && !strings.HasSuffix(name, "?") {
				return false
			}
		case i >= len(parts) || parts[i] != name:
			return false
		}
	}
	return true
}

// sendPage sends the page at a path of an environment.
func sendPage(w http.ResponseWriter, at string, session []byte) {
	protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(built().page(at, session)) // the client might have disconnected
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
	w.Header().Set("Vary", "Accept-Encoding")
	content := a.content
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		content = a.small()
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// compress takes longer than what responses are compressed with, and saves a tenth.
func compress(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err) // to memory, with a valid level
	}
	return out.Bytes()
}

func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
