package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Client calls the API of a server. It retries what is safe to retry, as the SDKs do.
type Client struct {
	Base, Key string
	HTTP      *http.Client
	Sleep     func(ctx context.Context, d time.Duration) error // for tests

	streaming atomic.Bool // a stream of events is open
}

// NewClient returns a client of a server.
func NewClient(base, key string) *Client {
	return &Client{Base: strings.TrimSuffix(base, "/"), Key: key, HTTP: &http.Client{}, Sleep: sleep}
}

// IsLive reports whether the key belongs to a live environment.
func (c *Client) IsLive() bool { return strings.Contains(c.Key, "_live_") }

// Request is a request to the API.
type Request struct {
	Verb, Path string
	Query      url.Values
	Header     http.Header
	JSON       []byte
	File       io.ReadSeeker // instead of JSON
	Size       int64         // of the file
	Stream     bool          // the caller reads the body
}

// Response is a response of the API.
type Response struct {
	Status int
	Header http.Header
	Text   []byte
	Body   io.ReadCloser // if the request is a stream
}

const (
	maxRetries     = 3
	maxRetryAfter  = time.Minute
	requestTimeout = 30 * time.Second
)

// Send sends a request until it succeeds or fails permanently. Each write has an
// Idempotency-Key, which its retries use again.
func (c *Client) Send(ctx context.Context, r Request) (*Response, error) {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if r.Verb != http.MethodGet && r.Verb != http.MethodDelete && r.Header.Get("Idempotency-Key") == "" {
		r.Header.Set("Idempotency-Key", uuid.NewString())
	}
	for attempt := 1; ; attempt++ {
		res, err := c.once(ctx, r)
		if err == nil {
			return res, nil
		}
		wait, again := retryIn(err, attempt)
		if !again || attempt > maxRetries || ctx.Err() != nil {
			return nil, err
		}
		if r.File != nil {
			if _, rewound := r.File.Seek(0, io.SeekStart); rewound != nil {
				return nil, err
			}
		}
		if stopped := c.Sleep(ctx, wait); stopped != nil {
			return nil, err
		}
	}
}

// Call sends a request with a JSON body, unless it is nil, and decodes the response.
func (c *Client) Call(ctx context.Context, verb, path string, in, out any) error {
	r := Request{Verb: verb, Path: path}
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		r.JSON = text
	}
	res, err := c.Send(ctx, r)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(res.Text, out)
}

func (c *Client) once(ctx context.Context, r Request) (*Response, error) {
	if !r.Stream && r.File == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestTimeout)
		defer cancel()
	}
	var body io.Reader
	switch {
	case r.File != nil:
		body = io.NopCloser(r.File) // an attempt must not close the file
	case r.JSON != nil:
		body = bytes.NewReader(r.JSON)
	}
	address := c.Base + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Verb, address, body)
	if err != nil {
		return nil, err
	}
	req.Header = r.Header.Clone()
	if r.File != nil {
		req.ContentLength = r.Size
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if r.JSON != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "slipway-cli")

	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, &noResponse{err}
	}
	out := &Response{Status: res.StatusCode, Header: res.Header, Body: res.Body}
	if r.Stream && res.StatusCode < 300 {
		return out, nil
	}
	defer res.Body.Close()
	if out.Text, err = io.ReadAll(res.Body); err != nil {
		return nil, &noResponse{err}
	}
	if res.StatusCode >= 300 {
		return nil, parseError(res, out.Text)
	}
	return out, nil
}

// Error is an error response of the server.
type Error struct {
	Status    int
	Code      string
	Message   string
	RequestID string `json:"request_id"`
	Details   []struct{ Field, Message string }

	retryAfter time.Duration
}

// Error returns the message, the fields and the request ID.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	for _, d := range e.Details {
		if line := d.Field + " " + d.Message; d.Field != "" && !strings.Contains(e.Message, line) {
			b.WriteString("\n  " + line)
		}
	}
	fmt.Fprintf(&b, "\n  %d %s", e.Status, e.Code)
	if e.RequestID != "" {
		b.WriteString(", request " + e.RequestID)
	}
	return b.String()
}

// noResponse means that there is no complete response.
type noResponse struct{ err error }

func (e *noResponse) Error() string {
	return fmt.Sprintf("can't reach the server; check --base-url: %v", e.err)
}
func (e *noResponse) Unwrap() error { return e.err }

// parseError returns the error of a response. A proxy might have sent something else.
func parseError(res *http.Response, text []byte) *Error {
	var envelope struct{ Error Error }
	if json.Unmarshal(text, &envelope) != nil || envelope.Error.Code == "" {
		envelope.Error = Error{Code: "server_error", Message: "The response is not from Slipway: " + res.Status,
			RequestID: res.Header.Get("Request-Id")}
	}
	e := envelope.Error
	e.Status = res.StatusCode
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		e.retryAfter = time.Duration(seconds) * time.Second
	}
	return &e
}

// IsTemporary reports whether the same request can succeed later.
func IsTemporary(err error) bool {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status == http.StatusTooManyRequests || e.Status >= 500 || e.Status == http.StatusConflict && e.retryAfter > 0
	}
	_, lost := errors.AsType[*noResponse](err)
	return lost
}

// retryIn returns how long to wait before the next attempt: the time in Retry-After, or
// between half and all of 0.5, 1 and 2 seconds.
func retryIn(err error, attempt int) (time.Duration, bool) {
	if !IsTemporary(err) {
		return 0, false
	}
	if e, ok := errors.AsType[*Error](err); ok && e.retryAfter > 0 {
		return e.retryAfter, e.retryAfter <= maxRetryAfter
	}
	most := 500 * time.Millisecond << (attempt - 1)
	n, err := rand.Int(rand.Reader, big.NewInt(int64(most/2)))
	if err != nil {
		return most, true
	}
	return most/2 + time.Duration(n.Int64()), true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
