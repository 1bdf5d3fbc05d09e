package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"slipway/internal/cli"
)

type logsCmd struct {
	Tail logsTailCmd `cmd:"" help:"Print the API requests of a server as they happen: writes, and requests that failed."`
}

type logsTailCmd struct {
	Key       string `env:"SLIPWAY_KEY" help:"API key with the admin scope. Defaults to the key of the profile."`
	Profile   string `help:"Profile with the server and the API key. Defaults to SLIPWAY_PROFILE or the current one."`
	Status    string `help:"Only this status, such as 422, or this class of statuses, such as 4xx."`
	Method    string `help:"Only this method."`
	Operation string `help:"Only this operation, such as createHull."`
	Actor     string `help:"Only requests of this key, user or app, by its ID."`
	JSON      bool   `name:"json" help:"Print each request as a line of JSON."`
}

// pollLogs is how often the request log is read.
const pollLogs = 500 * time.Millisecond

// logEntry is a request of the list, with its JSON.
type logEntry struct {
	ID, Method, Path string
	Status           int
	DurationMS       float64   `json:"duration_ms"`
	CreatedAt        time.Time `json:"created_at"`
	Actor            struct{ Label string }
	Error            *struct{ Message string }
	raw              []byte
}

// Run prints requests until it is interrupted. The servers of an installation don't store
// requests in the order of their IDs, so it asks for the newest ones and skips those that
// it has seen.
func (c logsTailCmd) Run(s *session) error {
	from, err := s.connect(c.Key, c.Profile)
	if err != nil {
		return err
	}
	seen, started := map[string]bool{}, false
	for failures := 0; s.Err() == nil; sleep(s, pollLogs) {
		newest, err := c.newest(s, from)
		switch {
		case s.Err() != nil:
			return nil
		case err != nil && !cli.IsTemporary(err):
			return err
		case err != nil:
			if failures++; failures == 1 {
				s.log.Warn("can't read the request log, retrying", "err", err)
			}
			sleep(s, retryDelay(failures))
			continue
		}

		failures = 0
		current := map[string]bool{}
		for _, e := range slices.Backward(newest) {
			current[e.ID] = true
			if started && !seen[e.ID] {
				if err := c.print(s.out, e); err != nil {
					return err
				}
			}
		}
		seen, started = current, true
	}
	return nil
}

// newest requests the last entries that match.
func (c logsTailCmd) newest(s *session, from client) (found []logEntry, err error) {
	query := url.Values{"limit": {"100"}}
	for name, value := range map[string]string{"status": c.Status, "method": c.Method, "operation": c.Operation, "actor_id": c.Actor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var list struct{ Data []json.RawMessage }
	if err := from.Call(s, http.MethodGet, "/v2-preview/request_logs?"+query.Encode(), nil, &list); err != nil {
		return nil, err
	}
	for _, raw := range list.Data {
		e := logEntry{raw: raw}
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, nil
}

func (c logsTailCmd) print(w io.Writer, e logEntry) error {
	if c.JSON {
		_, err := fmt.Fprintf(w, "%s\n", e.raw)
		return err
	}
	message := ""
	if e.Error != nil {
		message = "  " + e.Error.Message
	}
	_, err := fmt.Fprintf(w, "%s  %d  %-6s %-40s %7.1f ms  %s  %s%s\n", e.CreatedAt.Local().Format(time.TimeOnly), e.Status, e.Method, e.Path,
		e.DurationMS, e.ID, e.Actor.Label, message)
	return err
}
