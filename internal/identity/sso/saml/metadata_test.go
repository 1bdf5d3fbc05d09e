package saml_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/xml"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/russellhaering/gosaml2/types"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/identity/sso/saml/samltest"
)

func TestParseMetadata(t *testing.T) {
	raw := `<?xml version="1.0"?><!-- exported --><md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">
  <md:EntityDescriptor entityID="https://app.example.com">
    <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"/>
  </md:EntityDescriptor>
  <md:EntityDescriptor entityID="https://idp.example.com">
    <md:IDPSSODescriptor WantAuthnRequestsSigned="1"
      protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol urn:oasis:names:tc:SAML:2.0:protocol">
      <md:KeyDescriptor use="encryption"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>
        ` + cert(1) + `
      </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
      <md:KeyDescriptor><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>
        ` + cert(0) + `
      </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
      <md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP" Location="https://idp.example.com/soap"/>
      <md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
        Location="https://idp.example.com/slo" ResponseLocation="https://idp.example.com/slo/response"/>
      <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com/sso?a=b"/>
      <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com/sso2"/>
    </md:IDPSSODescriptor>
  </md:EntityDescriptor>
</md:EntitiesDescriptor>`
	got, err := saml.ParseMetadata([]byte(raw))
	must(t, err)
	equal(t, len(got.Certificates), 1)
	equal(t, got.Certificates[0].Equal(samltest.KeyPair(0).Certificate), true)
	got.Certificates = nil
	equal(t, got, saml.Provider{
		EntityID: "https://idp.example.com", SSOPostURL: "https://idp.example.com/sso?a=b", WantSignedRequests: true,
		SLORedirectURL: "https://idp.example.com/slo", SLOResponseRedirectURL: "https://idp.example.com/slo/response",
	})
}

func cert(i int) string {
	return base64.StdEncoding.EncodeToString(samltest.KeyPair(i).Certificate.Raw)
}

func TestMetadataAttacks(t *testing.T) {
	valid := string(samltest.New("https://idp.example.com", clock).Metadata())
	replace := func(old, replacement string) string { return strings.ReplaceAll(valid, old, replacement) }
	for name, test := range map[string]struct{ xml, code string }{
		"control":                    {valid, ""},
		"control: http on this host": {replace("https://idp.example.com/", "http://127.0.0.1:8080/"), ""},
		"control: comment":           {"<!-- a -->" + valid, ""},
		"http":                       {replace("https://idp.example.com/sso", "http://idp.example.com/sso"), saml.CodeMetadata},
		"script":                     {replace("https://idp.example.com/slo", "javascript:alert(1)"), saml.CodeMetadata},
		"relative URL":               {replace("https://idp.example.com/sso", "/sso"), saml.CodeMetadata},
		"user in the URL":            {replace("https://idp.example.com/sso", "https://a:b@idp.example.com/sso"), saml.CodeMetadata},
		"no entity ID":               {replace("https://idp.example.com/metadata", ""), saml.CodeMetadata},
		"long entity ID":             {replace("https://idp.example.com/metadata", strings.Repeat("x", 2000)), saml.CodeMetadata},
		"no certificate":             {replace(`use="signing"`, `use="encryption"`), saml.CodeMetadata},
		"broken certificate":         {replace(cert(0), "AAAA"), saml.CodeMetadata},
		"RSA key of 1024 bits":       {replace(cert(0), weakRSA(t)), saml.CodeCertificate},
		"ECDSA key":                  {replace(cert(0), ecdsaCertificate(t)), saml.CodeCertificate},
		"no login URL":               {replace("SingleSignOnService", "ArtifactResolutionService"), saml.CodeMetadata},
		"metadata of a service":      {replace("IDPSSODescriptor", "SPSSODescriptor"), saml.CodeMetadata},
		"SAML 1.1 only":              {replace("SAML:2.0:protocol", "SAML:1.1:protocol"), saml.CodeMetadata},
		"HTML page":                  {"<html><body>Sign in</body></html>", saml.CodeMetadata},
		"two providers": {
			`<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">` + valid + valid + `</EntitiesDescriptor>`, saml.CodeMetadata,
		},
		"DTD":          {"<!DOCTYPE x>" + valid, saml.CodeForbiddenXML},
		"entity bomb":  {`<!DOCTYPE x [<!ENTITY a "b">]>` + valid, saml.CodeForbiddenXML},
		"10 MB":        {valid + strings.Repeat(" ", 10<<20), saml.CodeTooLarge},
		"many keys":    {replace("<KeyDescriptor", strings.Repeat("<KeyDescriptor/>", 20_000)+"<KeyDescriptor"), saml.CodeTooLarge},
		"empty":        {"", saml.CodeMalformed},
		"deep nesting": {strings.Repeat("<a>", 100_000), saml.CodeTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := saml.ParseMetadata([]byte(test.xml))
			wantCode(t, err, test.code)
		})
	}
}

func weakRSA(t *testing.T) string {
	t.Setenv("GODEBUG", "rsa1024min=0")
	key, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // the key that must be refused
	must(t, err)
	return selfSigned(t, key.Public(), key)
}

func ecdsaCertificate(t *testing.T) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return selfSigned(t, key.Public(), key)
}

func selfSigned(t *testing.T, public, private any) string {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: noon, NotAfter: noon.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	must(t, err)
	return base64.StdEncoding.EncodeToString(der)
}

// gosaml2 reads our metadata too, so the test provider isn't the only reader.
func TestMetadata(t *testing.T) {
	_, service, _ := setup(t)
	raw, err := service.Metadata()
	must(t, err)
	var got types.EntityDescriptor
	must(t, xml.Unmarshal(raw, &got))
	sp := got.SPSSODescriptor
	logout := sp.SingleLogoutServices
	equal(t, []string{got.EntityID, sp.AssertionConsumerServices[0].Location, logout[0].Location, logout[1].Binding},
		[]string{service.EntityID, service.ACSURL, service.SLOURL, "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"})
	equal(t, []bool{sp.AuthnRequestsSigned, sp.WantAssertionsSigned}, []bool{true, true})
	equal(t, []string{sp.KeyDescriptors[0].Use, sp.KeyDescriptors[1].Use}, []string{"signing", "encryption"})
	equal(t, sp.KeyDescriptors[0].KeyInfo.X509Data.X509Certificates[0].Data, cert(3))

	service.Keys = nil
	_, err = service.Metadata()
	wantCode(t, err, saml.CodeInvalidArgument)
}
