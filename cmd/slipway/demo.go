package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"slipway/internal/app"
	"slipway/internal/demo"
)

type demoCmd struct {
	Public   bool          `help:"Give each visitor a dealership of their own, on a host below the one of the base URL, such as k3v9x2.demo.example.com."`
	Visitors int           `default:"20" help:"With --public: how many dealerships at the same time. Each needs about 40 MB of memory. Defaults to ${default}."`
	For      time.Duration `default:"2h" help:"With --public: how long each exists. Defaults to ${default}."`
}

// Defaults only log warnings, so that the greeting stays visible.
func (demoCmd) Defaults() map[string]string { return map[string]string{"log-level": "warn"} }

// Run serves a demo until it receives a signal. Then it deletes its data.
func (c demoCmd) Run(s *session) error {
	ctx, stop := signal.NotifyContext(s, syscall.SIGHUP, syscall.SIGPIPE) // the terminal was closed
	defer stop()
	folder, err := os.MkdirTemp("", "slipway-demo-")
	if err != nil {
		return err
	}
	serve := serveDemo
	if c.Public {
		serve = c.servePublic
	}
	if err := errors.Join(serve(ctx, s, folder), os.RemoveAll(folder)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "\nThe demo of %s has stopped. Its data was deleted.\n", demo.Name)
	return err
}

func serveDemo(ctx context.Context, s *session, folder string) error {
	set := s.settings
	set.Data, set.DatabaseURL, set.MasterKey = folder, "", "" // never use the configured database
	set.TLSCert, set.TLSKey, set.ACMEDomains, set.HTTPRedirect = "", "", nil, ""
	if _, err := fmt.Fprintf(s.out, "\nCreating the demo dealership %s ...\n", demo.Name); err != nil {
		return err
	}
	w, err := demo.Seed(ctx, set, time.Now())
	if ctx.Err() != nil {
		return nil //nolint:nilerr // stopped during setup
	}
	if err != nil {
		return err
	}

	set.Listen, set.Metrics = orFree(set.Listen), orFree(set.Metrics)
	set.BaseURL = "http://" + reachable(set.Listen)
	set.AllowPrivate = true // so that webhooks can be received on this machine
	a, err := app.Open(ctx, set, s.log)
	if err != nil {
		return err
	}

	return a.Serve(ctx, func(addr string) {
		addr = reachable(addr)
		_, _ = s.out.Write([]byte(greet(addr, w, links(ctx, a, addr, w.Users)))) // the terminal might be closed
	})
}

// servePublic serves demos for visitors.
func (c demoCmd) servePublic(ctx context.Context, s *session, folder string) error {
	if c.Visitors < 1 || c.Visitors > 500 || c.For < time.Minute || c.For > 24*time.Hour {
		return errors.New("--visitors must be 1 to 500, and --for 1m to 24h")
	}
	set := s.settings
	set.DatabaseURL, set.MasterKey, set.SMTPURL, set.TwilioAccountSID, set.TwilioAuthToken = "", "", "", "", "" // nothing of the operator
	set.BlobsURL, set.BackupURL, set.OTLPEndpoint = "", "", ""
	set.TLSCert, set.TLSKey, set.ACMEDomains, set.HTTPRedirect, set.AuthURL = "", "", nil, "", ""
	listener, err := net.Listen("tcp", set.Listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "\nCreating the demo dealership %s ...\n", demo.Name); err != nil {
		return err
	}
	p, err := demo.OpenPublic(ctx, set, folder, demo.Limits{Visitors: c.Visitors, For: c.For, Bytes: 300 << 20, Starts: 5})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(ctx)
	}()
	server := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // streams would keep it open
	defer stop()
	_, _ = fmt.Fprintf(s.out, "\nVisitors start demos at %s. Press Ctrl-C to stop all and delete their data.\n", set.BaseURL)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-ended
	return nil
}

// reachable returns the address for a browser on this machine. In a container, a server listens
// on all addresses.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return "localhost:" + port
	}
	return addr
}

// orFree returns the address, with a free port if its port is in use.
func orFree(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // empty or invalid; Settings.Check reports it
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return addr
	}
	defer l.Close()
	return l.Addr().String()
}

// links returns a line for each user, with a link that signs in once.
func links(ctx context.Context, a *app.App, addr string, users []demo.User) string {
	lines := ""
	for _, u := range users {
		path, err := a.SignInLink(ctx, u.Email, "/console/test/today")
		if err != nil {
			path = "/console" // with a password
		}
		lines += fmt.Sprintf("  %-14s http://%s%s\n", u.Role, addr, path)
	}
	return lines
}

// greet returns the greeting. Its commands work when pasted into a terminal.
func greet(addr string, w demo.Summary, links string) string {
	brief := ""
	if _, err := exec.LookPath("jq"); err == nil {
		brief = " |\n    jq -c '.data[] | [.price_usd, .title]'"
	}
	return strings.NewReplacer("{name}", demo.Name, "{url}", "http://"+addr, "{test}", w.TestKey, "{live}", w.LiveKey,
		"{location}", w.LocationID, "{feed}", w.FeedPath, "{website}", w.Website,
		"{salesperson}", w.Salesperson, "{authenticator}", w.Authenticator, "{password}", w.Password, "{brief}", brief, "{links}", links).Replace(greeting)
}

const greeting = `
{name} is running. This demo dealership has about 200 boats, 60 leads and
25 deals. Most of them are in its test environment.

Open the console as one of these people. Each link signs you in once.

{links}
This is the dealership's website, as buyers see it. Ask about a boat, and watch the lead
arrive in the console:

  {url}{website}

To try what needs a two-factor code, such as a key with the scope admin, add this key to
an authenticator app. It is the owner's in test: {authenticator}

Or use the API:

  Documentation  {url}/docs
  API reference  {url}/docs/reference
  API            {url}/v1
  Test key       {test}
  Live key       {live}
  Website feed   {url}{feed}
  Sign-in page   {url}/oauth/sign-in
  Salesperson    {salesperson}, password {password}

Open another terminal and try these commands.

1. List boats for sale up to $60,000:

  curl -s -H 'Authorization: Bearer {test}' \
    '{url}/v1/hulls?status=available&price_max=60000&limit=5'{brief}

2. Search for a boat:

  curl -s -H 'Authorization: Bearer {test}' \
    '{url}/v1/hulls?q=whaler+montauk'{brief}

3. Add a boat. Run this command twice. The second response is the same, with the
header Idempotent-Replayed, and the boat is only added once.

  curl -i -H 'Authorization: Bearer {test}' \
    -H 'Idempotency-Key: 5f0c2f0e-8a55-4a52-9d5e-0f6c3c1d7b11' -H 'Content-Type: application/json' \
    -d '{"make":"Grady-White","model":"Freedom 255","year":2027,"length_ft":25.17,"price_usd":219900,"hin":"NTL25501G627","location_id":"{location}"}' \
    {url}/v1/hulls

To continue with the examples in README.md and docs/tour.md, run this first:

  export SLIPWAY={url} KEY={test} SLIPWAY_BASE_URL={url} SLIPWAY_KEY={test}

Press Ctrl-C to stop the demo and delete its data.
`
