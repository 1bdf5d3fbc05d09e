package trace

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/testkit/assert"
)

func TestParse(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for header, want := range map[string][3]any{
		"00-" + trace + "-" + span + "-01":                   {trace, span, true},
		"00-" + trace + "-" + span + "-00":                   {trace, span, false},
		"00-" + trace + "-" + span + "-03":                   {trace, span, true},
		"cc-" + trace + "-" + span + "-01-later":             {trace, span, true},
		"00-" + trace + "-" + span + "-01-later":             {"", "", false},
		"ff-" + trace + "-" + span + "-01":                   {"", "", false},
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": {"", "", false},
		"00-" + trace + "-0000000000000000-01":               {"", "", false},
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":  {"", "", false},
		"00-" + trace[1:] + "-" + span + "-01":               {"", "", false},
		"00-" + trace + "-" + span:                           {"", "", false},
		"":                                                   {"", "", false},
		"---":                                                {"", "", false},
		strings.Repeat("-", 500):                             {"", "", false},
	} {
		id, parent, sampled := parse(header)
		if got := [3]any{id, parent, sampled}; got != want {
			t.Errorf("%q: got %v, expected %v", header, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Fuzz(func(t *testing.T, header string) {
		id, parent, _ := parse(header)
		if (id == "") != (parent == "") || id != "" && (len(id) != 32 || len(parent) != 16) {
			t.Errorf("%q: got %q and %q, expected both IDs or none", header, id, parent)
		}
	})
}

// collector returns a collector and what it received.
func collector(t *testing.T, status int) (url string, bodies chan string) {
	t.Helper()
	bodies = make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %s with Content-Type %s and error %v, expected JSON for /v1/traces", r.URL.Path, r.Header.Get("Content-Type"), err)
		}
		bodies <- string(body)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL, bodies
}

func TestSend(t *testing.T) {
	url, bodies := collector(t, 200)
	tracer := New(url, "v1", slog.New(slog.DiscardHandler))
	ctx, root := tracer.Root(t.Context(), Server, "GET /v1/hulls", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	root.Set("http.response.status_code", 200)
	inner, child := Start(ctx, Client, "SELECT hulls")
	child.Fail(io.ErrUnexpectedEOF)
	child.Set("cached", true)
	if got := Header(inner); got != "00-4bf92f3577b34da6a3ce929d0e0e4736-"+child.id+"-01" {
		t.Errorf("got the header %s, expected one with the ID of the inner span", got)
	}
	child.End()
	root.End()

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tracer.Run(ended) // sends what waits
	got := <-bodies
	for _, want := range []string{
		`"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"`, `"parentSpanId":"00f067aa0ba902b7"`, `"parentSpanId":"` + root.id + `"`,
		`{"key":"http.response.status_code","value":{"intValue":"200"}}`, `{"key":"cached","value":{"boolValue":true}}`,
		`{"key":"service.version","value":{"stringValue":"v1"}}`, `"status":{"code":2,"message":"unexpected EOF"}`, `"kind":3`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the collector got %s, expected it to contain %s", got, want)
		}
	}
}

// A slow or failing collector costs spans, not requests.
func TestFailingCollector(t *testing.T) {
	url, _ := collector(t, 503)
	var log strings.Builder
	tracer := New(url+"/?token=secret", "v1", slog.New(slog.NewTextHandler(&log, nil)))
	tracer.url = strings.Replace(tracer.url, "/?", "/v1/traces?", 1)
	for range maxWaiting + 10 {
		_, span := tracer.Root(t.Context(), Server, "GET", "")
		span.End()
	}
	if tracer.Dropped() != 10 {
		t.Errorf("%d spans were dropped, expected 10", tracer.Dropped())
	}
	tracer.flush(t.Context())
	if tracer.Dropped() != maxWaiting+10 {
		t.Errorf("%d spans were dropped, expected all %d", tracer.Dropped(), maxWaiting+10)
	}
	if n := strings.Count(log.String(), "can't send traces"); n != 1 || strings.Contains(log.String(), "secret") {
		t.Errorf("the log has %d lines about the collector, expected 1 without the URL:\n%s", n, log.String())
	}
}

func TestManySpans(t *testing.T) {
	tracer := New("http://127.0.0.1:1", "v1", slog.New(slog.DiscardHandler))
	ctx, root := tracer.Root(t.Context(), Consumer, "job", "")
	for range maxSpans + 7 {
		_, s := Start(ctx, Client, "SELECT")
		s.End()
	}
	root.End()
	want := []Attribute{{"slipway.dropped_spans", 7}}
	if len(tracer.waiting) != maxSpans+1 || !cmp.Equal(root.attributes, want) {
		t.Errorf("%d spans wait with %v, expected %d and %v", len(tracer.waiting), root.attributes, maxSpans+1, want)
	}
}

// Without a tracer, nothing is recorded, and a header is passed on.
func TestWithoutTracer(t *testing.T) {
	const header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	tracer := New("", "v1", nil)
	ctx, span := tracer.Root(t.Context(), Server, "GET", header)
	_, inner := Start(ctx, Client, "SELECT")
	span.Set("a", 1)
	span.End()
	inner.End()
	if tracer != nil || span != nil || inner != nil || Header(ctx) != header {
		t.Errorf("got %v, %v, %v and %q, expected nothing but the header", tracer, span, inner, Header(ctx))
	}
	if ctx, _ := tracer.Root(t.Context(), Server, "GET", "nonsense"); Header(ctx) != "" {
		t.Errorf("passed on %q, expected nothing", Header(ctx))
	}
}

func TestTracesURL(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://localhost:4318":              "http://localhost:4318/v1/traces",
		"http://localhost:4318/":             "http://localhost:4318/v1/traces",
		"https://otel.example.com/in/traces": "https://otel.example.com/in/traces",
	} {
		assert.Equal(t, tracesURL(endpoint), want, endpoint)
	}
}
