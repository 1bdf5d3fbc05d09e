package saml_test

import (
	"testing"

	"github.com/beevik/etree"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/identity/sso/saml/samltest"
)

// In signature wrapping, an attacker has a response that the provider signed for
// the attacker's own user. The signed element stays in the document, where the
// signature check finds it. A forged element is where the reader looks. The forms
// 1 to 8 are those of Somorovsky et al., "On Breaking SAML" (2012).
func TestSignatureWrapping(t *testing.T) {
	for name, test := range map[string]struct {
		signResponse bool
		wrap         func(response *etree.Element)
		code         string
	}{
		"control: signed assertion": {false, func(*etree.Element) {}, ""},
		"control: both signed":      {true, func(*etree.Element) {}, ""},

		"XSW1: the original response in the signature of the forged one": {true, func(response *etree.Element) {
			original := response.Copy()
			remove(original, "Signature")
			forge(response)
			child(response, "Signature").AddChild(original)
		}, saml.CodeStructure},
		"XSW2: the original response before the signature": {true, func(response *etree.Element) {
			original := response.Copy()
			remove(original, "Signature")
			forge(response)
			response.InsertChildAt(1, original)
		}, saml.CodeStructure},
		"XSW3: a forged assertion before the original": {false, func(response *etree.Element) {
			original := child(response, "Assertion")
			response.InsertChildAt(original.Index(), forged(original))
		}, saml.CodeStructure},
		"XSW4: the original assertion in the forged one": {false, func(response *etree.Element) {
			original := take(response, "Assertion")
			evil := forged(original)
			evil.AddChild(original)
			response.AddChild(evil)
		}, saml.CodeStructure},
		"XSW5: a forged assertion with the signature, the original at the end": {false, func(response *etree.Element) {
			original := take(response, "Assertion")
			evil := forged(original)
			evil.InsertChildAt(1, take(original, "Signature"))
			response.AddChild(evil)
			response.AddChild(original)
		}, saml.CodeStructure},
		"XSW6: the original assertion in the signature of the forged one": {false, func(response *etree.Element) {
			original := take(response, "Assertion")
			evil := forged(original)
			sig := take(original, "Signature")
			sig.AddChild(original)
			evil.InsertChildAt(1, sig)
			response.AddChild(evil)
		}, saml.CodeStructure},
		"XSW7: a forged assertion in Extensions": {false, func(response *etree.Element) {
			extensions := etree.NewElement("samlp:Extensions")
			extensions.AddChild(forged(child(response, "Assertion")))
			response.InsertChildAt(1, extensions)
		}, saml.CodeStructure},
		"XSW8: the original assertion in an Object of the signature": {false, func(response *etree.Element) {
			original := take(response, "Assertion")
			evil := forged(original)
			sig := take(original, "Signature")
			sig.CreateElement("ds:Object").AddChild(original)
			evil.InsertChildAt(1, sig)
			response.AddChild(evil)
		}, saml.CodeStructure},
		"XSW9: a forged assertion with the same ID": {false, func(response *etree.Element) {
			original := child(response, "Assertion")
			evil := forged(original)
			evil.CreateAttr("ID", original.SelectAttrValue("ID", ""))
			response.InsertChildAt(original.Index(), evil)
		}, saml.CodeStructure},
		"XSW10: the original assertion in the advice of the forged one": {false, func(response *etree.Element) {
			original := take(response, "Assertion")
			evil := forged(original)
			evil.CreateElement("saml:Advice").AddChild(original)
			response.AddChild(evil)
		}, saml.CodeStructure},

		"XSW11: the original assertion in the status": {false, func(response *etree.Element) {
			original := take(response, "Assertion")
			child(response, "Status").CreateElement("samlp:StatusDetail").AddChild(original)
			response.AddChild(forged(original))
		}, saml.CodeStructure},
		"XSW12: a forged assertion in another namespace": {false, func(response *etree.Element) {
			evil := forged(child(response, "Assertion"))
			evil.Space = "evil"
			evil.CreateAttr("xmlns:evil", "urn:oasis:names:tc:SAML:1.0:assertion")
			response.AddChild(evil)
		}, saml.CodeStructure},
		"XSW13: the ID of the original assertion in another namespace": {false, func(response *etree.Element) {
			original := take(response, "Assertion")
			evil := forged(original)
			evil.InsertChildAt(1, take(original, "Signature"))
			evil.CreateAttr("xmlns:evil", "urn:evil")
			evil.CreateAttr("evil:ID", original.SelectAttrValue("ID", ""))
			response.AddChild(evil)
		}, saml.CodeStructure},
		"XSW14: the original assertion encrypted to us next to the forged one": {false, func(response *etree.Element) {
			evil := forged(child(response, "Assertion"))
			child(response, "Assertion").Tag = "EncryptedAssertion"
			response.AddChild(evil)
		}, saml.CodeStructure},
		"XSW15: a forged name next to the original in the subject": {false, func(response *etree.Element) {
			subject := child(child(response, "Assertion"), "Subject")
			name := child(subject, "NameID").Copy()
			name.SetText("owner@example.com")
			subject.InsertChildAt(0, name)
		}, saml.CodeSignature},
	} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			r := provider.Response(known, kim, "_1")
			r.SignResponse, r.Edit = test.signResponse, test.wrap
			got, err := service.Response(r.Form(), expect("_1"))
			wantCode(t, err, test.code)
			if err == nil {
				equal(t, got.NameID, kim.NameID)
			}
		})
	}
}

// The same in an encrypted assertion, where the structure is checked after decryption.
func TestSignatureWrappingInEncryptedAssertion(t *testing.T) {
	for name, test := range map[string]struct {
		wrap func(assertion *etree.Element)
		code string
	}{
		"control": {func(*etree.Element) {}, ""},
		"the original assertion in the advice of the forged one": {func(assertion *etree.Element) {
			original := assertion.Copy()
			*assertion = *forged(original)
			assertion.CreateElement("saml:Advice").AddChild(original)
		}, saml.CodeStructure},
		"the original assertion in the signature of the forged one": {func(assertion *etree.Element) {
			original := assertion.Copy()
			sig := take(original, "Signature")
			*assertion = *forged(original)
			sig.CreateElement("ds:Object").AddChild(original)
			assertion.InsertChildAt(1, sig)
		}, saml.CodeStructure},
		"no signature": {func(assertion *etree.Element) { remove(assertion, "Signature") }, saml.CodeUnsigned},
	} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			r := provider.Response(known, kim, "_1")
			r.EditSigned = test.wrap
			r.Encryption = &samltest.Encryption{For: known.Encryption[0], Data: samltest.AES256GCM}
			_, err := service.Response(r.Form(), expect("_1"))
			wantCode(t, err, test.code)
		})
	}
}

// forged returns a copy of an assertion for another user, with another ID and no signature.
func forged(original *etree.Element) *etree.Element {
	evil := original.Copy()
	remove(evil, "Signature")
	evil.CreateAttr("ID", "_evil")
	child(child(evil, "Subject"), "NameID").SetText("owner@example.com")
	return evil
}

// forge changes a response in place.
func forge(response *etree.Element) {
	response.CreateAttr("ID", "_evilresponse")
	response.AddChild(forged(take(response, "Assertion")))
}

func child(el *etree.Element, tag string) *etree.Element { return el.SelectElement(tag) }

func take(el *etree.Element, tag string) *etree.Element {
	found := child(el, tag)
	el.RemoveChild(found)
	return found
}

func remove(el *etree.Element, tag string) {
	if found := child(el, tag); found != nil {
		el.RemoveChild(found)
	}
}
