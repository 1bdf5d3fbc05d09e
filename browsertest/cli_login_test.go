package browsertest

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"slipway/internal/cli"
	"slipway/internal/vocab/auth"
)

// login runs slipway login, and returns the page that it opens and its result.
func login(t *testing.T, s *server, session *cli.Session) (page string, result <-chan error) {
	t.Helper()
	pages, done := make(chan string, 1), make(chan error, 1)
	session.OpenBrowser = func(page string) error {
		pages <- page
		return nil
	}
	go func() { done <- cli.Run(t.Context(), session, "login", []string{"--base-url", s.url}) }()
	select {
	case page = <-pages:
	case err := <-done:
		t.Fatalf("got %v, want a page", err)
	}
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	s.sites = append(s.sites, strings.TrimSuffix(u.Query().Get("redirect_uri"), "callback"))
	return page, done
}

// An owner signs in the command line: with administration, which requires a two-factor code.
// Another one cancels.
func TestCommandLineSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.Person("owner")
	var out bytes.Buffer
	session := &cli.Session{
		In: strings.NewReader(""), Out: &out, Err: t.Output(), Getenv: func(string) string { return "" }, Config: t.TempDir(), Host: "harbor-office",
	}
	page, result := login(t, s, session)
	canceled, again := login(t, s, session) // before the tab reads the sites

	b := open(t, s, desk)
	b.run(chromedp.Navigate(page))
	b.signInHere(p)
	b.run(chromedp.WaitVisible(`button[value=allow]`, chromedp.ByQuery))
	b.want("Sign in on harbor-office?", "cli-login")
	b.run(chromedp.Click(`input[value=admin]`, chromedp.ByQuery))
	b.click(`button[value=allow]`)
	b.want("Sign in on harbor-office?", "cli-login-code")
	b.fill("#code", s.Code(p.Secret))
	b.click(`button[value=allow]`)
	b.want("You are signed in", "cli-login-done")
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	if err := cli.Run(t.Context(), session, "access", []string{"get-me", "--jq", `.credential.label, (.scopes | contains(["admin"]))`}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "CLI on harbor-office\ntrue\n" {
		t.Errorf("got %q, want the key of this machine, with the admin scope", got)
	}

	b.visit("/oauth/account/sessions")
	b.want("Where you are signed in", "cli-login-sessions")
	if text := b.text(); !strings.Contains(text, "CLI on harbor-office") {
		t.Errorf("the page doesn't list the key of this machine:\n%s", text)
	}

	b = open(t, s, desk) // in live, the user can also choose test
	b.run(chromedp.Navigate(canceled))
	b.fill("#email", s.Owner.Email)
	b.click("main button")
	b.fill("#password", s.Owner.Password)
	b.click("main button")
	b.fill("#code", s.Code(s.Owner.TOTPSecret(auth.Live)))
	b.click("main button")
	b.want("Sign in on harbor-office?", "cli-login-environments")
	b.click(`button[value=deny]`)
	b.want("Canceled", "cli-login-canceled")
	if err := <-again; err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v, want an error that says it was canceled", err)
	}
}
