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

	"slipway/internal/access"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/version"
)

// Caller is who the tools call the API for, and how.
type Caller struct {
	send    func(*http.Request) (*http.Response, error)
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
	base, err := url.Parse(strings.TrimSuffix(baseURL, "/"))
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: 30 * time.Second}
	c := &Caller{write: write, catalog: &catalog{}, send: func(req *http.Request) (*http.Response, error) {
		req.URL.Scheme, req.URL.Host, req.URL.Path = base.Scheme, base.Host, base.Path+req.URL.Path
		req.Host = ""
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("User-Agent", "slipway-mcp")
		return client.Do(req)
	}}
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
func inProcess(router http.Handler, outer *http.Request, p auth.Principal, all *catalog) *Caller {
	c := &Caller{scopes: p.Scopes, userID: firstOf(p.UserID, p.InstalledBy), catalog: all}
	c.write = c.can(writeAny)
	c.send = func(req *http.Request) (res *http.Response, err error) {
		// The values in the context belong to the outer request.
		ctx, cancel := context.WithCancel(access.WithCaller(context.Background(), p))
		defer cancel()
		defer context.AfterFunc(req.Context(), cancel)()
		req = req.WithContext(ctx) //nolint:contextcheck // see above
		req.RemoteAddr = outer.RemoteAddr
		for _, name := range []string{"X-Forwarded-For", "User-Agent", "Traceparent"} {
			req.Header[name] = outer.Header[name]
		}
		req.Header.Set("X-Client-Request-Id", auth.RequestFrom(outer.Context()).ID) //nolint:contextcheck // of the outer request
		req.Header.Set("Authorization", "Bearer mcp-"+p.OriginalID)                 // the limits distinguish callers by it

		w := &recorder{status: http.StatusOK, header: http.Header{}}
		defer func() {
			if recover() != nil { // the router interrupts a response that failed
				err = errors.New("the response was interrupted")
			}
		}()
		router.ServeHTTP(w, req)
		return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body)}, nil
	}
	return c
}

// recorder collects a response.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) { w.status = status }

func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

// apiError is an error that the API returned.
type apiError struct {
	Status    int
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
	return c.do(ctx, http.MethodGet, path, query, nil, out)
}

func (c *Caller) do(ctx context.Context, method, path string, query url.Values, in, out any) error {
	content := []byte{}
	if in != nil {
		var err error
		if content, err = json.Marshal(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://slipway"+path, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("the path %s is not valid", plain(path))
	}
	req.URL.RawQuery = query.Encode()
	req.Header.Set("Service-Version", version.Latest())
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.send(req)
	if err != nil {
		return errors.New("the server can't be reached; try again later")
	}
	defer res.Body.Close()
	content, err = io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return errors.New("the response is incomplete; try again later")
	}

	if res.StatusCode >= 300 {
		var failed struct{ Error apiError }
		if json.Unmarshal(content, &failed) != nil || failed.Error.Message == "" {
			failed.Error = apiError{Code: "server_error", Message: http.StatusText(res.StatusCode), RequestID: res.Header.Get("Request-Id")}
		}
		failed.Error.Status = res.StatusCode
		return &failed.Error
	}
	if out == nil || len(content) == 0 {
		return nil
	}
	if err := json.Unmarshal(content, out); err != nil {
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
