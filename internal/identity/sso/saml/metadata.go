package saml

import (
	"crypto/x509"
	"encoding/base64"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/beevik/etree"
	saml2 "github.com/russellhaering/gosaml2"
)

// Provider is an identity provider, as its metadata describes it. An empty URL
// means that the provider doesn't offer this binding.
type Provider struct {
	EntityID                                   string
	SSORedirectURL, SSOPostURL                 string
	SLORedirectURL, SLOPostURL                 string
	SLOResponseRedirectURL, SLOResponsePostURL string // for answers to logout requests
	Certificates                               []*x509.Certificate
	WantSignedRequests                         bool
}

const (
	maxCertificates = 10
	maxEntityID     = 1024 // as in SAML
)

// ParseMetadata reads the metadata of an identity provider. It doesn't check a
// signature of the metadata. The administrator who enters the metadata or its URL is trusted.
func ParseMetadata(raw []byte) (Provider, error) {
	root, err := parseXML(raw, true)
	if err != nil {
		return Provider{}, err
	}
	entity, idp, err := findProvider(root)
	if err != nil {
		return Provider{}, err
	}

	p := Provider{EntityID: strings.TrimSpace(attribute(entity, "entityID"))}
	if p.EntityID == "" || len(p.EntityID) > maxEntityID {
		return Provider{}, refuse(CodeMetadata, "The metadata has no valid entityID.")
	}
	want := attribute(idp, "WantAuthnRequestsSigned")
	p.WantSignedRequests = want == "true" || want == "1"

	if err := p.readEndpoints(idp); err != nil {
		return Provider{}, err
	}
	return p, p.readCertificates(idp)
}

// findProvider returns the only entity that is an identity provider.
func findProvider(root *etree.Element) (entity, idp *etree.Element, err error) {
	entities := []*etree.Element{root}
	if is(root, nsMetadata, "EntitiesDescriptor") {
		entities = children(root, nsMetadata, "EntityDescriptor")
	}

	for _, e := range entities {
		if !is(e, nsMetadata, "EntityDescriptor") {
			return nil, nil, refuse(CodeMetadata, "This is not SAML metadata. Its root element must be EntityDescriptor.")
		}
		for _, descriptor := range children(e, nsMetadata, "IDPSSODescriptor") {
			if !slices.Contains(strings.Fields(attribute(descriptor, "protocolSupportEnumeration")), nsProtocol) {
				continue
			}
			if idp != nil {
				return nil, nil, refuse(CodeMetadata, "The metadata describes several identity providers. Enter the metadata of one.")
			}
			entity, idp = e, descriptor
		}
	}
	if idp == nil {
		return nil, nil, refuse(CodeMetadata, "The metadata describes no SAML 2.0 identity provider. "+
			"Check that it is the metadata of the provider and not that of an application.")
	}
	return entity, idp, nil
}

func (p *Provider) readEndpoints(idp *etree.Element) error {
	for _, child := range idp.ChildElements() {
		login, logout := is(child, nsMetadata, "SingleSignOnService"), is(child, nsMetadata, "SingleLogoutService")
		if !login && !logout {
			continue
		}
		location, response := attribute(child, "Location"), attribute(child, "ResponseLocation")
		if response == "" {
			response = location
		}

		var target, targetResponse *string
		switch attribute(child, "Binding") {
		case saml2.BindingHttpRedirect:
			target, targetResponse = &p.SLORedirectURL, &p.SLOResponseRedirectURL
			if login {
				target, targetResponse = &p.SSORedirectURL, nil
			}
		case saml2.BindingHttpPost:
			target, targetResponse = &p.SLOPostURL, &p.SLOResponsePostURL
			if login {
				target, targetResponse = &p.SSOPostURL, nil
			}
		default:
			continue // a binding that isn't supported
		}
		if err := checkEndpoint(location); err != nil {
			return err
		}
		if err := checkEndpoint(response); err != nil {
			return err
		}

		if *target == "" { // the first is the preferred one
			*target = location
			if targetResponse != nil {
				*targetResponse = response
			}
		}
	}

	if p.SSORedirectURL == "" && p.SSOPostURL == "" {
		return refuse(CodeMetadata, "The metadata has no SingleSignOnService with the binding HTTP-Redirect or HTTP-POST.")
	}
	return nil
}

// checkEndpoint accepts URLs that a browser can be sent to. http is only for tests on one machine.
func checkEndpoint(location string) error {
	u, err := url.Parse(location)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return refuse(CodeMetadata, "The metadata has the invalid URL %s.", shown(location))
	}
	if u.Scheme == "https" {
		return nil
	}
	address, err := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || err == nil && address.IsLoopback()
	if u.Scheme != "http" || !local {
		return refuse(CodeMetadata, "The metadata has the URL %s. URLs must start with https.", shown(location))
	}
	return nil
}

func (p *Provider) readCertificates(idp *etree.Element) error {
	var problem error
	for _, descriptor := range children(idp, nsMetadata, "KeyDescriptor") {
		if use := attribute(descriptor, "use"); use != "" && use != "signing" {
			continue
		}
		for _, info := range children(descriptor, nsSignature, "KeyInfo") {
			for _, data := range children(info, nsSignature, "X509Data") {
				for _, el := range children(data, nsSignature, "X509Certificate") {
					certificate, err := readCertificate(el)
					if err != nil {
						problem = err
						continue
					}
					if !slices.ContainsFunc(p.Certificates, certificate.Equal) {
						p.Certificates = append(p.Certificates, certificate)
					}
				}
			}
		}
	}

	switch {
	case len(p.Certificates) > maxCertificates:
		return refuse(CodeMetadata, "The metadata has %d signing certificates. At most %d are accepted.", len(p.Certificates), maxCertificates)
	case len(p.Certificates) == 0 && problem != nil:
		return problem
	case len(p.Certificates) == 0:
		return refuse(CodeMetadata, "The metadata has no signing certificate.")
	}
	return nil
}

func readCertificate(el *etree.Element) (*x509.Certificate, error) {
	encoded, err := text(el)
	if err != nil {
		return nil, err
	}
	der, err := decodeBase64(encoded)
	if err != nil {
		return nil, refuseCause(err, CodeMetadata, "The metadata has an invalid certificate.")
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, refuseCause(err, CodeMetadata, "The metadata has an invalid certificate.")
	}
	return certificate, checkKey(certificate)
}

// encryptionMethods are announced to providers, the best first.
func (s Service) encryptionMethods() []string {
	all := []string{nsEncrypt11 + "aes256-gcm", nsEncrypt11 + "aes128-gcm"}
	if s.AllowCBC {
		all = append(all, nsEncryption+"aes256-cbc", nsEncryption+"aes128-cbc")
	}
	return append(all, keyTransportOAEP, keyTransportOAEP11)
}

// Metadata describes the service to providers, with all its keys.
func (s Service) Metadata() ([]byte, error) {
	if _, err := s.signingKey(); err != nil {
		return nil, err
	}
	root := etree.NewElement("md:EntityDescriptor")
	root.CreateAttr("xmlns:md", nsMetadata)
	root.CreateAttr("xmlns:ds", nsSignature)
	root.CreateAttr("entityID", s.EntityID)
	sp := root.CreateElement("md:SPSSODescriptor")
	sp.CreateAttr("AuthnRequestsSigned", "true")
	sp.CreateAttr("WantAssertionsSigned", "true")
	sp.CreateAttr("protocolSupportEnumeration", nsProtocol)

	// Providers with room for one certificate use the first, so the newest comes first.
	for _, use := range []string{"signing", "encryption"} {
		for _, pair := range slices.Backward(s.Keys) {
			key := sp.CreateElement("md:KeyDescriptor")
			key.CreateAttr("use", use)
			key.CreateElement("ds:KeyInfo").CreateElement("ds:X509Data").CreateElement("ds:X509Certificate").
				SetText(base64.StdEncoding.EncodeToString(pair.Certificate.Raw))
			if use != "encryption" {
				continue
			}
			for _, method := range s.encryptionMethods() {
				key.CreateElement("md:EncryptionMethod").CreateAttr("Algorithm", method)
			}
		}
	}

	for _, binding := range []string{saml2.BindingHttpRedirect, saml2.BindingHttpPost} {
		logout := sp.CreateElement("md:SingleLogoutService")
		logout.CreateAttr("Binding", binding)
		logout.CreateAttr("Location", s.SLOURL)
	}
	for _, format := range []string{saml2.NameIdFormatPersistent, saml2.NameIdFormatEmailAddress, saml2.NameIdFormatUnspecified} {
		sp.CreateElement("md:NameIDFormat").SetText(format)
	}
	acs := sp.CreateElement("md:AssertionConsumerService")
	acs.CreateAttr("Binding", saml2.BindingHttpPost)
	acs.CreateAttr("Location", s.ACSURL)
	acs.CreateAttr("index", "0")
	acs.CreateAttr("isDefault", "true")

	doc := etree.NewDocument()
	doc.CreateProcInst("xml", `version="1.0" encoding="UTF-8"`)
	doc.SetRoot(root)
	doc.Indent(2)
	return doc.WriteToBytes()
}
