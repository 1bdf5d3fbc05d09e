package saml_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/google/go-cmp/cmp"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/identity/sso/saml/samltest"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

var kim = samltest.User{
	NameID: "kim@example.com", SessionIndex: "_session1",
	Attributes: map[string][]string{"email": {"kim@example.com"}, "groups": {"Sales", "Crew & <Dock>"}},
}

// setup returns a provider and a service that know each other.
func setup(t testing.TB) (*samltest.Provider, saml.Service, samltest.Service) {
	t.Helper()
	provider := samltest.New("https://idp.example.com", clock)
	service := saml.Service{
		EntityID: "https://slipway.example.com/sso/saml/conn_1", ACSURL: "https://slipway.example.com/sso/saml/conn_1/acs",
		SLOURL: "https://slipway.example.com/sso/saml/conn_1/slo", Keys: []saml.KeyPair{samltest.KeyPair(3)}, Now: clock,
	}
	var err error
	service.Provider, err = saml.ParseMetadata(provider.Metadata())
	must(t, err)
	return provider, service, parseService(t, service)
}

func parseService(t testing.TB, service saml.Service) samltest.Service {
	t.Helper()
	raw, err := service.Metadata()
	must(t, err)
	known, err := samltest.ParseService(raw)
	must(t, err)
	return known
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t testing.TB, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// expect accepts the answer to one request.
func expect(id string) func(string) error {
	return func(inResponseTo string) error {
		if inResponseTo != id {
			return errors.New("not the login of this browser")
		}
		return nil
	}
}

func anyLogin(string) error { return nil }

// wantCode checks the code of a fault. The empty code means that the message is accepted.
func wantCode(t testing.TB, err error, code string) {
	t.Helper()
	if saml.CodeOf(err) != code || code == "" && err != nil {
		t.Errorf("got %q (%v), want %q", saml.CodeOf(err), err, code)
	}
}

func TestLogin(t *testing.T) {
	for name, postOnly := range map[string]bool{"redirect": false, "POST": true} {
		t.Run(name, func(t *testing.T) {
			provider, service, _ := setup(t)
			provider.PostOnly = postOnly
			var err error
			service.Provider, err = saml.ParseMetadata(provider.Metadata())
			must(t, err)

			request, err := service.Login("_login1", "state&1=2")
			must(t, err)
			equal(t, request.URL == "", postOnly)
			metadata, err := service.Metadata()
			must(t, err)
			form, err := provider.Answer(metadata, request, kim)
			must(t, err)
			got, err := service.Response(form, expect("_login1"))
			must(t, err)

			equal(t, got.ID != "", true)
			got.ID = ""
			equal(t, got, saml.Assertion{
				NameID: "kim@example.com", NameIDFormat: samltest.EmailAddress, SessionIndex: "_session1",
				InResponseTo: "_login1", RelayState: "state&1=2", SessionUntil: noon.Add(8 * time.Hour),
				ValidUntil: noon.Add(5*time.Minute + saml.Skew), Attributes: kim.Attributes,
			})
		})
	}
}

func TestLoginRefusesInvalidArguments(t *testing.T) {
	_, service, _ := setup(t)
	for name, call := range map[string]func() (saml.Request, error){
		"an ID that starts with a digit": func() (saml.Request, error) { return service.Login("1", "") },
		"an ID with markup":              func() (saml.Request, error) { return service.Login(`_"><x`, "") },
		"a long RelayState":              func() (saml.Request, error) { return service.Login("_1", strings.Repeat("x", 81)) },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call()
			wantCode(t, err, saml.CodeInvalidArgument)
		})
	}
}

func TestSeveralProviderCertificates(t *testing.T) {
	provider, service, known := setup(t)
	provider.MoreKeys = []saml.KeyPair{samltest.KeyPair(1), samltest.KeyPair(0)}
	var err error
	service.Provider, err = saml.ParseMetadata(provider.Metadata())
	must(t, err)
	equal(t, len(service.Provider.Certificates), 2)

	for i, code := range []string{"", "", saml.CodeSignature} {
		r := provider.Response(known, kim, "_1")
		r.Key = samltest.KeyPair(i)
		_, err := service.Response(r.Form(), expect("_1"))
		wantCode(t, err, code)
	}
}

func TestKeyRenewal(t *testing.T) {
	provider, service, old := setup(t)
	pair, err := saml.NewKeyPair("slipway conn_1", noon)
	must(t, err)
	equal(t, pair.Certificate.NotAfter, noon.AddDate(3, 0, 0))
	service.Keys = append(service.Keys, pair)
	renewed := parseService(t, service)

	// A provider that hasn't seen the new certificate encrypts for the old one.
	equal(t, len(renewed.Signing), 2)
	for _, certificate := range append(old.Encryption, renewed.Encryption...) {
		r := provider.Response(renewed, kim, "_1")
		r.Encryption = &samltest.Encryption{For: certificate, Data: samltest.AES256GCM}
		_, err := service.Response(r.Form(), expect("_1"))
		must(t, err)
	}

	request, err := service.Login("_2", "")
	must(t, err)
	_, err = provider.Read(renewed, request)
	must(t, err)
	if _, err := provider.Read(old, request); err == nil {
		t.Error("the old key signed")
	}
}

func TestEncryptedAssertion(t *testing.T) {
	for name, e := range map[string]samltest.Encryption{
		"AES-128-CBC":          {Data: samltest.AES128CBC},
		"AES-256-CBC":          {Data: samltest.AES256CBC},
		"AES-128-GCM":          {Data: samltest.AES128GCM},
		"AES-256-GCM":          {Data: samltest.AES256GCM},
		"key next to the data": {Data: samltest.AES256GCM, Detached: true},
		"OAEP with SHA-256":    {Data: samltest.AES256GCM, Digest: samltest.DigestSHA256},
		"OAEP 1.1":             {Data: samltest.AES256GCM, KeyTransport: samltest.OAEP11},
		"OAEP 1.1 with SHA-256": {
			Data: samltest.AES256GCM, KeyTransport: samltest.OAEP11, Digest: samltest.DigestSHA256, Mask: samltest.MaskSHA256,
		},
		"OAEP 1.1 with SHA-512, 256": {
			Data: samltest.AES256CBC, KeyTransport: samltest.OAEP11, Digest: samltest.DigestSHA512, Mask: samltest.MaskSHA256,
		},
	} {
		for _, signResponse := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				provider, service, known := setup(t)
				r := provider.Response(known, kim, "_1")
				e.For, r.Encryption, r.SignResponse = known.Encryption[0], &e, signResponse
				if strings.HasSuffix(e.Data, "-cbc") {
					_, err := service.Response(r.Form(), expect("_1"))
					wantCode(t, err, saml.CodeAlgorithm)
					service.AllowCBC = true
				}
				got, err := service.Response(r.Form(), expect("_1"))
				must(t, err)
				equal(t, got.NameID, kim.NameID)
			})
		}
	}
}

func TestIDPInitiatedLogin(t *testing.T) {
	provider, service, known := setup(t)
	response := func() url.Values {
		r := provider.Response(known, kim, "")
		r.RelayState = "https://slipway.example.com/"
		return r.Form()
	}
	unexpected := func(id string) error { return errors.New("asked for " + id) }

	_, err := service.Response(response(), unexpected)
	wantCode(t, err, saml.CodeUnsolicited)
	service.AllowIDPInitiated = true
	got, err := service.Response(response(), unexpected)
	must(t, err)
	equal(t, got.InResponseTo, "")
	equal(t, got.RelayState, "https://slipway.example.com/")
}

func TestClockSkew(t *testing.T) {
	provider, service, known := setup(t)
	for name, test := range map[string]struct {
		edit func(*samltest.Response)
		code string
	}{
		"89 s early":                   {func(r *samltest.Response) { r.NotBefore = noon.Add(89 * time.Second) }, ""},
		"91 s early":                   {func(r *samltest.Response) { r.NotBefore = noon.Add(91 * time.Second) }, saml.CodeNotYetValid},
		"89 s late":                    {func(r *samltest.Response) { r.NotOnOrAfter = noon.Add(-89 * time.Second) }, ""},
		"90 s late":                    {func(r *samltest.Response) { r.NotOnOrAfter = noon.Add(-90 * time.Second) }, saml.CodeExpired},
		"confirmation 89 s late":       {func(r *samltest.Response) { r.ConfirmedUntil = noon.Add(-89 * time.Second) }, ""},
		"confirmation 90 s late":       {func(r *samltest.Response) { r.ConfirmedUntil = noon.Add(-90 * time.Second) }, saml.CodeExpired},
		"session ended 90 s ago":       {func(r *samltest.Response) { r.SessionUntil = noon.Add(-90 * time.Second) }, saml.CodeExpired},
		"no end of the session":        {func(r *samltest.Response) { r.SessionUntil = time.Time{} }, ""},
		"no end of the confirmation":   {func(r *samltest.Response) { r.ConfirmedUntil = time.Time{} }, saml.CodeStructure},
		"no end of the conditions":     {func(r *samltest.Response) { r.NotOnOrAfter = time.Time{} }, saml.CodeStructure},
		"no beginning of the validity": {func(r *samltest.Response) { r.NotBefore = time.Time{} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := provider.Response(known, kim, "_1")
			test.edit(r)
			_, err := service.Response(r.Form(), expect("_1"))
			wantCode(t, err, test.code)
		})
	}
}

// A user can be in many groups.
func TestManyGroups(t *testing.T) {
	provider, service, known := setup(t)
	user := kim
	user.Attributes = map[string][]string{"groups": nil}
	for i := range 3000 {
		user.Attributes["groups"] = append(user.Attributes["groups"], fmt.Sprintf("Group %d", i))
	}
	for _, signResponse := range []bool{false, true} {
		r := provider.Response(known, user, "_1")
		r.SignResponse = signResponse
		got, err := service.Response(r.Form(), expect("_1"))
		must(t, err)
		equal(t, len(got.Attributes["groups"]), 3000)
	}
}

// The assertion inherits namespaces from the response.
func TestNamespacesOfTheEnvelope(t *testing.T) {
	provider, service, known := setup(t)
	r := provider.Response(known, kim, "_1")
	r.EditSigned = func(assertion *etree.Element) {
		assertion.RemoveAttr("xmlns:saml") // the response declares it too
	}
	_, err := service.Response(r.Form(), expect("_1"))
	must(t, err)
}
