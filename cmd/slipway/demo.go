package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"slipway/internal/app"
	"slipway/internal/demo"
)

type demoCmd struct{}

// BeforeReset keeps the log from drowning the greeting, unless the caller asks
// for more.
func (demoCmd) BeforeReset(ctx *kong.Context) error {
	for _, f := range ctx.Flags() {
		if f.Name == "log-level" {
			f.Default = "warn"
		}
	}
	return nil
}

// Run serves a demo until a signal, and leaves nothing behind.
func (demoCmd) Run(s *session) error {
	ctx, stop := signal.NotifyContext(s, syscall.SIGHUP, syscall.SIGPIPE) // the window was closed
	defer stop()
	folder, err := os.MkdirTemp("", "slipway-demo-")
	if err != nil {
		return err
	}
	if err := errors.Join(serveDemo(ctx, s, folder), os.RemoveAll(folder)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "\n%s is closed; its data is gone.\n", demo.Name)
	return err
}

func serveDemo(ctx context.Context, s *session, folder string) error {
	set := s.settings
	set.Data, set.DatabaseURL, set.MasterKey = folder, "", "" // never somebody's own
	if _, err := fmt.Fprintf(s.out, "\nOpening %s ...\n", demo.Name); err != nil {
		return err
	}
	w, err := demo.Furnish(ctx, set, time.Now())
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the visitor left before it opened
	}
	if err != nil {
		return err
	}
	set.Listen, set.Metrics = orFree(set.Listen), orFree(set.Metrics)
	set.BaseURL = "http://" + set.Listen
	set.AllowPrivate = true // a visitor's webhooks are on this machine
	a, err := app.Open(ctx, set, s.log)
	if err != nil {
		return err
	}
	return a.Serve(ctx, func(addr string) {
		_, _ = s.out.Write([]byte(greet(addr, w))) // to nobody, then
	})
}

// orFree is the address, or one with another port if that is taken.
func orFree(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // none, or a mistake that the check of the settings explains
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

// greet tells a visitor what to try. Every command works as pasted.
func greet(addr string, w demo.Welcome) string {
	brief := ""
	if _, err := exec.LookPath("jq"); err == nil {
		brief = " |\n    jq -c '.data[] | [.price_usd, .title]'"
	}
	return strings.NewReplacer("{name}", demo.Name, "{url}", "http://"+addr, "{test}", w.TestKey, "{live}", w.LiveKey,
		"{location}", w.LocationID, "{brief}", brief).Replace(greeting)
}

const greeting = `
{name} is open: two hundred boats, leads and deals in its test environment, some in the live one.

  Reference  {url}/docs
  API        {url}/v1
  Test key   {test}
  Live key   {live}

To try in another terminal. Boats for sale up to $60,000:

  curl -s -H 'Authorization: Bearer {test}' \
    '{url}/v1/hulls?status=available&price_max=60000&limit=5'{brief}

Boats by what you remember of them:

  curl -s -H 'Authorization: Bearer {test}' \
    '{url}/v1/hulls?q=whaler+montauk'{brief}

A new boat. Run it twice: the second answer is the first one again, marked
Idempotent-Replayed, and there is still only one boat.

  curl -i -H 'Authorization: Bearer {test}' \
    -H 'Idempotency-Key: 5f0c2f0e-8a55-4a52-9d5e-0f6c3c1d7b11' -H 'Content-Type: application/json' \
    -d '{"make":"Grady-White","model":"Freedom 255","year":2027,"length_ft":25.17,"price_usd":219900,"hin":"NTL25501G627","location_id":"{location}"}' \
    {url}/v1/hulls

The tour in README.md goes on from here, after this line:

  export SLIPWAY={url} KEY={test}

Ctrl-C stops the demo and removes its data.
`
