// Package rest is the HTTP layer: it mounts endpoints, authenticates and
// authorizes callers, reads requests strictly and writes every response.
//
// Features describe their endpoints with Get, PostOK, Patch, Put, Delete and
// so on. The types of a handler define both how requests are validated and the
// OpenAPI document.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"slipway/internal/platform/admission"
	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/trace"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/version"
	"slipway/internal/vocab/wire"
)

// Authenticate turns a bearer token into a caller, or returns the fault to
// respond with.
type Authenticate func(ctx context.Context, token string) (auth.Principal, error)

// Config is what this package needs from the rest of the service. The zero
// Config is enough to describe the API without serving it.
type Config struct {
	DB           *db.DB
	Authenticate Authenticate
	Limits       ratelimit.Limits
	Places       admission.Limits
	Log          *slog.Logger
	Tracer       *trace.Tracer // nil if there are no traces
	Box          *seal.Box     // for stored responses
	Now          func() time.Time
	Proxies      []netip.Prefix   // whose X-Forwarded-For is trusted
	Metadata     string           // URL of the resource metadata, for clients without a credential
	BaseURL      string           // public URL of the API, for its description
	AuthURL      string           // public URL of sign-in, for the description
	Observe      func(*Handled)   // for metrics and the request log
	MissingPage  http.HandlerFunc // shows a person that a path doesn't exist, or nil
	RejectWrites func() error     // the response to writes during maintenance, or nil

	// CheckLocations fails if one of these objects belongs to another location than those of the
	// caller, who is limited to some.
	CheckLocations func(ctx context.Context, ids []string) error

	Draining <-chan struct{} // closed when the server is about to stop; streams end then
}

// Feature is a package that has endpoints to mount.
type Feature interface {
	Mount(*Router)
}

// Router collects endpoints.
type Router struct {
	Config
	*Surface // that endpoints are added to

	stable, preview, public *Surface

	mux        *chi.Mux
	ids        *id.Source
	limits     *ratelimit.Limiter
	unused     *ratelimit.Limiter // see showLimit
	logSampler *logSampler
	family     *family.Family
	entered    string // when the endpoints entered the preview
	sendBodyIn time.Duration
	probes     map[string]bool
	hooks      map[string]int64 // sizes of bodies by the start of a path
	posts      map[string]int64 // sizes of bodies by path
	protocols  map[string]int64 // sizes of bodies by the start of a path

	admission              *admission.Control
	urgent, first, streams [][]string    // method and segments of the paths of these operations
	publicBodies           chan struct{} // has room for the bodies of callers without a credential
	hookBodies             chan struct{} // has room for the bodies of hooks
}

// New mounts the features. It calls nothing, so the API can be described from
// features without a database.
func New(cfg Config, features ...Feature) *Router {
	r := &Router{Config: cfg, mux: chi.NewMux(), ids: id.NewSource(), logSampler: &logSampler{}, sendBodyIn: sendBodyIn,
		probes: map[string]bool{}, hooks: map[string]int64{}, posts: map[string]int64{}, protocols: map[string]int64{}, publicBodies: make(chan struct{}, maxPublicBodies),
		hookBodies: make(chan struct{}, maxPublicBodies), admission: admission.New(cfg.Places, cfg.DB)}
	if r.Now == nil {
		r.Now = time.Now
	}
	r.limits, r.unused = ratelimit.New(r.Now), ratelimit.New(r.Now)
	r.mux.Use(r.identify, r.admit, r.authenticate, middleware.GetHead)
	r.mux.NotFound(r.notFound)
	r.mux.MethodNotAllowed(r.methodNotAllowed)

	r.stable, r.preview, r.public = &Surface{Prefix: StablePath}, &Surface{Prefix: PreviewPath}, &Surface{}
	r.Surface = r.stable
	for _, f := range features {
		f.Mount(r)
	}
	return r
}

// HandleProbe serves GET of a path that load balancers poll. Its requests are
// never rejected or logged.
func (r *Router) HandleProbe(path string, h http.HandlerFunc) {
	r.probes[path] = true
	r.mux.Method(http.MethodGet, path, h)
}

// Handle serves GET of a path outside the described API, such as /docs.
func (r *Router) Handle(pattern string, h http.Handler) {
	r.mux.Method(http.MethodGet, pattern, h)
}

// HandleForm serves GET and POST of a page with a form.
func (r *Router) HandleForm(pattern string, h http.Handler) {
	r.mux.Method(http.MethodGet, pattern, h)
	r.mux.Method(http.MethodPost, pattern, h)
}

// ServeHTTP serves the API.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }

// Family returns a router that lists its endpoints under a heading.
func (r *Router) Family(f *family.Family) *Router {
	c := *r
	c.family = f
	return &c
}

// Handler is one endpoint: a typed request in, a resource or an error out. The
// router opens its transaction: one that only reads for GET, one that writes
// for the other methods.
type Handler[I, O any] func(ctx context.Context, tx *db.Tx, in *I) (O, error)

// RawHandler is an endpoint that needs no transaction, or more than one. It
// calls Read and Write itself.
type RawHandler[I, O any] func(ctx context.Context, in *I) (O, error)

// None is the resource of an endpoint whose response has no body.
type None struct{}

// Checker is a body with rules that its schema can't express. Their errors are
// returned together with those of the schema.
type Checker interface{ Check(now time.Time) error }

// Found makes a POST that usually creates a resource return 200, because the
// resource exists already. Its route says so in Found.
func Found(ctx context.Context) { exchangeFrom(ctx).status = http.StatusOK }

// Versioned is a resource with a version.
type Versioned interface{ Revision() int64 }

// reply is an encoded response, as it is sent and as it is stored for retries.
type reply struct {
	status   int
	header   map[string]string
	body     []byte
	replayed bool
}

// encode turns a resource into a response of the caller's version.
func encode(x *exchange, out any) (*reply, error) {
	p := &reply{status: x.status, header: map[string]string{}}
	if v, ok := out.(Versioned); ok {
		p.header["ETag"] = strconv.Quote(strconv.FormatInt(v.Revision(), 10))
	}
	if _, ok := out.(None); ok {
		return p, nil
	}
	var err error
	if list, ok := out.(page.Any); ok {
		err = x.encodeList(p, list)
	} else {
		p.body, err = x.encodeValue(out)
	}
	if p.status == http.StatusNotModified {
		return p, err
	}
	p.body = append(p.body, '\n') // for people at a terminal
	if x.caller.Version != version.Latest() && !x.preview && err == nil {
		p.body = version.OfValue(out).Older(x.caller.Version, p.body)
	}
	return p, err
}

// encodeValue encodes a value, or what a pointer points to.
func (x *exchange) encodeValue(v any) ([]byte, error) {
	b, err := wire.Marshal(v)
	if x.preview && err == nil {
		t := reflect.TypeOf(v)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		b, err = ToPreview(t, b)
	}
	return b, err
}

func (p *reply) send(w http.ResponseWriter) {
	for name, value := range p.header {
		w.Header()[name] = []string{value} // Go would send Etag
	}
	if p.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	if p.body != nil {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(p.body)))
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(p.body) // the client might have disconnected
}
