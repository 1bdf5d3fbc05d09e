package rest

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// files is a feature that accepts a file and returns it.
type files struct{}

type taken struct {
	Type   string            `json:"type"`
	Text   string            `json:"text"`
	Fields map[string]string `json:"fields"`
	Mark   []byte            `json:"mark"`
}

type asIs struct{ *strings.Reader }

func (asIs) Close() error { return nil }

func (files) Mount(r *Router) {
	Raw(r, "POST", 200, Route{
		Path: "/files", ID: "takeFile", Needs: auth.AnyCredential,
		Summary: "Take",
		Accepts: Files{Most: 10, Types: []string{"text/plain"}, Fields: []string{"caption", "position"}},
	}, func(ctx context.Context, _ *struct{}) (taken, error) {
		body := Body(ctx)
		text, err := io.ReadAll(body)
		if err != nil {
			return taken{}, err
		}
		fields, err := body.Fields()
		return taken{body.Type, string(text), fields, exchangeFrom(ctx).fingerprint}, err
	})
	Raw(r, "GET", 200, Route{
		Path: "/files", ID: "giveFile", Needs: auth.AnyCredential,
		Summary:  "Give",
		Produces: []string{"text/plain"},
	}, func(context.Context, *struct{}) (*Content, error) {
		return &Content{Type: "text/plain", ETag: "abc", Name: "a.txt", Fresh: time.Minute, File: asIs{strings.NewReader("0123456789")}}, nil
	})
	Raw(r, "GET", 200, Route{
		Path: "/streams", ID: "stream", Needs: auth.AnyCredential,
		Summary:  "Stream",
		Produces: []string{"text/csv"},
	}, func(context.Context, *struct{}) (*Content, error) {
		return &Content{Type: "text/csv", ETag: "def", Stream: func(w io.Writer) error {
			_, err := io.WriteString(w, "a,b\n")
			return err
		}}, nil
	})
	Raw(r, "GET", 200, Route{
		Path: "/broken", ID: "broken", Needs: auth.AnyCredential,
		Summary:  "Break",
		Produces: []string{"text/csv"},
	}, func(context.Context, *struct{}) (*Content, error) {
		return &Content{Type: "text/csv", Stream: func(w io.Writer) error {
			_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
			return io.ErrUnexpectedEOF
		}}, nil
	})
}

func send(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	r := New(testRouter(newClock()).Config, files{})
	server := httptest.NewServer(r)
	defer server.Close()
	out := req.Clone(t.Context())
	var err error
	out.URL, err = out.URL.Parse(server.URL + req.URL.Path)
	if err != nil {
		t.Fatal(err)
	}
	out.RequestURI = ""
	out.Header.Set("Authorization", "Bearer live")
	res, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return res, err.Error()
	}
	return res, string(text)
}

// form builds a form from pairs; the value of "file" is the file.
func form(t *testing.T, boundary string, pairs ...string) *http.Request {
	t.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	if err := w.SetBoundary(boundary); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + pairs[i] + `"`}}
		part, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodPost, "/v1/files", &buf)
	req.Header.Set("Content-Type", w.FormDataContentType())
	return req
}

func raw(kind, body string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/v1/files", strings.NewReader(body))
	req.Header.Set("Content-Type", kind)
	return req
}

func TestUpload(t *testing.T) {
	tests := map[string]struct {
		req     *http.Request
		status  int
		message string
	}{
		"raw":            {raw("text/plain; charset=utf-8", "hello"), 200, `"text":"hello"`},
		"form":           {form(t, "b", "caption", "Bow", "file", "hello"), 200, `"fields":{"caption":"Bow"}`},
		"fields after":   {form(t, "b", "file", "hello", "caption", "Bow"), 200, `"fields":{"caption":"Bow"}`},
		"another type":   {raw("image/png", "hello"), 415, "text/plain"},
		"no type":        {raw("", "hello"), 415, "text/plain"},
		"too large":      {raw("text/plain", "hello world"), 413, "10 bytes"},
		"form too large": {form(t, "b", "file", "hello world"), 413, "10 bytes"},
		"far too large":  {raw("text/plain", strings.Repeat("x", 2<<20)), 413, "10 bytes"},
		"no file":        {form(t, "b", "caption", "Bow"), 400, `"field":"file","code":"required"`},
		"two files":      {form(t, "b", "file", "a", "file", "b"), 400, `"field":"file","code":"duplicate"`},
		"unknown field":  {form(t, "b", "color", "red", "file", "a"), 422, `"field":"color","code":"unknown_field"`},
		"unknown at end": {form(t, "b", "file", "a", "color", "red"), 422, `"field":"color","code":"unknown_field"`},
		"repeated field": {form(t, "b", "caption", "a", "caption", "b", "file", "a"), 400, `"field":"caption","code":"duplicate"`},
		"field not text": {form(t, "b", "caption", "\xff", "file", "a"), 422, `"field":"caption"`},
		"no boundary":    {raw("multipart/form-data", "hello"), 400, "boundary"},
		"broken form":    {raw("multipart/form-data; boundary=b", "--b\r\nhello"), 400, "could not be read"},
		"form cut in file": {raw("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhel"), 400,
			"could not be read"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if res, text := send(t, tt.req); res.StatusCode != tt.status || !strings.Contains(text, tt.message) {
				t.Errorf("got %d %s; want res.StatusCode = %v, text to contain %q", res.StatusCode, text, tt.status, tt.message)
			}
		})
	}
}

// A repeat is recognized by its content, not by the boundary, which differs.
func TestUploadFingerprint(t *testing.T) {
	mark := func(req *http.Request) string {
		_, text := send(t, req)
		_, mark, _ := strings.Cut(text, `"mark":`)
		return mark
	}
	first := mark(form(t, "one", "caption", "Bow", "file", "hello"))
	if first == "" || first != mark(form(t, "two", "file", "hello", "caption", "Bow")) {
		t.Error("the same form is another request")
	}
	for _, other := range []*http.Request{form(t, "one", "caption", "Aft", "file", "hello"),
		form(t, "one", "caption", "Bow", "file", "hallo")} {
		if first == mark(other) {
			t.Error("another form is the same request")
		}
	}
}

func TestContent(t *testing.T) {
	get := func(method, path string, header ...string) (*http.Response, string) {
		req := httptest.NewRequest(method, path, nil)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		return send(t, req)
	}
	res, text := get("GET", "/v1/files")
	assert.Equal(t, res.StatusCode, 200)
	assert.Equal(t, text, "0123456789")
	assert.Equal(t, res.Header.Get("ETag"), `"abc"`)
	assert.Equal(t, res.Header.Get("Cache-Control"), "private, max-age=60")
	assert.Equal(t, res.Header.Get("Content-Disposition"), `inline; filename=a.txt`)
	if res, text := get("GET", "/v1/files", "Range", "bytes=2-4"); res.StatusCode != 206 || text != "234" {
		t.Errorf(`got %v %q; want res.StatusCode = 206, text = "234"`, res.StatusCode, text)
	}
	for _, path := range []string{"/v1/files", "/v1/streams"} {
		if res, text := get("GET", path, "If-None-Match",
			map[string]string{"/v1/files": `"abc"`, "/v1/streams": `"def"`}[path]); res.StatusCode != 304 || text != "" {
			t.Errorf(`got %q %v %q; want res.StatusCode = 304, text = ""`, path, res.StatusCode, text)
		}
		if res, text := get("HEAD", path); res.StatusCode != 200 || text != "" {
			t.Errorf(`got %q %v %q; want res.StatusCode = 200, text = ""`, path, res.StatusCode, text)
		}
	}
	if res, text := get("GET", "/v1/streams"); res.StatusCode != 200 || text != "a,b\n" {
		t.Errorf(`got %v %q; want res.StatusCode = 200, text = "a,b\n"`, res.StatusCode, text)
	}
	if _, text := get("GET", "/v1/broken"); !strings.Contains(text, "EOF") {
		t.Error("a stream that failed looks whole")
	}
}
