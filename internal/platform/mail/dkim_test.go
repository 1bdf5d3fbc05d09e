package mail

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"slipway/internal/testkit/assert"
)

// What we sign, a receiver can verify, links to unsubscribe included.
func TestSigned(t *testing.T) {
	elliptic, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(long.Public())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key    any
		record string
	}{
		"Ed25519": {ed, "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(elliptic)},
		"RSA":     {long, "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(public)},
	} {
		der, err := x509.MarshalPKCS8PrivateKey(c.key)
		if err != nil {
			t.Fatal(err)
		}
		p := postOffice{startTLS: true}
		s, err := NewSMTP("smtp://localhost:" + p.open(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SignAs("example.com", "boats", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})); err != nil {
			t.Fatal(err)
		}
		plain, offer := letter, letter
		offer.HTML, offer.Unsubscribe = "<p>Hello — Uma</p>", "https://boats.example.com/unsubscribe/abc"
		for i, m := range []Message{plain, offer} {
			if err := s.Send(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			found, err := dkim.VerifyWithOptions(bytes.NewReader(p.delivered()[i].text),
				&dkim.VerifyOptions{LookupTXT: func(domain string) ([]string, error) {
					if domain != "boats._domainkey.example.com" {
						t.Errorf(`looked up %s, want "boats._domainkey.example.com"`, domain)
					}
					return []string{c.record}, nil
				}})
			assert.NoError(t, err, name, "letter", i)
			assert.Len(t, found, 1, name, "letter", i)
			assert.NoError(t, found[0].Err, name, "letter", i)
			assert.Equal(t, found[0].Domain, "example.com", name, "letter", i)
		}
	}
	s, err := NewSMTP("smtp://localhost")
	if err != nil {
		t.Fatal(err)
	}
	if s.SignAs("example.com", "boats", []byte("no key")) == nil {
		t.Error("signs without a key")
	}
}
