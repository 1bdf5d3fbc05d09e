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
	"slipway/internal/vocab/signature"
	"slipway/internal/webhooks"
)

type listenCmd struct {
	ForwardTo string   `required:"" help:"URL to send events to, such as http://localhost:3000/hook."`
	Key       string   `required:"" env:"SLIPWAY_KEY" help:"API key with the webhooks scope and the scopes of the events."`
	Events    []string `help:"Only forward these event types, such as hull.*,deal.accepted."`
	From      string   `help:"Start after this event ID, or with the oldest event: start. Defaults to where the last run ended, or to now on the first run."`
	State     string   `type:"path" help:"Folder that stores where the last run ended. Defaults to a folder in your user configuration."`
}

// listenState is stored between two runs.
type listenState struct {
	Cursor string `json:"cursor"` // ID of the last event that was forwarded
	Secret string `json:"secret"`
}

const (
	pollEvents     = 500 * time.Millisecond
	forwardTimeout = 10 * time.Second
	maxRetryDelay  = 30 * time.Second
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
		case errors.Is(err, errRejected):
			return err
		case err != nil:
			l.waitToRetry(s, err)
		case !more:
			l.failures = 0
			sleep(s, pollEvents)
		}
	}
	return nil
}

// listener forwards the events of an environment.
type listener struct {
	listenCmd
	base     string
	file     string
	state    listenState
	secret   signature.Secret
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
		client: &http.Client{Timeout: forwardTimeout}, out: s.out, color: isTerminal(s.out),
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

// begin sets the event to start after. It fails if the key can't read the
// requested event types, because none of them would ever arrive.
func (l *listener) begin(ctx context.Context) error {
	for _, pattern := range l.Events {
		if _, _, err := l.page(ctx, url.Values{"type": {pattern}, "limit": {"1"}}); err != nil {
			return err
		}
	}

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
	return l.save()
}

// event is an event of the list, with the bytes that a webhook receives.
type event struct {
	ID, Type string
	raw      []byte
}

// errRejected is an error that a retry can't fix.
var errRejected = errors.New("the request was rejected")

// page requests a page of events, newest first.
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
			err = fmt.Errorf("%w: %w", errRejected, err)
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

// forwardSome forwards the events since the last one that was forwarded, oldest
// first.
func (l *listener) forwardSome(ctx context.Context) (more bool, err error) {
	found, more, err := l.page(ctx, url.Values{"ending_before": {l.state.Cursor}, "limit": {"100"}})
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
	res, err := l.client.Do(req)
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
	sleep(ctx, min(maxRetryDelay, pollEvents<<min(l.failures, 6)))
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
