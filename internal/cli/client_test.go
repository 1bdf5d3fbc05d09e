package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// The client retries what is safe, with the same key, and waits as the server asks.
func TestRetries(t *testing.T) {
	busy := `{"error": {"status": 503, "code": "unavailable", "message": "Temporarily unavailable.", "request_id": "req_1"}}`
	for name, test := range map[string]struct {
		statuses []int
		header   string
		verb     string
		requests int
		waits    []time.Duration
		code     int
	}{
		"unavailable twice":   {statuses: []int{503, 503, 200}, header: "2", verb: "POST", requests: 3, waits: []time.Duration{2 * time.Second, 2 * time.Second}},
		"always unavailable":  {statuses: []int{503, 503, 503, 503, 503}, header: "1", verb: "GET", requests: 4, waits: slices.Repeat([]time.Duration{time.Second}, 3), code: ExitUnavailable},
		"rate limited":        {statuses: []int{429, 200}, header: "3", verb: "DELETE", requests: 2, waits: []time.Duration{3 * time.Second}},
		"a long Retry-After":  {statuses: []int{503}, header: "3600", verb: "GET", requests: 1, code: ExitUnavailable},
		"a conflict":          {statuses: []int{409}, verb: "PATCH", requests: 1, code: ExitConflict},
		"a conflict for now":  {statuses: []int{409, 200}, header: "1", verb: "POST", requests: 2, waits: []time.Duration{time.Second}},
		"an invalid request":  {statuses: []int{422}, verb: "POST", requests: 1, code: ExitFailed},
		"a wrong key":         {statuses: []int{401}, verb: "GET", requests: 1, code: ExitNotSignedIn},
		"a server that fails": {statuses: []int{500, 200}, header: "1", verb: "PUT", requests: 2, waits: []time.Duration{time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			var keys []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status := test.statuses[len(keys)]
				keys = append(keys, r.Header.Get("Idempotency-Key"))
				w.Header().Set("Retry-After", test.header)
				w.WriteHeader(status)
				if status != http.StatusOK {
					_, _ = io.WriteString(w, busy)
				}
			}))
			defer server.Close()
			var waits []time.Duration
			c := NewClient(server.URL, "sk_test_1")
			c.Sleep = func(_ context.Context, d time.Duration) error {
				waits = append(waits, d)
				return nil
			}

			_, err := c.Send(t.Context(), Request{Verb: test.verb, Path: "/v1/hulls"})
			if ExitCode(err) != test.code || len(keys) != test.requests || !slices.Equal(waits, test.waits) {
				t.Errorf("got exit code %d (%v), %d requests and waits %v, want %d, %d and %v", ExitCode(err), err, len(keys), waits, test.code, test.requests, test.waits)
			}
			isWrite := test.verb != "GET" && test.verb != "DELETE"
			for _, key := range keys {
				if (key != "") != isWrite || key != keys[0] {
					t.Errorf("got the keys %v, want the same for all attempts: %t", keys, isWrite)
				}
			}
		})
	}
}

// A page of a proxy is an error of the server, with its status.
func TestNotSlipway(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<html>")
	}))
	defer server.Close()
	_, err := NewClient(server.URL, "").Send(t.Context(), Request{Verb: "GET", Path: "/"})
	if e, ok := errors.AsType[*Error](err); !ok || e.Status != 403 || !strings.Contains(err.Error(), "not from Slipway") {
		t.Errorf("got %v, want an error that says so, with 403", err)
	}
}

// A watcher signals for each change, connects again, and polls if there is no stream.
func TestWatch(t *testing.T) {
	streams := make(chan chan string, 2)
	for range 2 {
		streams <- make(chan string, 1)
	}
	all := []chan string{<-streams, <-streams}
	requests := make(chan int, 100)
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count++
		requests <- count
		if count > len(all) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		for text := range all[count-1] {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	news := NewClient(server.URL, "sk_test_1").Watch(ctx)

	<-requests
	<-news // connected
	all[0] <- "id: evt_1\ndata: {}\n\n"
	<-news
	close(all[0])
	if n := <-requests; n != 2 {
		t.Errorf("got request %d, want a second connection", n)
	}
	close(all[1])
	<-requests
	for range 3 { // without a stream
		<-news
	}
}
