package rest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// Tokens in paths don't get into logs and traces, whatever the method or the path.
func TestSafePath(t *testing.T) {
	token := "sk_live_" + strings.Repeat("a", 40)
	for path, want := range map[string]string{
		"/v1/hulls": "/v1/hulls",
		"/v1/hulls/hull_01jcqz8t5n8m2x4v6b7c9d0e1f/photos": "/v1/hulls/hull_01jcqz8t5n8m2x4v6b7c9d0e1f/photos",
		"/v1/hulls/" + token:            "/v1/hulls/...",
		"/" + token:                     "/...",
		"/docs":                         "/docs",
		"/oauth/invitations/" + token:   "/oauth/.../...",
		"/unsubscribe/AjAxbTdnZXJwczN5": "/unsubscribe/...",
		"/unsubscribe/":                 "/unsubscribe/",
		"":                              "",
	} {
		assert.Equal(t, SafePath(path), want, path)
	}
}

func TestHeadersOfEveryResponse(t *testing.T) {
	_, r := newSignIns()
	for _, path := range []string{"/v1/names", "/v1/unknown", "/unknown"} {
		res := post(r, path, `{"name": "Ann"}`)
		if got := res.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: got Cache-Control %q, want no-store", path, got)
		}
		if got := res.Header().Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: got X-Content-Type-Options %q, want nosniff", path, got)
		}
	}
}

// A proxy and the server can't disagree about where a request ends: the server
// closes the connection after a chunked body.
func TestConnectionEndsAfterChunkedBody(t *testing.T) {
	_, r := newSignIns()
	req := httptest.NewRequest(http.MethodPost, "/v1/names", strings.NewReader(`{"name": "Ann"}`))
	req.Header.Set("Authorization", "Bearer live")
	req.TransferEncoding, req.ContentLength = []string{"chunked"}, -1
	res := httptest.NewRecorder()
	r.ServeHTTP(res, req)
	if res.Code != http.StatusOK || res.Header().Get("Connection") != "close" {
		t.Errorf("got status %d and Connection %q, want 200 and close", res.Code, res.Header().Get("Connection"))
	}
}

func TestManyHeaders(t *testing.T) {
	_, r := newSignIns()
	for n, want := range map[int]int{100: http.StatusOK, 101: http.StatusBadRequest} {
		req := httptest.NewRequest(http.MethodPost, "/v1/names", strings.NewReader(`{"name": "Ann"}`))
		req.Header.Set("Authorization", "Bearer live")
		for i := range n - 1 {
			req.Header.Set("X-"+strconv.Itoa(i), "x")
		}
		res := httptest.NewRecorder()
		if r.ServeHTTP(res, req); res.Code != want {
			t.Errorf("%d headers: got status %d, want %d", n, res.Code, want)
		}
	}
}
