package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"slipway/internal/app"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// acmeServer is a certificate authority that speaks ACME (RFC 8555). It offers one type of
// challenge and checks it. It doesn't check signatures and nonces.
type acmeServer struct {
	*authority
	t         *testing.T
	url       string
	challenge string
	check     func(token string) error // validates a challenge

	mu     sync.Mutex
	valid  bool // the challenge was answered
	chain  []byte
	orders int
}

const acmeToken = "token-of-the-challenge"

func newACMEServer(t *testing.T, challenge string) *acmeServer {
	t.Helper()
	a := &acmeServer{authority: newAuthority(t), t: t, challenge: challenge}
	web := httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(web.Close)
	a.url = web.URL
	return a
}

func (a *acmeServer) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Replay-Nonce", "nonce")
	status, body := 200, any(nil)
	switch r.URL.Path {
	case "/directory":
		body = map[string]any{
			"newNonce": a.url + "/nonce", "newAccount": a.url + "/account", "newOrder": a.url + "/order", "revokeCert": a.url, "keyChange": a.url,
		}
	case "/nonce":
	case "/account":
		w.Header().Set("Location", a.url+"/account/1")
		status, body = 201, map[string]any{"status": "valid"}
	case "/order":
		a.orders++
		w.Header().Set("Location", a.url+"/order/1")
		status, body = 201, a.order()
	case "/order/1":
		body = a.order()
	case "/authorization":
		body = map[string]any{
			"status": a.status("pending"), "identifier": map[string]string{"type": "dns", "value": acmeDomain},
			"challenges": []any{map[string]any{"type": a.challenge, "url": a.url + "/challenge", "token": acmeToken, "status": a.status("pending")}},
		}
	case "/challenge":
		if err := a.check(acmeToken); err != nil {
			a.t.Errorf("%s: got %v, want an answer to the challenge", a.challenge, err)
		}
		a.valid = true
		body = map[string]any{"type": a.challenge, "url": a.url + "/challenge", "token": acmeToken, "status": "valid"}
	case "/finalize":
		a.finalize(r.Body)
		body = a.order()
	case "/certificate":
		_, _ = w.Write(a.chain)
		return
	default:
		status = 404
	}
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

func (a *acmeServer) status(before string) string {
	if a.valid {
		return "valid"
	}
	return before
}

func (a *acmeServer) order() map[string]any {
	o := map[string]any{
		"status": "pending", "authorizations": []string{a.url + "/authorization"}, "finalize": a.url + "/finalize",
		"identifiers": []any{map[string]string{"type": "dns", "value": acmeDomain}},
	}
	if a.valid {
		o["status"] = "ready"
	}
	if a.chain != nil {
		o["status"], o["certificate"] = "valid", a.url+"/certificate"
	}
	return o
}

// finalize signs the request in a JWS.
func (a *acmeServer) finalize(body io.Reader) {
	var jws struct{ Payload string }
	var in struct{ CSR string }
	err := json.NewDecoder(body).Decode(&jws)
	if err == nil {
		var payload []byte
		if payload, err = base64.RawURLEncoding.DecodeString(jws.Payload); err == nil {
			err = json.Unmarshal(payload, &in)
		}
	}
	der, decodeErr := base64.RawURLEncoding.DecodeString(in.CSR)
	csr, parseErr := x509.ParseCertificateRequest(der)
	if err != nil || decodeErr != nil || parseErr != nil {
		a.t.Errorf("got errors %v, %v, %v in the certificate request, want none", err, decodeErr, parseErr)
		return
	}
	for _, c := range []*x509.Certificate{a.issue(a.t, acmeDomain, csr.PublicKey), a.cert} {
		a.chain = append(a.chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
}

const acmeDomain = "boats.example.com"

// checkHTTP validates an http-01 challenge.
func checkHTTP(client *http.Client) func(token string) error {
	return func(token string) error {
		res, err := client.Get("http://" + acmeDomain + "/.well-known/acme-challenge/" + token)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err == nil && !strings.HasPrefix(string(text), token+".") {
			err = fmt.Errorf("got %s %s, want the token", res.Status, text)
		}
		return err
	}
}

// checkALPN validates a tls-alpn-01 challenge.
func checkALPN(address string) func(token string) error {
	return func(string) error {
		conn, err := tls.Dial("tcp", address, &tls.Config{
			ServerName: acmeDomain, NextProtos: []string{acme.ALPNProto}, InsecureSkipVerify: true, //nolint:gosec // the certificate of a challenge signs itself
		})
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		for _, e := range conn.ConnectionState().PeerCertificates[0].Extensions {
			if e.Id.String() == "1.3.6.1.5.5.7.1.31" {
				return nil
			}
		}
		return fmt.Errorf("the certificate has no acmeIdentifier")
	}
}

// The server gets a certificate when it starts, with either challenge, and stores it in
// the database, encrypted.
func TestACME(t *testing.T) {
	for _, challenge := range []string{"http-01", "tls-alpn-01"} {
		t.Run(challenge, func(t *testing.T) {
			ca := newACMEServer(t, challenge)
			ca.mu.Lock() // until the addresses are known
			s := serveSecurely(t, app.Settings{
				ACMEDomains: []string{acmeDomain}, ACMEDirectory: ca.url + "/directory", ACMEEmail: "ops@example.com", BaseURL: "https://" + acmeDomain,
			})
			ca.check = checkHTTP(ca.client(s.redirect))
			if challenge == "tls-alpn-01" {
				ca.check = checkALPN(s.address)
			}
			ca.mu.Unlock()

			var res *http.Response
			assert.Eventually(t, "the certificate", func() (ok bool) {
				got, err := ca.client(s.address).Get("https://" + acmeDomain + "/healthz")
				if err != nil {
					return false
				}
				defer got.Body.Close()
				res = got
				return true
			})
			assert.Equal(t, res.StatusCode, 200)
			assert.Equal(t, res.Proto, "HTTP/2.0")
			ca.mu.Lock()
			assert.Equal(t, ca.orders, 1, "orders")
			ca.mu.Unlock()
			if _, err := ca.client(s.address).Get("https://other.example.com/healthz"); err == nil {
				t.Error("got no error for a domain that is not in the settings, want one")
			}
		})
	}
}

// Of servers that start together without a certificate, one orders it. The others use it too.
func TestACMEOrdersOnce(t *testing.T) {
	ca := newACMEServer(t, "http-01")
	ca.mu.Lock() // until all servers run
	set := app.Settings{
		ACMEDomains: []string{acmeDomain}, ACMEDirectory: ca.url + "/directory", BaseURL: "https://" + acmeDomain,
		Data: t.TempDir(), DatabaseURL: testkit.EmptyPostgres(t),
	}
	servers := []secureServer{}
	for range 3 {
		servers = append(servers, serveSecurely(t, set))
	}
	web := ca.client(servers[0].redirect)
	assert.Eventually(t, "a server that can answer the challenge", func() bool {
		res, err := web.Get("http://" + acmeDomain + "/.well-known/acme-challenge/unknown")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == 404 // 403 while it starts
	})
	ca.check = checkHTTP(web)
	ca.mu.Unlock()

	for _, s := range servers {
		assert.Eventually(t, "the certificate", func() bool {
			res, err := ca.client(s.address).Get("https://" + acmeDomain + "/healthz")
			if err != nil {
				return false
			}
			return res.Body.Close() == nil
		})
	}
	ca.mu.Lock()
	assert.Equal(t, ca.orders, 1, "orders")
	ca.mu.Unlock()
}

// A server that finds no certificate orders it, and no other one does in the next minutes.
func TestCertificateOrders(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		node := s.NodeWith(func(set *app.Settings) { set.ACMEDomains, set.BaseURL = []string{acmeDomain}, "https://"+acmeDomain })
		first, second := node.CertificateStore(), node.CertificateStore()
		get := func(c autocert.Cache, name string) error {
			_, err := c.Get(t.Context(), name)
			return err
		}
		assert.Equal(t, get(first, acmeDomain), autocert.ErrCacheMiss)
		assert.Equal(t, get(first, acmeDomain), autocert.ErrCacheMiss, "again")
		if err := get(second, acmeDomain); err == nil || errors.Is(err, autocert.ErrCacheMiss) {
			t.Errorf("got error %v on another server, want it to wait", err)
		}
		assert.Equal(t, get(second, acmeDomain+"+rsa"), autocert.ErrCacheMiss, "another certificate")
		assert.Equal(t, get(second, acmeDomain+"+token"), autocert.ErrCacheMiss, "a challenge")

		// The first server was killed.
		s.Advance(6 * time.Minute)
		assert.Equal(t, get(second, acmeDomain), autocert.ErrCacheMiss)
		assert.NoError(t, second.Put(t.Context(), acmeDomain, []byte("certificate")))
		assert.NoError(t, get(first, acmeDomain))
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM acme_state WHERE name = ?`, "order/"+acmeDomain)[0], 0)
	})
}

// The store of certificates is encrypted, and shared by all servers of a database.
func TestCertificateStore(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		set := s.Settings()
		set.ACMEDomains, set.BaseURL = []string{acmeDomain}, "https://"+acmeDomain
		other, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = other.Close() }()
		if err := other.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}

		const secret = "-----BEGIN EC PRIVATE KEY-----"
		if _, err := s.CertificateStore().Get(t.Context(), "key"); err == nil {
			t.Error("got no error for a missing value, want one")
		}
		for _, text := range []string{"old", secret} {
			if err := s.CertificateStore().Put(t.Context(), "key", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := other.CertificateStore().Get(t.Context(), "key")
		if err != nil || string(got) != secret {
			t.Errorf("got %q and error %v from another server, want %q", got, err, secret)
		}
		stored, err := db.Read(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([][]byte, error) {
			return db.All[[]byte](ctx, tx, `SELECT sealed FROM acme_state`)
		})
		if err != nil || len(stored) != 1 || slices.ContainsFunc(stored, func(b []byte) bool { return strings.Contains(string(b), "PRIVATE") }) {
			t.Errorf("got %q and error %v in the table, want one encrypted row", stored, err)
		}
		if err := s.CertificateStore().Delete(t.Context(), "key"); err != nil {
			t.Fatal(err)
		}
		if _, err := other.CertificateStore().Get(t.Context(), "key"); err == nil {
			t.Error("got no error for a deleted value, want one")
		}
	})
}
