package samltest

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"encoding/base64"
	"net/url"
	"strings"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"slipway/internal/identity/sso/saml"
)

// Logout is a logout message of the provider. Change its fields to break it.
type Logout struct {
	ID, InResponseTo       string
	Issuer, Destination    string
	NameID, Format         string
	SessionIndexes         []string
	Status, SubStatus      string // a message with a status is a response
	IssuedAt, NotOnOrAfter time.Time
	RelayState             string
	Unsigned               bool
	Key                    saml.KeyPair
	Method                 string                       // defaults to RSA-SHA256
	BeforeSigning, Edit    func(message *etree.Element) // before and after it is signed; Edit is for POST only
	Escape                 func(string) string          // how the query is escaped; defaults to url.QueryEscape
}

// LogoutRequest returns a request to end the sessions of a user.
func (p *Provider) LogoutRequest(service Service, user User) *Logout {
	l := p.logout(service)
	l.NameID, l.Format = user.NameID, user.Format
	if l.Format == "" {
		l.Format = EmailAddress
	}
	if user.SessionIndex != "" {
		l.SessionIndexes = []string{user.SessionIndex}
	}
	return l
}

// LogoutResponse returns the answer to a logout request of a service.
func (p *Provider) LogoutResponse(service Service, inResponseTo string) *Logout {
	l := p.logout(service)
	l.InResponseTo, l.Status = inResponseTo, "Success"
	return l
}

func (p *Provider) logout(service Service) *Logout {
	return &Logout{
		ID: NewID(), Issuer: p.EntityID, Destination: service.SLOURL,
		IssuedAt: p.Now().UTC().Truncate(time.Second), Key: p.Key,
	}
}

func (l *Logout) parameter() string {
	if l.Status != "" {
		return "SAMLResponse"
	}
	return "SAMLRequest"
}

func (l *Logout) element() *etree.Element {
	tag := "samlp:LogoutRequest"
	if l.Status != "" {
		tag = "samlp:LogoutResponse"
	}
	root := etree.NewElement(tag)
	root.CreateAttr("xmlns:samlp", Protocol)
	root.CreateAttr("xmlns:saml", Assertions)
	setAttr(root, "ID", l.ID)
	setAttr(root, "InResponseTo", l.InResponseTo)
	setAttr(root, "Version", "2.0")
	setTime(root, "IssueInstant", l.IssuedAt)
	setTime(root, "NotOnOrAfter", l.NotOnOrAfter)
	setAttr(root, "Destination", l.Destination)
	setText(root, "saml:Issuer", l.Issuer)
	if l.Status != "" {
		addStatus(root, l.Status, l.SubStatus, "")
	}
	if l.NameID != "" {
		name := root.CreateElement("saml:NameID")
		name.CreateAttr("Format", l.Format)
		name.SetText(l.NameID)
	}
	for _, index := range l.SessionIndexes {
		setText(root, "samlp:SessionIndex", index)
	}
	edit(l.BeforeSigning, root)
	return root
}

// Form returns the form of the POST binding.
func (l *Logout) Form() url.Values {
	root := l.element()
	if !l.Unsigned {
		root = Sign(root, l.Key, l.Method)
	}
	edit(l.Edit, root)
	form := url.Values{l.parameter(): {base64.StdEncoding.EncodeToString(write(root))}}
	if l.RelayState != "" {
		form.Set("RelayState", l.RelayState)
	}
	return form
}

// URL returns the address of the redirect binding.
func (l *Logout) URL() string { return l.URLOf(write(l.element())) }

// URLOf is URL with another message.
func (l *Logout) URLOf(raw []byte) string {
	escape := url.QueryEscape
	if l.Escape != nil {
		escape = l.Escape
	}
	query := l.parameter() + "=" + escape(base64.StdEncoding.EncodeToString(deflate(raw)))
	if l.RelayState != "" {
		query += "&RelayState=" + escape(l.RelayState)
	}
	if !l.Unsigned {
		query = l.signQuery(query, escape)
	}
	separator := "?"
	if strings.Contains(l.Destination, "?") {
		separator = "&"
	}
	return l.Destination + separator + query
}

func (l *Logout) signQuery(query string, escape func(string) string) string {
	signer, err := dsig.NewSigningContext(l.Key.Key, nil)
	if err != nil {
		panic(err)
	}
	if l.Method != "" {
		if err := signer.SetSignatureMethod(l.Method); err != nil {
			panic(err)
		}
	}
	query += "&SigAlg=" + escape(signer.GetSignatureMethodIdentifier())
	h := signer.Hash.New()
	h.Write([]byte(query))
	signature, err := l.Key.Key.Sign(rand.Reader, h.Sum(nil), signer.Hash)
	if err != nil {
		panic(err)
	}
	return query + "&Signature=" + escape(base64.StdEncoding.EncodeToString(signature))
}

func deflate(raw []byte) []byte {
	var compressed bytes.Buffer
	w, err := flate.NewWriter(&compressed, flate.BestCompression)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(raw); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return compressed.Bytes()
}
