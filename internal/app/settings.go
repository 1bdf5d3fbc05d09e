package app

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/sms"
)

// Settings is everything an operator may set, by flag or by SLIPWAY_*. They
// are read once, in main, and handed down; no package looks at the environment.
type Settings struct {
	Data        string `env:"SLIPWAY_DATA" default:"data" type:"path" help:"Folder for the database and the master key."`
	DatabaseURL string `env:"SLIPWAY_DATABASE_URL" help:"postgres://... Without it, SQLite in the data folder."`
	MasterKey   string `env:"SLIPWAY_MASTER_KEY" help:"32 bytes in base64 that encrypt secrets at rest. Without it, a file in the data folder, made the first time."`

	Listen  string `env:"SLIPWAY_LISTEN" default:"127.0.0.1:8080" help:"Address of the API."`
	Metrics string `env:"SLIPWAY_METRICS_LISTEN" default:"127.0.0.1:9090" help:"Address of /metrics; empty for none."`
	BaseURL string `env:"SLIPWAY_BASE_URL" default:"http://localhost:8080" help:"How callers reach the API."`

	AuthURL string `env:"SLIPWAY_AUTH_URL" help:"How people and apps reach sign-in; {BASE_URL}/oauth without it."`

	SMTPURL  string `env:"SLIPWAY_SMTP_URL" help:"smtp://user:password@host:587 to send email by. Without it, messages are written to the outbox folder of the data folder."`
	MailFrom string `env:"SLIPWAY_MAIL_FROM" help:"Whom the service's own email comes from; Slipway <noreply@{host of BASE_URL}> without it."`

	DKIMKey      string `env:"SLIPWAY_DKIM_KEY" type:"path" help:"File with an RSA or Ed25519 key (PEM) to sign email by. Without it, the mail server signs, or nobody."`
	DKIMDomain   string `env:"SLIPWAY_DKIM_DOMAIN" help:"Domain that email is signed for; that of MAIL_FROM without it."`
	DKIMSelector string `env:"SLIPWAY_DKIM_SELECTOR" default:"slipway" help:"Where the domain has the public key: {SELECTOR}._domainkey.{DOMAIN}."`

	TwilioAccountSID string `env:"SLIPWAY_TWILIO_ACCOUNT_SID" help:"Twilio account to send texts by. Without it, texts are written to the outbox folder of the data folder."`
	TwilioAuthToken  string `env:"SLIPWAY_TWILIO_AUTH_TOKEN" help:"Token of the Twilio account."`
	TwilioFrom       string `env:"SLIPWAY_TWILIO_FROM" help:"Number, or messaging service (MG...), of dealerships that set no sender of their own."`
	TwilioURL        string `env:"SLIPWAY_TWILIO_URL" default:"https://api.twilio.com" help:"Where Twilio's API is."`
	BlobsURL         string `env:"SLIPWAY_BLOBS_URL" help:"s3://key:secret@host/bucket?region=us-east-1 to keep photos and imports in. Without it, the blobs folder of the data folder. tls=false for a plain connection."`

	TrustedProxies []netip.Prefix `env:"SLIPWAY_TRUSTED_PROXIES" help:"Networks such as 10.0.0.0/8 whose X-Forwarded-For is believed."`

	AllowPrivate bool `env:"SLIPWAY_ALLOW_PRIVATE_WEBHOOKS" default:"false" help:"Let webhooks and listing partners be on loopback and private addresses. For development."`

	LiveRate    float64 `env:"SLIPWAY_RATE_LIVE" default:"100" help:"Requests a second of a live credential."`
	TestRate    float64 `env:"SLIPWAY_RATE_TEST" default:"25" help:"Requests a second of a test credential."`
	AddressRate float64 `env:"SLIPWAY_RATE_ADDRESS" default:"50" help:"Requests a second of an address without a credential."`

	OTLPEndpoint string `env:"SLIPWAY_OTLP_ENDPOINT" help:"Where to send traces, such as http://localhost:4318. Empty for nowhere."`
	LogLevel     string `env:"SLIPWAY_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"How much to log: ${enum}."`
}

// Check reports everything that is wrong, at once.
func (s Settings) Check() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(s.Data != "", "SLIPWAY_DATA: names no folder")
	check(s.DatabaseURL == "" || strings.HasPrefix(s.DatabaseURL, "postgres://") || strings.HasPrefix(s.DatabaseURL, "postgresql://"),
		"SLIPWAY_DATABASE_URL: must start with postgres://")
	base, err := url.Parse(s.BaseURL)
	check(err == nil && base.Host != "" && (base.Scheme == "http" || base.Scheme == "https"), "SLIPWAY_BASE_URL: %q is not an http address", s.BaseURL)
	auth, err := url.Parse(s.authURL())
	check(err == nil && auth.Host != "", "SLIPWAY_AUTH_URL: %q is not an http address", s.AuthURL)
	_, err = netmail.ParseAddress(s.mailFrom())
	check(err == nil, "SLIPWAY_MAIL_FROM: %q is not an email address", s.MailFrom)
	check((s.TwilioAccountSID == "") == (s.TwilioAuthToken == ""), "SLIPWAY_TWILIO_ACCOUNT_SID and SLIPWAY_TWILIO_AUTH_TOKEN: set both or neither")
	for name, addr := range map[string]string{"SLIPWAY_LISTEN": s.Listen, "SLIPWAY_METRICS_LISTEN": s.Metrics} {
		_, _, err := net.SplitHostPort(addr)
		check(err == nil || (addr == "" && name == "SLIPWAY_METRICS_LISTEN"), "%s: %q is not an address such as 127.0.0.1:8080", name, addr)
	}
	for name, rate := range map[string]float64{"LIVE": s.LiveRate, "TEST": s.TestRate, "ADDRESS": s.AddressRate} {
		// A bucket that saves up less than one request would refuse them all.
		check(rate >= 1 && rate <= 1e6, "SLIPWAY_RATE_%s: must be 1 to 1000000 requests a second", name)
	}
	return errors.Join(errs...)
}

// authURL is where people and apps sign in.
func (s Settings) authURL() string {
	if s.AuthURL != "" {
		return strings.TrimSuffix(s.AuthURL, "/")
	}
	return strings.TrimSuffix(s.BaseURL, "/") + "/oauth"
}

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

// mailer is how email goes out.
func (s Settings) mailer() (mail.Sender, error) {
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
		from, _ := netmail.ParseAddress(s.mailFrom()) // checked
		err = m.SignAs(cmp.Or(s.DKIMDomain, from.Address[strings.LastIndex(from.Address, "@")+1:]), s.DKIMSelector, key)
	}
	if err != nil {
		return nil, fmt.Errorf("SLIPWAY_DKIM_KEY: %w", err)
	}
	return m, nil
}

// texter is how texts go out, and whom they come from by default.
func (s Settings) texter() (sms.Sender, string, error) {
	if s.TwilioAccountSID == "" {
		return sms.Outbox{Folder: filepath.Join(s.Data, "outbox")}, cmp.Or(s.TwilioFrom, "Slipway"), nil
	}
	t, err := sms.NewTwilio(cmp.Or(s.TwilioURL, "https://api.twilio.com"), s.TwilioAccountSID, s.TwilioAuthToken)
	if err != nil {
		return nil, "", fmt.Errorf("SLIPWAY_TWILIO_URL: %w", err)
	}
	return t, s.TwilioFrom, nil
}

// blobs is where large files are kept.
func (s Settings) blobs(d *db.DB) (*blobs.Keeper, error) {
	store, err := blobs.Open(s.BlobsURL, filepath.Join(s.Data, "blobs"))
	if err != nil {
		return nil, fmt.Errorf("SLIPWAY_BLOBS_URL: %w", err)
	}
	return &blobs.Keeper{DB: d, Store: store}, nil
}

// dsn is the database that the settings name.
func (s Settings) dsn() string {
	if s.DatabaseURL != "" {
		return s.DatabaseURL
	}
	return "sqlite:" + filepath.Join(s.Data, "slipway.db")
}
