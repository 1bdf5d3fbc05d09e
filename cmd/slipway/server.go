package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"slipway/internal/cli"
)

// serverNouns returns the commands that call a server and have no type of their own.
func serverNouns() []cli.Noun {
	return append(cli.Nouns(), cli.Noun{Name: "api", Help: "Send any request."}, cli.Noun{Name: "login", Help: "Sign in to a server."},
		cli.Noun{Name: "logout", Help: "Revoke the key of this machine."}, cli.Noun{Name: "profiles", Help: "List and choose servers."})
}

// cli returns what package cli uses of this machine.
func (s *session) cli() *cli.Session {
	config, _ := os.UserConfigDir() // without one, there are no profiles
	host, _ := os.Hostname()        // the server has a default
	base := s.settings.BaseURL
	if base == cli.DefaultBaseURL || base == os.Getenv("SLIPWAY_BASE_URL") {
		base = "" // it was not set on the command line
	}
	return &cli.Session{
		In: s.in, Out: s.out, Err: os.Stderr, Terminal: isTerminal(s.out), Interactive: isTerminal(s.in) && isTerminal(os.Stderr),
		Color: useColor(s.out), Width: terminalWidth(s.out), Getenv: os.Getenv, Config: filepath.Join(config, "slipway"),
		Host: host, OpenBrowser: openBrowser, BaseURL: base,
	}
}

// openBrowser opens a page in the user's browser.
func openBrowser(page string) error {
	name, args := "xdg-open", []string{page}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", page}
	}
	return exec.Command(name, args...).Start() //nolint:noctx // the browser stays open
}

// profileFlags choose the server and the key of commands that use the API of a server.
type profileFlags struct {
	Profile string `help:"Profile with the server and the API key. Defaults to the key in SLIPWAY_KEY, SLIPWAY_PROFILE or the current profile."`
}

// client calls the API of a server.
type client struct{ *cli.Client }

// connect returns a client for a profile, or for the key in SLIPWAY_KEY.
func (s *session) connect(profile string) (client, error) {
	c := s.cli()
	found, err := c.Connect(c.BaseURL, profile)
	return client{found}, err
}

// event is an event of the list, with the bytes that a webhook receives.
type event struct {
	ID, Type  string
	CreatedAt time.Time `json:"created_at"`
	raw       []byte
}

// events requests a page of events, newest first.
func (c client) events(ctx context.Context, query url.Values) (found []event, more bool, err error) {
	var list struct {
		Data    []json.RawMessage
		HasMore bool `json:"has_more"`
	}
	if err := c.Call(ctx, http.MethodGet, "/v1/events?"+query.Encode(), nil, &list); err != nil {
		return nil, false, err
	}
	for _, raw := range list.Data {
		e := event{raw: raw}
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, false, err
		}
		found = append(found, e)
	}
	return found, list.HasMore, nil
}

// checkReadable fails if the key can't read one of the event types, because none of them
// would ever arrive.
func (c client) checkReadable(ctx context.Context, patterns []string) error {
	for _, pattern := range patterns {
		if _, _, err := c.events(ctx, url.Values{"type": {pattern}, "limit": {"1"}}); err != nil {
			return err
		}
	}
	return nil
}

// retryDelay is longer after each failure.
func retryDelay(failures int) time.Duration {
	return min(30*time.Second, 500*time.Millisecond<<min(failures, 6))
}
