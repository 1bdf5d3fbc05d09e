// Package samltest is a SAML identity provider for tests. It runs in the process of
// the test, without a server, and can send every kind of broken message.
//
//	provider := samltest.New("https://idp.example.com", clock)
//	service.Provider, err = saml.ParseMetadata(provider.Metadata())
//	request, err := service.Login("_1", "state")
//	form, err := provider.Answer(metadata, request, samltest.User{NameID: "kim@example.com"})
//	assertion, err := service.Response(form, expect)
package samltest

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/beevik/etree"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/testkit/testkeys"
)

// Names that messages use.
const (
	Protocol   = "urn:oasis:names:tc:SAML:2.0:protocol"
	Assertions = "urn:oasis:names:tc:SAML:2.0:assertion"
	Signatures = "http://www.w3.org/2000/09/xmldsig#"
	metadata   = "urn:oasis:names:tc:SAML:2.0:metadata"
	bindings   = "urn:oasis:names:tc:SAML:2.0:bindings:"

	Persistent   = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
	Transient    = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
	EmailAddress = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
)

// Provider is an identity provider.
type Provider struct {
	EntityID string
	SSOURL   string
	SLOURL   string
	Key      saml.KeyPair   // signs
	MoreKeys []saml.KeyPair // are also in the metadata, after Key
	PostOnly bool           // the metadata has no HTTP-Redirect binding
	Now      func() time.Time
}

// User is a user at the provider.
type User struct {
	NameID       string
	Format       string // defaults to the email address
	SessionIndex string
	Attributes   map[string][]string
}

// All providers of a process share their keys.
var keys [4]func() saml.KeyPair

func init() {
	for i := range keys {
		keys[i] = sync.OnceValue(func() saml.KeyPair { return newKeyPair(i) })
	}
}

// KeyPair returns one of 4 keys. Providers sign with the first.
func KeyPair(i int) saml.KeyPair { return keys[i]() }

// newKeyPair creates a key that is valid on every clock that tests use.
func newKeyPair(i int) saml.KeyPair {
	key := testkeys.RSA(i)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(int64(i) + 1), Subject: pkix.Name{CommonName: fmt.Sprintf("provider %d", i)},
		NotBefore: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return saml.KeyPair{Certificate: certificate, Key: key}
}

// New returns a provider whose URLs start with base.
func New(base string, now func() time.Time) *Provider {
	return &Provider{EntityID: base + "/metadata", SSOURL: base + "/sso", SLOURL: base + "/slo", Key: KeyPair(0), Now: now}
}

// Metadata returns the metadata of the provider.
func (p *Provider) Metadata() []byte {
	root := etree.NewElement("EntityDescriptor")
	root.CreateAttr("xmlns", metadata)
	root.CreateAttr("entityID", p.EntityID)
	idp := root.CreateElement("IDPSSODescriptor")
	idp.CreateAttr("WantAuthnRequestsSigned", "true")
	idp.CreateAttr("protocolSupportEnumeration", Protocol)

	for _, pair := range append([]saml.KeyPair{p.Key}, p.MoreKeys...) {
		key := idp.CreateElement("KeyDescriptor")
		key.CreateAttr("use", "signing")
		info := key.CreateElement("KeyInfo")
		info.CreateAttr("xmlns", Signatures)
		info.CreateElement("X509Data").CreateElement("X509Certificate").
			SetText(base64.StdEncoding.EncodeToString(pair.Certificate.Raw))
	}
	for _, binding := range p.bindings() {
		slo := idp.CreateElement("SingleLogoutService")
		slo.CreateAttr("Binding", bindings+binding)
		slo.CreateAttr("Location", p.SLOURL)
	}
	for _, binding := range p.bindings() {
		sso := idp.CreateElement("SingleSignOnService")
		sso.CreateAttr("Binding", bindings+binding)
		sso.CreateAttr("Location", p.SSOURL)
	}
	return write(root)
}

func (p *Provider) bindings() []string {
	if p.PostOnly {
		return []string{"HTTP-POST"}
	}
	return []string{"HTTP-Redirect", "HTTP-POST"}
}

// Service is a service provider, as its metadata describes it.
type Service struct {
	EntityID   string
	ACSURL     string
	SLOURL     string
	Signing    []*x509.Certificate
	Encryption []*x509.Certificate
}

// ParseService reads the metadata of a service.
func ParseService(raw []byte) (Service, error) {
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(raw); err != nil {
		return Service{}, err
	}
	sp := doc.FindElement("/EntityDescriptor/SPSSODescriptor")
	if sp == nil {
		return Service{}, fmt.Errorf("the metadata has no SPSSODescriptor: %s", raw)
	}

	s := Service{EntityID: doc.Root().SelectAttrValue("entityID", "")}
	if acs := sp.FindElement("./AssertionConsumerService[@Binding='" + bindings + "HTTP-POST']"); acs != nil {
		s.ACSURL = acs.SelectAttrValue("Location", "")
	}
	if slo := sp.FindElement("./SingleLogoutService"); slo != nil {
		s.SLOURL = slo.SelectAttrValue("Location", "")
	}
	for _, key := range sp.SelectElements("KeyDescriptor") {
		der, err := base64.StdEncoding.DecodeString(key.FindElement(".//X509Certificate").Text())
		if err != nil {
			return Service{}, err
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return Service{}, err
		}
		if key.SelectAttrValue("use", "") == "encryption" {
			s.Encryption = append(s.Encryption, certificate)
		} else {
			s.Signing = append(s.Signing, certificate)
		}
	}
	if s.EntityID == "" || s.ACSURL == "" || s.SLOURL == "" || len(s.Signing) == 0 || len(s.Encryption) == 0 {
		return Service{}, fmt.Errorf("the metadata is incomplete: %s", raw)
	}
	return s, nil
}

// write panics if the element can't be written, which means that a test is wrong.
func write(root *etree.Element) []byte {
	raw, err := etree.NewDocumentWithRoot(root.Copy()).WriteToBytes()
	if err != nil {
		panic(err)
	}
	return raw
}
