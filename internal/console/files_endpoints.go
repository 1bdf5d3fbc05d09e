package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
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

// files are the page and what it needs, by its path.
type files struct {
	index  []byte
	assets map[string]asset
}

var built = sync.OnceValue(func() files {
	folder, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return load(folder)
})

// load returns the files of a build. All of them are in a folder that is named by a hash of all
// of them: browsers can keep a file, and the files that it imports are always of the same build.
func load(build fs.FS) files {
	contents, hash := map[string][]byte{}, sha256.New()
	err := fs.WalkDir(build, ".", func(name string, entry fs.DirEntry, err error) error {
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
		panic(err) // the files are part of the program
	}

	folder := assetPath + hex.EncodeToString(hash.Sum(nil)[:6]) + "/"
	all := files{contents["index.html"], map[string]asset{}}
	for _, shared := range []string{"inter.woff2", "icon.svg"} { // with the other pages
		all.index = bytes.ReplaceAll(all.index, []byte("{{"+shared+"}}"), []byte(pages.AssetURL(shared)))
	}
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	for name, content := range contents {
		if kind := kinds[path.Ext(name)]; kind != "" {
			all.assets[folder+name] = asset{kind, content}
			all.index = bytes.ReplaceAll(all.index, []byte("{{"+name+"}}"), []byte(folder+name))
		}
	}
	return all
}

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
