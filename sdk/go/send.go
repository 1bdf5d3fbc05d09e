package slipway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// request is a call of an operation.
type request struct {
	verb   string
	path   string   // with names in braces
	ids    []string // values of the names
	query  any      // struct with url tags
	body   any      // sent as JSON
	file   *File    // sent as it is
	accept string   // media type of the response, if the operation has several
	list   bool     // the response is a page, which is kept
}

// call sends a request and decodes the response.
func call[T any](ctx context.Context, c *Client, r request, opts []RequestOption) (*T, error) {
	res, text, err := c.send(ctx, r, newRequestOptions(opts), false)
	if err != nil {
		return nil, err
	}
	if !json.Valid(text) {
		return nil, parseError(res, text, time.Now())
	}
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		return nil, fmt.Errorf("slipway: %s %s: decode the response: %w", r.verb, r.path, err)
	}
	return out, nil
}

// execute sends a request whose response is empty.
func execute(ctx context.Context, c *Client, r request, opts []RequestOption) error {
	_, _, err := c.send(ctx, r, newRequestOptions(opts), false)
	return err
}

// download sends a request and returns the body of the response. The caller closes it.
func download(ctx context.Context, c *Client, r request, opts []RequestOption) (io.ReadCloser, error) {
	res, _, err := c.send(ctx, r, newRequestOptions(opts), true)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// send sends a request until it succeeds or fails permanently. It returns the body of the
// response, or leaves it in the response if stream is true.
func (c *Client) send(ctx context.Context, r request, o requestOptions, stream bool) (res *http.Response, text []byte, err error) {
	p, err := c.prepare(r, o)
	if err != nil {
		return nil, nil, err
	}
	p.stream = stream
	err = c.retries.do(ctx, func(attempt int) error {
		res, text, err = c.attempt(ctx, p, attempt)
		return err
	}, func() bool { return p.upload == nil || p.upload.rewind() })
	if err != nil {
		return nil, nil, err
	}
	if o.response != nil {
		*o.response = res
	}
	return res, text, nil
}

// prepared is a request whose attempts are the same.
type prepared struct {
	request
	url     string
	header  http.Header
	timeout time.Duration
	json    []byte
	upload  *upload
	stream  bool
}

func (c *Client) prepare(r request, o requestOptions) (*prepared, error) {
	p := &prepared{request: r, header: c.header.Clone(), timeout: c.timeout}
	path, err := fill(r.path, r.ids)
	if err != nil {
		return nil, fmt.Errorf("slipway: %s %s: %w", r.verb, r.path, err)
	}
	p.url = c.base + path
	if q := encodeQuery(r.query); len(q) > 0 {
		p.url += "?" + q.Encode()
	}

	if r.accept != "" {
		p.header.Set("Accept", r.accept)
	}
	if r.verb != http.MethodGet && r.verb != http.MethodDelete {
		p.header.Set("Idempotency-Key", newUUID())
	}
	switch {
	case r.file != nil:
		p.upload, p.timeout = newUpload(*r.file), 0
		p.header.Set("Content-Type", r.file.ContentType)
	case r.body != nil:
		if p.json, err = json.Marshal(r.body); err != nil {
			return nil, fmt.Errorf("slipway: %s %s: encode the request: %w", r.verb, r.path, err)
		}
		if string(p.json) == "null" { // an optional body
			p.json = nil
			break
		}
		p.header.Set("Content-Type", "application/json")
	}
	for name, values := range o.header {
		p.header[name] = values
	}
	if o.timeout != nil {
		p.timeout = *o.timeout
	}
	return p, nil
}

// errTimeout is the cause if an attempt takes too long.
var errTimeout = errors.New("the server didn't respond in time")

// attempt sends a request once.
func (c *Client) attempt(ctx context.Context, p *prepared, number int) (res *http.Response, text []byte, err error) {
	token, err := c.credential(ctx)
	if err != nil {
		return nil, nil, &credentialError{err}
	}
	info := RequestInfo{p.verb, p.path, number, p.header.Get("Idempotency-Key")}
	c.onRequest(info)
	start := time.Now()
	defer func() {
		end := ResponseInfo{RequestInfo: info, Duration: time.Since(start), Err: err}
		if res != nil {
			end.Status, end.RequestID = res.StatusCode, res.Header.Get("Request-Id")
		}
		c.onResponse(end)
	}()

	ctx, cancel := context.WithCancelCause(ctx)
	if p.timeout > 0 {
		timer := time.AfterFunc(p.timeout, func() { cancel(errTimeout) })
		defer timer.Stop()
	}
	res, text, err = c.roundTrip(ctx, p, token)
	if err == nil && p.stream {
		res.Body = &streamBody{res.Body, cancel}
		return res, nil, nil
	}
	var lost *noResponse
	if cause := context.Cause(ctx); cause != nil && errors.As(err, &lost) {
		lost.err = cause
	}
	cancel(nil)
	return res, text, err
}

// roundTrip sends a request and reads the response, unless it is a stream.
func (c *Client) roundTrip(ctx context.Context, p *prepared, token string) (*http.Response, []byte, error) {
	var body io.Reader
	switch {
	case p.upload != nil:
		body = p.upload.open()
	case p.json != nil:
		body = bytes.NewReader(p.json)
	}
	req, err := http.NewRequestWithContext(ctx, p.verb, p.url, body)
	if err != nil {
		return nil, nil, err
	}
	if p.upload != nil {
		req.ContentLength = p.upload.size
	}
	req.Header = p.header.Clone()
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	var kept keptPage
	if p.list {
		if kept = c.pages.get(p.url); kept.tag != "" {
			req.Header.Set("If-None-Match", kept.tag)
		}
	}

	res, err := c.http.Do(req)
	if err != nil {
		return nil, nil, &noResponse{p.verb, p.path, err}
	}
	if p.stream && res.StatusCode < 300 {
		return res, nil, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return res, nil, &noResponse{p.verb, p.path, err}
	}
	if kept.tag != "" && res.StatusCode == http.StatusNotModified {
		return res, kept.text, nil
	}
	if res.StatusCode >= 300 {
		return res, nil, parseError(res, text, time.Now())
	}
	if p.list {
		c.pages.keep(p.url, keptPage{res.Header.Get("ETag"), text})
	}
	return res, text, nil
}

// streamBody ends the request when the caller closes the body.
type streamBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *streamBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// fill replaces the names in a path. An empty ID would address another resource.
func fill(path string, ids []string) (string, error) {
	for _, id := range ids {
		before, rest, _ := strings.Cut(path, "{")
		name, after, _ := strings.Cut(rest, "}")
		if strings.Trim(id, ".") == "" {
			return "", fmt.Errorf("%s is %q", name, id)
		}
		path = before + url.PathEscape(id) + after
	}
	return path, nil
}

// encodeQuery returns the fields of a struct that are set.
func encodeQuery(params any) url.Values {
	q, ok := params.(url.Values)
	if ok {
		return q
	}
	q = url.Values{}
	if params == nil {
		return q
	}
	v := reflect.ValueOf(params)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			q.Set(v.Type().Field(i).Tag.Get("url"), encodeValue(f))
		}
	}
	return q
}

func encodeValue(v reflect.Value) string {
	if t, ok := v.Interface().(time.Time); ok {
		return t.UTC().Format(time.RFC3339Nano)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return encodeValue(v.Elem())
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = encodeValue(v.Index(i))
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v.Interface())
}

func quoteVersion(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }

func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) //nolint:errcheck // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
