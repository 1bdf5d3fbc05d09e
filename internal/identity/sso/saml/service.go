package saml

import (
	"bytes"
	"compress/flate"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/beevik/etree"
	saml2 "github.com/russellhaering/gosaml2"
	dsig "github.com/russellhaering/goxmldsig"
)

// Skew is how much the clocks of the service and the provider can differ.
const Skew = 90 * time.Second

// maxRelayState is the limit of the standard for the requests we send.
const maxRelayState = 80

// Service is the service provider of one connection.
type Service struct {
	EntityID          string
	ACSURL            string    // where responses are sent
	SLOURL            string    // where logout messages are sent
	Keys              []KeyPair // the last signs; all are in the metadata and decrypt
	Provider          Provider
	AllowIDPInitiated bool
	AllowCBC          bool
	Now               func() time.Time // defaults to time.Now
}

// Request is a message to the provider. Redirect the browser to URL. If it is empty,
// send a page with a form that posts Fields to PostURL.
type Request struct {
	URL     string
	PostURL string
	Fields  map[string]string
}

func (s Service) now() time.Time {
	if s.Now == nil {
		return time.Now() //nolint:forbidigo // the default
	}
	return s.Now()
}

// Login asks the provider to sign a user in. The ID comes back as InResponseTo.
func (s Service) Login(id, relayState string) (Request, error) {
	destination, post := s.Provider.SSORedirectURL, false
	if destination == "" {
		destination, post = s.Provider.SSOPostURL, true
	}
	el, err := s.message("AuthnRequest", id, destination)
	if err != nil {
		return Request{}, err
	}
	el.CreateAttr("AssertionConsumerServiceURL", s.ACSURL)
	el.CreateAttr("ProtocolBinding", saml2.BindingHttpPost)

	// Without a format, the provider uses the one that is configured there.
	el.CreateElement("samlp:NameIDPolicy").CreateAttr("AllowCreate", "true")
	return s.send(el, "SAMLRequest", relayState, destination, post)
}

var validID = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,127}$`)

// message starts a message with the attributes and the issuer that all have.
func (s Service) message(tag, id, destination string) (*etree.Element, error) {
	if !validID.MatchString(id) {
		return nil, refuse(CodeInvalidArgument, "The ID %s is not valid in XML.", shown(id))
	}
	if destination == "" {
		return nil, refuse(CodeNotSupported, "The metadata of the identity provider has no URL for %s.", tag)
	}
	el := etree.NewElement("samlp:" + tag)
	el.CreateAttr("xmlns:samlp", nsProtocol)
	el.CreateAttr("xmlns:saml", nsAssertion)
	el.CreateAttr("ID", id)
	el.CreateAttr("Version", "2.0")
	el.CreateAttr("IssueInstant", s.now().UTC().Format(time.RFC3339))
	el.CreateAttr("Destination", destination)
	el.CreateElement("saml:Issuer").SetText(s.EntityID)
	return el, nil
}

// newID returns an ID for a message whose answer isn't awaited.
func newID() string {
	var random [20]byte
	_, _ = rand.Read(random[:]) // never fails
	return "_" + hex.EncodeToString(random[:])
}

// send signs a request for its binding.
func (s Service) send(el *etree.Element, parameter, relayState, destination string, post bool) (Request, error) {
	if len(relayState) > maxRelayState {
		return Request{}, refuse(CodeInvalidArgument, "The RelayState has %d bytes. At most %d are allowed.", len(relayState), maxRelayState)
	}
	return s.sendUnlimited(el, parameter, relayState, destination, post)
}

func (s Service) sendUnlimited(el *etree.Element, parameter, relayState, destination string, post bool) (Request, error) {
	if !post {
		return s.sendRedirect(el, parameter, relayState, destination)
	}

	signed, err := s.sign(el)
	if err != nil {
		return Request{}, err
	}
	raw, err := etree.NewDocumentWithRoot(signed).WriteToBytes()
	if err != nil {
		return Request{}, err
	}
	fields := map[string]string{parameter: base64.StdEncoding.EncodeToString(raw)}
	if relayState != "" {
		fields["RelayState"] = relayState
	}
	return Request{PostURL: destination, Fields: fields}, nil
}

// sendRedirect signs the query. In this binding, the XML has no signature.
func (s Service) sendRedirect(el *etree.Element, parameter, relayState, destination string) (Request, error) {
	pair, err := s.signingKey()
	if err != nil {
		return Request{}, err
	}
	raw, err := etree.NewDocumentWithRoot(el).WriteToBytes()
	if err != nil {
		return Request{}, err
	}
	var compressed bytes.Buffer
	w, err := flate.NewWriter(&compressed, flate.BestCompression)
	if err != nil {
		return Request{}, err
	}
	if _, err := w.Write(raw); err != nil {
		return Request{}, err
	}
	if err := w.Close(); err != nil {
		return Request{}, err
	}

	query := parameter + "=" + url.QueryEscape(base64.StdEncoding.EncodeToString(compressed.Bytes()))
	if relayState != "" {
		query += "&RelayState=" + url.QueryEscape(relayState)
	}
	query += "&SigAlg=" + url.QueryEscape(dsig.RSASHA256SignatureMethod)
	digest := sha256.Sum256([]byte(query))
	signature, err := pair.Key.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		return Request{}, err
	}
	query += "&Signature=" + url.QueryEscape(base64.StdEncoding.EncodeToString(signature))

	separator := "?"
	if strings.Contains(destination, "?") {
		separator = "&"
	}
	return Request{URL: destination + separator + query}, nil
}
