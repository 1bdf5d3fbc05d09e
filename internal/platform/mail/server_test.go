package mail

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// trusted is the certificate of the servers in this test. Go reads the
// machine's authorities once, when it first needs them: it is made one before.
var trusted tls.Certificate

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "slipway-mail-")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(folder) }() // it is in the temporary folder anyway
		file := filepath.Join(folder, "authorities.pem")
		trusted = certificate()
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trusted.Certificate[0]})
		if err := errors.Join(os.WriteFile(file, text, 0o600), os.Setenv("SSL_CERT_FILE", file), os.Setenv("SSL_CERT_DIR", folder)); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// certificate is one for localhost that answers for itself.
func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// postOffice is a mail server.
type postOffice struct {
	startTLS, tls, auth, wrongHost bool

	mu   sync.Mutex
	took []delivery
	sent int // passwords
}

type delivery struct {
	from string
	to   []string
	text []byte
	tls  bool
	user string
}

// open serves until the test ends and returns the port.
func (p *postOffice) open(t *testing.T) string {
	t.Helper()
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &visit{office: p, conn: c}, nil }))
	s.Domain, s.AllowInsecureAuth, s.ErrorLog = "localhost", true, log.New(io.Discard, "", 0)
	secure := &tls.Config{Certificates: []tls.Certificate{trusted}, MinVersion: tls.VersionTLS12}
	if p.wrongHost {
		secure.Certificates[0] = certificate()
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if p.startTLS {
		s.TLSConfig = secure
	}
	if p.tls {
		l = tls.NewListener(l, secure)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close() // Serve returns the same error
		if err := <-ended; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return port
}

func (p *postOffice) delivered() []delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.took
}

func (p *postOffice) passwords() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// visit is one client at the counter.
type visit struct {
	office *postOffice
	conn   *smtp.Conn
	user   string
	now    delivery
}

func (v *visit) AuthMechanisms() []string {
	if v.office.auth {
		return []string{sasl.Plain}
	}
	return nil
}

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		v.office.mu.Lock()
		v.office.sent++
		v.office.mu.Unlock()
		if user != "slipway" || password != "p@ss" {
			return smtp.ErrAuthFailed
		}
		v.user = user
		return nil
	}), nil
}

func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	if v.office.auth && v.user == "" {
		return smtp.ErrAuthRequired
	}
	_, secured := v.conn.TLSConnectionState()
	v.now = delivery{from: from, tls: secured, user: v.user}
	return nil
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == "unknown@example.org" {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	v.now.to = append(v.now.to, to)
	return nil
}

func (v *visit) Data(r io.Reader) (err error) {
	if v.now.text, err = io.ReadAll(r); err != nil {
		return err
	}
	v.office.mu.Lock()
	defer v.office.mu.Unlock()
	v.office.took = append(v.office.took, v.now)
	return nil
}

func (v *visit) Reset()        { v.now = delivery{} }
func (v *visit) Logout() error { return nil }
