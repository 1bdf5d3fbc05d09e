package testkit

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// Browser keeps cookies and follows redirects on this machine, as a browser does.
type Browser struct {
	Header http.Header // sent with every request
	Secret string      // of the user's authenticator app, for forms that ask for a code
	server *Server
	client *http.Client
}

// View is what a browser shows: a page, or a redirect to another machine.
type View struct {
	*http.Response
	Text string
}

// Browser returns a new browser.
func (s *Server) Browser() *Browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	check(s.t, err)
	return &Browser{http.Header{}, "", s, &http.Client{Jar: jar, CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if req.URL.Hostname() != "127.0.0.1" {
			return http.ErrUseLastResponse
		}
		return nil
	}}}
}

// In returns the browser for a subtest.
func (b *Browser) In(s *Server) *Browser { return &Browser{b.Header.Clone(), b.Secret, s, b.client} }

// Open opens a URL, or a path of the server.
func (b *Browser) Open(address string) View {
	b.server.t.Helper()
	return b.send(http.MethodGet, address, nil)
}

// Send sends a request with a JSON body.
func (b *Browser) Send(method, path, body string) View {
	b.server.t.Helper()
	return b.sendAs("application/json", method, path, body)
}

// Cookies returns the cookies of the server.
func (b *Browser) Cookies() []*http.Cookie {
	u, err := url.Parse(b.server.URL)
	check(b.server.t, err)
	return b.client.Jar.Cookies(u)
}

// Post sends a form.
func (b *Browser) Post(address string, form url.Values) View {
	b.server.t.Helper()
	return b.send(http.MethodPost, address, form)
}

// Stay sends a form and doesn't follow the redirect.
func (b *Browser) Stay(address string, form url.Values) View {
	b.server.t.Helper()
	client := *b.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return (&Browser{b.Header, b.Secret, b.server, &client}).Post(address, form)
}

func (b *Browser) send(method, address string, form url.Values) View {
	b.server.t.Helper()
	return b.sendAs("application/x-www-form-urlencoded", method, address, form.Encode())
}

func (b *Browser) sendAs(contentType, method, address, body string) View {
	t := b.server.t
	t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.server.URL + address
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	check(t, err)
	for name, values := range b.Header {
		req.Header[name] = values
	}
	if method != http.MethodGet {
		req.Header.Set("Content-Type", contentType)
	}

	res, err := b.client.Do(req)
	check(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return View{res, string(text)}
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)">`)
	formAction  = regexp.MustCompile(`<form method="post"(?: action="([^"]*)")?`)
)

// Form returns the hidden fields of the first form of a page, and where to send it.
func (v View) Form() (action string, fields url.Values) {
	found := formAction.FindStringSubmatch(v.Text)
	if found == nil {
		return "", nil
	}
	_, form, _ := strings.Cut(v.Text, found[0])
	form, _, _ = strings.Cut(form, "</form>")
	fields = url.Values{}
	for _, h := range hiddenField.FindAllStringSubmatch(form, -1) {
		fields.Set(h[1], html.UnescapeString(h[2]))
	}
	if found[1] == "" {
		return v.Request.URL.String(), fields
	}
	return html.UnescapeString(found[1]), fields
}

// Submit sends the first form of a page with these fields: name, value, name, value.
func (b *Browser) Submit(v View, pairs ...string) View {
	t := b.server.t
	t.Helper()
	action, fields := v.Form()
	if action == "" {
		t.Fatalf("%s has no form: %d %s", v.Request.URL, v.StatusCode, v.Text)
	}
	for i := 0; i < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	if b.Secret != "" && strings.Contains(v.Text, `name="code"`) && !fields.Has("code") {
		fields.Set("code", b.server.Code(b.Secret))
	}
	return b.Post(action, fields)
}

// SignIn signs in with a password, and with a two-factor code unless it is "". It
// returns the page that the sign-in page leads to.
func (b *Browser) SignIn(v View, email, password, code string) View {
	b.server.t.Helper()
	v = b.Submit(b.Submit(v, "email", email), "email", email, "password", password)
	if code != "" {
		v = b.Submit(v, "code", code)
	}
	return v
}
