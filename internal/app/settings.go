package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/sms"
)

// Settings are the settings of an operator, as flags or SLIPWAY_* variables. They
// are read once, in main. No other package reads the environment.
type Settings struct {
	Data        string `env:"SLIPWAY_DATA" default:"data" type:"path" help:"Folder for the database and the master key."`
	DatabaseURL string `env:"SLIPWAY_DATABASE_URL" help:"postgres://... Defaults to SQLite in the data folder."`
	DirectURL   string `env:"SLIPWAY_DATABASE_DIRECT_URL" name:"database-direct-url" help:"URL of PostgreSQL itself if SLIPWAY_DATABASE_URL leads to a pooler such as PgBouncer in transaction mode."`
	ReplicaURL  string `env:"SLIPWAY_DATABASE_REPLICA_URL" name:"database-replica-url" help:"A standby of the PostgreSQL server for reads, as postgres://..."`
	MasterKey   string `env:"SLIPWAY_MASTER_KEY" help:"32 bytes in base64 that encrypt secrets at rest. Defaults to a file in the data folder, which the first start creates."`

	NewMasterKey bool `env:"SLIPWAY_NEW_MASTER_KEY" default:"false" help:"Start with another master key although the secrets in the database can't be decrypted with it. They are lost."`

	Listen  string `env:"SLIPWAY_LISTEN" default:"127.0.0.1:8080" help:"Address that the API listens on."`
	Metrics string `env:"SLIPWAY_METRICS_LISTEN" name:"metrics-listen" aliases:"metrics" default:"127.0.0.1:9090" help:"Address that /metrics listens on. Empty turns it off."`
	BaseURL string `env:"SLIPWAY_BASE_URL" default:"http://localhost:8080" help:"Public URL of the API."`

	TLSCert       string   `env:"SLIPWAY_TLS_CERT" type:"path" help:"File with the certificate and its chain (PEM), to serve HTTPS. It is read again when it changes."`
	TLSKey        string   `env:"SLIPWAY_TLS_KEY" type:"path" help:"File with the private key of the certificate (PEM)."`
	ACMEDomains   []string `env:"SLIPWAY_ACME_DOMAINS" name:"acme-domains" help:"Serve HTTPS with certificates from Let's Encrypt for these domains, separated by commas. You accept its terms of service."`
	ACMEEmail     string   `env:"SLIPWAY_ACME_EMAIL" name:"acme-email" help:"Address where Let's Encrypt can reach you."`
	ACMEDirectory string   `env:"SLIPWAY_ACME_DIRECTORY" name:"acme-directory" default:"https://acme-v02.api.letsencrypt.org/directory" help:"URL of another certificate authority that supports ACME."`
	HTTPRedirect  string   `env:"SLIPWAY_HTTP_REDIRECT" name:"http-redirect" help:"Address that redirects plain HTTP to the base URL, such as :80. Defaults to :80 with ACME. Set it to off to turn it off."`

	AuthURL string `env:"SLIPWAY_AUTH_URL" help:"Public URL of sign-in. Defaults to {BASE_URL}/oauth."`

	SMTPURL  string `env:"SLIPWAY_SMTP_URL" name:"smtp-url" aliases:"smtpurl" help:"Mail server, as smtp://user:password@host:587. By default, messages are written to the outbox folder in the data folder."`
	MailFrom string `env:"SLIPWAY_MAIL_FROM" help:"Sender of the service's own email. Defaults to Slipway <noreply@{host of BASE_URL}>."`

	DKIMKey      string `env:"SLIPWAY_DKIM_KEY" type:"path" help:"File with the RSA or Ed25519 key (PEM) that signs email. By default, Slipway doesn't sign email."`
	DKIMDomain   string `env:"SLIPWAY_DKIM_DOMAIN" help:"Domain that email is signed for. Defaults to the domain of MAIL_FROM."`
	DKIMSelector string `env:"SLIPWAY_DKIM_SELECTOR" default:"slipway" help:"Selector of the public key, at {SELECTOR}._domainkey.{DOMAIN}."`

	TwilioAccountSID string `env:"SLIPWAY_TWILIO_ACCOUNT_SID" help:"Twilio account that sends text messages. By default, text messages are written to the outbox folder in the data folder."`
	TwilioAuthToken  string `env:"SLIPWAY_TWILIO_AUTH_TOKEN" help:"Auth token of the Twilio account."`
	TwilioFrom       string `env:"SLIPWAY_TWILIO_FROM" help:"Sender for dealerships without their own: a number or a messaging service (MG...)."`
	TwilioURL        string `env:"SLIPWAY_TWILIO_URL" default:"https://api.twilio.com" help:"URL of Twilio's API."`
	BlobsURL         string `env:"SLIPWAY_BLOBS_URL" help:"S3-compatible bucket for photos and imports, as s3://key:secret@host/bucket?region=us-east-1. Add tls=false for plain HTTP. Defaults to the blobs folder in the data folder."`

	BackupURL        string        `env:"SLIPWAY_BACKUP_URL" help:"Where the server stores backups: an existing folder, such as /mnt/backups, or a bucket, as s3://key:secret@host/bucket?region=us-east-1. By default, it makes none."`
	BackupSchedule   string        `env:"SLIPWAY_BACKUP_SCHEDULE" default:"03:00" help:"When the server makes a backup: a time of each day in the time zone of the server, or an interval such as 6h."`
	BackupKeepDays   int           `env:"SLIPWAY_BACKUP_KEEP_DAYS" default:"30" help:"Days that the server keeps a backup."`
	BackupCheckEvery time.Duration `env:"SLIPWAY_BACKUP_CHECK_EVERY" default:"168h" help:"How often the server restores the newest backup to a temporary folder and verifies it. 0 turns it off."`
	BackupCopies     string        `env:"SLIPWAY_BACKUP_COPIES" enum:"on,off," default:"on" help:"Whether changes of SQLite are copied to the target of the backups every second."`

	TrustedProxies []netip.Prefix `env:"SLIPWAY_TRUSTED_PROXIES" help:"Networks whose X-Forwarded-For is trusted, such as 10.0.0.0/8, separated by commas."`

	AllowPrivate bool `env:"SLIPWAY_ALLOW_PRIVATE_WEBHOOKS" name:"allow-private-webhooks" aliases:"allow-private" default:"false" help:"Allow webhooks, listing partners and identity providers on loopback and private addresses. For development."`

	LiveRate    float64 `env:"SLIPWAY_RATE_LIVE" name:"rate-live" aliases:"live-rate" default:"100" help:"Requests per second of a live credential."`
	TestRate    float64 `env:"SLIPWAY_RATE_TEST" name:"rate-test" aliases:"test-rate" default:"25" help:"Requests per second of a test credential."`
	AddressRate float64 `env:"SLIPWAY_RATE_ADDRESS" name:"rate-address" aliases:"address-rate" default:"50" help:"Requests per second from an IP address without a credential."`

	MaxWait        time.Duration `env:"SLIPWAY_MAX_WAIT" default:"500ms" help:"How long a request can expect to wait for others. If it would be longer, the server rejects it immediately."`
	MaxConnections int           `env:"SLIPWAY_MAX_CONNECTIONS" default:"2048" help:"Connections that the server keeps open. The others wait in the queue of the kernel."`
	ListMemory     int           `env:"SLIPWAY_LIST_MEMORY" default:"16" help:"Megabytes of memory for boats, contacts, leads and deals that were listed lately. Lists of them are much faster then. 0 keeps none."`
	MaxRequests    int           `env:"SLIPWAY_MAX_REQUESTS" default:"256" help:"Requests of a kind (reads, writes, uploads, urgent ones and public ones) that the server handles or lets wait. It rejects the rest."`

	MCP string `env:"SLIPWAY_MCP" name:"mcp" enum:"on,off," default:"on" help:"Set it to off to serve no assistants at /mcp."`

	RequestLogRows int `env:"SLIPWAY_REQUEST_LOG_ROWS" default:"200000" help:"API requests that the request log keeps per environment, for 30 days. 0 turns it off."`

	OTLPEndpoint string `env:"SLIPWAY_OTLP_ENDPOINT" help:"Where to send traces, such as http://localhost:4318. Empty turns them off."`

	LogLevel  string `env:"SLIPWAY_LOG_LEVEL" default:"info" help:"Log level: debug, info, warn or error. Parts can have their own: warn,webhooks=debug."`
	LogFormat string `env:"SLIPWAY_LOG_FORMAT" enum:"text,json," default:"" help:"Format of the log: text or json. Defaults to text on a terminal and to json elsewhere."`
}

// Check reports all invalid settings together.
func (s Settings) Check() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}

	check(s.Data != "", "SLIPWAY_DATA: must be a folder")
	for name, u := range map[string]string{"SLIPWAY_DATABASE_URL": s.DatabaseURL, "SLIPWAY_DATABASE_REPLICA_URL": s.ReplicaURL, "SLIPWAY_DATABASE_DIRECT_URL": s.DirectURL} {
		check(u == "" || strings.HasPrefix(u, "postgres://") || strings.HasPrefix(u, "postgresql://"), "%s: must start with postgres://", name)
	}
	check(s.ReplicaURL == "" || s.DatabaseURL != "", "SLIPWAY_DATABASE_REPLICA_URL: requires SLIPWAY_DATABASE_URL")

	check(s.DirectURL == "" || s.DatabaseURL != "", "SLIPWAY_DATABASE_DIRECT_URL: requires SLIPWAY_DATABASE_URL")

	base, err := url.Parse(s.BaseURL)
	check(err == nil && base.Host != "" && (base.Scheme == "http" || base.Scheme == "https"),
		"SLIPWAY_BASE_URL: %q is not an http or https URL", s.BaseURL)
	errs = append(errs, s.checkTLS(base)...)
	errs = append(errs, s.checkBackups()...)
	auth, err := url.Parse(s.authURL())
	check(err == nil && auth.Host != "", "SLIPWAY_AUTH_URL: %q is not an http or https URL", s.AuthURL)
	_, err = netmail.ParseAddress(s.mailFrom())
	check(err == nil, "SLIPWAY_MAIL_FROM: %q is not an email address", s.MailFrom)
	check((s.TwilioAccountSID == "") == (s.TwilioAuthToken == ""),
		"SLIPWAY_TWILIO_ACCOUNT_SID and SLIPWAY_TWILIO_AUTH_TOKEN: set both or neither")

	for name, addr := range map[string]string{"SLIPWAY_LISTEN": s.Listen, "SLIPWAY_METRICS_LISTEN": s.Metrics} {
		_, _, err := net.SplitHostPort(addr)
		check(err == nil || (addr == "" && name == "SLIPWAY_METRICS_LISTEN"), "%s: %q is not an address such as 127.0.0.1:8080", name, addr)
	}
	for name, rate := range map[string]float64{"LIVE": s.LiveRate, "TEST": s.TestRate, "ADDRESS": s.AddressRate} {
		// A bucket smaller than one request would reject every request.
		check(rate >= 1 && rate <= 1e6, "SLIPWAY_RATE_%s: must be 1 to 1000000 requests per second", name)
	}
	_, err = parseLevels(cmp.Or(s.LogLevel, "info"))
	check(err == nil, "SLIPWAY_LOG_LEVEL: %v", err)
	check(s.LogFormat == "" || s.LogFormat == "text" || s.LogFormat == "json", "SLIPWAY_LOG_FORMAT: must be text or json")
	check(s.RequestLogRows >= 0 && s.RequestLogRows <= 10_000_000, "SLIPWAY_REQUEST_LOG_ROWS: must be 0 to 10000000")
	check(s.MaxWait >= 0 && s.MaxWait <= 10*time.Minute, "SLIPWAY_MAX_WAIT: must be at most 10m")
	check(s.MaxConnections == 0 || s.MaxConnections >= 64 && s.MaxConnections <= 1_000_000, "SLIPWAY_MAX_CONNECTIONS: must be 64 to 1000000")
	check(s.ListMemory >= 0 && s.ListMemory <= 4096, "SLIPWAY_LIST_MEMORY: must be 0 to 4096")
	check(s.MaxRequests == 0 || s.MaxRequests >= 8 && s.MaxRequests <= 100_000, "SLIPWAY_MAX_REQUESTS: must be 8 to 100000")
	return errors.Join(errs...)
}

// authURL returns the URL of sign-in.
func (s Settings) authURL() string {
	if s.AuthURL != "" {
		return strings.TrimSuffix(s.AuthURL, "/")
	}
	return strings.TrimSuffix(s.BaseURL, "/") + "/oauth"
}

// SignInURL returns the URL of the sign-in page.
func (s Settings) SignInURL() string { return s.authURL() + "/sign-in" }

func (s Settings) mailFrom() string {
	if s.MailFrom != "" {
		return s.MailFrom
	}
	base, err := url.Parse(s.BaseURL)
	if err != nil {
		return ""
	}
	return "Slipway <noreply@" + base.Hostname() + ">"
}

// Mailer returns the sender of email.
func (s Settings) Mailer() (mail.Sender, error) {
	if s.SMTPURL == "" {
		return mail.Outbox{Folder: filepath.Join(s.Data, "outbox")}, nil
	}
	m, err := mail.NewSMTP(s.SMTPURL)
	if err != nil {
		return nil, fmt.Errorf("SLIPWAY_SMTP_URL: %w", err)
	}
	if s.DKIMKey == "" {
		return m, nil
	}
	key, err := os.ReadFile(s.DKIMKey)
	if err == nil {
		from, _ := netmail.ParseAddress(s.mailFrom()) // already checked by Check
		err = m.SignAs(cmp.Or(s.DKIMDomain, from.Address[strings.LastIndex(from.Address, "@")+1:]), s.DKIMSelector, key)
	}
	if err != nil {
		return nil, fmt.Errorf("SLIPWAY_DKIM_KEY: %w", err)
	}
	return m, nil
}

// Texter returns the sender of text messages and the default number.
func (s Settings) Texter() (sms.Sender, string, error) {
	if s.TwilioAccountSID == "" {
		return sms.Outbox{Folder: filepath.Join(s.Data, "outbox")}, cmp.Or(s.TwilioFrom, "Slipway"), nil
	}
	t, err := sms.NewTwilio(cmp.Or(s.TwilioURL, "https://api.twilio.com"), s.TwilioAccountSID, s.TwilioAuthToken)
	if err != nil {
		return nil, "", fmt.Errorf("SLIPWAY_TWILIO_URL: %w", err)
	}
	return t, s.TwilioFrom, nil
}

// Blobs returns the store for large files.
func (s Settings) Blobs(d *db.DB) (*blobs.Files, error) {
	store, err := blobs.Open(s.BlobsURL, filepath.Join(s.Data, "blobs"))
	if err != nil {
		return nil, fmt.Errorf("SLIPWAY_BLOBS_URL: %w", err)
	}
	return &blobs.Files{DB: d, Store: store}, nil
}

// dsn returns the address of the database.
func (s Settings) dsn() string {
	if s.DatabaseURL != "" {
		return s.DatabaseURL
	}
	return "sqlite:" + s.sqliteFile()
}

// openDB opens the database.
func (s Settings) openDB(ctx context.Context) (*db.DB, error) {
	if s.DirectURL != "" {
		return db.OpenPooled(ctx, s.DatabaseURL, s.DirectURL)
	}
	return db.Open(ctx, s.dsn())
}

// sqliteFile is the database file, unless there is a DatabaseURL.
// host identifies this server among those that run now, and again after a restart.
func (s Settings) host() string {
	name, _ := os.Hostname() // without it, the address is what we have
	return name + " " + s.Listen
}

func (s Settings) sqliteFile() string { return filepath.Join(s.Data, "slipway.db") }
