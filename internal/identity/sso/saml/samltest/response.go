package samltest

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"net/url"
	"slices"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"slipway/internal/identity/sso/saml"
)

// Response is a response to a login. Change its fields before you call Form to
// break it. Empty texts and zero times are left out of the XML.
type Response struct {
	ID, AssertionID            string
	Issuer, AssertionIssuer    string
	Status, SubStatus, Message string
	Destination, Recipient     string
	InResponseTo               string // of the envelope
	AssertionInResponseTo      string
	Audience                   string
	RelayState                 string
	IssuedAt                   time.Time
	NotBefore, NotOnOrAfter    time.Time // of the conditions
	ConfirmedUntil             time.Time // NotOnOrAfter of the subject confirmation
	SessionUntil               time.Time
	User                       User

	SignAssertion, SignResponse bool
	Key                         saml.KeyPair
	Method                      string                         // the signature method; defaults to RSA-SHA256
	EditAssertion               func(assertion *etree.Element) // before the assertion is signed
	EditSigned                  func(assertion *etree.Element) // after, before it is encrypted
	EditResponse                func(response *etree.Element)  // with the signed assertion, before the response is signed
	Edit                        func(response *etree.Element)  // the last
	Encryption                  *Encryption
}

// Response returns a valid response with a signed assertion.
func (p *Provider) Response(service Service, user User, inResponseTo string) *Response {
	now := p.Now().UTC().Truncate(time.Second)
	return &Response{
		ID: NewID(), AssertionID: NewID(), Issuer: p.EntityID, AssertionIssuer: p.EntityID,
		Status: "Success", Destination: service.ACSURL, Recipient: service.ACSURL,
		InResponseTo: inResponseTo, AssertionInResponseTo: inResponseTo, Audience: service.EntityID,
		IssuedAt: now, NotBefore: now.Add(-30 * time.Second), NotOnOrAfter: now.Add(5 * time.Minute),
		ConfirmedUntil: now.Add(5 * time.Minute), SessionUntil: now.Add(8 * time.Hour),
		User: user, SignAssertion: true, Key: p.Key,
	}
}

// NewID returns a new ID for a message.
func NewID() string { return "_" + rand.Text() }

// Form returns the form that the browser posts.
func (r *Response) Form() url.Values {
	form := url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString(r.XML())}}
	if r.RelayState != "" {
		form.Set("RelayState", r.RelayState)
	}
	return form
}

// XML returns the response.
func (r *Response) XML() []byte {
	root := etree.NewElement("samlp:Response")
	root.CreateAttr("xmlns:samlp", Protocol)
	root.CreateAttr("xmlns:saml", Assertions)
	setAttr(root, "ID", r.ID)
	setAttr(root, "InResponseTo", r.InResponseTo)
	setAttr(root, "Version", "2.0")
	setTime(root, "IssueInstant", r.IssuedAt)
	setAttr(root, "Destination", r.Destination)
	setText(root, "saml:Issuer", r.Issuer)
	addStatus(root, r.Status, r.SubStatus, r.Message)
	if r.Status == "Success" {
		root.AddChild(r.assertion())
	}

	edit(r.EditResponse, root)
	if r.SignResponse {
		root = Sign(root, r.Key, r.Method)
	}
	edit(r.Edit, root)
	return write(root)
}

// assertion returns an Assertion, signed and encrypted as the response wants it.
func (r *Response) assertion() *etree.Element {
	a := etree.NewElement("saml:Assertion")
	a.CreateAttr("xmlns:saml", Assertions)
	a.CreateAttr("xmlns:xs", "http://www.w3.org/2001/XMLSchema")
	a.CreateAttr("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
	setAttr(a, "ID", r.AssertionID)
	setAttr(a, "Version", "2.0")
	setTime(a, "IssueInstant", r.IssuedAt)
	setText(a, "saml:Issuer", r.AssertionIssuer)
	r.addSubject(a)

	conditions := a.CreateElement("saml:Conditions")
	setTime(conditions, "NotBefore", r.NotBefore)
	setTime(conditions, "NotOnOrAfter", r.NotOnOrAfter)
	if r.Audience != "" {
		setText(conditions.CreateElement("saml:AudienceRestriction"), "saml:Audience", r.Audience)
	}
	statement := a.CreateElement("saml:AuthnStatement")
	setTime(statement, "AuthnInstant", r.IssuedAt)
	setAttr(statement, "SessionIndex", r.User.SessionIndex)
	setTime(statement, "SessionNotOnOrAfter", r.SessionUntil)
	statement.CreateElement("saml:AuthnContext").CreateElement("saml:AuthnContextClassRef").
		SetText("urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport")
	r.addAttributes(a)

	edit(r.EditAssertion, a)
	if r.SignAssertion {
		a = Sign(a, r.Key, r.Method)
	}
	edit(r.EditSigned, a)
	if r.Encryption != nil {
		return r.Encryption.encrypt(a)
	}
	return a
}

func (r *Response) addSubject(a *etree.Element) {
	subject := a.CreateElement("saml:Subject")
	nameID := subject.CreateElement("saml:NameID")
	nameID.CreateAttr("Format", r.User.Format)
	if r.User.Format == "" {
		nameID.CreateAttr("Format", EmailAddress)
	}
	nameID.SetText(r.User.NameID)
	confirmation := subject.CreateElement("saml:SubjectConfirmation")
	confirmation.CreateAttr("Method", "urn:oasis:names:tc:SAML:2.0:cm:bearer")
	data := confirmation.CreateElement("saml:SubjectConfirmationData")
	setTime(data, "NotOnOrAfter", r.ConfirmedUntil)
	setAttr(data, "Recipient", r.Recipient)
	setAttr(data, "InResponseTo", r.AssertionInResponseTo)
}

func (r *Response) addAttributes(a *etree.Element) {
	if len(r.User.Attributes) == 0 {
		return
	}
	statement := a.CreateElement("saml:AttributeStatement")
	for _, name := range sortedKeys(r.User.Attributes) {
		attr := statement.CreateElement("saml:Attribute")
		attr.CreateAttr("Name", name)
		attr.CreateAttr("NameFormat", "urn:oasis:names:tc:SAML:2.0:attrname-format:basic")
		for _, value := range r.User.Attributes[name] {
			el := attr.CreateElement("saml:AttributeValue")
			el.CreateAttr("xsi:type", "xs:string")
			el.SetText(value)
		}
	}
}

func sortedKeys(m map[string][]string) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Sign returns a copy of an element with a signature after its first child.
func Sign(el *etree.Element, key saml.KeyPair, method string) *etree.Element {
	signer, err := dsig.NewSigningContext(key.Key, [][]byte{key.Certificate.Raw})
	if err != nil {
		panic(err)
	}
	signer.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	if method != "" {
		if err := signer.SetSignatureMethod(method); err != nil {
			panic(err)
		}
	}
	sig, err := signer.ConstructSignature(el, true)
	if err != nil {
		panic(err)
	}
	signed := el.Copy()
	signed.InsertChildAt(1, sig)
	return signed
}

func addStatus(root *etree.Element, status, sub, message string) {
	const prefix = "urn:oasis:names:tc:SAML:2.0:status:"
	el := root.CreateElement("samlp:Status")
	code := el.CreateElement("samlp:StatusCode")
	code.CreateAttr("Value", prefix+status)
	if sub != "" {
		code.CreateElement("samlp:StatusCode").CreateAttr("Value", prefix+sub)
	}
	setText(el, "samlp:StatusMessage", message)
}

func edit(change func(*etree.Element), el *etree.Element) {
	if change != nil {
		change(el)
	}
}

func setAttr(el *etree.Element, name, value string) {
	if value != "" {
		el.CreateAttr(name, value)
	}
}

func setTime(el *etree.Element, name string, t time.Time) {
	if !t.IsZero() {
		el.CreateAttr(name, t.UTC().Format(time.RFC3339))
	}
}

func setText(el *etree.Element, tag, value string) {
	if value != "" {
		el.CreateElement(tag).SetText(value)
	}
}

// Encryption is how an assertion is encrypted.
type Encryption struct {
	For          *x509.Certificate
	Data         string // such as http://www.w3.org/2009/xmlenc11#aes256-gcm
	KeyTransport string // defaults to RSA-OAEP
	Digest, Mask string // of RSA-OAEP
	Detached     bool   // the key is next to the data, not in it
	Corrupt      bool   // one bit of the data is changed

	UnknownDigest bool // the message names a digest that does not exist
}
