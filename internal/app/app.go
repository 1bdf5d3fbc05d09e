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
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"slipway/internal/access"
	"slipway/internal/channels"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/documents"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/people"
	"slipway/internal/photos"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/webhooks"
)

// Build names the build, set by the linker.
var Build = "dev"

// partnerTimeout is how long a listing partner can take to respond.
const partnerTimeout = 20 * time.Second

// App is the service, ready to serve.
type App struct {
	DB      *db.DB
	Box     *seal.Box
	Jobs    *jobs.Queue
	Relay   *webhooks.Relay
	Blobs   *blobs.Files
	Handler http.Handler

	settings Settings
	log      *slog.Logger
	metrics  *metrics
	usage    *access.Usage
	starting atomic.Bool                 // true until the database is migrated
	draining chan struct{}               // closed when the service is about to stop
	flush    func(context.Context) error // sends the last traces
}

func init() {
	hulls.Followers = []hulls.Follower{channels.Follower}
}

// Open mounts every feature. It opens the database but does not connect yet.
func Open(ctx context.Context, s Settings, log *slog.Logger) (*App, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return nil, err
	}
	master, err := seal.MasterKey(s.MasterKey, s.Data)
	if err != nil {
		return nil, err
	}
	a := &App{settings: s, log: log, draining: make(chan struct{}), metrics: newMetrics(), usage: access.NewUsage()}
	if a.Box, err = seal.NewBox(master); err != nil {
		return nil, err
	}
	if a.DB, err = db.Open(ctx, s.dsn()); err != nil {
		return nil, err
	}
	a.DB.MAC, a.DB.BaseURL = a.Box.MAC, strings.TrimSuffix(s.BaseURL, "/")
	mailer, err := s.mailer()
	if err != nil {
		return nil, errors.Join(err, a.DB.Close())
	}
	texter, number, err := s.texter()
	if err != nil {
		return nil, errors.Join(err, a.DB.Close())
	}
	clock := func() time.Time { return a.DB.Now() } // tests replace it after this
	auth := &access.Authenticator{DB: a.DB, Usage: a.usage}
	credentials := &access.API{
		DB: a.DB, Box: a.Box, BaseURL: s.BaseURL, AuthURL: s.authURL(), Auth: auth, Usage: a.usage, Throttle: access.NewThrottle(clock),
	}
	staff := &people.API{DB: a.DB, Mail: mailer, MailFrom: s.mailFrom(), AuthURL: s.authURL(), Log: log}
	if a.Blobs, err = s.blobs(a.DB); err != nil {
		return nil, errors.Join(err, a.DB.Close())
	}
	inventory := &hulls.API{DB: a.DB, FindDeal: func(ctx context.Context, tx *db.Tx, id string) error {
		_, err := deals.Find(ctx, tx, id)
		return err
	}}
	pictures := &photos.API{DB: a.DB, Blobs: a.Blobs}
	listings := &channels.API{DB: a.DB, Partners: outbound.New(partnerTimeout, s.AllowPrivate)}
	files := &imports.API{DB: a.DB, Blobs: a.Blobs}
	company := &dealership.API{}
	hooks := &webhooks.API{DB: a.DB, Box: a.Box, Kinds: Kinds()}
	a.Relay = webhooks.NewRelay(a.DB, a.Box, outbound.New(webhooks.Timeout, s.AllowPrivate), log)
	a.Relay.Observe = a.metrics.delivered
	book := &contacts.API{DB: a.DB}
	interest := &leads.API{DB: a.DB, Reviewed: messages.Review}
	talk := &messages.API{DB: a.DB, Log: log, BaseURL: s.BaseURL, Mail: mailer, MailFrom: s.mailFrom(), SMS: texter, SMSFrom: number}
	sales, money, papers := &deals.API{DB: a.DB}, &finance.API{DB: a.DB}, &documents.API{DB: a.DB}
	sales.Unwind = append(sales.Unwind, finance.WithdrawFundings, documents.VoidUnsigned, finance.RefundPayments)
	book.Holders = []contacts.Holder{talk.Holder(), interest.Holder(), sales.Holder(), money.Holder(), papers.Holder()}
	work := jobs.NewRegistry()
	inventory.Work(work)
	pictures.Work(work)
	listings.Work(work)
	files.Work(work)
	sales.Work(work)
	interest.Work(work)
	talk.Work(work)
	staff.Work(work)
	hooks.Work(work)
	a.housekeeping(work)
	if a.Jobs, err = jobs.Open(a.DB, work, quiet(log)); err != nil {
		return nil, errors.Join(err, a.DB.Close())
	}
	inventory.Jobs, pictures.Jobs, listings.Jobs, files.Jobs = a.Jobs, a.Jobs, a.Jobs, a.Jobs
	staff.Jobs, talk.Jobs, sales.Jobs, hooks.Jobs = a.Jobs, a.Jobs, a.Jobs, a.Jobs

	router := rest.New(rest.Config{
		DB: a.DB, Authenticate: a.onceStarted(auth.Authenticate),
		Limits: rest.Limits{Live: s.LiveRate, Test: s.TestRate, Address: s.AddressRate, Ceiling: rest.DefaultLimits.Ceiling},
		Log:    log, Box: a.Box, Observe: a.metrics.observe, Now: clock, Proxies: s.TrustedProxies,
	}, inventory, pictures, listings, files, book, interest, talk, sales, money, papers, company, staff, credentials, hooks)
	router.HandleForm(credentials.AuthPath()+"/invitations/*", http.StripPrefix(credentials.AuthPath(), staff.Pages()))
	router.HandleForm("/unsubscribe/*", talk.Pages())
	router.HandleProbe("/healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	router.HandleProbe("/readyz", a.ready)
	describe(router)
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(1024))
	if err != nil {
		return nil, err
	}
	a.Handler = a.traced(compress(router)) //nolint:contextcheck // traces outlive ctx
	return a, nil
}

// Migrate updates the schema.
func (a *App) Migrate(ctx context.Context) error {
	if err := a.DB.Migrate(ctx); err != nil {
		return err
	}
	if err := jobs.Migrate(ctx, a.DB, quiet(a.log)); err != nil {
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
	say(w, http.StatusOK, "ok")
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
