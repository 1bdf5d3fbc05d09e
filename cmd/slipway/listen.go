package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"slipway/internal/cli"
	"slipway/internal/vocab/signature"
	"slipway/internal/webhooks"
)

type listenCmd struct {
	ForwardTo string `required:"" help:"URL to send events to, such as http://localhost:3000/hook."`
	profileFlags
	Events []string `suggest:"events" help:"Only forward these event types, such as hull.*,deal.accepted."`
	From   string   `help:"Start after this event ID, or with the oldest event: start. Defaults to where the last run ended, or to now on the first run."`
	State  string   `type:"path" help:"Folder that stores where the last run ended. Defaults to a folder in your user configuration."`
}

// listenState is stored between two runs.
type listenState struct {
	Cursor string `json:"cursor"` // ID of the last event that was forwarded
	Secret string `json:"secret"`
}

const forwardTimeout = 10 * time.Second

// Run forwards events until it is interrupted.
func (c listenCmd) Run(s *session) error {
	l, err := c.open(s)
	if err != nil {
		return err
	}
	if err := l.begin(s); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "Forwarding events to %s\nSigning secret %s\n\n", c.ForwardTo, l.state.Secret); err != nil {
		return err
	}

	news := l.server.Watch(s)
	for s.Err() == nil {
		more, err := l.forwardSome(s)
		switch {
		case s.Err() != nil:
		case err != nil && isFinal(err):
			return err
		case err != nil:
			l.waitToRetry(s, err)
		case !more:
			l.failures = 0
			<-news
		}
	}
	return nil
}

// isFinal reports whether the server has rejected the request. Other errors are temporary,
// also those of the URL that events are forwarded to.
func isFinal(err error) bool {
	_, ok := errors.AsType[*cli.Error](err)
	return ok && !cli.IsTemporary(err)
}

// listener forwards the events of an environment.
type listener struct {
	listenCmd
	server   client
	file     string
	state    listenState
	secret   signature.Secret
	local    *http.Client
	out      io.Writer
	color    bool
	failures int
}

func (c listenCmd) open(s *session) (*listener, error) {
	folder := c.State
	if folder == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(config, "slipway", "listen")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}

	server, err := s.connect(c.Profile)
	if err != nil {
		return nil, err
	}
	name := sha256.Sum256([]byte(server.Base + " " + server.Key))
	l := &listener{
		listenCmd: c, server: server, file: filepath.Join(folder, hex.EncodeToString(name[:8])+".json"),
		local: &http.Client{Timeout: forwardTimeout}, out: s.out, color: useColor(s.out),
	}

	text, err := os.ReadFile(l.file)
	if err == nil {
		err = json.Unmarshal(text, &l.state)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if l.state.Secret == "" {
		l.state.Secret = signature.NewSecret().Text()
	}
	l.secret, err = signature.ParseSecret(l.state.Secret)
	return l, err
}

// begin sets the event to start after.
func (l *listener) begin(ctx context.Context) (err error) {
	if err := l.server.checkReadable(ctx, l.Events); err != nil {
		return err
	}
	if l.From != "" || l.state.Cursor == "" {
		if l.state.Cursor, err = l.server.start(ctx, l.From); err != nil {
			return err
		}
	}
	return l.save()
}

// forwardSome forwards the events since the last one that was forwarded, oldest
// first.
func (l *listener) forwardSome(ctx context.Context) (more bool, err error) {
	found, more, err := l.server.events(ctx, url.Values{"ending_before": {l.state.Cursor}, "limit": {"100"}})
	if err != nil {
		return false, err
	}
	for _, e := range slices.Backward(found) {
		line := ""
		if l.matches(e.Type) {
			if line, err = l.forward(ctx, e); err != nil {
				return false, err
			}
		}
		l.state.Cursor = e.ID
		if err := l.save(); err != nil {
			return false, err
		}
		if _, err := io.WriteString(l.out, line); err != nil {
			return false, err
		}
	}
	return more, nil
}

func (l *listener) matches(name string) bool {
	return len(l.Events) == 0 || slices.ContainsFunc(l.Events, func(p string) bool { return webhooks.Matches(p, name) })
}

// forward posts an event as a webhook receives it, and returns the line to
// print. Any response counts as forwarded, even an error. If there is no
// response, it returns an error.
func (l *listener) forward(ctx context.Context, e event) (string, error) {
	now := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.ForwardTo, bytes.NewReader(e.raw))
	if err != nil {
		return "", err
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Webhook-Id": {e.ID}, "Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {signature.Sign(l.secret.Key, e.ID, now, e.raw)},
	}
	res, err := l.local.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()

	color := "32" // green
	if res.StatusCode >= 300 {
		color = "31" // red
	}
	status := l.paint(color, strconv.Itoa(res.StatusCode))
	return fmt.Sprintf("%s  %s  %-24s %s\n", now.Format(time.TimeOnly), status, e.Type, l.paint("2", e.ID)), nil
}

// waitToRetry prints the error, and waits longer after each failure.
func (l *listener) waitToRetry(ctx context.Context, err error) {
	if l.failures == 0 {
		_, _ = fmt.Fprintf(l.out, "%s  %v. Retrying.\n", l.paint("33", "waiting"), err) // the terminal might be closed
	}
	l.failures++
	sleep(ctx, retryDelay(l.failures))
}

// save stores the state. The file is replaced with a rename, so that it is
// complete after a crash.
func (l *listener) save() error {
	text, err := json.Marshal(l.state)
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(l.file+".new", l.file)
}

func (l *listener) paint(color, text string) string {
	if !l.color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
