// Package app assembles the service. It is the only package that knows every
// feature.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/crypto/acme/autocert"

	"slipway/internal/backups"
	"slipway/internal/description"
	"slipway/internal/identity"
	"slipway/internal/platform/admission"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/platform/pages"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
	"slipway/internal/platform/trace"
	"slipway/internal/requestlog"
	"slipway/internal/sdks"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/webhooks"
)

// Build names the build, set by the linker.
var Build = "dev"

// partnerTimeout is how long a listing partner can take to respond.
const partnerTimeout = 20 * time.Second

// providerTimeout is how long an identity provider can take to respond.
const providerTimeout = 10 * time.Second

// App is the service, ready to serve.
type App struct {
	DB      *db.DB
	Box     *seal.Box
	Jobs    *jobs.Queue
	Relay   *webhooks.Relay
	Streams *webhooks.Streams
	Blobs   *blobs.Files
	Backups *backups.API
	AuthLog *authlog.Log
	Router  *rest.Router
	Handler http.Handler
	Tracer  *trace.Tracer // nil if there is no collector
	HTTP    *http.Client  // for identity providers and the metadata of apps

	settings    Settings
	existing    bool              // the installation must exist
	acme        *autocert.Manager // nil unless it requests certificates
	orders      *orders           // of certificates, also nil
	log         *slog.Logger
	metrics     *metrics
	disk        *disk
	identity    *identity.API
	requests    *requestlog.Recorder             // nil if there is no request log
	maintenance atomic.Pointer[site.Maintenance] // nil if there is none
	paused      atomic.Bool                      // maintenance has paused the jobs
	copied      atomic.Int64                     // when the database was copied, in milliseconds
	newKey      bool                             // Open created the master key
	starting    atomic.Bool                      // true until the database is migrated
	draining    chan struct{}                    // closed when the service is about to stop
}

// Open mounts every feature. It opens the database but does not connect yet. It creates
// what is missing; see OpenExisting.
func Open(ctx context.Context, s Settings, log *slog.Logger) (*App, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return nil, err
	}
	_, missing := s.ExistingKey()
	master, err := seal.MasterKey(s.MasterKey, s.Data)
	if err != nil {
		return nil, err
	}
	a := &App{settings: s, newKey: missing != nil, log: log, draining: make(chan struct{}), metrics: newMetrics()}
	a.disk = &disk{folder: s.Data, space: DiskSpace, log: log}
	a.disk.register(a.metrics.registry)
	a.registerMaintenance(a.metrics.registry)
	if a.Box, err = seal.NewBox(master); err != nil {
		return nil, err
	}
	if a.DB, err = s.openDB(ctx); err != nil {
		return nil, err
	}
	a.DB.KeepRows(int64(s.ListMemory) << 20)
	if s.ReplicaURL != "" {
		if err := a.DB.OpenReplica(ctx, s.ReplicaURL); err != nil {
			return nil, errors.Join(err, a.DB.Close())
		}
		a.metrics.registry.MustRegister(replicaReads{a.DB})
	}

	if err := a.mount(s); err != nil {
		return nil, errors.Join(err, a.DB.Close())
	}
	return a, nil
}

// mount connects the features with the database, the job queue and the router.
func (a *App) mount(s Settings) (err error) {
	a.prepare(s)
	if a.Blobs, err = s.Blobs(a.DB); err != nil {
		return err
	}
	f, err := a.features(s)
	if err != nil {
		return err
	}
	a.identity = f.identity
	if err := a.register(f.all()); err != nil {
		return err
	}

	a.route(s, f)
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1024))
	if err != nil {
		return err
	}
	a.Handler = compress(f.console.Pass(a.Router))
	return nil
}

// prepare creates what the features are built on.
func (a *App) prepare(s Settings) {
	site.Attach(a.DB, s.BaseURL, a.Box)
	audit.Attach(a.DB)
	events.Attach(a.DB)
	a.AuthLog = authlog.New(a.DB)
	a.DB.Attach(a.AuthLog)
	if s.RequestLogRows > 0 {
		a.requests = requestlog.NewRecorder()
	}

	a.Tracer = trace.New(s.OTLPEndpoint, Build, a.logger("traces"))
	a.Jobs = jobs.New(a.DB, s.host())
	a.Jobs.Tracer = a.Tracer
	a.Relay = webhooks.NewRelay(a.DB, a.Box, outbound.New(webhooks.Timeout, s.AllowPrivate), Kinds(), a.logger("webhooks"))
	a.Relay.Tracer = a.Tracer
	a.Streams = webhooks.NewStreams(a.DB)
	a.Relay.Published = a.Streams.Wake
}

// register registers the jobs of the features.
func (a *App) register(all []rest.Feature) error {
	for _, feature := range all {
		if w, ok := feature.(interface{ Work(q *jobs.Queue) }); ok {
			w.Work(a.Jobs)
		}
	}
	a.housekeeping(a.Jobs)
	return a.Jobs.Open(quiet(a.logger("jobs")))
}

// route mounts the features.
func (a *App) route(s Settings, f *features) {
	a.Router = rest.New(rest.Config{
		DB: a.DB, Authenticate: a.onceStarted(f.identity.Access.Auth.Authenticate),
		Limits: ratelimit.Limits{Live: s.LiveRate, Test: s.TestRate, Address: s.AddressRate, Ceiling: ratelimit.DefaultLimits.Ceiling},
		Places: admission.Limits{Places: s.MaxRequests, Wait: s.MaxWait},
		Log:    a.logger("requests"), Tracer: a.Tracer, Box: a.Box, Observe: a.observe, Now: a.now, Metadata: f.identity.OAuth.MetadataURL(), Proxies: s.TrustedProxies,
		BaseURL: s.BaseURL, AuthURL: s.authURL(), MissingPage: showMissing, RejectWrites: a.underMaintenance, Draining: a.draining,
		CheckLocations: f.identity.Access.Auth.CheckLocations,
	}, append(f.all(), a)...)
	a.metrics.registry.MustRegister(loads{a.Router}, backlog{a})
	for name, pool := range a.DB.Pools() {
		a.metrics.registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
	}
}

// Mount registers what belongs to no feature: the files of the pages, the probes of load
// balancers and the documentation.
func (a *App) Mount(r *rest.Router) {
	r.Handle(pages.AssetPath+"*", pages.Assets())
	r.HandleProbe("/healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	r.HandleProbe("/readyz", a.ready)
	described := description.Of(r)
	described.Mount(r)
	sdks.New(Build, described.Text).Mount(r)
	redirect(r)
}

// SignInLink returns the path of a link that signs a live user in once. See package identity.
func (a *App) SignInLink(ctx context.Context, email, page string) (string, error) {
	return a.identity.SignInLink(ctx, email, page)
}

// observe counts a request and adds it to the request log.
func (a *App) observe(h *rest.Handled) {
	a.metrics.observe(h)
	if a.requests != nil {
		a.requests.Record(h)
	}
}

// now is the clock of the database, which tests replace after Open.
func (a *App) now() time.Time { return a.DB.Now() }

// Migrate updates the schema and reads the data keys.
func (a *App) Migrate(ctx context.Context) error {
	if a.existing && !a.DB.SQLite() {
		if err := checkSchema(ctx, a.DB); err != nil {
			return err
		}
	}
	if err := a.DB.Migrate(ctx); err != nil {
		return err
	}
	if err := site.LoadKeys(ctx, a.DB, a.Box, a.settings.NewMasterKey); err != nil {
		if a.newKey && errors.Is(err, site.ErrMasterKey) { // so that no one takes it for the lost one
			err = errors.Join(err, os.Remove(filepath.Join(a.settings.Data, "master.key")))
		}
		return err
	}
	if err := jobs.Migrate(ctx, a.DB, quiet(a.logger("jobs"))); err != nil {
		return fmt.Errorf("migrate the job queue: %w", err)
	}
	return nil
}

// Close releases everything that Open opened.
func (a *App) Close() error { return a.DB.Close() }

// onceStarted returns 503 until the schema is migrated.
func (a *App) onceStarted(next rest.Authenticate) rest.Authenticate {
	return func(ctx context.Context, token string) (auth.Principal, error) {
		if a.starting.Load() {
			return auth.Principal{}, fault.Unavailable("The service is starting. Try again later.").RetryIn(30 * time.Second)
		}
		return next(ctx, token)
	}
}

// ready reports whether this node can serve requests.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	if a.starting.Load() {
		say(w, http.StatusServiceUnavailable, "starting")
		return
	}
	select {
	case <-a.draining:
		say(w, http.StatusServiceUnavailable, "stopping")
		return
	default:
	}
	if err := a.DB.Ping(r.Context()); err != nil {
		say(w, http.StatusServiceUnavailable, "database unavailable")
		return
	}
	if err := db.CheckSchema(r.Context(), a.DB); errors.Is(err, db.ErrTooOld) {
		say(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	if err := a.DB.CheckSpace(r.Context()); err != nil {
		say(w, http.StatusServiceUnavailable, "the disk of the database is full")
		return
	}
	say(w, http.StatusOK, "ok")
}

var missingPage = pages.NewPage(`
<h1>Page not found</h1>
<p>There is no page at this address. Check the address, or start from one of these pages.</p>
<p class="links"><a href="/console">Console</a> <a href="/docs">Documentation</a></p>`)

// showMissing shows that a path doesn't exist.
func showMissing(w http.ResponseWriter, _ *http.Request) {
	missingPage.Render(w, http.StatusNotFound, "Page not found", nil)
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// quiet logs only warnings and errors of the job queue.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(leveled{log.Handler(), slog.LevelWarn}) }

type leveled struct {
	slog.Handler
	least slog.Level
}

// Handle drops errors about queries that were canceled at shutdown.
func (l leveled) Handle(ctx context.Context, r slog.Record) error {
	ended := false
	r.Attrs(func(a slog.Attr) bool {
		ended = ended || strings.Contains(a.Value.String(), context.Canceled.Error())
		return !ended
	})
	if ended {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

func (l leveled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.least && l.Handler.Enabled(ctx, level)
}
