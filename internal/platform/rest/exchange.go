package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"slipway/internal/platform/trace"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
)

// exchange is the state of one request and its response.
type exchange struct {
	requestID   string
	operation   string
	endpoint    *Operation // nil outside the described API
	preview     bool       // of the operation
	csv         bool       // the request prefers CSV, and the operation offers it
	caller      auth.Principal
	ifMatch     ifMatch
	ifNoneMatch string // of a list
	fingerprint []byte // of the request, for its idempotency key
	key         string
	query       url.Values
	body        []byte // of a JSON request
	upload      *Upload
	flood       bool   // over the limit of its address, or there was no place for it
	object      string // first ID of the path, if the request can change it
	router      *Router
	status      int
	reply       *reply       // set by Write; otherwise the result is encoded
	fault       *fault.Error // that the response describes, or nil
	span        *trace.Span  // nil without traces
}

type exchangeKey struct{}

func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// Called returns the operation that a request calls, and the object of a change: the first
// ID of the path.
func Called(ctx context.Context) (operation, object string) {
	x := exchangeFrom(ctx)
	if x == nil {
		return "", ""
	}
	return x.operation, x.object
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
		ctx, span := r.Tracer.Root(req.Context(), trace.Server, req.Method, req.Header.Get("Traceparent"))
		x.span = span
		ctx = context.WithValue(ctx, exchangeKey{}, x)
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
					r.fail(w, req, fault.New(fault.KindServerError, InternalError))
				}
			}
			r.traceRequest(req, x, w.Status())
			r.logRequest(req, x, w.Status(), w.BytesWritten(), start)
		}()
		if err := checkHeaders(req); err != nil {
			w.Header().Set("Connection", "close")
			r.showLimit(w, req)
			r.fail(w, req, err)
			return
		}
		next.ServeHTTP(w, req)
	})
}

// The limits of the headers of a request.
const (
	maxHeaders     = 100
	MaxHeaderBytes = 32 << 10
)

func checkHeaders(req *http.Request) error {
	n, size := 0, 0
	for name, values := range req.Header {
		n += len(values)
		for _, v := range values {
			size += len(name) + len(v) + len(": \r\n")
		}
	}
	switch {
	case n > maxHeaders:
		return fault.BadRequest("The request has %d headers. The limit is %d.", n, maxHeaders)
	case size > MaxHeaderBytes:
		return headersTooLarge
	}
	return nil
}

var headersTooLarge = fault.BadRequest("The headers of the request are too large. The limit is %d KiB.", MaxHeaderBytes>>10)

// RejectHeaders returns the response to a request whose headers are so large that the server
// doesn't read them to their end.
func (r *Router) RejectHeaders(remote string) []byte {
	w := &recorder{header: http.Header{}}
	req := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: remote,
		Header: http.Header{"X-Large": {strings.Repeat("x", MaxHeaderBytes)}}}
	r.ServeHTTP(w, req)
	var out bytes.Buffer
	res := http.Response{StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Close: true,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len())}
	_ = res.Write(&out) // to memory
	return out.Bytes()
}

// recorder keeps a response in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

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

func (r *Router) notFound(w http.ResponseWriter, req *http.Request) {
	if r.MissingPage != nil && !InAPI(req.URL.Path) && isBrowser(req) {
		r.MissingPage(w, req)
		return
	}
	r.fail(w, req, fault.NotFound("path", clip(req.URL.Path, 500)))
}

// isBrowser reports whether a person waits for a page.
func isBrowser(req *http.Request) bool {
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	return reads && strings.Contains(req.Header.Get("Accept"), "text/html")
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

func (r *Router) address(req *http.Request) string { return ClientAddress(req, r.Proxies) }

// ClientAddress returns the caller's address without the port. Behind trusted proxies
// it is the last entry of X-Forwarded-For that none of them added. The entries
// before that can be forged.
func ClientAddress(req *http.Request, proxies []netip.Prefix) string {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		host = req.RemoteAddr
	}
	hops := strings.Split(strings.Join(req.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !trusts(proxies, host) {
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

func trusts(proxies []netip.Prefix, host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

func clip(s string, n int) string {
	return strings.ToValidUTF8(s[:min(n, len(s))], "\uFFFD")
}
