package saml_test

import (
	"testing"

	saml2 "github.com/russellhaering/gosaml2"
	dsig "github.com/russellhaering/goxmldsig"

	"slipway/internal/identity/sso/saml"
)

// gosaml2 accepts the messages of the test provider and of the service. So the two
// don't only agree with each other.
func TestGosaml2AcceptsOurMessages(t *testing.T) {
	provider, service, known := setup(t)
	provider.PostOnly = true
	var err error
	service.Provider, err = saml.ParseMetadata(provider.Metadata())
	must(t, err)

	sp := &saml2.SAMLServiceProvider{
		IdentityProviderIssuer: provider.EntityID, AssertionConsumerServiceURL: service.ACSURL, AudienceURI: service.EntityID,
		IDPCertificateStore: &dsig.MemoryX509CertificateStore{Roots: service.Provider.Certificates}, Clock: dsig.NewFakeClockAt(noon),
	}
	info, err := sp.RetrieveAssertionInfo(provider.Response(known, kim, "_1").Form().Get("SAMLResponse"))
	must(t, err)
	equal(t, []any{info.NameID, info.WarningInfo.InvalidTime, info.WarningInfo.NotInAudience}, []any{kim.NameID, false, false})

	idp := &saml2.SAMLServiceProvider{
		IdentityProviderIssuer: service.EntityID, ServiceProviderSLOURL: provider.SLOURL,
		IDPCertificateStore: &dsig.MemoryX509CertificateStore{Roots: known.Signing}, Clock: dsig.NewFakeClockAt(noon),
	}
	request, err := service.Logout("_1", kim.NameID, "", "", "")
	must(t, err)
	logout, err := idp.ValidateEncodedLogoutRequestPOST(request.Fields["SAMLRequest"])
	must(t, err)
	equal(t, logout.NameID.Value, kim.NameID)
	answer, err := service.LogoutResponse("_2", "")
	must(t, err)
	_, err = idp.ValidateEncodedLogoutResponsePOST(answer.Fields["SAMLResponse"])
	must(t, err)
}
