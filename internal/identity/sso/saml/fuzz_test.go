package saml_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/identity/sso/saml/samltest"
)

// FuzzResponse looks for panics, errors that aren't faults, and documents that are
// accepted with another content than the provider signed.
func FuzzResponse(f *testing.F) {
	provider, service, known := setup(f)
	service.AllowIDPInitiated = true
	r := provider.Response(known, kim, "_1")
	f.Add(r.XML())
	r.SignResponse = true
	f.Add(r.XML())
	r.Encryption = &samltest.Encryption{For: known.Encryption[0], Data: samltest.AES256GCM}
	f.Add(r.XML())
	for _, attack := range documents(string(r.XML())) {
		if len(attack.xml) < 1<<16 {
			f.Add([]byte(attack.xml))
		}
	}

	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := service.Response(url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString(raw)}}, anyLogin)
		if err == nil && (got.NameID != kim.NameID || got.InResponseTo != "_1" || len(got.Attributes) != len(kim.Attributes)) {
			t.Errorf("accepted %+v", got)
		}
		if err != nil && saml.CodeOf(err) == "" {
			t.Errorf("not a fault: %v", err)
		}
	})
}

func FuzzParseLogout(f *testing.F) {
	provider, service, known := setup(f)
	l := provider.LogoutRequest(known, kim)
	u, err := url.Parse(l.URL())
	must(f, err)
	f.Add(u.RawQuery, false)
	f.Add(l.Form().Encode(), true)
	l = provider.LogoutResponse(known, "_1")
	u, err = url.Parse(l.URL())
	must(f, err)
	f.Add(u.RawQuery, false)
	f.Add(l.Form().Encode(), true)
	f.Add("SAMLRequest=&RelayState=&SigAlg=&Signature=", false)

	f.Fuzz(func(t *testing.T, input string, isPost bool) {
		r := get(known.SLOURL)
		r.URL.RawQuery = input
		if isPost {
			form, err := url.ParseQuery(input)
			if err != nil {
				return
			}
			r.Method, r.PostForm = http.MethodPost, form
		}
		got, err := service.ParseLogout(r)
		if err == nil && !got.IsResponse && got.NameID != kim.NameID {
			t.Errorf("accepted %+v", got)
		}
		if err != nil && saml.CodeOf(err) == "" {
			t.Errorf("not a fault: %v", err)
		}
	})
}

func FuzzParseMetadata(f *testing.F) {
	provider, service, _ := setup(f)
	f.Add(provider.Metadata())
	own, err := service.Metadata()
	must(f, err)
	f.Add(own)

	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := saml.ParseMetadata(raw)
		if err == nil && (p.EntityID == "" || len(p.Certificates) == 0 || p.SSOPostURL+p.SSORedirectURL == "") {
			t.Errorf("accepted %+v", p)
		}
		if err != nil && saml.CodeOf(err) == "" {
			t.Errorf("not a fault: %v", err)
		}
	})
}
