package app

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

func TestGzip(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for range 20 {
		s.Test.Location()
	}
	for name, c := range map[string]struct {
		path, accept string
		compressed   bool
	}{
		"a large response":     {"/v1/locations", "gzip", true},
		"one of several":       {"/v1/locations", "br, gzip;q=0.5", true},
		"a small response":     {"/v1/me", "gzip", false},
		"not accepted":         {"/v1/locations", "identity", false},
		"quality of 0":         {"/v1/locations", "gzip;q=0", false},
		"the OpenAPI document": {"/openapi.json", "gzip", true},
		"a small error":        {"/v1/yachts", "gzip", false},
	} {
		t.Run(name, func(t *testing.T) {
			plain := send(t, s.Test.With("Accept-Encoding", "identity"), "GET", c.path, nil)
			res := send(t, s.Test.With("Accept-Encoding", c.accept), "GET", c.path, nil)
			if got := res.Header.Get("Content-Encoding") == "gzip"; got != c.compressed {
				t.Fatalf("%d bytes: got compressed %t, want %t", len(plain.Bytes), got, c.compressed)
			}
			assert.Contains(t, res.Header.Get("Vary"), "Accept-Encoding")
			if length := res.Header.Get("Content-Length"); length != "" && length != strconv.Itoa(len(res.Bytes)) {
				t.Errorf("got Content-Length %s, want %d", length, len(res.Bytes))
			}
			if !c.compressed {
				return
			}
			unzip, err := gzip.NewReader(bytes.NewReader(res.Bytes))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(unzip)
			if err != nil || !bytes.Equal(text, plain.Bytes) || len(plain.Bytes) <= 1024 {
				t.Errorf("got %d bytes compressed, %d decompressed and error %v, want %d bytes, more than 1024",
					len(res.Bytes), len(text), err, len(plain.Bytes))
			}
		})
	}
}

// Each GET also works as HEAD, without the body.
func TestHead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		paths := []string{"/openapi.json", "/openapi.yaml", "/docs/reference", "/healthz", "/readyz", "/v1/yachts", noHull}
		for _, o := range operations() {
			if o.Method != http.MethodGet {
				continue
			}
			path := o.Path
			if params := recipes[o.OperationID].params; params != nil {
				for name, value := range params(s.Test) {
					path = strings.ReplaceAll(path, "{"+name+"}", value)
				}
			}
			paths = append(paths, path)
		}
		for _, path := range paths {
			for _, accept := range []string{"identity", "gzip"} {
				client := s.Test.With("Accept-Encoding", accept)
				get, head := send(t, client, "GET", path, nil), send(t, client, "HEAD", path, nil)
				assert.Equal(t, head.StatusCode, get.StatusCode, "HEAD", path)
				assert.Equal(t, len(head.Bytes), 0, "HEAD", path)
				grows := path == "/v1/audit" // reading the log is audited
				for _, name := range []string{"Content-Type", "ETag", "Service-Version"} {
					if !grows || name != "ETag" {
						assert.Equal(t, head.Header.Get(name), get.Header.Get(name), "HEAD", path, name)
					}
				}
				streams := strings.HasSuffix(path, "/feed")
				if accept == "identity" && strings.HasPrefix(path, "/v1/") && !grows && !streams {
					assert.Equal(t, head.Header.Get("Content-Length"), strconv.Itoa(len(get.Bytes)), "HEAD", path)
				}
			}
		}
	})
}

// Unknown methods change nothing, and the response doesn't repeat the request.
func TestUnknownMethods(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil)
	before := s.Test.Get(hull, 200, nil)
	for _, c := range []struct {
		line   string
		status int
	}{
		{"OPTIONS " + hull, 405}, {"TRACE " + hull, 405}, {"TRACE /docs", 405}, {"TRACE /openapi.json", 405}, {"TRACE /v1/yachts", 404},
		{"TRACE /healthz", 405}, {"CONNECT " + hull, 405}, {"PROPFIND " + hull, 405}, {"get " + hull, 405},
	} {
		res := raw(t, s, rawRequest(s, c.line, "X-Secret: hunter2\r\n", ""))
		failed(t, res, c.status)
		text := fmt.Sprint(res.Header, string(res.Bytes))
		assert.Excludes(t, text, "hunter2", c.line, "repeats the request")
		assert.Excludes(t, text, s.Test.Key, c.line, "repeats the request")
	}
	res := raw(t, s, rawRequest(s, "OPTIONS *", "", ""))
	assert.Equal(t, res.StatusCode, 200, "OPTIONS *")
	assert.Equal(t, len(res.Bytes), 0, "OPTIONS *")
	after := s.Test.Get(hull, 200, nil)
	assert.Equal(t, string(after.Bytes), string(before.Bytes), "after unknown methods")
}

// A proxy can send an absolute URL. Its host is ignored.
func TestAbsoluteForm(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for _, c := range []struct {
		line   string
		status int
	}{
		{"GET http://evil.example/v1/me", 200},
		{"GET http://evil.example/v1/locations?limit=1", 200},
		{"GET https://evil.example:99/v1/yachts", 404},
		{"GET http://evil.example", 302},
		{"GET http://evil.example/docs/reference", 200},
	} {
		res := raw(t, s, rawRequest(s, c.line, "", ""))
		assert.Equal(t, res.StatusCode, c.status, c.line, "status")
		assert.Excludes(t, fmt.Sprint(res.Header, string(res.Bytes)), "evil.example", c.line, "uses the host of the request")
	}
	res := raw(t, s, rawRequest(s, "GET /", "", ""))
	assert.Equal(t, res.StatusCode, 302, "GET /")
	assert.Equal(t, res.Header.Get("Location"), "/console", "GET /")
}

// An ID in a path can be escaped. An escaped slash is part of the ID.
func TestEscapedPaths(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	hull := s.Test.Hull(s.Test.Location(), nil)
	s.Test.Get("/v1/hulls/"+strings.Replace(hull, "_", "%5F", 1), 200, nil)
	s.Test.Get("/v1/hulls/"+hull+"%2Fspecs", 404, nil)
	s.Test.Get("/v1%2Fhulls", 404, nil)
	failed(t, send(t, s.As(""), "GET", "/v1%2Fhulls", nil), 401)
}

// A key can have its own rate limit. It allows a burst of two seconds.
func TestRateLimitOfKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		limited := func() *testkit.Client {
			in := access.KeyRequest{Name: "Limited", Scopes: []auth.Scope{auth.HullsRead}, RateLimit: new(int64(5))}
			return s.As(s.KeyWith(in))
		}
		a, b := limited(), limited()
		now := time.Now()
		s.DB.Now = func() time.Time { return now }
		for i := range 10 {
			res := a.Get("/v1/me", 200, nil)
			assert.Equal(t, res.Header.Get("RateLimit-Remaining"), strconv.Itoa(9-i), "request", i)
			assert.Equal(t, res.Header.Get("RateLimit-Limit"), "10", "request", i)
			assert.Equal(t, res.Header.Get("RateLimit-Policy"), "10;w=2", "request", i)
		}

		res := send(t, a, "GET", "/v1/me", nil)
		failed(t, res, 429)
		assert.Equal(t, res.Header.Get("Retry-After"), "1", "over the limit")
		assert.Equal(t, res.Header.Get("RateLimit-Remaining"), "0", "over the limit")
		assert.Equal(t, res.Header.Get("RateLimit-Reset"), "2", "over the limit")
		b.Get("/v1/me", 200, nil) // the limit applies per key

		now = now.Add(400 * time.Millisecond)
		a.Get("/v1/me", 200, nil)
		a.Get("/v1/me", 200, nil)
		failed(t, send(t, a, "GET", "/v1/me", nil), 429)
		var me access.Me
		b.Get("/v1/me", 200, &me)
		assert.Equal(t, me.RateLimit.RequestsPerSecond, 5, "/v1/me")
		assert.Equal(t, me.RateLimit.Burst, 10, "/v1/me")
	})
}
