package testkit

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/guides"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/site"
	"slipway/internal/testkit/postgres"
	"slipway/internal/vocab/auth"
)

// Each runs a test on SQLite and on PostgreSQL in parallel, each on a new database.
func Each(t *testing.T, test func(t *testing.T, s *Server)) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, database string) {
		if database == "sqlite" {
			test(t, OnSQLite(t))
		} else {
			test(t, OnPostgres(t))
		}
	})
}

// EachDatabase runs a test that starts its own servers for "sqlite" and for "postgres".
// The test continues in parallel with other tests, which fills the time that tests wait
// for jobs.
//
// SLIPWAY_TEST_ON limits all tests to one of them: CI runs them on SQLite with the race
// detector, and on PostgreSQL without.
func EachDatabase(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		if only := os.Getenv("SLIPWAY_TEST_ON"); only != "" && only != database {
			continue
		}
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(t, database)
		})
	}
}

// Server is the server under test. It has two dealerships.
type Server struct {
	*app.App
	URL  string
	Data string // the data folder

	Logged *Log

	// Test and Live are clients of the first dealership with all scopes. Other
	// is a client of the second dealership's test environment.
	Test, Live, Other *Client

	// Owner can sign in to the first dealership. Each environment has its own TOTP secret.
	Owner access.BootstrappedOwner

	t        *testing.T
	settings app.Settings
	tmpl     *template
	offset   *atomic.Int64 // how far the server's clock is ahead, in nanoseconds
}

// Node starts another server on the same database. Advance moves the clocks of both.
func (s *Server) Node() *Server {
	s.t.Helper()
	return start(s.t, s.tmpl, s.settings, s.offset)
}

// NodeWith starts another server on the same database, with changed settings.
func (s *Server) NodeWith(change func(*app.Settings)) *Server {
	s.t.Helper()
	set := s.settings
	change(&set)
	return start(s.t, s.tmpl, set, s.offset)
}

// NodeWithClock starts another server on the same database, with its own clock.
func (s *Server) NodeWithClock() *Server {
	s.t.Helper()
	return start(s.t, s.tmpl, s.settings, &atomic.Int64{})
}

// Settings returns the settings of the server, to start another process on its
// database.
func (s *Server) Settings() app.Settings { return s.settings }

// RunJobs runs background jobs until the test ends.
func (s *Server) RunJobs() {
	s.t.Helper()
	check(s.t, s.App.Jobs.Start(context.Background()))
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the context of the test is canceled
		defer cancel()
		check(s.t, s.App.Jobs.Stop(ctx))
	})
}

// KilledNode is the node of the jobs that KillJobs leaves.
const KilledNode = "killed"

// KillJobs leaves the jobs of some kinds as a server does that was killed a minute ago,
// while it ran them.
func (s *Server) KillJobs(kinds ...string) {
	s.t.Helper()
	by := `jsonb('["` + KilledNode + `"]')`
	if !s.DB.SQLite() {
		by = "ARRAY['" + KilledNode + "']"
	}
	marks, args := db.In(kinds)
	s.Exec(`UPDATE river_job SET state = 'running', finalized_at = NULL, attempt = 1, scheduled_at = created_at, attempted_at = created_at, attempted_by = `+by+` WHERE kind IN `+marks, args...)
	s.Exec(`INSERT INTO job_nodes (id, host, seen_at) VALUES (?, 'another', ?)`, KilledNode, s.DB.Now().Add(-time.Minute))
}

// LastJob returns the arguments of the newest job of a kind.
func LastJob[A jobs.Args](s *Server) (args A) {
	s.t.Helper()
	column := "json(args)"
	if !s.DB.SQLite() {
		column = "CAST(args AS TEXT)"
	}
	stored := Rows[string](s, `SELECT `+column+` FROM river_job WHERE kind = ? ORDER BY id DESC LIMIT 1`, args.Kind())
	if len(stored) == 0 {
		s.t.Fatalf("got no job %s, want one", args.Kind())
	}
	check(s.t, json.Unmarshal([]byte(stored[0]), &args))
	return args
}

// RunRelay delivers events until the test ends or stop is called.
func (s *Server) RunRelay() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.App.Relay.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-stopped
	})
	s.t.Cleanup(stop)
	return stop
}

// Log is what a server has logged.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// In returns the server for a subtest. Failures are reported on the subtest.
func (s *Server) In(t *testing.T) *Server {
	c := *s
	c.t = t
	c.Test, c.Live, c.Other = c.As(s.Test.Key), c.As(s.Live.Key), c.As(s.Other.Key)
	return &c
}

// Advance moves the server's clock forward.
func (s *Server) Advance(d time.Duration) { s.offset.Add(int64(d)) }

// StopClock sets the server's clock to a time. Only Advance moves it then.
func (s *Server) StopClock(at time.Time) {
	start := at.Add(-time.Duration(s.offset.Load()))
	s.DB.Now = func() time.Time { return start.Add(time.Duration(s.offset.Load())) }
}

// OnSQLite starts a server on a new SQLite database.
func OnSQLite(t *testing.T) *Server {
	t.Helper()
	tmpl := templates.sqlite(t)
	folder := t.TempDir()
	check(t, os.WriteFile(filepath.Join(folder, "slipway.db"), tmpl.file, 0o600))
	return start(t, tmpl, settings(folder, ""), &atomic.Int64{})
}

// OnPostgres starts a server on a new PostgreSQL database.
func OnPostgres(t *testing.T) *Server {
	t.Helper()
	tmpl := templates.postgres(t)
	return start(t, tmpl, settings(t.TempDir(), copyDatabase(t, tmpl.name)), &atomic.Int64{})
}

// start runs a server until the test ends.
func start(t *testing.T, tmpl *template, set app.Settings, offset *atomic.Int64) *Server {
	t.Helper()
	logged := &Log{}
	log := slog.New(slog.NewMultiHandler(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}), slog.NewTextHandler(logged, nil)))
	a, err := app.Open(t.Context(), set, log)
	check(t, err)
	s := &Server{App: a, Logged: logged, Data: set.Data, t: t, settings: set, tmpl: tmpl, Owner: tmpl.owner, offset: offset}
	a.DB.Now = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	a.HTTP.Transport = exampleProviders{a.HTTP.Transport}
	a.DB.OwnClock = true
	a.DB.CheckRows()
	a.DB.DefaultTimeout = time.Minute // a busy machine must not look like an outage
	check(t, site.LoadKeys(t.Context(), a.DB, a.Box, false))

	web := httptest.NewServer(a.Handler)
	t.Cleanup(func() {
		web.Close()
		checkEvents(t, a)
		seeEvents(t, a)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	s.URL = web.URL
	s.Test, s.Live, s.Other = s.As(tmpl.test), s.As(tmpl.live), s.As(tmpl.other)
	return s
}

// Key issues an API key for the first dealership's test environment.
func (s *Server) Key(scopes ...auth.Scope) string {
	s.t.Helper()
	return s.KeyWith(access.KeyRequest{Name: "Test key", Scopes: scopes})
}

// KeyWith issues an API key for the first dealership's test environment.
func (s *Server) KeyWith(in access.KeyRequest) string {
	s.t.Helper()
	var me access.Me
	s.Test.Get("/v1/me", 200, &me)
	key, err := issueKey(s.t.Context(), s.DB, me.Dealership.ID, auth.Test, in)
	check(s.t, err)
	return key
}

// The guides are read from their folder, so that a change of one reruns only tests that
// open it.
func init() {
	folder := "docs"
	for range 4 { // tests run in the folder of their package
		if _, err := os.Stat(filepath.Join(folder, "docs.go")); err == nil {
			break
		}
		folder = filepath.Join("..", folder)
	}
	guides.Files = os.DirFS(folder)
}

func settings(folder, url string) app.Settings {
	url, direct := throughPooler(url)
	return app.Settings{
		Data: folder, DatabaseURL: url, DirectURL: direct, MasterKey: base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef")),
		Listen: "127.0.0.1:0", BaseURL: "http://localhost", LiveRate: 1e6, TestRate: 1e6, AddressRate: 1e6, MaxWait: time.Minute, LogLevel: "warn",
		AllowPrivate:   true, // webhook receivers run on this machine
		RequestLogRows: 200_000, ListMemory: 1,
	}
}

// template is a migrated database with two dealerships, to be copied.
type template struct {
	file              []byte // content of the SQLite database
	name              string // name of the PostgreSQL database
	test, live, other string // API keys
	owner             access.BootstrappedOwner
}

// templates are created once per test binary, because hashing the passwords of
// the owners is slow by design.
var templates = struct {
	sqlite, postgres func(t *testing.T) *template
}{once(createSQLite), once(createPostgres)}

func once(create func() (*template, error)) func(t *testing.T) *template {
	f := sync.OnceValues(create)
	return func(t *testing.T) *template {
		t.Helper()
		tmpl, err := f()
		check(t, err)
		return tmpl
	}
}

func createSQLite() (tmpl *template, err error) {
	err = inTempFolder(func(folder string) error {
		if tmpl, err = fill(settings(folder, "")); err != nil {
			return err
		}
		// Closing the last connection has merged the write-ahead log into the file.
		tmpl.file, err = os.ReadFile(filepath.Join(folder, "slipway.db"))
		return err
	})
	return tmpl, err
}

func createPostgres() (tmpl *template, err error) {
	name := fmt.Sprintf("template_%d", os.Getpid())
	if err := execAdmin("CREATE DATABASE " + name); err != nil {
		return nil, err
	}
	err = inTempFolder(func(folder string) error {
		if tmpl, err = fill(settings(folder, urlOf(name))); err != nil {
			return err
		}
		tmpl.name = name
		if len(Workers()) > 0 {
			return distribute(name)
		}
		return nil
	})
	return tmpl, err
}

// inTempFolder calls fn with a folder and then removes the folder.
func inTempFolder(fn func(folder string) error) error {
	folder, err := os.MkdirTemp("", "slipway-template-")
	if err != nil {
		return err
	}
	return errors.Join(fn(folder), os.RemoveAll(folder))
}

// fill migrates a database and creates the dealerships.
func fill(set app.Settings) (tmpl *template, err error) {
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
		f, err := access.Bootstrap(ctx, a.DB, a.Box, access.NewDealership{Name: name, Owner: "owner@example.com", Plan: dealership.Standard})
		if err != nil {
			return nil, err
		}
		var scopes []auth.Scope
		for _, s := range auth.Scopes {
			scopes = append(scopes, s.Scope)
		}
		test, err := issueKey(ctx, a.DB, f.DealershipID, auth.Test, access.KeyRequest{Name: "test", Scopes: scopes})
		if err != nil {
			return nil, err
		}
		live, err := issueKey(ctx, a.DB, f.DealershipID, auth.Live, access.KeyRequest{Name: "live", Scopes: scopes})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			tmpl.test, tmpl.live, tmpl.owner = test, live, f.Owner
		} else {
			tmpl.other = test
		}
	}

	// Publish the events of the setup, so that a test only sees its own events.
	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]events.Event, error) {
		waiting, err := events.Waiting(ctx, tx, `SELECT env FROM event_feeds`)
		if err != nil {
			return nil, err
		}
		return events.Publish(ctx, tx, 1000, waiting)
	})
	return tmpl, err
}

func issueKey(ctx context.Context, d *db.DB, dealershipID string, mode auth.Mode, in access.KeyRequest) (string, error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (string, error) {
		env, err := dealership.FindEnvironment(ctx, tx, dealershipID, mode)
		if err != nil {
			return "", err
		}
		k, err := access.IssueKey(ctx, tx.In(env.Env), mode, in)
		return k.Key, err
	})
}

// copyDatabase copies a database and returns the URL of the copy.
func copyDatabase(t *testing.T, tmpl string) string {
	t.Helper()
	name := fmt.Sprintf("t_%d_%d", os.Getpid(), copies.Add(1))
	// Copying files is faster than logging their pages. Tests use PostgreSQL 15 or newer.
	check(t, execAdmin("CREATE DATABASE "+name+" TEMPLATE "+tmpl+" STRATEGY FILE_COPY"))
	t.Cleanup(func() { check(t, execAdmin("DROP DATABASE "+name+" WITH (FORCE)")) })
	return urlOf(name)
}

var copies atomic.Int64

// admin is one connection for all copies of a test binary. PostgreSQL starts a process for
// each connection, and it can't copy a template that is being copied.
var admin = sync.OnceValues(func() (*sql.DB, error) {
	url := os.Getenv(postgres.URLVariable)
	if url == "" {
		return nil, errors.New("no PostgreSQL server for the tests: run `make test`, which starts one, or set " + postgres.URLVariable)
	}
	d, err := sql.Open("pgx", url)
	if err != nil {
		return nil, err
	}
	d.SetMaxOpenConns(1)
	return d, nil
})

// urlOf returns the URL of another database on the same server.
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
