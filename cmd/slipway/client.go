package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// keyFlag is the credential of commands that use the API of a server.
type keyFlag struct {
	Key string `required:"" env:"SLIPWAY_KEY" help:"API key with the webhooks scope and the scopes of the events."`
}

// client calls the API of a server.
type client struct {
	base, key string
	http      *http.Client
}

func (s *session) client(key string) client {
	return client{strings.TrimSuffix(s.settings.BaseURL, "/"), key, &http.Client{Timeout: 10 * time.Second}}
}

// errRejected is an error that a retry can't fix.
var errRejected = errors.New("the request was rejected")

// send sends a request with a JSON body, unless it is nil, and decodes the response.
func (c client) send(ctx context.Context, method, path string, in, out any) error {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, &body)
	if err != nil {
		return err
	}
	req.Header = http.Header{"Authorization": {"Bearer " + c.key}, "Content-Type": {"application/json"}}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("can't reach the server; check --base-url: %w", err)
	}
	defer res.Body.Close()

	if res.StatusCode < 300 {
		return json.NewDecoder(res.Body).Decode(out)
	}
	var failed struct{ Error struct{ Message string } }
	_ = json.NewDecoder(res.Body).Decode(&failed) // a proxy might send something else
	err = fmt.Errorf("%s: %s", res.Status, failed.Error.Message)
	if res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests {
		err = fmt.Errorf("%w: %w", errRejected, err)
	}
	return err
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
	if err := c.send(ctx, http.MethodGet, "/v1/events?"+query.Encode(), nil, &list); err != nil {
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
