package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// checkTLS returns the invalid settings of HTTPS.
func (s Settings) checkTLS(base *url.URL) (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if (s.TLSCert == "") != (s.TLSKey == "") {
		bad("SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY: set both or neither")
	}
	if s.TLSCert != "" && len(s.ACMEDomains) > 0 {
		bad("SLIPWAY_TLS_CERT and SLIPWAY_ACME_DOMAINS: set only one of them")
	}
	for _, d := range s.ACMEDomains {
		if _, err := netip.ParseAddr(d); err == nil || !strings.Contains(d, ".") || strings.ContainsAny(d, "*:/ ") {
			bad("SLIPWAY_ACME_DOMAINS: %q is not a domain such as api.example.com", d)
		}
	}
	if s.HTTPRedirect != "" && s.HTTPRedirect != "off" {
		if _, _, err := net.SplitHostPort(s.HTTPRedirect); err != nil {
			bad("SLIPWAY_HTTP_REDIRECT: %q is not an address such as :80", s.HTTPRedirect)
		}
	}

	if base == nil {
		return errs
	}
	if (s.servesTLS() || s.redirectListen() != "") && base.Scheme != "https" {
		bad("SLIPWAY_BASE_URL: %q must start with https:// if you serve HTTPS or redirect to it", s.BaseURL)
	}
	if len(s.ACMEDomains) > 0 && !slices.Contains(s.ACMEDomains, base.Hostname()) {
		bad("SLIPWAY_ACME_DOMAINS: must contain %s, the host of SLIPWAY_BASE_URL", base.Hostname())
	}
	return errs
}

// servesTLS reports whether the API speaks HTTPS.
func (s Settings) servesTLS() bool { return s.TLSCert != "" || len(s.ACMEDomains) > 0 }

// redirectListen returns the address that redirects plain HTTP, or "" for none.
func (s Settings) redirectListen() string {
	switch {
	case s.HTTPRedirect == "off":
		return ""
	case s.HTTPRedirect == "" && len(s.ACMEDomains) > 0:
		return ":80"
	}
	return s.HTTPRedirect
}

// secured is how the API serves HTTPS.
type secured struct {
	config   *tls.Config  // nil for plain HTTP
	redirect http.Handler // nil for none
}

// secure prepares HTTPS. It returns an error if the certificate can't be used.
func (a *App) secure() (s secured, err error) {
	if a.settings.redirectListen() != "" {
		s.redirect = redirectTo(a.settings.BaseURL)
	}
	switch {
	case a.settings.TLSCert != "":
		files := &certificateFiles{cert: a.settings.TLSCert, key: a.settings.TLSKey, log: a.log}
		if err := files.load(); err != nil {
			return s, fmt.Errorf("SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY: %w", err)
		}
		a.warnAboutCertificate(files.current)
		s.config = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: files.get}
	case len(a.settings.ACMEDomains) > 0:
		a.acme = a.acmeManager()
		s.config = a.acme.TLSConfig()
		s.config.MinVersion, s.config.GetCertificate = tls.VersionTLS12, a.certificateFor
		if s.redirect != nil {
			s.redirect = a.acme.HTTPHandler(s.redirect) // also answers http-01 challenges
		}
	}
	return s, nil
}

// redirectTo redirects each request to the same path of the base URL. The method and the
// body stay the same. The Host header is not used, because clients choose it.
func redirectTo(baseURL string) http.Handler {
	base, _ := url.Parse(baseURL) // already checked by Check
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+base.Host+r.URL.RequestURI(), http.StatusPermanentRedirect)
	})
}

// strictTransport tells browsers to use only HTTPS, if that is how they reach the API.
func strictTransport(baseURL string, next http.Handler) http.Handler {
	if !strings.HasPrefix(baseURL, "https://") {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}

// warnAboutCertificate logs what makes clients reject a certificate.
func (a *App) warnAboutCertificate(c *tls.Certificate) {
	base, _ := url.Parse(a.settings.BaseURL) // already checked by Check
	if err := c.Leaf.VerifyHostname(base.Hostname()); err != nil {
		a.log.Warn("the certificate is not valid for the base URL", "err", err)
	}
	if now := a.now(); now.After(c.Leaf.NotAfter) || now.Before(c.Leaf.NotBefore) {
		a.log.Warn("the certificate is not valid now", "not_before", c.Leaf.NotBefore, "not_after", c.Leaf.NotAfter)
	}
}

// warnAboutAddress logs if clients can't use the address, or should not.
func (a *App) warnAboutAddress(listen string) {
	if problem := addressMismatch(a.settings.BaseURL, listen); problem != "" {
		a.log.Warn(problem + "; set SLIPWAY_BASE_URL to the URL that clients use")
	}
	host, _, err := net.SplitHostPort(listen)
	if err == nil && !isLoopback(host) && strings.HasPrefix(a.settings.BaseURL, "http://") {
		a.log.Warn("passwords and API keys are not encrypted on the network; serve HTTPS (SLIPWAY_ACME_DOMAINS or SLIPWAY_TLS_CERT), or use a proxy that does")
	}
}

// certificateFiles is a certificate in files. It is read again when they change, so that
// a renewed certificate needs no restart.
type certificateFiles struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	version string // of the files of the current certificate
	failed  string // version that could not be read
}

// get returns the certificate for a connection.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, err := f.stat()
	if err != nil || v == f.version || v == f.failed {
		return f.current, nil // the files are being replaced
	}

	// The certificate and the key might not match yet, if one of them was replaced.
	if err := f.load(); err != nil {
		f.failed = v
		f.log.Error("can't read the new certificate; the previous one is still used", "err", err)
		return f.current, nil
	}
	f.log.Info("the certificate was replaced", "not_after", f.current.Leaf.NotAfter)
	return f.current, nil
}

func (f *certificateFiles) load() error {
	v, err := f.stat()
	if err != nil {
		return err
	}
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return err
	}
	f.current, f.version = &c, v
	return nil
}

// stat returns a text that changes when one of the files changes.
func (f *certificateFiles) stat() (version string, err error) {
	for _, name := range []string{f.cert, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return "", err
		}
		version += fmt.Sprintf("%d %d ", info.ModTime().UnixNano(), info.Size())
	}
	return version, nil
}

// acmeManager requests certificates and renews them. Its state is in the database, so
// that all servers use the same certificates, and each can answer a challenge.
func (a *App) acmeManager() *autocert.Manager {
	a.orders = a.newOrders()
	return &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: a.orders, Email: a.settings.ACMEEmail,
		HostPolicy: func(ctx context.Context, host string) error {
			if a.starting.Load() {
				return errors.New("the server is starting")
			}
			return autocert.HostWhitelist(a.settings.ACMEDomains...)(ctx, host)
		},
		Client: &acme.Client{
			DirectoryURL: a.settings.ACMEDirectory, UserAgent: "slipway", HTTPClient: &http.Client{Timeout: 30 * time.Second},
		},
	}
}

// requestCertificates requests the certificates that don't exist yet, so that the first
// client doesn't wait and the log shows what is wrong.
func (a *App) requestCertificates(ctx context.Context) {
	if a.acme == nil {
		return
	}
	for _, domain := range a.settings.ACMEDomains {
		go func() {
			c, err := a.certificate(ctx, &tls.ClientHelloInfo{
				ServerName: domain, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
				SupportedCurves: []tls.CurveID{tls.CurveP256}, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
			})
			if errors.Is(err, errOrdering) {
				a.log.Info(err.Error(), "domain", domain)
				return
			}
			if err != nil {
				a.log.Error("can't get a certificate; the next connection tries again", "domain", domain, "err", err)
				return
			}
			a.log.Info("the certificate is ready", "domain", domain, "not_after", c.Leaf.NotAfter)
		}()
	}
}
