package rest

import (
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Handled is a request that was handled. What the client sent can contain secrets and
// personal data.
type Handled struct {
	ID            string
	Method        string
	URL           *url.URL
	Operation     string       // "" if there is none
	Input         reflect.Type // of the operation, or nil
	Status, Bytes int          // of the response
	At            time.Time
	Took          time.Duration
	Caller        auth.Principal // Env is 0 if there is no valid credential
	IP, UserAgent string

	IdempotencyKey, ClientRequestID string

	Replayed bool
	Fault    *fault.Error // nil if the request succeeded
	Body     []byte       // JSON, or nil
}

// logRequest counts a request and writes its log line.
func (r *Router) logRequest(req *http.Request, x *exchange, status, bytes int, start time.Time) {
	if r.probes[req.URL.Path] {
		return
	}
	took := r.Now().Sub(start)
	if r.Observe != nil {
		var input reflect.Type
		if x.endpoint != nil {
			input = x.endpoint.In
		}
		r.Observe(&Handled{
			ID: x.requestID, Method: req.Method, URL: req.URL, Operation: x.operation, Input: input, Status: status, Bytes: bytes, At: start, Took: took,
			Caller: x.caller, IP: r.address(req), UserAgent: req.UserAgent(), IdempotencyKey: x.key,
			ClientRequestID: req.Header.Get("X-Client-Request-Id"), Replayed: x.reply != nil && x.reply.replayed, Fault: x.fault, Body: x.body,
		})
	}
	var silent int64
	if x.flood {
		write, n := r.logSampler.pass(r.Now())
		if !write {
			return
		}
		silent = n
	}
	attrs := make([]slog.Attr, 0, 20)
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("request_id", x.requestID)
	add("method", req.Method)
	add("path", loggable(req))
	attrs = append(attrs, slog.Int("status", status), slog.Int("bytes", bytes), slog.Float64("ms", float64(took.Microseconds())/1000))
	if x.fault != nil {
		add("error", x.fault.Kind.Code)
		if len(x.fault.Details) > 0 {
			add("detail", x.fault.Details[0].Code)
		}
	}
	add("operation", x.operation)
	if x.operation != "" {
		add("route", routeOf(req))
	}
	if x.caller.Env != 0 {
		add("actor", x.caller.Actor.ID)
		add("dealership", x.caller.DealershipID)
		add("mode", string(x.caller.Mode))
	}
	add("ip", r.address(req))
	add("user_agent", clip(req.UserAgent(), 200))
	add("trace_id", x.span.TraceID())
	add("client_request_id", clip(req.Header.Get("X-Client-Request-Id"), 200))
	if silent > 0 {
		attrs = append(attrs, slog.Int64("suppressed", silent))
	}
	r.Log.LogAttrs(req.Context(), slog.LevelInfo, "request", attrs...)
}

// traceRequest completes the span of a request.
func (r *Router) traceRequest(req *http.Request, x *exchange, status int) {
	if x.span == nil {
		return
	}
	if r.probes[req.URL.Path] {
		return // never sent
	}
	x.span.Name = strings.TrimSpace(req.Method + " " + routeOf(req))
	x.span.Set("http.request.method", req.Method)
	x.span.Set("http.route", routeOf(req))
	x.span.Set("http.response.status_code", status)
	x.span.Set("slipway.request_id", x.requestID)
	if x.operation != "" {
		x.span.Set("slipway.operation", x.operation)
	}
	if x.caller.Env != 0 {
		x.span.Set("slipway.dealership", x.caller.DealershipID)
		x.span.Set("slipway.mode", string(x.caller.Mode))
	}
	if x.fault != nil {
		x.span.Set("error.type", x.fault.Kind.Code)
	}
	if status >= 500 { // the fault of this server, so the span failed
		x.span.Error = http.StatusText(status)
	}
	x.span.End()
}

// routeOf returns the pattern of the route, such as /v1/hulls/{hull_id}, or "".
func routeOf(req *http.Request) string { return chi.RouteContext(req.Context()).RoutePattern() }

// loggable returns the path for the log. For a page, it is the pattern of the
// route, because the path itself can contain a secret, such as the link
// of an invitation.
func loggable(req *http.Request) string {
	pattern := routeOf(req)
	if pattern == "" || InAPI(req.URL.Path) {
		return SafePath(req.URL.Path)
	}
	return pattern
}

// maxSegment is longer than every ID, and shorter than every token.
const maxSegment = 40

// InAPI reports whether a path belongs to /v1 or to the preview. Their callers have a
// credential.
func InAPI(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/"+first == StablePath || "/"+first == PreviewPath
}

// SafePath removes what can be a secret from a path, for logs and traces. Only the
// first segment of a path outside the API remains. In the API, long segments are removed:
// a client can send a token instead of an ID.
func SafePath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if len(s) > maxSegment || i > 1 && !InAPI(path) && s != "" {
			segments[i] = "..."
		}
	}
	return strings.Join(segments, "/")
}
