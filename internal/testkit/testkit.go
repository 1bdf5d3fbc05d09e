package testkit

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/access"
	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/testkit/postgres"
	"slipway/internal/vocab/auth"
)

// Each runs a test on SQLite and on PostgreSQL, each on a fresh database, side
// by side.
func Each(t *testing.T, test func(t *testing.T, s *Server)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, OnSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, OnPostgres(t))
	})
}

// Server is the service under test with two dealerships in it.
type Server struct {
	*app.App
	URL  string
	Data string // the data folder

	// Test and Live are clients of the first dealership with every scope,
	// Other is one of the second.
	Test, Live, Other *Client

	// Owner signs in to the first dealership, with another TOTP secret per environment.
	Owner access.BootstrappedOwner

	t        *testing.T
	settings app.Settings
	tmpl     *template
	offset   *atomic.Int64 // how far the service's clock is ahead, in nanoseconds
}

// Node starts another node of the service on the same database, with a clock
// of its own.
func (s *Server) Node() *Server {
	s.t.Helper()
	return start(s.t, s.tmpl, s.settings)
}

// RunJobs runs background jobs until the test ends.
func (s *Server) RunJobs() {
	s.t.Helper()
	check(s.t, s.App.Jobs.Start(context.Background()))
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the context of the test has ended
		defer cancel()
		check(s.t, s.App.Jobs.Stop(ctx))
	})
}

// RunRelay delivers events until the test ends or stop is called.
func (s *Server) RunRelay() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.App.Relay.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	s.t.Cleanup(stop)
	return stop
}

// In returns the server as a subtest sees it, which fails by itself.
func (s *Server) In(t *testing.T) *Server {
	c := *s
	c.t = t
	c.Test, c.Live, c.Other = c.As(s.Test.Key), c.As(s.Live.Key), c.As(s.Other.Key)
	return &c
}

// Advance moves the service's clock.
func (s *Server) Advance(d time.Duration) { s.offset.Add(int64(d)) }

// OnSQLite starts the service on a fresh SQLite.
func OnSQLite(t *testing.T) *Server {
	t.Helper()
	tmpl := templates.sqlite(t)
	folder := t.TempDir()
	check(t, os.WriteFile(filepath.Join(folder, "slipway.db"), tmpl.file, 0o600))
	return start(t, tmpl, settings(folder, ""))
}

// OnPostgres starts the service on a fresh PostgreSQL database.
func OnPostgres(t *testing.T) *Server {
	t.Helper()
	tmpl := templates.postgres(t)
	return start(t, tmpl, settings(t.TempDir(), databaseLike(t, tmpl.name)))
}

// start serves until the test ends.
func start(t *testing.T, tmpl *template, set app.Settings) *Server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	a, err := app.Open(t.Context(), set, log)
	check(t, err)
	s := &Server{App: a, Data: set.Data, t: t, settings: set, tmpl: tmpl, Owner: tmpl.owner, offset: &atomic.Int64{}}
	a.DB.Now = func() time.Time { return time.Now().Add(time.Duration(s.offset.Load())) }
	a.DB.DefaultTimeout = time.Minute // a loaded machine is no outage
	web := httptest.NewServer(a.Handler)
	t.Cleanup(func() {
		web.Close()
		checkEvents(t, a)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	s.URL = web.URL
	s.Test, s.Live, s.Other = s.As(tmpl.test), s.As(tmpl.live), s.As(tmpl.rival)
	return s
}

// checkEvents fails a test that emitted an event whose type is not listed, so
// that clients can't subscribe to it. It also records the types that were
// emitted, for the opposite check.
func checkEvents(t *testing.T, a *app.App) {
	t.Helper()
	types, err := db.Read(context.Background(), a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return db.All[string](ctx, tx, `SELECT type FROM outbox UNION SELECT type FROM events`)
	})
	if err != nil {
		return // the test closed or broke the database
	}

	for _, name := range types {
		if !slices.ContainsFunc(app.Kinds(), func(k events.Kind) bool { return k.Type == name }) {
			t.Errorf("the event type %s is not listed in the Events of its feature; add it there", name)
		}
	}
	check(t, recordEvents(types))
}

// recordEvents appends event types to the file in SLIPWAY_EVENTS_SEEN, if set.
// `make test` compares the file with the listed types; see eventsseen.
func recordEvents(types []string) error {
	file := os.Getenv("SLIPWAY_EVENTS_SEEN")
	if file == "" || len(types) == 0 {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}

	_, err = f.WriteString(strings.Join(types, "\n") + "\n") // one write, because test processes append at the same time
	return errors.Join(err, f.Close())
}

// Key issues a key of the first dealership's test environment.
func (s *Server) Key(scopes ...auth.Scope) string {
	s.t.Helper()
	return s.KeyWith(access.KeyRequest{Name: "made by a test", Scopes: scopes})
}

// KeyWith issues a key of the first dealership's test environment.
func (s *Server) KeyWith(in access.KeyRequest) string {
	s.t.Helper()
	var me access.Me
	s.Test.Get("/v1/me", 200, &me)
	key, err := issue(s.t.Context(), s.DB, me.Dealership.ID, auth.Test, in)
	check(s.t, err)
	return key
}

func settings(folder, url string) app.Settings {
	return app.Settings{
		Data: folder, DatabaseURL: url, MasterKey: base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef")),
		Listen: "127.0.0.1:0", BaseURL: "http://localhost", LiveRate: 1e6, TestRate: 1e6, AddressRate: 1e6, LogLevel: "warn",
		AllowPrivate: true, // receivers are on this machine
	}
}

// template is a database to copy: migrated, with two dealerships.
type template struct {
	file              []byte // SQLite's database
	name              string // PostgreSQL's
	test, live, rival string // keys
	owner             access.BootstrappedOwner
}

// templates are made once per test binary: hashing the owners' passwords is
// slow by design.
var templates = struct {
	sqlite, postgres func(t *testing.T) *template
}{once(makeSQLite), once(makePostgres)}

func once(make func() (*template, error)) func(t *testing.T) *template {
	f := sync.OnceValues(make)
	return func(t *testing.T) *template {
		t.Helper()
		tmpl, err := f()
		check(t, err)
		return tmpl
	}
}

func makeSQLite() (tmpl *template, err error) {
	err = inFolder(func(folder string) error {
		if tmpl, err = furnish(settings(folder, "")); err != nil {
			return err
		}
		// Closing the last connection folded the log into the file.
		tmpl.file, err = os.ReadFile(filepath.Join(folder, "slipway.db"))
		return err
	})
	return tmpl, err
}

func makePostgres() (tmpl *template, err error) {
	name := fmt.Sprintf("template_%d", os.Getpid())
	if err := administer("CREATE DATABASE " + name); err != nil {
		return nil, err
	}
	err = inFolder(func(folder string) error {
		if tmpl, err = furnish(settings(folder, urlOf(name))); err != nil {
			return err
		}
		tmpl.name = name
		return nil
	})
	return tmpl, err
}

// inFolder lends fn a folder that does not outlive it.
func inFolder(fn func(folder string) error) error {
	folder, err := os.MkdirTemp("", "slipway-template-")
	if err != nil {
		return err
	}
	return errors.Join(fn(folder), os.RemoveAll(folder))
}

// furnish migrates a database and puts the dealerships in.
func furnish(set app.Settings) (tmpl *template, err error) {
	ctx := context.Background()
	a, err := app.Open(ctx, set, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Migrate(ctx); err != nil {
		return nil, err
	}
	tmpl = &template{}
	for i, name := range []string{"Acme Marine", "Rival Yachts"} {
		f, err := access.Bootstrap(ctx, a.DB, a.Box, name, "owner@example.com", dealership.Standard)
		if err != nil {
			return nil, err
		}
		var every []auth.Scope
		for _, s := range auth.Scopes {
			every = append(every, s.Scope)
		}
		test, err := issue(ctx, a.DB, f.DealershipID, auth.Test, access.KeyRequest{Name: "test", Scopes: every})
		if err != nil {
			return nil, err
		}
		live, err := issue(ctx, a.DB, f.DealershipID, auth.Live, access.KeyRequest{Name: "live", Scopes: every})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			tmpl.test, tmpl.live, tmpl.owner = test, live, f.Owner
		} else {
			tmpl.rival = test
		}
	}
	// What happened so far is over: a test sees the events that it causes.
	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]events.Event, error) { return events.Publish(ctx, tx, 1000) })
	return tmpl, err
}

func issue(ctx context.Context, d *db.DB, dealershipID string, mode auth.Mode, in access.KeyRequest) (string, error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (string, error) {
		env, err := dealership.FindEnvironment(ctx, tx, dealershipID, mode)
		if err != nil {
			return "", err
		}
		k, err := access.IssueKey(ctx, tx.In(env.Env), mode, in)
		return k.Key, err
	})
}

// databaseLike copies a database and returns the copy's URL.
func databaseLike(t *testing.T, tmpl string) string {
	t.Helper()
	name := fmt.Sprintf("t_%d_%d", os.Getpid(), copies.Add(1))
	check(t, administer("CREATE DATABASE "+name+" TEMPLATE "+tmpl))
	t.Cleanup(func() { check(t, administer("DROP DATABASE "+name+" WITH (FORCE)")) })
	return urlOf(name)
}

var copies atomic.Int64

// administering keeps copies apart: PostgreSQL refuses to copy a template that
// is being copied.
var administering sync.Mutex

func administer(statement string) error {
	administering.Lock()
	defer administering.Unlock()
	if os.Getenv(postgres.URLVariable) == "" {
		return errors.New("no PostgreSQL to test on: run `make test`, which starts one, or set " + postgres.URLVariable)
	}
	admin, err := sql.Open("pgx", os.Getenv(postgres.URLVariable))
	if err != nil {
		return err
	}
	defer admin.Close()
	_, err = admin.ExecContext(context.Background(), statement)
	return err
}

// urlOf is the URL of another database of the same server.
func urlOf(name string) string {
	url := os.Getenv(postgres.URLVariable)
	base, query, _ := strings.Cut(url, "?")
	base = base[:strings.LastIndex(base, "/")+1] + name
	if query != "" {
		base += "?" + query
	}
	return base
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
