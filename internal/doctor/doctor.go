// Package doctor checks an installation, and says how to fix what is wrong.
package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"slipway/internal/app"
	"slipway/internal/platform/backup"
	"slipway/internal/platform/db"
	"slipway/internal/platform/outbound"
)

// The results of a check.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Finding is the result of a check.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // OK, Warn or Fail
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Doctor checks an installation without changing it.
type Doctor struct {
	Settings app.Settings
	// Host is an HTTPS server for the checks of the network and the clock. "" skips them.
	Host   string
	Client *http.Client
	Now    func() time.Time
	Space  func(folder string) (free, size uint64, err error)

	db      *db.DB // nil if it can't be opened
	missing *backup.MissingError
}

// New returns a doctor for the settings of this machine.
func New(s app.Settings, host string) *Doctor {
	return &Doctor{Settings: s, Host: host, Client: outbound.New(10*time.Second, true), Now: time.Now, Space: app.DiskSpace}
}

// checkTimeout limits each check, except for those of the database file and of all files.
const checkTimeout = 20 * time.Second

// filesTimeout is longer, because all files are listed.
const filesTimeout = 10 * time.Minute

// checks run in this order. A check returns several findings, or none if it doesn't apply.
var checks = []struct {
	name string
	run  func(d *Doctor, ctx context.Context) []Finding
}{
	{"settings", (*Doctor).checkSettings},
	{"data folder", (*Doctor).checkFolder},
	{"disk", (*Doctor).checkDisk},
	{"database", (*Doctor).checkDatabase},
	{"schema", (*Doctor).checkSchema},
	{"durability", (*Doctor).checkDurability},
	{"replication", (*Doctor).checkReplication},
	{"shards", (*Doctor).checkShards},
	{"master key", (*Doctor).checkMasterKey},
	{"files", (*Doctor).checkFiles},
	{"backups", (*Doctor).checkBackups},
	{"mail", (*Doctor).checkMail},
	{"text messages", (*Doctor).checkTexts},
	{"providers", (*Doctor).checkProviders},
	{"network", (*Doctor).checkNetwork},
	{"clock", (*Doctor).checkClock},
	{"server", (*Doctor).checkServer},
}

// Examine runs all checks.
func (d *Doctor) Examine(ctx context.Context) (findings []Finding, err error) {
	defer func() {
		if d.db != nil {
			err = d.db.Close()
		}
	}()
	for _, c := range checks {
		found := c.run(d, ctx)
		for i := range found {
			found[i].Check = c.name
		}
		findings = append(findings, found...)
		if err := ctx.Err(); err != nil {
			return findings, err
		}
	}
	return findings, nil
}

func pass(format string, args ...any) []Finding {
	return []Finding{{Status: OK, Detail: fmt.Sprintf(format, args...)}}
}

func warn(fix, format string, args ...any) []Finding {
	return []Finding{{Status: Warn, Detail: fmt.Sprintf(format, args...), Fix: fix}}
}

func fail(fix, format string, args ...any) []Finding {
	return []Finding{{Status: Fail, Detail: fmt.Sprintf(format, args...), Fix: fix}}
}

// checkSettings reports invalid settings, and valid ones that are only for development.
func (d *Doctor) checkSettings(context.Context) (found []Finding) {
	s := d.Settings
	if err := s.Check(); err != nil {
		return fail("Correct the settings. docs/configure.md lists them.", "%v", err)
	}
	if s.AllowPrivate {
		found = append(found, warn("Unset SLIPWAY_ALLOW_PRIVATE_WEBHOOKS in production.",
			"Webhooks can reach private addresses of your network.")...)
	}
	if app.IsPublicHTTP(s.BaseURL) {
		found = append(found, warn("Use an https URL, with a certificate or behind a proxy that handles TLS.",
			"SLIPWAY_BASE_URL is %s. Keys and passwords can be read on the network.", s.BaseURL)...)
	}
	if s.NewMasterKey {
		found = append(found, warn("Unset SLIPWAY_NEW_MASTER_KEY after the first start.", "A wrong master key would replace the current one.")...)
	}
	if found == nil {
		found = pass("valid, base URL %s", s.BaseURL)
	}
	return found
}

// checkNetwork checks that webhooks, partners and providers can be reached.
func (d *Doctor) checkNetwork(ctx context.Context) []Finding {
	if d.Host == "" {
		return nil
	}
	if _, err := d.dateOf(ctx); err != nil {
		return warn("Allow outbound HTTPS and DNS for this machine. Slipway doesn't use a proxy.",
			"Can't reach %s, so webhooks and providers are probably unreachable too: %v", d.Host, err)
	}
	return pass("reached %s", d.Host)
}

// The clock can differ this much. Authenticator apps have codes of 30 seconds.
const (
	clockWarn = 5 * time.Second
	clockFail = 30 * time.Second
)

// checkClock compares the clock of this machine with the database and a web server.
func (d *Doctor) checkClock(ctx context.Context) []Finding {
	const fix = "Turn on time synchronization, for example: timedatectl set-ntp true"
	var found []Finding
	compare := func(with string, theirs func(context.Context) (time.Time, error)) {
		begun := d.Now()
		at, err := theirs(ctx)
		ended := d.Now()
		if err != nil {
			return // another check reports it
		}
		off := max(at.Sub(ended), begun.Sub(at), 0).Round(time.Millisecond)
		switch text := fmt.Sprintf("differs from %s by %v", with, off); {
		case off > clockFail:
			found = append(found, fail(fix, "%s. Two-factor codes and signatures are rejected.", text)...)
		case off > clockWarn:
			found = append(found, warn(fix, "%s.", text)...)
		default:
			found = append(found, pass("agrees with %s", with)...)
		}
	}
	if d.db != nil && !d.db.SQLite() {
		compare("the database", func(ctx context.Context) (time.Time, error) { return db.Read(ctx, d.db, db.SharedClock) })
	}
	if d.Host != "" {
		compare(d.Host, d.dateOf)
	}
	return found
}

// dateOf returns the time of the web server, in whole seconds.
func (d *Doctor) dateOf(ctx context.Context) (time.Time, error) {
	res, err := d.get(ctx, http.MethodHead, d.Host) //nolint:bodyclose // get closes it
	if err != nil {
		return time.Time{}, err
	}
	at, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return time.Time{}, fmt.Errorf("no valid Date header: %w", err)
	}
	return at, nil
}

// checkServer reports whether a server runs with these settings.
func (d *Doctor) checkServer(ctx context.Context) []Finding {
	if err := app.Health(ctx, d.Settings); err != nil {
		return warn("Start it with slipway serve. If it is running, compare SLIPWAY_LISTEN and read its log.", "No server is ready: %v", err)
	}
	return pass("ready at %s", d.Settings.Listen)
}

// get sends a request and returns the response without its body.
func (d *Doctor) get(ctx context.Context, method, address string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := d.Client.Do(req)
	if err != nil {
		return nil, err
	}
	return res, res.Body.Close()
}

// Missing returns a backup.MissingError if files are missing, and nil otherwise.
func (d *Doctor) Missing() error {
	if d.missing == nil {
		return nil
	}
	return d.missing
}

// Failed counts the checks that failed.
func Failed(findings []Finding) (n int) {
	for _, f := range findings {
		if f.Status == Fail {
			n++
		}
	}
	return n
}
