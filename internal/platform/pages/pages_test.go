package pages

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// The policy allows what a page needs and nothing else.
func TestPolicy(t *testing.T) {
	const start = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
	const end = "; frame-ancestors 'none'; base-uri 'none'"
	for name, c := range map[string]struct {
		options []Option
		want    string
	}{
		"plain":       {nil, start + "form-action 'self'" + end},
		"script":      {[]Option{Script("passkey.js")}, start + "script-src 'self'; form-action 'self'" + end},
		"form action": {[]Option{FormAction("https://app.example.com")}, start + "form-action 'self' https://app.example.com" + end},
	} {
		w := httptest.NewRecorder()
		NewPage(`<h1>{{.}}</h1>`).Render(w, http.StatusOK, "Title", "<b>", c.options...)
		assert.Equal(t, w.Header().Get("Content-Security-Policy"), c.want, name)
	}
}

// A form action can't add to the policy.
func TestPolicyInjection(t *testing.T) {
	for _, origin := range []string{
		"https://a.example; script-src *", "https://a.example 'unsafe-inline'", "a\r\nb", "https://a.example, default-src *",
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", origin)
				}
			}()
			NewPage(``).Render(httptest.NewRecorder(), http.StatusOK, "", nil, FormAction(origin))
		}()
	}
}

func TestLayout(t *testing.T) {
	w := httptest.NewRecorder()
	NewPage(`<h1>{{.}}</h1>`).Render(w, http.StatusTeapot, "Title", "<b>", At("Smith & Sons", auth.Test), Wide)
	text := w.Body.String()
	for _, want := range []string{
		"<title>Title · Slipway</title>", "Smith &amp; Sons", `<span class="tag test">Test</span>`, "<h1>&lt;b&gt;</h1>", `<main class="wide">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want it to contain %s", text, want)
		}
	}
	if w.Code != http.StatusTeapot || strings.Contains(text, "<style") || strings.Contains(text, "style=") {
		t.Errorf("got %d %s, want 418 without inline styles", w.Code, text)
	}
}

// Each asset that a page or the stylesheet names exists, and browsers can keep it.
func TestAssets(t *testing.T) {
	w := httptest.NewRecorder()
	NewPage(``).Render(w, http.StatusOK, "", nil, Script("passkey.js"))
	links := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(w.Body.String(), -1)
	links = append(links, regexp.MustCompile(`url\(([^)]+)\)`).FindAllStringSubmatch(string(assets["pages.css"].content), -1)...)
	if len(links) != 4 {
		t.Fatalf("got %v, want the icon, the stylesheet, the script and the font", links)
	}
	for _, link := range links {
		w := httptest.NewRecorder()
		Assets().ServeHTTP(w, httptest.NewRequest(http.MethodGet, link[1], nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: got %d %v", link[1], w.Code, w.Header())
		}
	}

	for _, path := range []string{"/assets/", "/assets/pages.css", "/assets/../pages.go", "/assets/inter-LICENSE.txt"} {
		w := httptest.NewRecorder()
		Assets().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, w.Code)
		}
	}
}
