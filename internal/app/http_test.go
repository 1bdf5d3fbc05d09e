package app_test

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

	"slipway/internal/access"
	"slipway/internal/testkit"
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
		"a large answer":           {"/v1/locations", "gzip", true},
		"among others":             {"/v1/locations", "br, gzip;q=0.5", true},
		"a small answer":           {"/v1/me", "gzip", false},
		"not accepted":             {"/v1/locations", "identity", false},
		"accepted with no quality": {"/v1/locations", "gzip;q=0", false},
		"the description":          {"/openapi.json", "gzip", true},
		"a small error":            {"/v1/yachts", "gzip", false},
	} {
		t.Run(name, func(t *testing.T) {
			plain := send(t, s.Test.With("Accept-Encoding", "identity"), "GET", c.path, nil)
			res := send(t, s.Test.With("Accept-Encoding", c.accept), "GET", c.path, nil)
			if got := res.Header.Get("Content-Encoding") == "gzip"; got != c.compressed {
				t.Fatalf("compressed: %t, of %d bytes", got, len(plain.Bytes))
			}
			if vary := res.Header.Get("Vary"); !strings.Contains(vary, "Accept-Encoding") {
				t.Errorf("Vary: %q", vary)
			}
			if length := res.Header.Get("Content-Length"); length != "" && length != strconv.Itoa(len(res.Bytes)) {
				t.Errorf("Content-Length %s of %d bytes", length, len(res.Bytes))
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
				t.Errorf("%d bytes became %d and %d, %v", len(plain.Bytes), len(res.Bytes), len(text), err)
			}
		})
	}
}

// HEAD is GET without the body, wherever there is a GET.
func TestHead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		paths := []string{"/openapi.json", "/openapi.yaml", "/docs", "/healthz", "/readyz", "/v1/yachts", noHull}
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
				if head.StatusCode != get.StatusCode || len(head.Bytes) != 0 {
					t.Errorf("HEAD %s: status %d, %d bytes; GET has %d", path, head.StatusCode, len(head.Bytes), get.StatusCode)
				}
				for _, name := range []string{"Content-Type", "ETag", "Service-Version"} {
					if head.Header.Get(name) != get.Header.Get(name) {
						t.Errorf("HEAD %s: %s %q, GET has %q", path, name, head.Header.Get(name), get.Header.Get(name))
					}
				}
				grows := path == "/v1/audit" // reading the log is logged
				streams := strings.HasSuffix(path, "/feed")
				if accept == "identity" && strings.HasPrefix(path, "/v1/") && !grows && !streams && head.Header.Get("Content-Length") != strconv.Itoa(len(get.Bytes)) {
					t.Errorf("HEAD %s: Content-Length %s, GET has %d bytes", path, head.Header.Get("Content-Length"), len(get.Bytes))
				}
			}
		}
	})
}

// Methods that are none of ours change nothing and tell nothing back.
func TestHarmlessMethods(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil)
	before := s.Test.Get(hull, 200, nil)
	for _, c := range []struct {
		line   string
		status int
	}{
		{"OPTIONS " + hull, 405}, {"TRACE " + hull, 405}, {"TRACE /docs", 405}, {"TRACE /openapi.json", 405}, {"TRACE /v1/yachts", 404},
		{"TRACE /healthz", 404}, {"CONNECT " + hull, 405}, {"PROPFIND " + hull, 405}, {"get " + hull, 405},
	} {
		res := raw(t, s, rawRequest(s, c.line, "X-Secret: hunter2\r\n", ""))
		failed(t, res, c.status)
		if text := fmt.Sprint(res.Header, string(res.Bytes)); strings.Contains(text, "hunter2") || strings.Contains(text, s.Test.Key) {
			t.Errorf("%s tells back what was sent: %s", c.line, text)
		}
	}
	if res := raw(t, s, rawRequest(s, "OPTIONS *", "", "")); res.StatusCode != 200 || len(res.Bytes) != 0 {
		t.Errorf("OPTIONS * answers %d: %s", res.StatusCode, res.Bytes)
	}
	if after := s.Test.Get(hull, 200, nil); !bytes.Equal(before.Bytes, after.Bytes) {
		t.Errorf("the hull changed to %s", after.Bytes)
	}
}

// A proxy may send the whole address; whose it claims to be does not matter.
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
		{"GET http://evil.example/docs", 200},
	} {
		res := raw(t, s, rawRequest(s, c.line, "", ""))
		if res.StatusCode != c.status {
			t.Errorf("%s: status %d\n%s", c.line, res.StatusCode, res.Bytes)
		}
		if text := fmt.Sprint(res.Header, string(res.Bytes)); strings.Contains(text, "evil.example") {
			t.Errorf("%s is believed: %s", c.line, text)
		}
	}
	res := raw(t, s, rawRequest(s, "GET /", "", ""))
	if res.StatusCode != 302 || res.Header.Get("Location") != "/docs" {
		t.Errorf("the front door: status %d to %s", res.StatusCode, res.Header.Get("Location"))
	}
}

// The path of an id may be written with escapes; an escaped slash is a letter
// of the id and not of the path.
func TestEscapedPaths(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	hull := s.Test.Hull(s.Test.Location(), nil)
	s.Test.Get("/v1/hulls/"+strings.Replace(hull, "_", "%5F", 1), 200, nil)
	s.Test.Get("/v1/hulls/"+hull+"%2Fspecs", 404, nil)
	s.Test.Get("/v1%2Fhulls", 404, nil)
	failed(t, send(t, s.As(""), "GET", "/v1%2Fhulls", nil), 401)
}

// A key's own limit holds over the whole service: two seconds' worth at once,
// then as fast as they come back, for this key alone.
func TestRateLimitOfAKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		limited := func() *testkit.Client {
			return s.As(s.KeyWith(access.KeyRequest{Name: "limited", Scopes: []auth.Scope{auth.HullsRead}, RateLimit: new(int64(5))}))
		}
		a, b := limited(), limited()
		now := time.Now()
		s.DB.Now = func() time.Time { return now }
		for i := range 10 {
			res := a.Get("/v1/me", 200, nil)
			if left := res.Header.Get("RateLimit-Remaining"); left != strconv.Itoa(9-i) || res.Header.Get("RateLimit-Limit") != "10" || res.Header.Get("RateLimit-Policy") != "10;w=2" {
				t.Errorf("request %d: %v", i, res.Header)
			}
		}
		res := send(t, a, "GET", "/v1/me", nil)
		failed(t, res, 429)
		if res.Header.Get("Retry-After") != "1" || res.Header.Get("RateLimit-Remaining") != "0" || res.Header.Get("RateLimit-Reset") != "2" {
			t.Errorf("refused with %v", res.Header)
		}
		b.Get("/v1/me", 200, nil) // another key of the same node
		now = now.Add(400 * time.Millisecond)
		a.Get("/v1/me", 200, nil)
		a.Get("/v1/me", 200, nil)
		failed(t, send(t, a, "GET", "/v1/me", nil), 429)
		var me access.Me
		if b.Get("/v1/me", 200, &me); me.RateLimit.RequestsPerSecond != 5 || me.RateLimit.Burst != 10 {
			t.Errorf("the key is told %+v", me.RateLimit)
		}
	})
}
