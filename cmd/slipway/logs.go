package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"slipway/internal/cli"
)

type logsCmd struct {
	Tail logsTailCmd `cmd:"" help:"Print the API requests of a server as they happen: writes, and requests that failed."`
}

type logsTailCmd struct {
	Profile   string `help:"Profile with the server and an API key with the admin scope. Defaults to the key in SLIPWAY_KEY, SLIPWAY_PROFILE or the current profile."`
	Status    string `help:"Only this status, such as 422, or this class of statuses, such as 4xx."`
	Method    string `help:"Only this method."`
	Operation string `help:"Only this operation, such as createHull."`
	Key       string `help:"Only requests of this API key, by its name or ID."`
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
	if strings.HasPrefix(c.Key, "sk_") {
		return &cli.UsageError{Text: "--key is the name of a key. " + cli.KeyHint, Command: "slipway logs tail"}
	}
	from, err := s.connect(c.Profile)
	if err != nil {
		return err
	}
	if c.Key != "" {
		if c.Actor, err = from.FindID(s, "key_id", c.Key); err != nil {
			return err
		}
	}

	var last logPage
	for failures := 0; s.Err() == nil; sleep(s, pollLogs) {
		next, err := c.newest(s, from, last)
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
		for _, e := range slices.Backward(next.entries) {
			if last.started && !last.seen[e.ID] {
				if err := c.print(s.out, e); err != nil {
					return err
				}
			}
		}
		last = next
	}
	return nil
}

// logPage is the newest entries, down to those that were read before.
type logPage struct {
	entries []logEntry // newest first
	seen    map[string]bool
	started bool
}

// oldest returns the ID where the page ends, "" if it has no entries.
func (p logPage) oldest() string {
	if len(p.entries) == 0 {
		return ""
	}
	return p.entries[len(p.entries)-1].ID
}

// newest requests the entries that match: the first page, and more until those that were
// read last time.
func (c logsTailCmd) newest(s *session, from client, last logPage) (found logPage, err error) {
	query := url.Values{"limit": {"100"}}
	for name, value := range map[string]string{"status": c.Status, "method": c.Method, "operation": c.Operation, "actor_id": c.Actor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	found = logPage{seen: map[string]bool{}, started: true}
	for {
		var list struct {
			Data       []json.RawMessage
			HasMore    bool   `json:"has_more"`
			NextCursor string `json:"next_cursor"`
		}
		if err := from.Call(s, http.MethodGet, "/v2-preview/request_logs?"+query.Encode(), nil, &list); err != nil {
			return found, err
		}
		for _, raw := range list.Data {
			e := logEntry{raw: raw}
			if err := json.Unmarshal(raw, &e); err != nil {
				return found, err
			}
			if e.ID < last.oldest() { // IDs contain the time
				return found, nil
			}
			found.entries = append(found.entries, e)
			found.seen[e.ID] = true
		}
		if !last.started || !list.HasMore || last.seen[found.oldest()] {
			return found, nil
		}
		query.Set("starting_after", list.NextCursor)
	}
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
