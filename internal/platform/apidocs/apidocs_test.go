package apidocs

import (
	"compress/gzip"
	"html/template"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

func operation(id, method, path string) *Operation {
	return &Operation{
		ID: id, Method: method, Path: path, Summary: "Do " + id, Family: "Hulls", Text: []template.HTML{"What it does."}, Writes: method != "GET",
		Changes:  []Change{{Object: "hull", Event: "hull.archived", Always: true, Flips: []Flip{{From: []string{"available"}, To: "archived"}}}},
		Refusals: []Refusal{{Status: 409, Code: "state", When: "It is archived.", Do: "Leave it.", Messages: []string{"The hull is <b>archived</b>."}}},
		Params:   []Field{{ID: "param-hull_id", Name: "hull_id", In: "path", Type: "string", Required: true, Example: "hull_01jcqz8t5n8m2x4v6b7c9d0e1f"}},
		Body:     &Content{Type: "application/json", Fields: []Field{{ID: "body-reason", Name: "reason", Type: "enum", Enum: []string{"sold"}}}, Example: "{\n  \"reason\": \"it's sold\"\n}"},
		Result:   &Content{Type: "application/json", Status: 200, Example: "{\n  \"id\": \"hull_1\",\n  \"hold\": {\n    \"id\": \"x\"\n  }\n}", Fields: []Field{{ID: "result-id", Name: "id"}}},
		Who:      []Access{{Scopes: []string{"hulls:write"}, Docs: []string{"Change inventory."}}},
		Samples:  []Sample{{Lang: "curl", Label: "curl", Source: "curl \"$SLIPWAY/v1/hulls/hull_01jcqz8t5n8m2x4v6b7c9d0e1f\" \\\n  -d '{\n  \"reason\": \"it'\\''s sold\"\n}'"}},
		Try:      Try{Path: path},
	}
}

var site = New(&Site{
	References: []Reference{
		{Path: "/docs/reference", Title: "API reference", Document: "/openapi.json", Versions: []string{"2026-11-19", "2026-11-15"},
			Load: func(date string) *API {
				all := []*Operation{operation("archiveHull", "POST", "/v1/hulls/{hull_id}/archive"), operation("getHull", "GET", "/v1/hulls/{hull_id}")}
				if date == "2026-11-15" {
					all = all[:1]
				}
				return &API{Families: []Family{{Name: "Hulls", Operations: all}}, Events: []Event{{Type: "hull.archived", Text: "A hull was archived", Sends: all}}}
			}},
		{Path: "/docs/reference/preview", Title: "Preview", Document: "/openapi-preview.json", Load: func(string) *API {
			return &API{Families: []Family{{Name: "Hulls", Operations: []*Operation{operation("listHulls", "GET", "/v2-preview/hulls")}}}}
		}},
	},
	Search: func() []Entry { return []Entry{{Kind: "Operations", Title: "Archive a hull"}} },
	API:    "/console/api", SignIn: "/console/test", BaseURL: "https://slipway.example.com",
})

func get(t *testing.T, path string, header ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

func TestPaths(t *testing.T) {
	for path, want := range map[string]int{
		"/docs/reference":                                  http.StatusOK,
		"/docs/reference/":                                 http.StatusMovedPermanently,
		"/docs/reference?version=2026-11-15":               http.StatusOK,
		"/docs/reference?version=2020-01-01":               http.StatusNotFound,
		"/docs/reference/archiveHull":                      http.StatusOK,
		"/docs/reference/archiveHull?version=2026-11-15":   http.StatusOK,
		"/docs/reference/getHull?version=2026-11-15":       http.StatusNotFound, // newer
		"/docs/reference/nothing":                          http.StatusNotFound,
		"/docs/reference/events":                           http.StatusOK,
		"/docs/reference/preview":                          http.StatusOK,
		"/docs/reference/preview/listHulls":                http.StatusOK,
		"/docs/reference/preview/archiveHull":              http.StatusNotFound,
		"/docs/reference/preview/events":                   http.StatusNotFound, // it has none
		"/docs/reference/preview/listHulls?version=2026-1": http.StatusNotFound,
		"/docs/reference/search.json":                      http.StatusOK,
		"/docs/assets/000000000000/reference.js":           http.StatusNotFound,
	} {
		if res, body := get(t, path); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, res.StatusCode, want)
		} else if want == http.StatusNotFound && !strings.Contains(body, "<h1>Page not found</h1>") {
			t.Errorf("%s: got %s, want the page for people", path, body)
		}
	}
}

// What an operation changes and when it is refused comes before the fields.
func TestOrderOfAnOperation(t *testing.T) {
	_, html := get(t, "/docs/reference/archiveHull")
	last := 0
	for _, part := range []string{
		"<h1>Do archiveHull</h1>", "What it does.", "What changes", ">archived</span>", "hull.archived</a>", "When it is refused", "The hull is &lt;b&gt;archived",
		`id="parameters"`, `id="param-hull_id"`, `id="body"`, `id="body-reason"`, "Who may", "hulls:write", `id="result-id"`, `id="samples"`, `id="try"`,
	} {
		i := strings.Index(html[last:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or not after the part before it", part)
		}
		last += i
	}
	for _, want := range []string{
		`data-v="param-hull_id">hull_01jcqz8t5n8m2x4v6b7c9d0e1f</span>`, "data-body", `href="/console/test?back=%2fdocs%2freference%2farchiveHull"`,
		`<a rel="next" href="/docs/reference/getHull">`, `<a href="/docs/reference/archiveHull" aria-current="page">`,
	} {
		assert.Contains(t, html, want)
	}
}

// The links of an older version stay in it.
func TestVersionStays(t *testing.T) {
	_, html := get(t, "/docs/reference?version=2026-11-15")
	assert.Contains(t, html, `href="/docs/reference/archiveHull?version=2026-11-15"`)
	assert.Contains(t, html, "This is version 2026-11-15.")
	_, html = get(t, "/docs/reference?version=2026-11-19")
	if strings.Contains(html, "This is version") {
		t.Error("the latest version says that it isn't the latest")
	}
}

// Addresses of the earlier page, such as /docs/reference#/operations/archiveHull, lead to the
// operation in the list, also without a script.
func TestEarlierAddresses(t *testing.T) {
	_, html := get(t, "/docs/reference")
	assert.Contains(t, html, `id="/operations/archiveHull" href="/docs/reference/archiveHull"`)
}

func TestNothingComesFromOutside(t *testing.T) {
	for _, path := range []string{"/docs/reference", "/docs/reference/archiveHull", "/docs/reference/events", "/docs/reference/nothing"} {
		res, html := get(t, path)
		if outside := regexp.MustCompile(`(?:src|href)="(?:https?:)?//[^"]*`).FindString(html); outside != "" {
			t.Errorf("%s names an outside address: %s", path, outside)
		}
		if found := regexp.MustCompile(`(?i)<style|\sstyle=|<script>|\son[a-z]+=`).FindString(html); found != "" {
			t.Errorf("%s has an inline style or script: %s", path, found)
		}
		csp := res.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "data:") {
			t.Errorf("%s: got the policy %q", path, csp)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
			assert.Equal(t, res.Header.Get(header), want, header)
		}
	}
}

// A browser that has a page gets 304. Assets are kept.
func TestCaching(t *testing.T) {
	res, html := get(t, "/docs/reference/archiveHull")
	etag := res.Header.Get("ETag")
	if res, body := get(t, "/docs/reference/archiveHull", "If-None-Match", etag); res.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("the same page: got %d %s, want 304", res.StatusCode, body)
	}
	if res, _ := get(t, "/docs/reference/getHull", "If-None-Match", etag); res.StatusCode != http.StatusOK {
		t.Errorf("another page: got %d, want 200", res.StatusCode)
	}
	urls := regexp.MustCompile(`/docs/assets/[0-9a-f]{12}/[\w.]+`).FindAllString(html, -1)
	assert.Len(t, urls, 3)
	for _, url := range urls {
		res, _ := get(t, url)
		assert.Equal(t, res.StatusCode, http.StatusOK, url)
		assert.Contains(t, res.Header.Get("Cache-Control"), "immutable", url)
	}
}

func TestCompression(t *testing.T) {
	packed, body := get(t, "/docs/reference/archiveHull", "Accept-Encoding", "br, gzip")
	assert.Equal(t, packed.Header.Get("Content-Encoding"), "gzip")
	reader, err := gzip.NewReader(strings.NewReader(body))
	assert.NoError(t, err)
	unpacked, err := io.ReadAll(reader)
	assert.NoError(t, err)
	plain, body := get(t, "/docs/reference/archiveHull", "Accept-Encoding", "gzip;q=0, identity")
	assert.Equal(t, plain.Header.Get("Content-Encoding"), "")
	assert.Equal(t, body, string(unpacked))
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

// Each line of JSON names the field that it belongs to. Text stays text.
func TestLines(t *testing.T) {
	html := string(lines("{\n  \"id\": \"<x>\",\n  \"hold\": {\n    \"id\": 1\n  }\n}", false))
	for _, want := range []string{
		`<span class="l" data-f="id">  <span class="k">&#34;id&#34;</span>: <span class="s">&#34;&lt;x&gt;&#34;</span>,`,
		`<span class="l" data-f="hold">    <span class="k">&#34;id&#34;</span>: 1`, "<span class=\"l\">{\n</span>",
	} {
		assert.Contains(t, html, want)
	}
	if strings.Contains(string(lines("{\n  \"data\": [\n    {\n      \"id\": 1\n    }\n  ]\n}", true)), `data-f="data"`) {
		t.Error("the list itself is a field of its objects")
	}
}

// A sample has the same text with and without colors.
func TestHighlightKeepsText(t *testing.T) {
	o := operation("archiveHull", "POST", "/v1/hulls/{hull_id}/archive")
	for _, source := range []string{
		o.Samples[0].Source, `for h, err := range c.Hulls.List(ctx, "a\"b") { // all <pages>`, "slipway hulls list --make 'Boston Whaler' & more",
	} {
		html := string(highlight(Sample{Lang: "go", Source: source}, o))
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(html, "")
		text = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&").Replace(text)
		assert.Equal(t, text, source)
	}
}

func TestSiteHasAPathForEachReference(t *testing.T) {
	for _, want := range []string{"/docs/reference", "/docs/reference/*", "/docs/reference/preview", "/docs/reference/preview/*", "/docs/assets/*"} {
		if !slices.Contains(site.Paths(), want) {
			t.Errorf("got %q, want %s too", site.Paths(), want)
		}
	}
}
