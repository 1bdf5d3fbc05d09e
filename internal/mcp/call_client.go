package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/version"
)

// Caller is who the tools call the API for, and how.
type Caller struct {
	send    func(ctx context.Context, method, target string, header http.Header, body []byte) (rest.Answer, error)
	scopes  []auth.Scope
	write   bool // offers tools that write
	userID  string
	catalog *catalog
}

func (c *Caller) can(rule auth.Rule) bool { return rule.Allows(c.scopes) }

// maxResponse limits how much of a response is read.
const maxResponse = 4 << 20

// Remote returns a caller with an API key of a server. Without write, it only reads.
func Remote(ctx context.Context, baseURL, key string, write bool) (*Caller, error) {
	base := strings.TrimSuffix(baseURL, "/")
	client := &http.Client{Timeout: 30 * time.Second}
	c := &Caller{write: write, catalog: &catalog{}}
	c.send = func(ctx context.Context, method, target string, header http.Header, body []byte) (a rest.Answer, err error) {
		req, err := http.NewRequestWithContext(ctx, method, base+target, bytes.NewReader(body))
		if err != nil {
			return a, err
		}
		req.Header = header
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("User-Agent", "slipway-mcp")
		if body != nil {
			req.Header.Set("Content-Type", "application/json")
		}
		res, err := client.Do(req)
		if err != nil {
			return a, err
		}
		defer res.Body.Close()
		a = rest.Answer{Status: res.StatusCode, Header: res.Header}
		a.Body, err = io.ReadAll(io.LimitReader(res.Body, maxResponse))
		return a, err
	}
	var me struct {
		Scopes []auth.Scope
		UserID *string `json:"user_id"`
	}
	if err := c.get(ctx, "/v1/me", nil, &me); err != nil {
		return nil, err
	}
	c.scopes = me.Scopes
	if me.UserID != nil {
		c.userID = *me.UserID
	}
	return c, nil
}

// inProcess returns a caller that was authenticated, for tools that run in a request to this
// server. Its requests are handled like those of other clients: with limits, checks and logs.
func inProcess(router *rest.Router, p auth.Principal, all *catalog) *Caller {
	c := &Caller{scopes: p.Scopes, userID: firstOf(p.UserID, p.InstalledBy), catalog: all}
	c.write = c.can(writeAny)
	c.send = func(ctx context.Context, method, target string, header http.Header, body []byte) (rest.Answer, error) {
		header.Set("X-Client-Request-Id", auth.RequestFrom(ctx).ID)
		return router.CallLimited(ctx, p, rest.Inner{Method: method, Target: target, Header: header, Body: body})
	}
	return c
}

// apiError is an error that the API returned.
type apiError struct {
	Code      string
	Message   string
	RequestID string `json:"request_id"`
	Details   []struct{ Field, Code, Message string }
}

// Error returns what a model needs to correct the call.
func (e *apiError) Error() string {
	message := line(e.Message, 500)
	for i, d := range e.Details {
		if i == 5 {
			break
		}
		message += fmt.Sprintf(" %s: %s.", plain(d.Field), line(d.Message, 300))
	}
	return fmt.Sprintf("%s (%s, request %s)", message, plain(e.Code), plain(e.RequestID))
}

func (c *Caller) get(ctx context.Context, path string, query url.Values, out any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, http.MethodGet, path, nil, out)
}

func (c *Caller) do(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	answer, err := c.send(ctx, method, path, http.Header{"Service-Version": {version.Latest()}}, body)
	if err != nil {
		return errors.New("the server can't be reached; try again later")
	}

	if answer.Status >= 300 {
		var failed struct{ Error apiError }
		if json.Unmarshal(answer.Body, &failed) != nil || failed.Error.Message == "" {
			failed.Error = apiError{Code: "server_error", Message: http.StatusText(answer.Status), RequestID: answer.Header.Get("Request-Id")}
		}
		return &failed.Error
	}
	if out == nil || len(answer.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return errors.New("the server returned a response that this tool can't read")
	}
	return nil
}

// page is a list of the API.
type page[T any] struct {
	Data    []T
	HasMore bool `json:"has_more"`
}

// params returns a query without empty values.
func params(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" && pairs[i+1] != "0" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}
