package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slipway/internal/testkit/assert"
	"strings"
	"testing"
)

// Client sends requests with one credential.
type Client struct {
	Key    string
	Header http.Header // sent with every request
	server *Server
}

// Response is a response with its body read.
type Response struct {
	*http.Response
	Bytes []byte
}

// As returns a client with a credential. It sends none for "".
func (s *Server) As(key string) *Client { return &Client{Key: key, Header: http.Header{}, server: s} }

// With returns a client that sends one more header.
func (c *Client) With(name, value string) *Client {
	d := &Client{c.Key, c.Header.Clone(), c.server}
	d.Header.Set(name, value)
	return d
}

// File is a request body that is not JSON.
type File struct {
	Type  string
	Bytes []byte
}

// Send sends a request. A string or a File is sent unchanged, other bodies are
// sent as JSON. Nil sends no body.
func (c *Client) Send(method, path string, body any) (*Response, error) {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case File:
		reader = bytes.NewReader(b.Bytes)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		reader = bytes.NewReader(text)
	}

	req, err := http.NewRequest(method, c.server.URL+path, reader) //nolint:noctx // ends with the server
	if err != nil {
		return nil, err
	}
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if f, ok := body.(File); ok {
		req.Header.Set("Content-Type", f.Type)
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}

	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") { // it doesn't end
		return &Response{res, nil}, nil
	}
	text, err := io.ReadAll(res.Body)
	return &Response{res, text}, err
}

// Do sends a request and decodes the response into out, unless out is nil. It
// stops the test if the status is not the wanted one, and reports a failure if
// the body doesn't match the schema.
func (c *Client) Do(method, path string, body any, want int, out any) *Response {
	t := c.server.t
	t.Helper()
	res, err := c.Send(method, path, body)
	check(t, err)
	if res.StatusCode != want {
		t.Fatalf("%s %s: got status %d, want %d\n%s", method, path, res.StatusCode, want, res.Bytes)
	}
	checkContract(t, method, path, res)
	if out != nil {
		decode(t, res.Bytes, out)
	}
	return res
}

// Get sends a GET request.
func (c *Client) Get(path string, want int, out any) *Response {
	c.server.t.Helper()
	return c.Do(http.MethodGet, path, nil, want, out)
}

// Post sends a POST request.
func (c *Client) Post(path string, body any, want int, out any) *Response {
	c.server.t.Helper()
	return c.Do(http.MethodPost, path, body, want, out)
}

// Patch sends a PATCH request.
func (c *Client) Patch(path string, body any, want int, out any) *Response {
	c.server.t.Helper()
	return c.Do(http.MethodPatch, path, body, want, out)
}

// Put sends a PUT request.
func (c *Client) Put(path string, body any, want int, out any) *Response {
	c.server.t.Helper()
	return c.Do(http.MethodPut, path, body, want, out)
}

// Delete sends a DELETE request.
func (c *Client) Delete(path string, want int) *Response {
	c.server.t.Helper()
	return c.Do(http.MethodDelete, path, nil, want, nil)
}

// String returns the status and the body, for failure messages.
func (r *Response) String() string { return fmt.Sprintf("%d %s", r.StatusCode, r.Bytes) }

// Fault returns the error of a response.
func (r *Response) Fault(t *testing.T) Fault {
	t.Helper()
	var e struct{ Error Fault }
	decode(t, r.Bytes, &e)
	return e.Error
}

// Fault is an error as clients see it.
type Fault struct {
	Status    int
	Code      string
	Message   string
	RequestID string `json:"request_id"`
	Details   []struct{ Field, Code, Message string }
	DocURL    string `json:"doc_url"`
}

// WantDetail reports a failure unless the error of a response has a detail with
// this field and code. The test continues.
func (r *Response) WantDetail(t *testing.T, field, code string, what ...any) {
	t.Helper()
	r.Fault(t).WantDetail(t, field, code, what...)
}

// WantDetail reports a failure unless an error has a detail with this field and
// code. The test continues.
func (f Fault) WantDetail(t *testing.T, field, code string, what ...any) {
	t.Helper()
	if !f.HasDetail(field, code) {
		t.Errorf("%sgot the error %s, want a detail with the field %q and the code %q", assert.Describe(what), assert.Show(f), field, code)
	}
}

// HasDetail reports whether a detail has this field and code.
func (f Fault) HasDetail(field, code string) bool {
	for _, d := range f.Details {
		if d.Field == field && d.Code == code {
			return true
		}
	}
	return false
}

func decode(t *testing.T, text []byte, out any) {
	t.Helper()
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
}
