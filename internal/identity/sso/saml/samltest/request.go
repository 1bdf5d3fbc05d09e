package samltest

import (
	"bytes"
	"compress/flate"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"slipway/internal/identity/sso/saml"
)

// Message is a message of a service, after its signature was verified.
type Message struct {
	Root       *etree.Element
	RelayState string
}

// Attr returns an attribute of the message.
func (m Message) Attr(name string) string { return m.Root.SelectAttrValue(name, "") }

// Text returns the text of the first element with a name.
func (m Message) Text(tag string) string {
	if el := m.Root.FindElement(".//" + tag); el != nil {
		return el.Text()
	}
	return ""
}

// Read verifies a message of a service: its signature, issuer and destination.
func (p *Provider) Read(service Service, request saml.Request) (Message, error) {
	var m Message
	var err error
	if request.URL != "" {
		m, err = readRedirect(service, request.URL)
	} else {
		m, err = readPost(service, request)
	}
	if err != nil {
		return Message{}, err
	}

	if m.Text("Issuer") != service.EntityID {
		return Message{}, fmt.Errorf("the issuer is %s, want %s", m.Text("Issuer"), service.EntityID)
	}
	want := p.SLOURL
	if m.Root.Tag == "AuthnRequest" {
		want = p.SSOURL
	}
	target, _, _ := strings.Cut(request.URL+request.PostURL, "?")
	if plain, _, _ := strings.Cut(want, "?"); m.Attr("Destination") != want || target != plain {
		return Message{}, fmt.Errorf("the message was sent to %s with the destination %s, want %s", target, m.Attr("Destination"), want)
	}
	return m, nil
}

func readRedirect(service Service, address string) (Message, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Message{}, err
	}
	query := u.Query()
	encoded := query.Get("SAMLRequest") + query.Get("SAMLResponse")
	start := max(strings.Index(u.RawQuery, "SAMLRequest="), strings.Index(u.RawQuery, "SAMLResponse="))
	signed, _, found := strings.Cut(u.RawQuery[max(start, 0):], "&Signature=")
	if start < 0 || !found {
		return Message{}, errors.New("the query is not signed")
	}
	signature, err := base64.StdEncoding.DecodeString(query.Get("Signature"))
	if err != nil {
		return Message{}, err
	}

	digest := sha256.Sum256([]byte(signed))
	key, ok := service.Signing[0].PublicKey.(*rsa.PublicKey)
	if !ok || query.Get("SigAlg") != dsig.RSASHA256SignatureMethod {
		return Message{}, errors.New("the query is not signed with RSA-SHA256")
	}
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature); err != nil {
		return Message{}, err
	}
	compressed, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Message{}, err
	}
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(compressed)))
	if err != nil {
		return Message{}, err
	}
	doc := etree.NewDocument()
	err = doc.ReadFromBytes(raw)
	return Message{doc.Root(), query.Get("RelayState")}, err
}

func readPost(service Service, request saml.Request) (Message, error) {
	raw, err := base64.StdEncoding.DecodeString(request.Fields["SAMLRequest"] + request.Fields["SAMLResponse"])
	if err != nil {
		return Message{}, err
	}
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(raw); err != nil {
		return Message{}, err
	}
	root, err := dsig.NewDefaultValidationContext(&dsig.MemoryX509CertificateStore{Roots: service.Signing}).Validate(doc.Root())
	return Message{root, request.Fields["RelayState"]}, err
}

// Answer verifies a login and answers it with a signed assertion about a user.
func (p *Provider) Answer(serviceMetadata []byte, login saml.Request, user User) (url.Values, error) {
	service, err := ParseService(serviceMetadata)
	if err != nil {
		return nil, err
	}
	m, err := p.Read(service, login)
	if err != nil {
		return nil, err
	}
	if m.Root.Tag != "AuthnRequest" || m.Attr("AssertionConsumerServiceURL") != service.ACSURL {
		return nil, fmt.Errorf("not a login for %s", service.ACSURL)
	}
	r := p.Response(service, user, m.Attr("ID"))
	r.RelayState = m.RelayState
	return r.Form(), nil
}
