package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/testkit/assert"
)

// secureServer is a server that speaks HTTPS.
type secureServer struct {
	address  string
	redirect string // address that redirects plain HTTP
}

// serveSecurely serves, on a new SQLite database unless the settings have another one. They have
// those of HTTPS.
func serveSecurely(t *testing.T, set app.Settings) secureServer {
	t.Helper()
	s := secureServer{redirect: unusedAddress(t)}
	set.Listen, set.HTTPRedirect = "127.0.0.1:0", s.redirect
	if set.Data == "" {
		set.Data = t.TempDir()
	}
	set.LiveRate, set.TestRate, set.AddressRate = 1e6, 1e6, 1e6
	a, err := app.Open(t.Context(), set, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	addr, served := make(chan string, 1), make(chan error, 1)
	go func() { served <- a.Serve(t.Context(), func(at string) { addr <- at }) }()
	select {
	case s.address = <-addr:
	case err := <-served:
		t.Fatal(err)
	}
	t.Cleanup(func() { // the context of the test is canceled now
		if err := <-served; err != nil {
			t.Errorf("Serve returned error %v", err)
		}
	})
	return s
}

// unusedAddress returns an address that no one listens on.
func unusedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// authority issues certificates.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{key: newKey(t)}
	a.cert = a.sign(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "Test authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, &a.key.PublicKey)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign returns a certificate that is valid for 90 days. Its parent is nil for one that
// signs itself.
func (a *authority) sign(t *testing.T, c, parent *x509.Certificate, key any) *x509.Certificate {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = serial, time.Now().Add(-time.Hour), time.Now().AddDate(0, 0, 90)
	if parent == nil {
		parent = c
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key, a.key)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// issue returns a certificate for a domain.
func (a *authority) issue(t *testing.T, domain string, key any) *x509.Certificate {
	t.Helper()
	return a.sign(t, &x509.Certificate{DNSNames: []string{domain}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, a.cert, key)
}

// write writes a new certificate and its key to files, and returns its serial number.
func (a *authority) write(t *testing.T, domain, certFile, keyFile string) *big.Int {
	t.Helper()
	key := newKey(t)
	cert := a.issue(t, domain, &key.PublicKey)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert.Raw}, keyFile: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert.SerialNumber
}

// client returns a client that trusts the authority and connects to the address,
// whatever the host of the URL is.
func (a *authority) client(address string) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	return &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, address)
			},
		},
	}
}

// HTTPS works with a certificate in files, with HTTP/2, HSTS and a redirect. A new
// certificate is used without a restart, and a broken one is not.
func TestServeTLS(t *testing.T) {
	const domain = "boats.example.com"
	folder, ca := t.TempDir(), newAuthority(t)
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	first := ca.write(t, domain, cert, key)
	s := serveSecurely(t, app.Settings{TLSCert: cert, TLSKey: key, BaseURL: "https://" + domain})
	get := func() *http.Response {
		t.Helper()
		res, err := ca.client(s.address).Get("https://" + domain + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res
	}

	res := get()
	assert.Equal(t, res.StatusCode, 200)
	assert.Equal(t, res.Proto, "HTTP/2.0")
	assert.Equal(t, res.Header.Get("Strict-Transport-Security"), "max-age=31536000")
	assert.Equal(t, res.TLS.PeerCertificates[0].SerialNumber.String(), first.String(), "serial number of the first certificate")

	second := ca.write(t, domain, cert, key)
	assert.Equal(t, get().TLS.PeerCertificates[0].SerialNumber.String(), second.String(), "serial number after a renewal")
	if err := os.WriteFile(cert, []byte("not a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, get().TLS.PeerCertificates[0].SerialNumber.String(), second.String(), "serial number with a broken file")

	plain, err := ca.client(s.redirect).Post("http://other.example.com/v1/hulls?limit=1", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Body.Close()
	assert.Equal(t, plain.StatusCode, http.StatusPermanentRedirect)
	assert.Equal(t, plain.Header.Get("Location"), "https://"+domain+"/v1/hulls?limit=1")
}

// A certificate that can't be read is reported before the server accepts connections.
func TestServeWithoutCertificate(t *testing.T) {
	folder, ca := t.TempDir(), newAuthority(t)
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	serve := func() error {
		a, err := app.Open(t.Context(), app.Settings{
			Data: t.TempDir(), Listen: "127.0.0.1:0", BaseURL: "https://boats.example.com", TLSCert: cert, TLSKey: key,
			LiveRate: 1, TestRate: 1, AddressRate: 1,
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return a.Serve(t.Context(), func(string) { t.Error("the server started, want an error") })
	}

	check := func(name, want string) {
		t.Helper()
		err := serve()
		if err == nil {
			t.Fatalf("%s: got no error, want one", name)
		}
		assert.Contains(t, err.Error(), "SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY", name)
		assert.Contains(t, err.Error(), want, name)
	}
	check("missing", "cert.pem: no such file")
	ca.write(t, "boats.example.com", cert, key)
	ca.write(t, "boats.example.com", cert, filepath.Join(folder, "other.pem"))
	check("mismatch", "private key does not match public key")
}
