package identity

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// browser keeps cookies and follows redirects, as a browser does.
type browser struct {
	t      *testing.T
	s      *testkit.Server
	client *http.Client
	header http.Header
}

// view is a page that the browser shows.
type view struct {
	*http.Response
	text string
	path string // with the query
}

func newBrowser(t *testing.T, s *testkit.Server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, s, &http.Client{Jar: jar}, http.Header{"User-Agent": {"Mozilla/5.0 (Macintosh; Intel Mac OS X) Firefox/140"}}}
}

func (b *browser) do(method, path string, body io.Reader) view {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.s.URL+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	for name, values := range b.header {
		req.Header[name] = values
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return view{res, string(text), res.Request.URL.RequestURI()}
}

func (b *browser) get(path string) view {
	b.t.Helper()
	return b.do(http.MethodGet, path, nil)
}

// post sends a form with fields as name, value, name, value.
func (b *browser) post(path string, fields ...string) view {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.do(http.MethodPost, path, strings.NewReader(form.Encode()))
}

var (
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)">`)
	action = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
)

// submit sends the first form of a page, with its hidden fields and these ones.
func (b *browser) submit(v view, fields ...string) view {
	b.t.Helper()
	found := action.FindStringSubmatch(v.text)
	if found == nil {
		b.t.Fatalf("%s has no form: %d %s", v.path, v.StatusCode, v.text)
	}
	rest := v.text[strings.Index(v.text, found[0]):]
	rest, _, _ = strings.Cut(rest, "</form>")
	var all []string
	for _, h := range hidden.FindAllStringSubmatch(rest, -1) {
		all = append(all, h[1], html.UnescapeString(h[2]))
	}
	return b.post(html.UnescapeString(found[1]), append(all, fields...)...)
}

// signIn goes through the steps until the password.
func (b *browser) signIn(email, password string) view {
	b.t.Helper()
	return b.submit(b.submit(b.get("/oauth/sign-in?switch=1"), "email", email), "email", email, "password", password)
}

// want checks the status and the texts of a page.
func (b *browser) want(v view, status int, texts ...string) view {
	b.t.Helper()
	if v.StatusCode != status {
		b.t.Fatalf("%s: got status %d, want %d\n%s", v.path, v.StatusCode, status, v.text)
	}
	for _, text := range texts {
		assert.Contains(b.t, v.text, text, v.path)
	}
	return v
}

// cookie returns a cookie of the browser, or "".
func (b *browser) cookie(name string) string {
	b.t.Helper()
	u, err := url.Parse(b.s.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// setCookie plants a cookie, as an attacker on another host of the domain could.
func (b *browser) setCookie(name, value string) {
	b.t.Helper()
	u, err := url.Parse(b.s.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	b.client.Jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// stay doesn't follow redirects.
func (b *browser) stay() *browser {
	c := *b.client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{b.t, b.s, &c, b.header}
}
