package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"slipway/internal/vocab/fault"
)

// A hook has its own limit of the body, the limit of requests of an address, and the
// errors of the API.
func TestHook(t *testing.T) {
	c := newClock()
	r := testRouter(c)
	r.HandleHook("/hooks/a/{token}", 64<<10, func(w http.ResponseWriter, req *http.Request, body []byte) error {
		if req.PathValue("token") != "t" {
			return fault.Forbidden("no")
		}
		w.Header().Set("Length", strings.Repeat("x", len(body)>>10))
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
	send := func(method, path string, size int) *httptest.ResponseRecorder {
		c.advance(time.Minute)
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(strings.Repeat("x", size))))
		return w
	}

	for _, step := range []struct {
		method, path string
		size, status int
	}{
		{"POST", "/hooks/a/t", 10, 204},
		{"POST", "/hooks/a/t", 0, 204},
		{"POST", "/hooks/a/t", 64 << 10, 204}, // more than a form without a credential can have
		{"POST", "/hooks/a/t", 64<<10 + 1, 413},
		{"POST", "/hooks/a/other", 10, 403},
		{"POST", "/hooks/a/t/more", 10, 404},
		{"POST", "/hooks/b/t", 10, 404},
		{"GET", "/hooks/a/t", 0, 405},
	} {
		w := send(step.method, step.path, step.size)
		if w.Code != step.status || w.Code == 204 && len(w.Header().Get("Length")) != step.size>>10 {
			t.Errorf("%s %s with %d bytes: got %d %s, want %d", step.method, step.path, step.size, w.Code, w.Body, step.status)
		}
		if w.Code >= 400 && !strings.Contains(w.Body.String(), `"request_id":"req_`) {
			t.Errorf("%s %s: got %s, want an error like those of the API", step.method, step.path, w.Body)
		}
	}

	c.advance(time.Minute)
	limited := 0
	for range 20 { // 2 per second, and bursts of two seconds
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("POST", "/hooks/a/t", strings.NewReader("x")))
		if w.Code == http.StatusTooManyRequests {
			limited++
		}
	}
	if limited != 16 {
		t.Errorf("got %d limited requests, want 16", limited)
	}
}
