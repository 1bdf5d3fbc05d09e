package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
)

// exchange is the state of one request and its response.
type exchange struct {
	requestID   string
	operation   string
	preview     bool // of the operation
	caller      auth.Principal
	ifMatch     ifMatch
	fingerprint []byte // of the request, for its idempotency key
	key         string
	body        []byte // of a JSON request
	takes       takes
	upload      *Upload
	flood       bool   // over the limit of its address, or there was no place for it
	object      string // first ID of the path, if the request can change it
	router      *Router
	status      int
	reply       *reply // set by Write; otherwise the result is encoded
}

type exchangeKey struct{}

func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// identify assigns the request id, sets the headers that every response has,
// and writes the log line. It turns a panic into a 500.
func (r *Router) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		start := r.Now()
		x := &exchange{requestID: r.ids.New("req", start), router: r}
		w := middleware.NewWrapResponseWriter(rw, req.ProtoMajor)
		secureHeaders(w, req)
		w.Header().Set("Request-Id", x.requestID)
		w.Header().Set("Service-Version", version.Latest())
		ctx := context.WithValue(req.Context(), exchangeKey{}, x)
		ctx = auth.WithRequest(ctx, auth.Request{ID: x.requestID, IP: r.address(req), UserAgent: clip(req.UserAgent(), 500)})
		req = req.WithContext(ctx)
		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					if err != http.ErrAbortHandler { //nolint:errorlint // a failed stream wraps its error
						r.Log.ErrorContext(ctx, "response interrupted", "request_id", x.requestID, "operation", x.operation, "err", err)
					}
					panic(http.ErrAbortHandler)
				}
				r.Log.ErrorContext(ctx, "panic", "request_id", x.requestID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if w.Status() == 0 {
					r.fail(w, req, fault.New(fault.KindServerError, internalError))
				}
			}
			r.logRequest(req, x, w.Status(), w.BytesWritten(), r.Now().Sub(start))
		}()
		if n := headerCount(req); n > maxHeaders {
			w.Header().Set("Connection", "close")
			r.fail(w, req, fault.BadRequest("The request has %d headers. The limit is %d.", n, maxHeaders))
			return
		}
		next.ServeHTTP(w, req)
	})
}

// maxHeaders limits the headers of a request.
const maxHeaders = 100

func headerCount(req *http.Request) (n int) {
	for _, values := range req.Header {
		n += len(values)
	}
	return n
}

// secureHeaders sets the headers that protect every response. Responses that can
// be cached replace Cache-Control. A connection ends after a chunked body: if the
// request also had a Content-Length, a proxy in front can disagree with this
// server about where the next request starts.
func secureHeaders(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if len(req.TransferEncoding) > 0 && req.ProtoMajor == 1 {
		h.Set("Connection", "close")
	}
}

func (r *Router) logRequest(req *http.Request, x *exchange, status, bytes int, took time.Duration) {
	if r.probes[req.URL.Path] {
		return
	}
	if r.Observe != nil {
		r.Observe(x.operation, status, took)
	}
	var silent int64
	if x.flood {
		write, n := r.logSampler.pass(r.Now())
		if !write {
			return
		}
		silent = n
	}
	attrs := []slog.Attr{
		slog.String("request_id", x.requestID),
		slog.String("method", req.Method),
		slog.String("path", loggable(req)),
		slog.Int("status", status),
		slog.Int("bytes", bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("ip", r.address(req)),
	}
	if x.operation != "" {
		attrs = append(attrs, slog.String("operation", x.operation))
	}
	if x.caller.Env != 0 {
		attrs = append(attrs, slog.String("actor", x.caller.Actor.ID), slog.String("dealership", x.caller.DealershipID),
			slog.String("mode", string(x.caller.Mode)))
	}
	if client := req.Header.Get("X-Client-Request-Id"); client != "" {
		attrs = append(attrs, slog.String("client_request_id", clip(client, 200)))
	}
	if silent > 0 {
		attrs = append(attrs, slog.Int64("suppressed", silent))
	}
	r.Log.LogAttrs(req.Context(), slog.LevelInfo, "request", attrs...)
}

// loggable returns the path for the log. For a page, it is the pattern of the
// route, because the path itself can contain a secret, such as the link
// of an invitation.
func loggable(req *http.Request) string {
	pattern := chi.RouteContext(req.Context()).RoutePattern()
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

// guard checks the caller's scopes before the body is read, and then reads the
// headers and the body. The order is part of the contract: 403, then 400.
func (r *Router) guard(hctx huma.Context, next func(huma.Context)) {
	req, w := humachi.Unwrap(hctx)
	x := exchangeFrom(req.Context())
	op := hctx.Operation()
	x.operation = op.OperationID
	if _, x.preview = op.Metadata["preview"]; x.preview {
		x.operation = "preview." + op.OperationID // /v1 can have an operation with this name
		previewHeaders(w.Header(), op)
	}
	_, x.ifMatch.documented = op.Metadata["if_match"]
	if name := firstParam(op.Path); name != "" && req.Method != http.MethodGet {
		x.object = hctx.Param(name)
	}
	if err := permit(op, x.caller, hctx.Param); err != nil {
		r.fail(w, req, err)
		return
	}
	ctx, err := x.read(w, req, op)
	if err != nil {
		r.fail(w, req, err)
		return
	}
	next(huma.WithContext(hctx, ctx))
}

func (r *Router) notFound(w http.ResponseWriter, req *http.Request) {
	r.fail(w, req, fault.NotFound("path", clip(req.URL.Path, 500)))
}

func (r *Router) methodNotAllowed(w http.ResponseWriter, req *http.Request) {
	var allowed []string
	for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		probe := m
		if m == http.MethodHead {
			probe = http.MethodGet
		}
		if r.mux.Match(chi.NewRouteContext(), probe, req.URL.Path) {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 { // chi does not know the method and did not check the path
		r.notFound(w, req)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	r.fail(w, req, fault.New(fault.KindMethodNotAllowed, "%s is not allowed for %s.", req.Method, clip(req.URL.Path, 500)))
}

// address returns the caller's address without the port. Behind trusted proxies
// it is the last entry of X-Forwarded-For that none of them added. The entries
// before that can be forged.
func (r *Router) address(req *http.Request) string {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		host = req.RemoteAddr
	}
	hops := strings.Split(strings.Join(req.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !r.trusts(host) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		host = next.Unmap().String()
	}
	return host
}

func (r *Router) trusts(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(r.Proxies, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

func clip(s string, n int) string {
	return strings.ToValidUTF8(s[:min(n, len(s))], "\uFFFD")
}
