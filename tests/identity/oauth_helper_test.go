package identity

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"slipway/internal/testkit"
)

const callback = "https://app.example.com/callback"

// client is an app with the third-party library that its developer would use.
type client struct {
	oauth2.Config
	app testkit.App
	t   *testing.T
	s   *testkit.Server
}

// newClient registers an app. Fields of the body replace the default ones.
func newClient(t *testing.T, s *testkit.Server, body map[string]any) *client {
	t.Helper()
	return clientOf(t, s, s.Test.App(body))
}

func clientOf(t *testing.T, s *testkit.Server, app testkit.App) *client {
	t.Helper()
	return &client{oauth2.Config{
		ClientID: app.ClientID, ClientSecret: app.Secret, RedirectURL: callback, Scopes: []string{"hulls:read"},
		Endpoint: oauth2.Endpoint{
			AuthURL: s.URL + "/oauth/authorize", TokenURL: s.URL + "/oauth/token", AuthStyle: oauth2.AuthStyleInHeader,
		},
	}, app, t, s}
}

// verifier is the PKCE verifier of the tests.
var verifier = strings.Repeat("verifier-", 6)

// link returns the URL that starts the flow. Pairs replace parameters; "" removes one.
func (c *client) link(pairs ...string) string {
	u, err := url.Parse(c.AuthCodeURL("state-1", oauth2.S256ChallengeOption(verifier)))
	if err != nil {
		c.t.Fatal(err)
	}
	q := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		if q.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// careful returns a person with a two-factor method, who can allow changes.
func careful(s *testkit.Server, role string) *testkit.Person {
	p := s.Person(role)
	p.Enroll()
	return p
}

// signedIn returns a browser where a person is signed in.
func signedIn(s *testkit.Server, p *testkit.Person) *testkit.Browser {
	b, code := s.Browser(), ""
	if p.Secret != "" {
		code = s.Code(p.Secret)
	}
	b.SignIn(b.Open("/oauth/sign-in"), p.Email, testkit.Password, code)
	b.Secret = p.Secret
	return b
}

// allow opens the link and allows the request if the page asks.
func (c *client) allow(b *testkit.Browser, pairs ...string) url.Values {
	c.t.Helper()
	v := b.Open(c.link(pairs...))
	if v.StatusCode == http.StatusOK {
		v = b.Submit(v, "decision", "allow")
	}
	return c.returned(v)
}

// returned returns the parameters that the app receives.
func (c *client) returned(v testkit.View) url.Values {
	c.t.Helper()
	u, err := v.Location()
	if err != nil {
		c.t.Fatalf("got %d %s, want a redirect to the app", v.StatusCode, v.Text)
	}
	if !strings.HasPrefix(u.String(), callback+"?") {
		c.t.Fatalf("got a redirect to %s, want %s", u, callback)
	}
	return u.Query()
}

// code allows the request and returns the code.
func (c *client) code(b *testkit.Browser, pairs ...string) string {
	c.t.Helper()
	got := c.allow(b, pairs...)
	if got.Get("code") == "" {
		c.t.Fatalf("got %v, want a code", got)
	}
	return got.Get("code")
}

// tokens goes through the whole flow.
func (c *client) tokens(b *testkit.Browser) *oauth2.Token {
	c.t.Helper()
	tok, err := c.Exchange(context.Background(), c.code(b), oauth2.VerifierOption(verifier))
	if err != nil {
		c.t.Fatal(err)
	}
	return tok
}

// response is a response of the token endpoint.
type response struct {
	status  int
	header  http.Header
	Error   string `json:"error"`
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Install string `json:"install_id"`
	Active  bool   `json:"active"`
}

// send sends a form to an endpoint of a server as the app, and reads the response.
func (c *client) send(s *testkit.Server, endpoint string, pairs ...string) (r response) {
	form := url.Values{"client_id": {c.ClientID}, "client_secret": {c.ClientSecret}}
	for i := 0; i < len(pairs); i += 2 {
		if form.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			form.Del(pairs[i])
		}
	}
	res, err := http.PostForm(s.URL+"/oauth/"+endpoint, form) //nolint:noctx // ends with the server
	if err != nil {
		c.t.Error(err)
		return r
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		c.t.Errorf("%s: %v: %s", endpoint, err, text)
	}
	r.status, r.header = res.StatusCode, res.Header
	return r
}

func (c *client) exchange(code string, pairs ...string) response {
	c.t.Helper()
	return c.send(c.s, "token", append([]string{
		"grant_type", "authorization_code", "code", code, "redirect_uri", callback, "code_verifier", verifier,
	}, pairs...)...)
}

func (c *client) refresh(token string, pairs ...string) response {
	c.t.Helper()
	return c.send(c.s, "token", append([]string{"grant_type", "refresh_token", "refresh_token", token}, pairs...)...)
}

// works reports whether an access token works.
func works(s *testkit.Server, token string) bool {
	res, err := s.As(token).Send("GET", "/v1/me", nil)
	return err == nil && res.StatusCode == 200
}
