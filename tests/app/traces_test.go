package app

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// spans is a collector.
type spans struct {
	mu  sync.Mutex
	all []span
}

type span struct {
	TraceID, SpanID, ParentSpanID, Name string

	Kind       int
	Attributes []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
}

func (s span) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

func (c *spans) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var body struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range body.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.all = append(c.all, scope.Spans...)
		}
	}
}

// find waits for a span whose name starts with a text.
func (c *spans) find(t *testing.T, name string) (found span) {
	t.Helper()
	assert.Eventually(t, "a span "+name, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.all {
			if strings.HasPrefix(s.Name, name) {
				found = s
				return true
			}
		}
		return false
	})
	return found
}

// sendTraces sends the traces of a server until the test ends.
func sendTraces(t *testing.T, s *testkit.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		s.Tracer.Run(ctx)
	}()
	t.Cleanup(func() { // before the collector closes
		cancel()
		<-sent
	})
}

// A request is traced from the client through the statements and jobs to the
// webhooks.
func TestTraces(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		collected := &spans{}
		collector := httptest.NewServer(collected)
		t.Cleanup(collector.Close)
		header := make(chan http.Header, 10)
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			header <- r.Header
		}))
		t.Cleanup(receiver.Close)

		s = s.NodeWith(func(set *app.Settings) { set.OTLPEndpoint = collector.URL })
		sendTraces(t, s)
		s.RunRelay()
		s.Test.Post("/v1/webhooks", map[string]any{"url": receiver.URL, "events": []string{"location.created"}}, 201, nil)
		const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		s.Test.With("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01").Post("/v1/locations", map[string]any{"name": "Harbor"}, 201, nil)

		root := collected.find(t, "POST /v1/locations")
		assert.Equal(t, root.TraceID, trace)
		assert.Equal(t, root.ParentSpanID, "00f067aa0ba902b7")
		assert.Equal(t, root.attribute("slipway.operation"), "createLocation")
		assert.Equal(t, root.attribute("http.route"), "/v1/locations")
		assert.Equal(t, root.attribute("http.response.status_code"), "201")
		assert.Equal(t, root.attribute("slipway.dealership") != "" && root.attribute("slipway.request_id") != "", true)
		insert := collected.find(t, "INSERT locations")
		assert.Equal(t, insert.TraceID, trace)
		assert.Contains(t, insert.attribute("db.query.text"), "INSERT INTO locations")
		assert.Excludes(t, insert.attribute("db.query.text"), "Harbor")
		assert.Equal(t, collected.find(t, "transaction").TraceID != "", true)

		assert.Contains(t, (<-header).Get("Traceparent"), "00-"+trace+"-", "the webhook continues the trace")
		assert.Equal(t, collected.find(t, "webhook location.created").TraceID, trace)

		s.Test.With("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01").Post("/v1/channels", map[string]any{
			"name": "Website", "kind": "website", "format": "json", "auto_publish": true,
		}, 201, nil)
		s.RunJobs()
		assert.Equal(t, collected.find(t, "job fill_channel").TraceID, trace, "the job continues the trace")
	})
}

// Secrets in the path of a page are not in its span.
func TestTracesHideSecrets(t *testing.T) {
	collected := &spans{}
	collector := httptest.NewServer(collected)
	t.Cleanup(collector.Close)
	s := testkit.OnSQLite(t).NodeWith(func(set *app.Settings) { set.OTLPEndpoint = collector.URL })
	sendTraces(t, s)
	_, err := s.As("").Send(http.MethodGet, "/oauth/invitations/secret?token=secret", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := collected.find(t, "GET /oauth/invitations/")
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	assert.Excludes(t, text, "secret")
}

// Without a collector, the header of the client is passed on to webhooks.
func TestTraceparentWithoutTraces(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		header := make(chan http.Header, 10)
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { header <- r.Header }))
		t.Cleanup(receiver.Close)
		s.RunRelay()
		s.Test.Post("/v1/webhooks", map[string]any{"url": receiver.URL, "events": []string{"location.created"}}, 201, nil)
		const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		s.Test.With("Traceparent", parent).Post("/v1/locations", map[string]any{"name": "Harbor"}, 201, nil)
		assert.Equal(t, (<-header).Get("Traceparent"), parent)
	})
}
