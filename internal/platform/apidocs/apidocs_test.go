package apidocs

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

func get(t *testing.T, path, acceptEncoding string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept-Encoding", acceptEncoding)
	w := httptest.NewRecorder()
	Handler([]Page{
		{Path: "/docs/reference", Title: "API reference", Document: "/openapi.json", Shows: "/short.json"},
		{Path: "/docs/reference/preview", Title: "Preview", Document: "/openapi-preview.json"},
	}, TryIt{}).ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

func TestPage(t *testing.T) {
	res, html := get(t, "/docs/reference", "")
	assert.Equal(t, res.StatusCode, http.StatusOK)
	assert.Equal(t, res.Header.Get("Content-Type"), "text/html; charset=utf-8")
	for _, want := range []string{
		"<title>API reference · Slipway</title>",
		`apiDescriptionUrl="/short.json"`,
		`href="/openapi.json"`,
		`<a href="/docs/reference" aria-current="page">`,
		`<a href="/docs/reference/preview">`,
	} {
		assert.Contains(t, html, want)
	}
}

// A browser that has the page gets 304.
func TestETag(t *testing.T) {
	res, _ := get(t, "/docs/reference", "")
	etag := res.Header.Get("ETag")
	r := httptest.NewRequest("GET", "/docs/reference", nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	Handler([]Page{{Path: "/docs/reference", Document: "/openapi.json"}}, TryIt{}).ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Errorf("a different page: got %d, want 200", w.Code)
	}
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	again := httptest.NewRecorder()
	Handler([]Page{{Path: "/docs/reference", Document: "/openapi.json"}}, TryIt{}).ServeHTTP(again, r)
	if again.Code != http.StatusNotModified || etag == "" {
		t.Errorf("the same page: got %d, want 304", again.Code)
	}
}

func TestNothingComesFromOutside(t *testing.T) {
	res, html := get(t, "/docs/reference", "")
	if outside := regexp.MustCompile(`(?i)https?:|["'(]//`).FindString(html); outside != "" {
		t.Errorf(`the page names an outside address: got %s, want ""`, outside)
	}
	csp := res.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") {
		t.Errorf(`the policy does not begin by closing everything: got %s, want csp to start with "default-src 'none'; script-src 'self';"`, csp)
	}
	for directive := range strings.SplitSeq(csp, ";") {
		for _, source := range strings.Fields(directive)[1:] {
			if !strings.HasPrefix(source, "'") && source != "data:" || source == "'unsafe-eval'" {
				t.Errorf("the policy admits %s in %s", source, directive)
			}
		}
	}
	for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
		assert.Equal(t, res.Header.Get(header), want, header)
	}
}

func TestEveryAssetOfThePage(t *testing.T) {
	_, html := get(t, "/docs/reference", "")
	urls := regexp.MustCompile(`/docs/assets/[0-9a-f]{12}/[\w.]+`).FindAllString(html, -1)
	if len(urls) != 6 {
		t.Fatalf("the page links to %q, want the license, two styles and three scripts", urls)
	}
	for _, url := range urls {
		packed, body := get(t, url, "br, gzip")
		assert.Equal(t, packed.StatusCode, http.StatusOK, url)
		assert.Equal(t, packed.Header.Get("Content-Encoding"), "gzip", url)
		assert.Contains(t, packed.Header.Get("Cache-Control"), "immutable", url)
		reader, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}

		plain, body := get(t, url, "gzip;q=0, identity")
		assert.Equal(t, plain.Header.Get("Content-Encoding"), "", url)
		assert.Equal(t, body, string(unpacked), url)
		if plain.Header.Get("Content-Type") == "" || plain.Header.Get("Content-Type") != packed.Header.Get("Content-Type") {
			t.Errorf(`%s: Content-Type is %q; want plain.Header.Get("Content-Type") != "", plain.Header.Get("Content-Type") = %q`, url,
				plain.Header.Get("Content-Type"), packed.Header.Get("Content-Type"))
		}
	}
}

func TestOtherPaths(t *testing.T) {
	for path, want := range map[string]int{
		"/docs":                                 http.StatusNotFound,
		"/docs/reference/":                      http.StatusNotFound,
		"/docs/reference/preview":               http.StatusOK,
		"/docs/assets/":                         http.StatusNotFound,
		"/docs/assets/000000000000/elements.js": http.StatusNotFound,
	} {
		if res, _ := get(t, path, ""); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, res.StatusCode, want)
		}
	}
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"gzip":                true,
		"GZIP":                true,
		"deflate, gzip;q=0.5": true,
		"br, gzip ; q=1.0":    true,
		"":                    false,
		"identity":            false,
		"gzip;q=0":            false,
		"gzip; q=0.000, br":   false,
		"gzip;q=much":         false,
		"x-gzip-like":         false,
	} {
		r := httptest.NewRequest("GET", "/docs/reference", nil)
		r.Header.Set("Accept-Encoding", header)
		assert.Equal(t, acceptsGzip(r), want, header)
	}
}
