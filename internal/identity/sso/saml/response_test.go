package saml_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/identity/sso/saml/samltest"
)

func TestResponseSignatureAttacks(t *testing.T) {
	foreign := samltest.KeyPair(2)
	for name, test := range map[string]struct {
		edit func(*samltest.Response)
		code string
	}{
		"control: signed assertion in an unsigned response": {func(*samltest.Response) {}, ""},
		"control: signed assertion in a signed response":    {func(r *samltest.Response) { r.SignResponse = true }, ""},
		"control: RSA-SHA512":                               {func(r *samltest.Response) { r.Method = dsig.RSASHA512SignatureMethod }, ""},
		"control: no key in the signature": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { remove(child(child(el, "Assertion"), "Signature"), "KeyInfo") }
		}, ""},
		"control: a key without a certificate in the signature": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) {
				info := child(child(child(el, "Assertion"), "Signature"), "KeyInfo")
				remove(info, "X509Data")
				info.CreateElement("ds:KeyName").SetText("key1")
			}
		}, ""},

		"unsigned assertion in an unsigned response": {func(r *samltest.Response) { r.SignAssertion = false }, saml.CodeUnsigned},
		"unsigned assertion in a signed response": {func(r *samltest.Response) {
			r.SignAssertion, r.SignResponse = false, true
		}, saml.CodeUnsigned},
		"signed assertion in a response with a broken signature": {func(r *samltest.Response) {
			r.SignResponse = true
			r.Edit = func(el *etree.Element) { el.CreateAttr("InResponseTo", "_2") }
		}, saml.CodeSignature},
		"signature removed from the assertion in a signed response": {func(r *samltest.Response) {
			r.SignResponse = true
			r.Edit = func(el *etree.Element) { remove(child(el, "Assertion"), "Signature") }
		}, saml.CodeSignature},
		"embedded foreign key":                 {func(r *samltest.Response) { r.Key = foreign }, saml.CodeSignature},
		"foreign key with our certificate":     {func(r *samltest.Response) { r.Key.Key = foreign.Key }, saml.CodeSignature},
		"embedded foreign key in the response": {func(r *samltest.Response) { r.EditResponse = signWith(foreign) }, saml.CodeSignature},
		"RSA-SHA1":                             {func(r *samltest.Response) { r.Method = dsig.RSASHA1SignatureMethod }, saml.CodeAlgorithm},
		"RSA-SHA1 of the response only": {func(r *samltest.Response) {
			r.EditResponse = func(el *etree.Element) { *el = *samltest.Sign(el, samltest.KeyPair(0), dsig.RSASHA1SignatureMethod) }
		}, saml.CodeAlgorithm},
		"SHA-1 digest": {inSignature(".//DigestMethod", "http://www.w3.org/2000/09/xmldsig#sha1"), saml.CodeAlgorithm},
		"HMAC with the public key": {
			inSignature(".//SignatureMethod", "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"), saml.CodeAlgorithm,
		},
		"canonicalization that keeps comments": {
			inSignature(".//Transform[2]", "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"), saml.CodeAlgorithm,
		},
		"XPath transform":      {inSignature(".//Transform[2]", "http://www.w3.org/TR/1999/REC-xpath-19991116"), saml.CodeAlgorithm},
		"XSLT transform":       {inSignature(".//Transform[1]", "http://www.w3.org/TR/1999/REC-xslt-19991116"), saml.CodeAlgorithm},
		"no enveloped removal": {inSignature(".//Transform[1]", string(dsig.CanonicalXML10ExclusiveAlgorithmId)), saml.CodeAlgorithm},
		"reference to the whole document": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { el.FindElement(".//Reference").CreateAttr("URI", "") }
		}, saml.CodeSignature},
		"reference to another element": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { el.FindElement(".//Reference").CreateAttr("URI", "#_other") }
		}, saml.CodeSignature},
		"two references": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) {
				info := el.FindElement(".//SignedInfo")
				info.AddChild(child(info, "Reference").Copy())
			}
		}, saml.CodeStructure},
		"two signatures": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { child(el, "Assertion").AddChild(el.FindElement(".//Signature").Copy()) }
		}, saml.CodeStructure},
		"two SignedInfo": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) {
				sig := el.FindElement(".//Signature")
				sig.AddChild(child(sig, "SignedInfo").Copy())
			}
		}, saml.CodeStructure},
		"object in the signature": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { el.FindElement(".//Signature").CreateElement("ds:Object").SetText("x") }
		}, saml.CodeStructure},
		"signature in the subject": {func(r *samltest.Response) {
			r.EditSigned = func(a *etree.Element) { child(a, "Subject").AddChild(take(a, "Signature")) }
		}, saml.CodeStructure},
		"assertion with the ID of the response": {func(r *samltest.Response) { r.AssertionID = r.ID }, saml.CodeStructure},
		"assertion without an ID":               {func(r *samltest.Response) { r.AssertionID = "" }, saml.CodeStructure},
		"changed name": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { el.FindElement(".//NameID").SetText("owner@example.com") }
		}, saml.CodeSignature},
		"changed group": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { el.FindElement(".//AttributeValue").SetText("Owners") }
		}, saml.CodeSignature},
	} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			r := provider.Response(known, kim, "_1")
			test.edit(r)
			_, err := service.Response(r.Form(), expect("_1"))
			wantCode(t, err, test.code)
		})
	}
}

func signWith(key saml.KeyPair) func(*etree.Element) {
	return func(el *etree.Element) { *el = *samltest.Sign(el, key, "") }
}

// inSignature changes an algorithm in a signature that was valid.
func inSignature(path, algorithm string) func(*samltest.Response) {
	return func(r *samltest.Response) {
		r.Edit = func(el *etree.Element) {
			el.FindElement(".//Signature").FindElement(path).CreateAttr("Algorithm", algorithm)
		}
	}
}

func TestResponseContentAttacks(t *testing.T) {
	const other = "https://other.example.com/"
	edit := func(change func(assertion *etree.Element)) func(*samltest.Response) {
		return func(r *samltest.Response) { r.EditAssertion = change }
	}
	for name, test := range map[string]struct {
		edit func(*samltest.Response)
		code string
	}{
		"control":                              {func(*samltest.Response) {}, ""},
		"control: envelope without attributes": {func(r *samltest.Response) { r.Destination, r.InResponseTo, r.Issuer = "", "", "" }, ""},
		"wrong audience":                       {func(r *samltest.Response) { r.Audience = other }, saml.CodeAudience},
		"audience with a suffix":               {func(r *samltest.Response) { r.Audience += "2" }, saml.CodeAudience},
		"no audience":                          {func(r *samltest.Response) { r.Audience = "" }, saml.CodeAudience},
		"a second audience restriction": {edit(func(a *etree.Element) {
			child(a, "Conditions").CreateElement("saml:AudienceRestriction").CreateElement("saml:Audience").SetText(other)
		}), saml.CodeAudience},
		"control: two audiences in one restriction": {edit(func(a *etree.Element) {
			a.FindElement(".//AudienceRestriction").CreateElement("saml:Audience").SetText(other)
		}), ""},
		"unknown condition": {edit(func(a *etree.Element) {
			child(a, "Conditions").CreateElement("saml:Condition")
		}), saml.CodeStructure},
		"no conditions":     {edit(func(a *etree.Element) { remove(a, "Conditions") }), saml.CodeStructure},
		"two conditions":    {edit(func(a *etree.Element) { a.AddChild(child(a, "Conditions").Copy()) }), saml.CodeStructure},
		"wrong recipient":   {func(r *samltest.Response) { r.Recipient = other }, saml.CodeRecipient},
		"no recipient":      {func(r *samltest.Response) { r.Recipient = "" }, saml.CodeRecipient},
		"wrong destination": {func(r *samltest.Response) { r.Destination = other }, saml.CodeDestination},
		"no destination in a signed response": {func(r *samltest.Response) {
			r.Destination, r.SignResponse = "", true
		}, saml.CodeDestination},
		"expired":              {func(r *samltest.Response) { r.NotOnOrAfter = noon.Add(-time.Hour) }, saml.CodeExpired},
		"not yet valid":        {func(r *samltest.Response) { r.NotBefore = noon.Add(time.Hour) }, saml.CodeNotYetValid},
		"expired confirmation": {func(r *samltest.Response) { r.ConfirmedUntil = noon.Add(-time.Hour) }, saml.CodeExpired},
		"not a time": {edit(func(a *etree.Element) {
			child(a, "Conditions").CreateAttr("NotOnOrAfter", "tomorrow")
		}), saml.CodeMalformed},
		"confirmation without data": {edit(func(a *etree.Element) {
			remove(a.FindElement(".//SubjectConfirmation"), "SubjectConfirmationData")
		}), saml.CodeStructure},
		"another confirmation method": {edit(func(a *etree.Element) {
			a.FindElement(".//SubjectConfirmation").CreateAttr("Method", "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches")
		}), saml.CodeStructure},
		"two confirmations": {edit(func(a *etree.Element) {
			subject := child(a, "Subject")
			subject.AddChild(child(subject, "SubjectConfirmation").Copy())
		}), saml.CodeStructure},
		"InResponseTo of another login": {func(r *samltest.Response) {
			r.InResponseTo, r.AssertionInResponseTo = "_2", "_2"
		}, saml.CodeInResponseTo},
		"InResponseTo of another login in the assertion": {func(r *samltest.Response) {
			r.AssertionInResponseTo = "_2"
		}, saml.CodeInResponseTo},
		"InResponseTo of another login in the envelope": {func(r *samltest.Response) { r.InResponseTo = "_2" }, saml.CodeInResponseTo},
		"InResponseTo only in the envelope":             {func(r *samltest.Response) { r.AssertionInResponseTo = "" }, saml.CodeInResponseTo},
		"no InResponseTo": {func(r *samltest.Response) {
			r.InResponseTo, r.AssertionInResponseTo = "", ""
		}, saml.CodeUnsolicited},
		"issuer of another provider":                 {func(r *samltest.Response) { r.AssertionIssuer = other }, saml.CodeIssuer},
		"issuer of another provider in the envelope": {func(r *samltest.Response) { r.Issuer = other }, saml.CodeIssuer},
		"no issuer":      {func(r *samltest.Response) { r.AssertionIssuer = "" }, saml.CodeStructure},
		"SAML 1.1":       {edit(func(a *etree.Element) { a.CreateAttr("Version", "1.1") }), saml.CodeStructure},
		"two assertions": {func(r *samltest.Response) { r.EditResponse = secondAssertion }, saml.CodeStructure},
		"no assertion": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { remove(el, "Assertion") }
		}, saml.CodeStructure},
		"no subject":          {edit(func(a *etree.Element) { remove(a, "Subject") }), saml.CodeStructure},
		"two subjects":        {edit(func(a *etree.Element) { a.AddChild(child(a, "Subject").Copy()) }), saml.CodeStructure},
		"no authentication":   {edit(func(a *etree.Element) { remove(a, "AuthnStatement") }), saml.CodeStructure},
		"two authentications": {edit(func(a *etree.Element) { a.AddChild(child(a, "AuthnStatement").Copy()) }), saml.CodeStructure},
		"two names": {edit(func(a *etree.Element) {
			subject := child(a, "Subject")
			subject.AddChild(child(subject, "NameID").Copy())
		}), saml.CodeStructure},
		"no name":               {edit(func(a *etree.Element) { remove(child(a, "Subject"), "NameID") }), saml.CodeStructure},
		"encrypted name":        {edit(func(a *etree.Element) { child(a, "Subject").CreateElement("saml:EncryptedID") }), saml.CodeNameID},
		"empty name":            {func(r *samltest.Response) { r.User.NameID = "" }, saml.CodeNameID},
		"name with space after": {func(r *samltest.Response) { r.User.NameID += " " }, saml.CodeNameID},
		"long name":             {func(r *samltest.Response) { r.User.NameID = strings.Repeat("x", 1025) }, saml.CodeNameID},
		"transient name":        {func(r *samltest.Response) { r.User.Format = samltest.Transient }, saml.CodeNameID},
		"element in the name": {edit(func(a *etree.Element) {
			a.FindElement(".//NameID").CreateElement("saml:x")
		}), saml.CodeStructure},
		"comment in the name": {func(r *samltest.Response) {
			r.User.NameID = "owner@example.com.evil.example.net"
			r.Edit = func(el *etree.Element) {
				name := el.FindElement(".//NameID")
				name.SetText("owner@example.com")
				name.CreateComment("")
				name.CreateText(".evil.example.net")
			}
		}, saml.CodeForbiddenXML},
		"processing instruction in the name": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) { el.FindElement(".//NameID").CreateProcInst("x", "y") }
		}, saml.CodeForbiddenXML},
		"error of the provider": {func(r *samltest.Response) {
			r.Status, r.SubStatus, r.Message = "Responder", "AuthnFailed", "No access."
		}, saml.CodeStatus},
		"signed assertion with an error": {func(r *samltest.Response) {
			r.Edit = func(el *etree.Element) {
				el.FindElement(".//StatusCode").CreateAttr("Value", "urn:oasis:names:tc:SAML:2.0:status:Requester")
			}
		}, saml.CodeStatus},
		"no status": {func(r *samltest.Response) { r.Edit = func(el *etree.Element) { remove(el, "Status") } }, saml.CodeStructure},
	} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			r := provider.Response(known, kim, "_1")
			test.edit(r)
			_, err := service.Response(r.Form(), expect("_1"))
			wantCode(t, err, test.code)
		})
	}
}

// secondAssertion adds another assertion that the provider signed.
func secondAssertion(response *etree.Element) {
	second := child(response, "Assertion").Copy()
	remove(second, "Signature")
	second.CreateAttr("ID", "_second")
	response.AddChild(samltest.Sign(second, samltest.KeyPair(0), ""))
}

func TestEncryptionAttacks(t *testing.T) {
	_, _, known := setup(t)
	certificate := known.Encryption[0]
	for name, test := range map[string]struct {
		encryption samltest.Encryption
		code       string
	}{
		"control": {samltest.Encryption{For: certificate, Data: samltest.AES256GCM}, ""},
		"RSA 1.5 key transport": {
			samltest.Encryption{For: certificate, Data: samltest.AES256GCM, KeyTransport: samltest.RSA15}, saml.CodeAlgorithm,
		},
		"Triple DES":               {samltest.Encryption{For: certificate, Data: samltest.TripleDES}, saml.CodeAlgorithm},
		"another service's key":    {samltest.Encryption{For: samltest.KeyPair(1).Certificate, Data: samltest.AES256GCM}, saml.CodeDecryption},
		"changed GCM data":         {samltest.Encryption{For: certificate, Data: samltest.AES256GCM, Corrupt: true}, saml.CodeDecryption},
		"unknown data algorithm":   {samltest.Encryption{For: certificate, Data: "urn:none"}, saml.CodeAlgorithm},
		"unknown digest algorithm": {samltest.Encryption{For: certificate, Data: samltest.AES256GCM, UnknownDigest: true}, saml.CodeAlgorithm},
	} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			r := provider.Response(known, kim, "_1")
			r.Encryption = &test.encryption
			_, err := service.Response(r.Form(), expect("_1"))
			wantCode(t, err, test.code)
		})
	}
}

// With CBC, changed data decrypts to other data. A difference between bad padding,
// bad XML and a bad signature must not tell an attacker the plain text: bad padding
// and bad XML are the same fault, and a changed text never gets past the signature.
func TestChangedCBCData(t *testing.T) {
	provider, service, known := setup(t)
	service.AllowCBC = true
	r := provider.Response(known, kim, "_1")
	r.Encryption = &samltest.Encryption{For: known.Encryption[0], Data: samltest.AES256CBC}
	doc := etree.NewDocument()
	must(t, doc.ReadFromBytes(r.XML()))
	value := doc.FindElement("//EncryptedData/CipherData/CipherValue")
	ciphertext, err := base64.StdEncoding.DecodeString(value.Text())
	must(t, err)

	codes := map[string]int{}
	for i := 0; i < len(ciphertext); i += 61 {
		changed := append([]byte(nil), ciphertext...)
		changed[i] ^= 1
		value.SetText(base64.StdEncoding.EncodeToString(changed))
		raw, err := doc.WriteToBytes()
		must(t, err)
		_, err = service.Response(url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString(raw)}}, anyLogin)
		if err == nil {
			t.Fatalf("a change of byte %d was accepted", i)
		}
		codes[saml.CodeOf(err)]++
	}
	if codes[saml.CodeDecryption] == 0 {
		t.Errorf("got %v, want faults with the code %s", codes, saml.CodeDecryption)
	}
}

func TestExpiredProviderCertificate(t *testing.T) {
	provider, service, known := setup(t)
	form := provider.Response(known, kim, "_1").Form()
	late := time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC)
	service.Now = func() time.Time { return late }
	_, err := service.Response(form, anyLogin)
	wantCode(t, err, saml.CodeCertificate)

	service.Provider.Certificates, service.Now = nil, clock
	_, err = service.Response(form, anyLogin)
	wantCode(t, err, saml.CodeCertificate)
}

func TestFaultTellsWhatToFix(t *testing.T) {
	provider, service, known := setup(t)
	r := provider.Response(known, kim, "_1")
	r.Audience = "https://old.example.com/\n<script>"
	_, err := service.Response(r.Form(), expect("_1"))
	fault, ok := err.(*saml.Fault) //nolint:errorlint // returned as it is
	equal(t, ok, true)
	equal(t, fault.Message, "The response is for the audience https://old.example.com/?<script>. "+
		"In your identity provider, set the audience (entity ID) to https://slipway.example.com/sso/saml/conn_1.")

	r = provider.Response(known, kim, "_1")
	r.Status, r.SubStatus, r.Message = "Responder", "AuthnFailed", "No access."
	_, err = service.Response(r.Form(), expect("_1"))
	equal(t, err.Error(), "saml: status: The identity provider reports an error (Responder, AuthnFailed): No access. "+
		"Look for the details in the log of the identity provider.")
}
