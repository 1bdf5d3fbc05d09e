// Command dev serves the console from its source, for developers. It builds the files for
// each page, and passes everything else on to a server, such as that of make run.
package main

import (
	"bytes"
	"flag"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"sync"
	"time"

	"slipway/internal/console/bundle"
	"slipway/internal/platform/pages"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8081", "address of the console")
	server := flag.String("server", "http://127.0.0.1:8080", "server that has the data")
	src := flag.String("src", "internal/console/src", "folder with the source")
	flag.Parse()
	target, err := url.Parse(*server)
	if err != nil {
		log.Fatal(err)
	}

	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
	}
	http.Handle("/", proxy)
	build := once(func() (map[string][]byte, error) { return bundle.Build(*src) })
	http.HandleFunc("/console/assets/", func(w http.ResponseWriter, r *http.Request) {
		files, err := build()
		if err != nil {
			log.Print(err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		name := path.Base(r.URL.Path) // the folder names the build
		content := bytes.ReplaceAll(files[name], []byte("url(inter.woff2)"), []byte("url("+pages.AssetURL("inter.woff2")+")"))
		w.Header().Set("Cache-Control", "no-store")
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
	log.Printf("the console is at http://%s/console", *listen)
	log.Fatal((&http.Server{Addr: *listen, ReadHeaderTimeout: time.Minute}).ListenAndServe())
}

// once returns a function that builds the files again if the last time is some seconds ago,
// so that the files of a page belong together.
func once(build func() (map[string][]byte, error)) func() (map[string][]byte, error) {
	var mu sync.Mutex
	var built time.Time
	var files map[string][]byte
	var err error
	return func() (map[string][]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(built) > 3*time.Second { //nolint:forbidigo // a tool for developers
			files, err = build()
			built = now
		}
		return files, err
	}
}
