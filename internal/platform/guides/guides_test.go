package guides

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func init() { Files = os.DirFS("../../../docs") }

var site = New("https://slipway.example.com/", func() []Operation {
	return []Operation{
		{"POST", "/v1/hulls", "Add a hull to inventory", "createHull Adds one boat.", "/docs/reference/createHull"},
		{"GET", "/v1/hulls", "List hulls", "listHulls <b>bold</b>", "/docs/reference/listHulls"},
	}
})

func get(t *testing.T, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	return w
}

// Each page has a strict policy, landmarks, one h1, and headings without gaps.
func TestPages(t *testing.T) {
	paths := []string{"/docs", "/docs/search", "/docs/search?q=hull", "/docs/guides/unknown"}
	for _, g := range List {
		paths = append(paths, g.URL())
	}
	for _, path := range paths {
		w := get(t, path)
		want := http.StatusOK
		if strings.HasSuffix(path, "unknown") {
			want = http.StatusNotFound
		}
		if w.Code != want || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: got %d %s, want %d and HTML", path, w.Code, w.Header().Get("Content-Type"), want)
		}
		if csp := w.Header().Get("Content-Security-Policy"); csp != policy || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: got the policy %q", path, csp)
		}
		for _, problem := range problemsOf(w.Body.String()) {
			t.Errorf("%s: %s", path, problem)
		}
	}
}

var tag = regexp.MustCompile(`<(h[1-6])[ >]`)

// problemsOf returns what is wrong with the structure of a page.
func problemsOf(page string) (problems []string) {
	for _, want := range []string{`<html lang="en">`, `<a class="skip" href="#content">`, `<main id="content"`, `<nav id="nav"`, "<header", `role="search"`} {
		if strings.Count(page, want) != 1 {
			problems = append(problems, "want exactly one "+want)
		}
	}
	if found := regexp.MustCompile(`(?i)<style|\sstyle=|<script>|\son[a-z]+=`).FindString(page); found != "" {
		problems = append(problems, "has an inline style or script: "+found)
	}
	body := page[strings.Index(page, "<main"):]
	last := 0
	for _, found := range tag.FindAllStringSubmatch(body, -1) {
		level := int(found[1][1] - '0')
		if level > last+1 || level == 1 && last > 0 {
			problems = append(problems, fmt.Sprintf("h%d follows h%d", level, last))
		}
		last = level
	}
	if last == 0 {
		problems = append(problems, "has no heading")
	}
	return problems
}

func TestProblemsOf(t *testing.T) {
	good := get(t, "/docs").Body.String()
	for name, bad := range map[string]string{
		"an inline style":  strings.Replace(good, "<h1>", `<h1 style="color: red">`, 1),
		"an inline script": strings.Replace(good, "<h1>", `<script>alert(1)</script><h1>`, 1),
		"a handler":        strings.Replace(good, "<h1>", `<h1 onclick="x()">`, 1),
		"no main":          strings.Replace(good, `<main id="content"`, "<main", 1),
		"a gap":            strings.Replace(good, "<h2", "<h3", 1),
		"two h1":           strings.Replace(good, "<h2", "<h1", 2),
	} {
		if len(problemsOf(bad)) == 0 {
			t.Errorf("%s: found no problem", name)
		}
	}
}

// A browser that has a page gets 304. Files with a hash in the URL are kept.
func TestCaching(t *testing.T) {
	first := get(t, "/docs/guides/concepts")
	etag := first.Header().Get("ETag")
	if again := get(t, "/docs/guides/concepts", "If-None-Match", etag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("got %d with ETag %q, want 304", again.Code, etag)
	}
	if other := get(t, "/docs/guides/deals", "If-None-Match", etag); other.Code != http.StatusOK {
		t.Errorf("another page: got %d, want 200", other.Code)
	}
	urls := regexp.MustCompile(`/docs/static/[0-9a-f]{12}/[a-z.]+`).FindAllString(first.Body.String(), -1)
	if len(urls) != 2 {
		t.Fatalf("got %q, want the stylesheet and the script", urls)
	}
	for _, url := range urls {
		if w := get(t, url); w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: got %d %v", url, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/docs/static/000000000000/docs.css", "/docs/static/../guides.go", "/docs/guides/style", "/docs/guides/../errors"} {
		if w := get(t, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, w.Code)
		}
	}
}

func TestRedirects(t *testing.T) {
	for from, to := range map[string]string{"/docs/": "/docs", "/docs/guides": "/docs", "/docs/guides/": "/docs", "/docs/guides/errors": "/docs/errors"} {
		if w := get(t, from); w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != to {
			t.Errorf("%s: got %d to %s, want 301 to %s", from, w.Code, w.Header().Get("Location"), to)
		}
	}
}

// Each file in docs/ is a guide, except for the style guide.
func TestEveryGuideIsListed(t *testing.T) {
	files, err := fs.Glob(Files, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".md")
		if _, ok := Find(name); !ok && name != "style" {
			t.Errorf("docs/%s is not in the list of guides", file)
		}
	}
	for _, g := range List {
		w := get(t, g.Source())
		if w.Body.String() != string(g.Markdown()) || w.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
			t.Errorf("%s: got %s, want the Markdown", g.Source(), w.Header().Get("Content-Type"))
		}
	}
}

var link = regexp.MustCompile(`href="([^"]*)"`)

// No page has a link to a page or a section that doesn't exist.
func TestLinks(t *testing.T) {
	paths := []string{"/docs", "/docs/search?q=error"}
	for _, g := range List {
		paths = append(paths, g.URL())
	}
	for _, path := range paths {
		for _, broken := range brokenLinks(t, path, get(t, path).Body.String()) {
			t.Errorf("%s: broken link %s", path, broken)
		}
	}
	for _, g := range List {
		for _, found := range regexp.MustCompile(`\]\(([^)#]*)[^)]*\)`).FindAllStringSubmatch(string(g.Markdown()), -1) {
			to := found[1]
			known := to == "" || strings.Contains(to, "://") || slices.Contains(served, to) ||
				// files of the repository, shown without a link
				to == "../SECURITY.md" || strings.HasPrefix(to, "../examples/") || strings.HasPrefix(to, "../sdk/")
			if strings.HasSuffix(to, ".svg") {
				continue // see TestImages
			}
			if _, ok := Find(strings.TrimSuffix(to, ".md")); !ok && !known {
				t.Errorf("docs/%s.md: broken link %s", g.Name, to)
			}
		}
	}
}

func brokenLinks(t *testing.T, from, page string) (broken []string) {
	t.Helper()
	for _, found := range link.FindAllStringSubmatch(page, -1) {
		to := strings.ReplaceAll(found[1], "&amp;", "&")
		path, anchor, _ := strings.Cut(to, "#")
		if path == "" {
			path = from
		}
		if strings.Contains(path, "://") || strings.HasPrefix(path, "/assets/") || slices.Contains(served, path) {
			continue
		}
		w := get(t, path)
		if w.Code != http.StatusOK || anchor != "" && !strings.Contains(w.Body.String(), `id="`+anchor+`"`) {
			broken = append(broken, to)
		}
	}
	return broken
}

// Each image of a guide is served, and each plot is shown.
func TestImages(t *testing.T) {
	shown := map[string]bool{}
	for _, g := range List {
		for _, found := range regexp.MustCompile(`<img src="([^"]*)" alt="([^"]*)"`).FindAllStringSubmatch(get(t, g.URL()).Body.String(), -1) {
			to := path.Join(path.Dir(g.URL()), found[1])
			w := get(t, to)
			if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(w.Body.String(), "<svg") {
				t.Errorf("%s: image %s: got %d %s", g.Name, to, w.Code, w.Header().Get("Content-Type"))
			}
			style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(w.Body.String())
			if len(style) != 2 || !strings.Contains(w.Header().Get("Content-Security-Policy"), hashOf(style[1])) {
				t.Errorf("%s: the policy of %s doesn't allow its style: %s", g.Name, to, w.Header().Get("Content-Security-Policy"))
			}
			if found[2] == "" {
				t.Errorf("%s: image %s has no text", g.Name, to)
			}
			shown[to] = true
		}
	}
	for name := range plots() {
		if !shown["/docs/guides/"+name] {
			t.Errorf("no guide shows docs/%s", name)
		}
	}
	if w := get(t, "/docs/guides/plots/unknown.svg"); w.Code != http.StatusNotFound {
		t.Errorf("unknown image: got %d, want 404", w.Code)
	}
}

func hashOf(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func TestBrokenLinks(t *testing.T) {
	got := brokenLinks(t, "/docs", `<a href="/docs/guides/nothing">a</a><a href="/docs/errors#nothing">b</a><a href="#first-request">c</a>`+
		`<a href="/docs/errors#required">d</a>`)
	if !slices.Equal(got, []string{"/docs/guides/nothing", "/docs/errors#nothing"}) {
		t.Errorf("got %q, want the first two", got)
	}
}

// The ID of the section of an error code is the code, and IDs are unique.
func TestSections(t *testing.T) {
	for _, g := range List {
		seen := map[string]bool{}
		for _, s := range parse(g).sections {
			if s.ID == "" || seen[s.ID] {
				t.Errorf("%s: the ID %q is missing or used twice", g.Name, s.ID)
			}
			if seen[s.ID] = true; s.Code && s.ID != s.Title {
				t.Errorf("%s: the section of the code %s has the ID %s", g.Name, s.Title, s.ID)
			}
			if g.Name == "errors" && strings.HasSuffix(s.ID, "-1") {
				t.Errorf("the heading of %s is used twice", s.ID)
			}
		}
	}
}

func TestIndexHasTheServersAddress(t *testing.T) {
	if page := get(t, "/docs").Body.String(); !strings.Contains(page, "curl https://slipway.example.com/v1/me") {
		t.Error("the first request doesn't have the URL of the server")
	}
}

func TestSearchJSON(t *testing.T) {
	w := get(t, "/docs/search.json")
	var entries []Entry
	if err := json.Unmarshal(w.Body.Bytes(), &entries); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, e := range entries {
		kinds[e.Kind]++
		if e.Title == "" || e.URL == "" || len([]rune(e.Text)) > maxText+1 {
			t.Errorf("got the entry %+v", e)
		}
	}
	if kinds["Guide"] != len(List) || kinds["Error code"] < 80 || kinds["POST /v1/hulls"] != 1 {
		t.Errorf("got %v, want all guides, error codes and operations", kinds)
	}
	if w.Body.Len() > 150_000 {
		t.Errorf("got %d bytes, want at most 150,000", w.Body.Len())
	}
}
