package app

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/version"
)

const noHull = "/v1/hulls/hull_00000000000000000000000000"

// failed checks that a response is an error with this status and the format and
// headers of all errors, and returns the error.
func failed(t *testing.T, res *testkit.Response, status int) testkit.Fault {
	t.Helper()
	if res.StatusCode != status {
		t.Fatalf("%s %s: got status %d, want %d\n%s", res.Request.Method, res.Request.URL.Path, res.StatusCode, status, res.Bytes)
	}
	checkHeaders(t, res)

	var body struct {
		Error map[string]json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(res.Bytes, &body); err != nil {
		t.Fatalf("%v in %s", err, res.Bytes)
	}
	members := []string{"code", "details", "doc_url", "message", "request_id", "status"}
	if res.Header.Get("Service-Version") != version.Latest() && !strings.HasPrefix(res.Request.URL.Path, rest.PreviewPath) {
		members = slices.Delete(members, 2, 3)
	}
	assert.Equal(t, slices.Sorted(maps.Keys(body.Error)), members, "envelope")
	f := res.Fault(t)
	if f.Status != status || f.Code != codes[status] || f.Message == "" || f.Details == nil {
		t.Errorf("got %s, want status %d, code %s, a message and a list of details", res.Bytes, status, codes[status])
	}
	assert.Equal(t, f.RequestID, res.Header.Get("Request-Id"), "same as the header Request-Id")
	assert.Equal(t, res.Header.Get("Content-Type"), "application/json", "error")
	challenge := res.Header.Get("WWW-Authenticate")
	asks := status == 401 || status == 403 && strings.Contains(challenge, "insufficient_scope")
	assert.Equal(t, strings.HasPrefix(challenge, "Bearer"), asks, "status", status, "WWW-Authenticate", challenge)
	return f
}

var codes = map[int]string{
	400: "bad_request", 401: "unauthenticated", 403: "forbidden", 404: "not_found", 405: "bad_request", 409: "conflict",
	413: "bad_request", 415: "bad_request", 422: "unprocessable", 429: "rate_limited", 500: "server_error", 503: "unavailable",
}

// checkHeaders checks the headers that all responses have.
func checkHeaders(t *testing.T, res *testkit.Response) {
	t.Helper()
	if rid := res.Header.Get("Request-Id"); !id.Valid("req", rid) {
		t.Errorf("%s: got Request-Id %q, want req_ and an ID", res.Request.URL.Path, rid)
	}
	want := version.Latest()
	if v, err := version.Resolve(res.Request.Header.Get("Service-Version")); err == nil {
		want = v
	}
	assert.Equal(t, res.Header.Get("Service-Version"), want, res.Request.URL.Path, "Service-Version")
	for _, name := range []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"} {
		if res.Header.Get(name) == "" {
			t.Errorf("%s: missing header %s", res.Request.URL.Path, name)
		}
	}
}

// send sends a request and fails the test only if there is no response.
func send(t *testing.T, c *testkit.Client, method, path string, body any) *testkit.Response {
	t.Helper()
	res, err := c.Send(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// raw sends bytes and returns the response to them.
func raw(t *testing.T, s *testkit.Server, request string) *testkit.Response {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(request, "\r\n")
	parts := strings.SplitN(line, " ", 3)
	req, err := http.NewRequest(parts[0], "http://x/", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &testkit.Response{Response: res, Bytes: body}
}

// rawRequest returns the bytes of a request with the credential of the test client.
func rawRequest(s *testkit.Server, line, header, body string) string {
	return fmt.Sprintf("%s HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\nAuthorization: Bearer %s\r\n%sContent-Length: %d\r\n\r\n%s",
		line, s.Test.Key, header, len(body), body)
}

func TestErrorTable(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		hull := "/v1/hulls/" + s.Test.Hull(loc, map[string]any{"stock_number": "GW-1"})
		duplicate := testkit.HullBody(loc, map[string]any{"stock_number": "GW-1"})
		reader, xml := s.As(s.Key(auth.HullsRead)), s.Test.With("Content-Type", "application/xml")
		for name, c := range map[string]struct {
			client       *testkit.Client
			method, path string
			body         any
			status       int
			detail       string // field and code; empty for no details
			message      string // a part of the message
		}{
			"malformed JSON":           {s.Test, "POST", "/v1/hulls", `{"make": `, 400, "body malformed", "JSON is incomplete"},
			"missing fields":           {s.Test, "POST", "/v1/hulls", `{}`, 400, "make required", "is required"},
			"a wrong type":             {s.Test, "PATCH", hull, `{"title": 7}`, 400, "title type", "title must be a string"},
			"a bad limit":              {s.Test, "GET", "/v1/hulls?limit=101", nil, 400, "limit maximum", "limit must be at most 100"},
			"a bad If-Match":           {s.Test.With("If-Match", "7"), "PATCH", hull, `{}`, 400, "If-Match pattern", "If-Match"},
			"a bad idempotency key":    {s.Test.With("Idempotency-Key", "7"), "PATCH", hull, `{}`, 400, "Idempotency-Key format", "UUID"},
			"a bad version":            {s.Test.With("Service-Version", "7"), "GET", hull, nil, 400, "Service-Version pattern", "Service-Version"},
			"an empty limit":           {s.Test, "GET", "/v1/hulls?limit=", nil, 400, "limit required", "limit is empty"},
			"an empty cursor":          {s.Test, "GET", "/v1/hulls?starting_after=", nil, 400, "starting_after required", "is empty"},
			"another empty cursor":     {s.Test, "GET", "/v1/hulls?ending_before", nil, 400, "ending_before required", "ending_before is empty"},
			"no credential":            {s.As(""), "GET", "/v1/me", nil, 401, "", "No credential was sent"},
			"an invalid credential":    {s.As(mistyped(s.Test.Key)), "GET", "/v1/me", nil, 401, "", "Invalid credential"},
			"another scheme":           {s.As("").With("Authorization", "Basic dXNlcjpwYXNz"), "GET", "/v1/me", nil, 401, "", "Bearer"},
			"for the other mode":       {s.As(strings.Replace(s.Test.Key, "sk_test_", "sk_live_", 1)), "GET", "/v1/me", nil, 401, "", ""},
			"no scope":                 {reader, "PATCH", hull, `{}`, 403, "Authorization scope", "hulls:write"},
			"an unknown hull":          {s.Test, "GET", noHull, nil, 404, "", "Hull hull_0000"},
			"an unknown path":          {s.Test, "GET", "/v1/yachts", nil, 404, "", "Path /v1/yachts not found"},
			"a path too long":          {s.Test, "GET", hull + "/keel/bolts", nil, 404, "", "Path /v1/"},
			"a trailing slash":         {s.Test, "GET", hull + "/", nil, 404, "", "Path /v1/"},
			"a doubled slash":          {s.Test, "GET", "/v1//hulls", nil, 404, "", "Path /v1/"},
			"dots":                     {s.Test, "GET", "/v1/locations/../hulls", nil, 404, "", "Path /v1/"},
			"outside the API":          {s.As(""), "GET", "/v2/hulls", nil, 404, "", "Path /v2/hulls not found"},
			"a wrong method":           {s.Test, "DELETE", hull, nil, 405, "", "DELETE is not allowed for /v1/hulls/hull_"},
			"for the OpenAPI document": {s.As(""), "POST", "/openapi.json", nil, 405, "", "POST is not allowed for /openapi.json"},
			"an unknown method":        {s.Test, "BREW", hull, nil, 405, "", "BREW"},
			"neither is known":         {s.Test, "BREW", "/v1/yachts", nil, 404, "", "Path /v1/"},
			"a duplicate":              {s.Test, "POST", "/v1/hulls", duplicate, 409, "stock_number duplicate", "GW-1"},
			"an invalid transition":    {s.Test, "POST", hull + "/transition", `{"to": "sold"}`, 409, "to state", "from available to sold"},
			"a stale If-Match":         {s.Test.With("If-Match", `"7"`), "PATCH", hull, `{}`, 409, "If-Match stale", "version 1"},
			"a large body":             {s.Test, "POST", "/v1/hulls", strings.Repeat(" ", 1<<20+1), 413, "", "1048576 bytes"},
			"XML":                      {xml, "POST", "/v1/hulls", "<hull/>", 415, "Content-Type enum", "application/xml"},
			"a bad value":              {s.Test, "PATCH", hull, `{"condition": "shabby"}`, 422, "condition enum", "new, used, demo"},
			"an unknown field":         {s.Test, "PATCH", hull, `{"color": "red"}`, 422, "color unknown_field", "color is not a known field"},
			"an unknown location":      {s.Test, "PATCH", hull, `{"location_id": "loc_1"}`, 422, "location_id not_found", "does not exist"},
		} {
			t.Run(name, func(t *testing.T) {
				f := failed(t, send(t, c.client, c.method, c.path, c.body), c.status)
				assert.Contains(t, f.Message, c.message, "message")
				if c.detail == "" {
					assert.Len(t, f.Details, 0, "details")
					return
				}
				field, code, _ := strings.Cut(c.detail, " ")
				f.WantDetail(t, field, code)
			})
		}
	})
}

// A 405 response lists the allowed methods in one header.
func TestAllow(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	for _, c := range []struct{ path, allow string }{
		{"/v1/hulls", "GET, HEAD, POST"},
		{noHull, "GET, HEAD, PATCH"},
		{noHull + "/archive", "POST"},
		{noHull + "/specs", "GET, HEAD, PUT"},
		{"/v1/locations/loc_1", "GET, HEAD, PATCH, DELETE"},
		{"/openapi.json", "GET, HEAD"},
		{"/docs", "GET, HEAD"},
	} {
		for _, method := range []string{"TRACE", "OPTIONS", "BREW"} {
			res := send(t, s.Test, method, c.path, nil)
			failed(t, res, 405)
			if got := res.Header.Values("Allow"); !slices.Equal(got, []string{c.allow}) {
				t.Errorf("%s %s: got Allow %q, want %q", method, c.path, got, c.allow)
			}
		}
	}
}

// Headers and paths can contain bytes that are not text. They are never returned,
// stored or the cause of a 500.
func TestInvalidText(t *testing.T) {
	longAgent := "User-Agent: " + strings.Repeat("é", 400) + "\r\n"
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, c := range map[string]struct {
			line, header, body string
			status             int
		}{
			"an unknown path":       {"GET /v1/%ff", "", "", 404},
			"a known path":          {"GET /v1/hulls/%ff", "", "", 400},
			"a wrong method":        {"PUT /v1/hulls/%ff", "", "", 405},
			"a NUL in a path":       {"GET /v1/hulls/%00", "", "", 400},
			"a NUL in a query":      {"GET /v1/hulls?q=%00", "", "", 400},
			"a query":               {"GET /v1/hulls?q=%ff", "", "", 400},
			"an incomplete escape":  {"GET /v1/hulls?q=%f", "", "", 400},
			"a content type":        {"POST /v1/locations", "Content-Type: caf\xe9/\xff\r\n", "{}", 415},
			"a client's request id": {"GET /v1/me", "X-Client-Request-Id: \xff\r\n", "", 200},
			"a user agent":          {"POST /v1/locations", "User-Agent: caf\xe9\r\nContent-Type: application/json\r\n", `{"name": "Pier"}`, 201},
			"a long user agent":     {"POST /v1/locations", longAgent + "Content-Type: application/json\r\n", `{"name": "Pier"}`, 201},
			"a credential":          {"GET /v1/me", "Authorization: Bearer \xff\r\n", "", 200}, // the first of two headers is used
		} {
			t.Run(name, func(t *testing.T) {
				res := raw(t, s, rawRequest(s, c.line, c.header, c.body))
				if c.status >= 400 {
					failed(t, res, c.status)
				} else if res.StatusCode != c.status {
					t.Errorf("got status %d, want %d: %s", res.StatusCode, c.status, res.Bytes)
				}
			})
		}
	})
}

// If a request has several errors, the response reports them in a defined order.
func TestOrderOfErrors(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil)
		writer, reader := s.As(s.Key(auth.HullsWrite)), s.As(s.Key(auth.HullsRead))
		now := time.Now()
		s.DB.Now = func() time.Time { return now } // so that the rate limit doesn't reset
		limited := s.As(s.KeyWith(access.KeyRequest{Name: "Limited", Scopes: []auth.Scope{auth.HullsRead}, RateLimit: new(int64(1))}))
		send(t, limited, "GET", "/v1/me", nil)
		send(t, limited, "GET", "/v1/me", nil)

		const (
			malformed = `{"year": 1, `
			wrongType = `{"year": "1", "condition": "shabby"}`
			badValue  = `{"year": 1, "condition": "shabby"}`
			valid     = `{"year": 2020}`
		)
		stale := func(c *testkit.Client) *testkit.Client { return c.With("If-Match", `"7"`) }
		for _, c := range []struct {
			name       string
			client     *testkit.Client
			path, body string
			status     int
		}{
			{"no credential", stale(s.As("")), "/v1/yachts/7", malformed, 401},
			{"too many requests", stale(limited), "/v1/yachts/7", malformed, 429},
			{"an unknown path", stale(reader), "/v1/yachts/7", malformed, 404},
			{"no scope", stale(reader), noHull, malformed, 403},
			{"malformed JSON", stale(writer), noHull, malformed, 400},
			{"a wrong type and a wrong value", stale(writer), noHull, wrongType, 400},
			{"wrong values", stale(writer), noHull, badValue, 422},
			{"an unknown hull", stale(writer), noHull, valid, 404},
			{"a stale version", stale(writer), hull, valid, 409},
		} {
			res := send(t, c.client, "PATCH", c.path, c.body)
			if res.StatusCode != c.status {
				t.Errorf("%s: got status %d, want %d\n%s", c.name, res.StatusCode, c.status, res.Bytes)
			}
			failed(t, res, c.status)
		}
		writer.Patch(hull, valid, 200, nil)
	})
}

// All invalid fields are reported together.
func TestAllInvalidFields(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, c := range map[string]struct {
			method, path, body string
			status             int
			want               []string // field code
		}{
			"missing": {"POST", "/v1/hulls", `{}`, 400, []string{
				"hin required", "length_ft required", "location_id required", "make required", "model required", "price_usd required", "year required",
			}},
			"types and values": {"POST", "/v1/hulls", `{"make": 7, "model": "", "year": 1, "length_ft": 0, "price_usd": -1,
				"location_id": null, "color": "red"}`, 400, []string{
				"color unknown_field", "length_ft minimum", "location_id type", "make type", "model too_short", "price_usd minimum", "year minimum",
			}},
			"values": {"POST", "/v1/hulls", `{"make": "", "model": "m", "year": 10000, "length_ft": 1001, "price_usd": 1000000001,
				"location_id": "x", "Make": "x", "condition": "x", "metadata": {}}`, 422, []string{
				"Make unknown_field", "condition enum", "length_ft maximum", "make too_short", "price_usd maximum", "year maximum",
			}},
			"rules": {"POST", "/v1/hulls", `{"make": " ", "model": " ", "year": 9000, "length_ft": 0.001, "price_usd": 1,
				"location_id": "x", "hin": "nonsense"}`, 422, []string{
				"hin length", "length_ft minimum", "make too_short", "model too_short", "year maximum",
			}},
			"nested": {"PUT", noHull + "/specs", `{"engines": [{"bolts": 1}, {"make": 7, "nuts": 1}], "beam_ft": "wide"}`, 400, []string{
				"beam_ft type", "engines[0].bolts unknown_field", "engines[1].make type", "engines[1].nuts unknown_field",
			}},
			"parameters": {"GET", "/v1/hulls?limit=0&year_min=x&condition=shabby", ``, 400, []string{
				"condition enum", "limit minimum", "year_min type",
			}},
			"unknown parameters": {"GET", "/v1/hulls?color=red&limit=1&Limit=1", ``, 400, []string{
				"Limit unknown_parameter", "color unknown_parameter",
			}},
		} {
			t.Run(name, func(t *testing.T) {
				var body any
				if c.body != "" {
					body = c.body
				}
				f := failed(t, send(t, s.Test, c.method, c.path, body), c.status)
				var got []string
				for _, d := range f.Details {
					got = append(got, d.Field+" "+d.Code)
					if d.Message == "" || strings.ContainsAny(d.Message+d.Field, "\x1f\n") {
						t.Errorf("got detail %+v, want a message without control characters", d)
					}
				}
				slices.Sort(got)
				assert.Equal(t, got, c.want)
			})
		}
	})
}

// Successful responses have the headers too, and each has its own request ID.
func TestHeadersOfSuccess(t *testing.T) {
	t.Parallel()
	s := testkit.OnSQLite(t)
	loc := "/v1/locations/" + s.Test.Location()
	seen := map[string]bool{}
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/v1/me", ""}, {"GET", "/v1/locations", ""}, {"HEAD", loc, ""}, {"PATCH", loc, `{"name": "Pier"}`}, {"DELETE", loc, ""},
		{"GET", "/openapi.json", ""}, {"GET", "/openapi.yaml", ""}, {"GET", "/docs/reference", ""},
		{"GET", "/healthz", ""}, {"GET", "/readyz", ""},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		res := send(t, s.Test.With("Request-Id", "req_client"), c.method, c.path, body)
		if res.StatusCode >= 300 {
			t.Errorf("%s %s: got status %d, want success\n%s", c.method, c.path, res.StatusCode, res.Bytes)
		}
		checkHeaders(t, res)
		if rid := res.Header.Get("Request-Id"); seen[rid] {
			t.Errorf("request ID %s is used twice", rid)
		} else {
			seen[rid] = true
		}
	}
}
