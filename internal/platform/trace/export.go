package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"slipway/internal/vocab/wire"
)

const (
	// maxWaiting limits the spans that wait to be sent. A request never waits for the
	// collector: if it is slow, spans are dropped and counted.
	maxWaiting = 4096
	batchSize  = 512
	sendEvery  = time.Second
	sendIn     = 10 * time.Second
)

// Tracer sends spans to a collector.
type Tracer struct {
	url, build string
	client     *http.Client
	log        *slog.Logger
	now        func() time.Time
	waiting    chan *Span
	dropped    atomic.Int64
	failing    bool // only used by Run
}

// New returns a tracer, or nil if there is no collector. Call Run to start sending.
func New(endpoint, build string, log *slog.Logger) *Tracer {
	if endpoint == "" {
		return nil
	}
	return &Tracer{
		url: tracesURL(endpoint), build: build, client: &http.Client{Timeout: sendIn}, log: log,
		now: time.Now, waiting: make(chan *Span, maxWaiting), //nolint:forbidigo // collectors compare spans of several servers
	}
}

// tracesURL returns the URL for traces: the usual path of a collector, unless
// the endpoint has a path.
func tracesURL(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || strings.Trim(u.Path, "/") != "" {
		return endpoint
	}
	return u.JoinPath("v1", "traces").String()
}

// Dropped counts the spans that were not sent.
func (t *Tracer) Dropped() int64 { return t.dropped.Load() }

func (t *Tracer) add(s *Span) {
	select {
	case t.waiting <- s:
	default:
		t.dropped.Add(1)
	}
}

// Run sends spans until ctx ends, and then those that still wait.
func (t *Tracer) Run(ctx context.Context) {
	if t == nil {
		return
	}
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			t.flush(ctx)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendIn)
	defer cancel()
	t.flush(last)
}

// flush sends the spans that wait.
func (t *Tracer) flush(ctx context.Context) {
	for len(t.waiting) > 0 && ctx.Err() == nil {
		var batch []*Span
		for len(batch) < batchSize && len(t.waiting) > 0 {
			batch = append(batch, <-t.waiting)
		}

		err := t.send(ctx, batch)
		if err != nil {
			t.dropped.Add(int64(len(batch)))
		}
		if failing := err != nil; failing != t.failing { // not every second
			t.failing = failing
			if failing {
				t.log.Warn("can't send traces", "err", err)
			} else {
				t.log.Info("traces are sent again")
			}
		}
	}
}

func (t *Tracer) send(ctx context.Context, batch []*Span) error {
	body, err := wire.Marshal(t.encode(batch))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := t.client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the URL, which can contain a credential
		}
		return err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be reused
	if res.StatusCode >= 300 {
		return fmt.Errorf("the collector returned status %d", res.StatusCode)
	}
	return nil
}

// ---- OTLP in JSON ------------------------------------------------------------

type (
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	span struct {
		TraceID      string      `json:"traceId"`
		SpanID       string      `json:"spanId"`
		ParentSpanID string      `json:"parentSpanId,omitempty"`
		Name         string      `json:"name"`
		Kind         Kind        `json:"kind"`
		Start        string      `json:"startTimeUnixNano"`
		End          string      `json:"endTimeUnixNano"`
		Attributes   []attribute `json:"attributes"`
		Status       status      `json:"status"`
	}
	status struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	attribute struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

// failed is the status of a span with an error.
const failed = 2

func (t *Tracer) encode(batch []*Span) map[string]any {
	spans := make([]span, len(batch))
	for i, s := range batch {
		spans[i] = span{
			TraceID: s.traceID, SpanID: s.id, ParentSpanID: s.parentID, Name: s.Name, Kind: s.kind,
			Start: strconv.FormatInt(s.start.UnixNano(), 10), End: strconv.FormatInt(s.end.UnixNano(), 10),
			Attributes: encodeAttributes(s.attributes),
		}
		if s.Error != "" {
			spans[i].Status = status{failed, s.Error}
		}
	}
	about := []Attribute{{"service.name", "slipway"}, {"service.version", t.build}}
	return map[string]any{"resourceSpans": []resourceSpans{{
		Resource: resource{encodeAttributes(about)}, ScopeSpans: []scopeSpans{{scope{"slipway"}, spans}},
	}}}
}

// encodeAttributes returns attributes in the form of OTLP, where an int is a string.
func encodeAttributes(all []Attribute) []attribute {
	out := make([]attribute, len(all))
	for i, a := range all {
		switch v := a.Value.(type) {
		case int:
			out[i] = attribute{a.Key, map[string]any{"intValue": strconv.Itoa(v)}}
		case bool:
			out[i] = attribute{a.Key, map[string]any{"boolValue": v}}
		default:
			out[i] = attribute{a.Key, map[string]any{"stringValue": fmt.Sprint(v)}}
		}
	}
	return out
}
