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
	"strings"
	"time"

	"slipway/internal/vocab/id"
	"slipway/internal/webhooks"
)

type listenCmd struct {
	ForwardTo string   `required:"" help:"Where events are posted to, such as http://localhost:3000/hook."`
	Key       string   `required:"" env:"SLIPWAY_KEY" help:"An API key with the webhooks scope."`
	Events    []string `help:"Only these types, such as hull.*,deal.accepted."`
	From      string   `help:"Start after this event, or with all that are kept: start. Without it, where the last listen ended; the first time, now."`
	State     string   `type:"path" help:"Folder that remembers where listen ended. Without it, in your configuration folder."`
}

// listenState is what is remembered between two runs.
type listenState struct {
	Cursor string `json:"cursor"` // the last event that was acknowledged
	Secret string `json:"secret"`
}

const (
	pollEvents  = 500 * time.Millisecond
	forwardIn   = 10 * time.Second
	retryAtMost = 30 * time.Second
)

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
	for s.Err() == nil {
		more, err := l.forwardSome(s)
		switch {
		case s.Err() != nil:
		case errors.Is(err, errRefused):
			return err
		case err != nil:
			l.pause(s, err)
		case !more:
			l.failures = 0
			sleep(s, pollEvents)
		}
	}
	return nil
}

// listener forwards an environment's events to a developer's machine.
type listener struct {
	listenCmd
	base     string
	file     string
	state    listenState
	secret   webhooks.Secret
	client   *http.Client
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
	base := strings.TrimSuffix(s.settings.BaseURL, "/")
	name := sha256.Sum256([]byte(base + " " + c.Key))
	l := &listener{
		listenCmd: c, base: base, file: filepath.Join(folder, hex.EncodeToString(name[:8])+".json"),
		client: &http.Client{Timeout: forwardIn}, out: s.out, color: isTerminal(s.out),
	}
	text, err := os.ReadFile(l.file)
	if err == nil {
		err = json.Unmarshal(text, &l.state)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if l.state.Secret == "" {
		l.state.Secret = webhooks.NewSecret().Text()
	}
	l.secret, err = webhooks.ParseSecret(l.state.Secret)
	return l, err
}

// begin finds the place to start from.
func (l *listener) begin(ctx context.Context) error {
	switch {
	case l.From == "start":
		l.state.Cursor = id.Floor("evt", time.Time{})
	case l.From != "":
		l.state.Cursor = l.From
	case l.state.Cursor == "":
		newest, _, err := l.page(ctx, url.Values{"limit": {"1"}})
		if err != nil {
			return err
		}
		l.state.Cursor = id.Floor("evt", time.Time{})
		if len(newest) > 0 {
			l.state.Cursor = newest[0].ID
		}
	}
	return l.remember()
}

// event is one of the list, with the bytes that a webhook would get.
type event struct {
	ID, Type string
	raw      []byte
}

// errRefused is an answer that does not change by asking again.
var errRefused = errors.New("the service refuses")

// page asks for events; the newest come first.
func (l *listener) page(ctx context.Context, query url.Values) (found []event, more bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.base+"/v1/events?"+query.Encode(), nil)
	if err != nil {
		return nil, false, err
	}
	req.Header.Set("Authorization", "Bearer "+l.Key)
	res, err := l.client.Do(req)
	if err != nil {
		return nil, false, err
	}
	defer res.Body.Close()
	var list struct {
		Data    []json.RawMessage
		HasMore bool `json:"has_more"`
		Error   struct{ Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		return nil, false, err
	}
	if res.StatusCode != http.StatusOK {
		err := fmt.Errorf("%s: %s", res.Status, list.Error.Message)
		if res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests {
			err = fmt.Errorf("%w: %w", errRefused, err)
		}
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

// forwardSome forwards what has happened since the last event that was
// acknowledged, oldest first.
func (l *listener) forwardSome(ctx context.Context) (more bool, err error) {
	found, more, err := l.page(ctx, url.Values{"ending_before": {l.state.Cursor}, "limit": {"100"}})
	if err != nil {
		return false, err
	}
	for _, e := range slices.Backward(found) {
		line := ""
		if l.wants(e.Type) {
			if line, err = l.forward(ctx, e); err != nil {
				return false, err
			}
		}
		l.state.Cursor = e.ID
		if err := l.remember(); err != nil {
			return false, err
		}
		if _, err := io.WriteString(l.out, line); err != nil {
			return false, err
		}
	}
	return more, nil
}

func (l *listener) wants(name string) bool {
	return len(l.Events) == 0 || slices.ContainsFunc(l.Events, func(p string) bool { return webhooks.Matches(p, name) })
}

// forward posts an event as a webhook would get it. An answer of any kind
// acknowledges it: it is the developer's to look at. No answer does not. It
// returns the line to print.
func (l *listener) forward(ctx context.Context, e event) (string, error) {
	now := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.ForwardTo, bytes.NewReader(e.raw))
	if err != nil {
		return "", err
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Webhook-Id": {e.ID}, "Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {webhooks.Sign([]webhooks.Secret{l.secret}, e.ID, now, e.raw)},
	}
	res, err := l.client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	color := "32" // green
	if res.StatusCode >= 300 {
		color = "31" // red
	}
	return fmt.Sprintf("%s  %s  %-24s %s\n", now.Format(time.TimeOnly), l.paint(color, strconv.Itoa(res.StatusCode)), e.Type, l.paint("2", e.ID)), nil
}

// pause tells why nothing moves, and waits a little longer every time.
func (l *listener) pause(ctx context.Context, err error) {
	if l.failures == 0 {
		_, _ = fmt.Fprintf(l.out, "%s  %v; trying again\n", l.paint("33", "waiting"), err) // a terminal that is gone ends us by itself
	}
	l.failures++
	sleep(ctx, min(retryAtMost, pollEvents<<min(l.failures, 6)))
}

// remember writes down where to go on, in a way that survives a crash.
func (l *listener) remember() error {
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

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
