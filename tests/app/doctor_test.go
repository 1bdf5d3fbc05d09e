package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/doctor"
	"slipway/internal/platform/seal"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/postgres"
)

// healthy returns a doctor for the settings of a server, without the internet.
func healthy(t *testing.T, set app.Settings) *doctor.Doctor {
	t.Helper()
	web := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(web.Close)
	assert.NoError(t, os.Chmod(set.Data, 0o700))
	d := doctor.New(set, web.URL)
	d.Client = web.Client()
	d.Space = func(string) (uint64, uint64, error) { return 500 << 30, 1000 << 30, nil }
	return d
}

// examine returns the findings of one check.
func examine(t *testing.T, d *doctor.Doctor, name string) (found []doctor.Finding) {
	t.Helper()
	all, err := d.Examine(t.Context())
	assert.NoError(t, err)
	for _, f := range all {
		if f.Check == name {
			found = append(found, f)
		}
		if f.Status != doctor.OK && f.Fix == "" {
			t.Errorf("%s: %s doesn't say how to fix it", f.Check, f.Detail)
		}
	}
	return found
}

// Each broken setup is found, with the check and the status that are listed.
func TestDoctorFindsProblems(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		sqlite := s.DB.SQLite()
		twilio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, token, _ := r.BasicAuth(); token != "right" || r.URL.Path != "/2010-04-01/Accounts/AC1.json" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			_, _ = w.Write([]byte(`{"sid": "AC1", "status": "active"}`))
		}))
		defer twilio.Close()

		secure := httptest.NewTLSServer(s.Handler)
		defer secure.Close()

		for name, c := range map[string]struct {
			change func(d *doctor.Doctor)
			check  string
			status string
			want   string
			only   string // sqlite or postgres
		}{
			"valid settings":   {check: "settings", status: doctor.Warn, want: "private addresses"},
			"invalid settings": {func(d *doctor.Doctor) { d.Settings.BaseURL = "boats" }, "settings", doctor.Fail, "SLIPWAY_BASE_URL", ""},
			"HTTP": {func(d *doctor.Doctor) {
				d.Settings.BaseURL = "http://boats.example.com"
				d.Settings.AllowPrivate = false
			}, "settings", doctor.Warn, "can be read on the network", ""},
			"data folder":          {nil, "data folder", doctor.OK, "", ""},
			"no data folder":       {func(d *doctor.Doctor) { d.Settings.Data += "/none" }, "data folder", doctor.Fail, "doesn't exist", ""},
			"public data folder":   {func(d *doctor.Doctor) { assert.NoError(t, os.Chmod(d.Settings.Data, 0o755)) }, "data folder", doctor.Warn, "mode 0755", ""},
			"disk":                 {nil, "disk", doctor.OK, "536.9 GB of 1.1 TB free", ""},
			"almost full disk":     {space(90), "disk", doctor.Warn, "Only", ""},
			"full disk":            {space(10), "disk", doctor.Fail, "Writes fail", ""},
			"SQLite":               {nil, "database", doctor.OK, "no damage found", "sqlite"},
			"no SQLite database":   {func(d *doctor.Doctor) { d.Settings.Data = t.TempDir() }, "database", doctor.Fail, "there is no database", "sqlite"},
			"damaged SQLite":       {damage(t), "database", doctor.Fail, "malformed", "sqlite"},
			"PostgreSQL":           {nil, "database", doctor.OK, "PostgreSQL 1", "postgres"},
			"no PostgreSQL server": {func(d *doctor.Doctor) { d.Settings.DatabaseURL = "postgres://127.0.0.1:1/none" }, "database", doctor.Fail, "Can't open the database", "postgres"},
			"schema":               {nil, "schema", doctor.OK, "current", ""},
			"empty database":       {func(d *doctor.Doctor) { d.Settings.DatabaseURL = testkit.EmptyPostgres(t) }, "schema", doctor.Fail, "has no tables", "postgres"},
			"lost writes":          {nil, "durability", doctor.Fail, "fsync is off", "postgres"}, // the server of the tests has no fsync
			"no standby":           {nil, "replication", doctor.Warn, "has no standby", "postgres"},
			"replica is a primary": {func(d *doctor.Doctor) { d.Settings.ReplicaURL = d.Settings.DatabaseURL }, "replication", doctor.Warn, "is not a standby", "postgres"},
			"no replica":           {func(d *doctor.Doctor) { d.Settings.ReplicaURL = "postgres://127.0.0.1:1/none" }, "replication", doctor.Warn, "Can't read from the replica", "postgres"},
			"master key":           {nil, "master key", doctor.OK, "matches", ""},
			"no master key":        {func(d *doctor.Doctor) { d.Settings.MasterKey = "" }, "master key", doctor.Fail, "no master key", ""},
			"other master key":     {func(d *doctor.Doctor) { d.Settings.MasterKey = seal.Encode(seal.NewKey()) }, "master key", doctor.Fail, "doesn't match", ""},
			"files":                {nil, "files", doctor.OK, "in the folder", ""},
			"bucket":               {func(d *doctor.Doctor) { d.Settings.BlobsURL = bucket(t) }, "files", doctor.OK, "in the bucket", ""},
			"no bucket":            {func(d *doctor.Doctor) { d.Settings.BlobsURL = strings.Replace(bucket(t), "/boats", "/none", 1) }, "files", doctor.Fail, "bucket", ""},
			"outbox":               {nil, "mail", doctor.Warn, "Email is not sent", ""},
			"no mail server":       {func(d *doctor.Doctor) { d.Settings.SMTPURL = "smtp://127.0.0.1:1" }, "mail", doctor.Fail, "Can't sign in", ""},
			"no Twilio":            {nil, "text messages", doctor.Warn, "not sent", ""},
			"Twilio":               {account(twilio.URL, "right"), "text messages", doctor.OK, "active", ""},
			"wrong Twilio token":   {account(twilio.URL, "wrong"), "text messages", doctor.Fail, "401", ""},
			"network":              {nil, "network", doctor.OK, "reached", ""},
			"no network":           {func(d *doctor.Doctor) { d.Host = "https://127.0.0.1:1" }, "network", doctor.Warn, "Can't reach", ""},
			"clock":                {nil, "clock", doctor.OK, "agrees", ""},
			"inaccurate clock":     {clock(10 * time.Second), "clock", doctor.Warn, "differs", ""},
			"slow clock":           {clock(-time.Hour), "clock", doctor.Fail, "Two-factor codes", ""},
			"no server":            {func(d *doctor.Doctor) { d.Settings.Listen = "127.0.0.1:1" }, "server", doctor.Warn, "No server is ready", ""},
			"server":               {func(d *doctor.Doctor) { d.Settings.Listen = strings.TrimPrefix(s.URL, "http://") }, "server", doctor.OK, "ready", ""},
			"server with TLS":      {func(d *doctor.Doctor) { d.Settings.Listen = secure.Listener.Addr().String() }, "server", doctor.OK, "ready", ""},
		} {
			if c.only == "sqlite" && !sqlite || c.only == "postgres" && sqlite {
				continue
			}
			t.Run(name, func(t *testing.T) {
				d := healthy(t, s.Settings())
				if c.change != nil {
					c.change(d)
				}
				found := examine(t, d, c.check)
				if len(found) == 0 {
					t.Fatalf("no finding for %s", c.check)
				}
				assert.Equal(t, found[0].Status, c.status, found[0].Detail)
				assert.Contains(t, found[0].Detail, c.want)
			})
		}
	})
}

func space(free uint64) func(d *doctor.Doctor) {
	return func(d *doctor.Doctor) {
		d.Space = func(string) (uint64, uint64, error) { return free << 30, 1000 << 30, nil }
	}
}

func clock(off time.Duration) func(d *doctor.Doctor) {
	return func(d *doctor.Doctor) { d.Now = func() time.Time { return time.Now().Add(off) } }
}

func account(url, token string) func(d *doctor.Doctor) {
	return func(d *doctor.Doctor) {
		d.Settings.TwilioURL, d.Settings.TwilioAccountSID, d.Settings.TwilioAuthToken = url, "AC1", token
	}
}

// damage copies the database and overwrites pages in the middle of the copy.
func damage(t *testing.T) func(d *doctor.Doctor) {
	return func(d *doctor.Doctor) {
		copied := t.TempDir()
		file := filepath.Join(copied, "backup")
		_, err := app.Backup(context.Background(), d.Settings, file, app.BackupOptions{Progress: noProgress})
		assert.NoError(t, err)
		d.Settings.Data = filepath.Join(copied, "data")
		_, _, err = app.Restore(context.Background(), d.Settings, file, noProgress)
		assert.NoError(t, err)
		path := filepath.Join(d.Settings.Data, "slipway.db")
		text, err := os.ReadFile(path)
		assert.NoError(t, err)
		for i := len(text) / 4; i < len(text)*3/4; i++ {
			text[i] = 0xA5
		}
		assert.NoError(t, os.WriteFile(path, text, 0o600))
	}
}

// A durable server with a standby has no problems.
func TestDoctorOnDurablePostgres(t *testing.T) {
	primary, err := postgres.Start(t.Context(), postgres.Durable())
	assert.NoError(t, err)
	t.Cleanup(primary.Stop)
	standby, err := primary.Standby(t.Context())
	assert.NoError(t, err)
	t.Cleanup(standby.Stop)
	set := testkit.OnSQLite(t).Settings()
	set.DatabaseURL, set.ReplicaURL = primary.URL("postgres"), standby.URL("postgres")

	for _, f := range examine(t, healthy(t, set), "durability") {
		if f.Status == doctor.Fail {
			t.Errorf("durability: got %+v, want no failure", f)
		}
	}
	var found []doctor.Finding
	assert.Eventually(t, "the standby to replicate", func() bool {
		found = examine(t, healthy(t, set), "replication")
		return len(found) == 1 && found[0].Status == doctor.OK
	})
	assert.Equal(t, found[0].Detail, "standby servers: 1")
}
