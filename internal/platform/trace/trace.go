// Package trace records what a request or a job does and sends it to an
// OpenTelemetry collector. It implements W3C Trace Context and OTLP over HTTP in
// JSON. See docs/decisions/0036.
//
// Without a Tracer nothing is recorded: Start then returns a nil span, and all
// methods of a nil span do nothing.
package trace

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"sync/atomic"
	"time"
)

// Kind says which side of a call a span is.
type Kind int

// The kinds of OTLP.
const (
	Internal Kind = 1
	Server   Kind = 2 // handles a request
	Client   Kind = 3 // waits for another server, such as the database
	Consumer Kind = 5 // runs a job
)

// maxSpans limits the spans of a request or a job. An import runs thousands of
// statements.
const maxSpans = 200

// Span is a piece of work.
type Span struct {
	tracer *Tracer
	root   *Span
	inside int32 // of a root: how many spans were started, atomic

	traceID, id, parentID string
	kind                  Kind
	start                 time.Time
	attributes            []Attribute

	Name  string
	Error string // what failed, or ""
	end   time.Time
}

// Attribute describes a span. Its value is a string, an int or a bool.
type Attribute struct {
	Key   string
	Value any
}

type (
	spanKey   struct{}
	headerKey struct{}
)

// Root starts the span of a request or a job. It continues the trace of a
// traceparent header, unless that is empty or invalid. If the tracer is nil or the
// header says that the trace isn't recorded, the span is nil, and the header is passed
// on as it is.
func (t *Tracer) Root(ctx context.Context, kind Kind, name, traceparent string) (context.Context, *Span) {
	traceID, parentID, sampled := parse(traceparent)
	if traceID != "" && (t == nil || !sampled) {
		return context.WithValue(ctx, headerKey{}, traceparent), nil
	}
	if t == nil {
		return ctx, nil
	}
	if traceID == "" {
		traceID = randomID(16)
	}
	s := &Span{tracer: t, traceID: traceID, id: randomID(8), parentID: parentID, kind: kind, Name: name, start: t.now()}
	s.root = s
	return context.WithValue(ctx, spanKey{}, s), s
}

// Start starts a span inside that of the context.
func Start(ctx context.Context, kind Kind, name string) (context.Context, *Span) {
	parent := From(ctx)
	if parent == nil || atomic.AddInt32(&parent.root.inside, 1) > maxSpans {
		return ctx, nil
	}
	s := &Span{
		tracer: parent.tracer, root: parent.root, traceID: parent.traceID, id: randomID(8), parentID: parent.id,
		kind: kind, Name: name, start: parent.tracer.now(),
	}
	return context.WithValue(ctx, spanKey{}, s), s
}

// From returns the span of the context, or nil.
func From(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Set adds an attribute.
func (s *Span) Set(key string, value any) {
	if s != nil {
		s.attributes = append(s.attributes, Attribute{key, value})
	}
}

// Fail marks the span as failed. It does nothing if err is nil.
func (s *Span) Fail(err error) {
	if s != nil && err != nil {
		s.Error = err.Error()
	}
}

// End ends the span and sends it.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.end = s.tracer.now()
	if n := atomic.LoadInt32(&s.inside) - maxSpans; n > 0 {
		s.Set("slipway.dropped_spans", int(n))
	}
	s.tracer.add(s)
}

// TraceID returns the ID of the trace, or "".
func (s *Span) TraceID() string {
	if s == nil {
		return ""
	}
	return s.traceID
}

// Header returns the traceparent for what is called or enqueued, or "".
func Header(ctx context.Context) string {
	if s := From(ctx); s != nil {
		return "00-" + s.traceID + "-" + s.id + "-01"
	}
	header, _ := ctx.Value(headerKey{}).(string)
	return header
}

// parse returns the parts of a traceparent header. The IDs are empty if it is
// invalid.
func parse(header string) (traceID, parentID string, sampled bool) {
	parts := strings.Split(header, "-")
	if len(header) > 200 || len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 {
		return "", "", false
	}
	for i, length := range []int{2, 32, 16, 2} {
		if len(parts[i]) != length || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return "", "", false
		}
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return "", "", false
	}
	flags, _ := hex.DecodeString(parts[3])
	return parts[1], parts[2], flags[0]&1 == 1
}

func randomID(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
