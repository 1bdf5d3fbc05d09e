package saml

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"
)

// KeyPair is a key of the service and its certificate. It signs and decrypts.
type KeyPair struct {
	Certificate *x509.Certificate
	Key         crypto.Signer // an *rsa.PrivateKey, or another key that is also a crypto.Decrypter
}

const (
	keyBits       = 2048
	keyYears      = 3
	maxCommonName = 64
)

// GenerateKey creates a key of the service. Tests replace it, because it is slow.
var GenerateKey = func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, keyBits) }

// NewKeyPair creates an RSA key with a self-signed certificate for 3 years.
// Providers compare the certificate only, so the name is for people.
func NewKeyPair(name string, now time.Time) (KeyPair, error) {
	key, err := GenerateKey()
	if err != nil {
		return KeyPair{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return KeyPair{}, err
	}
	if runes := []rune(name); len(runes) > maxCommonName {
		name = string(runes[:maxCommonName])
	}

	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-time.Hour).UTC(), // the provider's clock can be behind
		NotAfter:              now.AddDate(keyYears, 0, 0).UTC(),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return KeyPair{}, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return KeyPair{}, err
	}
	return KeyPair{Certificate: certificate, Key: key}, nil
}

// signingKey is the last key. The others only decrypt, so that messages which were
// encrypted before a renewal can still be read.
func (s Service) signingKey() (KeyPair, error) {
	if len(s.Keys) == 0 {
		return KeyPair{}, refuse(CodeInvalidArgument, "The service has no key.")
	}
	return s.Keys[len(s.Keys)-1], nil
}
