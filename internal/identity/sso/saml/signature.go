package saml

import (
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"slices"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

// minRSABits is the size of the smallest RSA key that is accepted.
const minRSABits = 2048

// signatureMethods leaves out SHA-1. It also leaves out ECDSA: goxmldsig expects
// another encoding of ECDSA signatures than the standard.
var signatureMethods = []string{dsig.RSASHA256SignatureMethod, dsig.RSASHA384SignatureMethod, dsig.RSASHA512SignatureMethod}

var digestMethods = []string{
	"http://www.w3.org/2001/04/xmlenc#sha256",
	"http://www.w3.org/2001/04/xmldsig-more#sha384",
	"http://www.w3.org/2001/04/xmlenc#sha512",
}

// canonicalizations leaves out the forms that keep comments.
var canonicalizations = []string{
	string(dsig.CanonicalXML10ExclusiveAlgorithmId),
	string(dsig.CanonicalXML11AlgorithmId),
	string(dsig.CanonicalXML10RecAlgorithmId),
}

// verify checks the signature of an element and returns the element as it was
// signed. Read only the result: it contains nothing that isn't signed.
func (s Service) verify(el *etree.Element) (*etree.Element, error) {
	id := attribute(el, "ID")
	sig, err := optional(el, nsSignature, "Signature")
	if err != nil {
		return nil, err
	}
	if sig == nil {
		return nil, refuse(CodeUnsigned, "%s is not signed. In your identity provider, turn on signing of %s.",
			shown(el.Tag), signingOption(el.Tag))
	}
	if err := checkSignature(sig, id); err != nil {
		return nil, err
	}
	certificates, err := s.usableCertificates()
	if err != nil {
		return nil, err
	}

	detached := detach(el)
	removeKeyInfo(detached)

	// The message never chooses the key: each certificate from the metadata is tried.
	var failures []error
	for _, certificate := range certificates {
		verifier := dsig.NewDefaultValidationContext(&dsig.MemoryX509CertificateStore{Roots: []*x509.Certificate{certificate}})
		verifier.Clock = dsig.NewFakeClockAt(s.now())
		signed, err := verifier.Validate(detached)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if signed == nil || signed.Tag != el.Tag || signed.NamespaceURI() != el.NamespaceURI() || attribute(signed, "ID") != id {
			return nil, refuse(CodeSignature, "The signature of %s covers another element.", shown(el.Tag))
		}
		return signed, nil
	}
	return nil, refuseCause(errors.Join(failures...), CodeSignature,
		"The signature of %s doesn't match any certificate in the metadata of the identity provider. "+
			"If the provider has a new signing certificate, update the metadata of this connection.", shown(el.Tag))
}

func signingOption(tag string) string {
	switch tag {
	case "Assertion":
		return "assertions"
	case "Response":
		return "responses"
	}
	return "logout messages"
}

// checkSignature accepts the one shape of a signature that SAML allows. goxmldsig
// accepts more: several references, no reference to an ID, and SHA-1.
func checkSignature(sig *etree.Element, id string) error {
	if id == "" {
		return refuse(CodeStructure, "The signed element has no ID.")
	}
	if len(children(sig, nsSignature, "Object")) > 0 {
		return refuse(CodeStructure, "The signature contains an object.")
	}
	info, err := required(sig, nsSignature, "SignedInfo")
	if err != nil {
		return err
	}

	canonicalization, err := required(info, nsSignature, "CanonicalizationMethod")
	if err != nil {
		return err
	}
	if err := checkAlgorithm("canonicalization method", canonicalization, canonicalizations); err != nil {
		return err
	}
	method, err := required(info, nsSignature, "SignatureMethod")
	if err != nil {
		return err
	}
	if err := checkAlgorithm("signature method", method, signatureMethods); err != nil {
		return err
	}

	reference, err := required(info, nsSignature, "Reference")
	if err != nil {
		return err
	}
	if uri := attribute(reference, "URI"); uri != "#"+id {
		return refuse(CodeSignature, "The signature refers to %s, but it is in the element with the ID %s.", shown(uri), shown(id))
	}
	return checkReference(reference)
}

func checkReference(reference *etree.Element) error {
	digest, err := required(reference, nsSignature, "DigestMethod")
	if err != nil {
		return err
	}
	if err := checkAlgorithm("digest method", digest, digestMethods); err != nil {
		return err
	}

	list, err := required(reference, nsSignature, "Transforms")
	if err != nil {
		return err
	}
	transforms := children(list, nsSignature, "Transform")
	if len(transforms) != 2 || len(list.ChildElements()) != 2 ||
		attribute(transforms[0], "Algorithm") != string(dsig.EnvelopedSignatureAltorithmId) {
		return refuse(CodeAlgorithm, "The signature has unusual transforms. "+
			"It must have the enveloped signature transform and one canonicalization.")
	}
	return checkAlgorithm("canonicalization method", transforms[1], canonicalizations)
}

func checkAlgorithm(kind string, el *etree.Element, allowed []string) error {
	if algorithm := attribute(el, "Algorithm"); !slices.Contains(allowed, algorithm) {
		return refuse(CodeAlgorithm, "The signature uses the %s %s, which is not accepted. "+
			"In your identity provider, set the signature algorithm to RSA-SHA256.", kind, shown(algorithm))
	}
	return nil
}

// detach returns a copy of an element that declares the namespaces of its parents.
// The function of goxmldsig for this refuses more than 1,000 elements, which users
// with many groups have.
func detach(el *etree.Element) *etree.Element {
	detached := el.Copy()
	declared := map[string]bool{}
	for scope := el; scope != nil; scope = scope.Parent() {
		for _, a := range scope.Attr {
			if a.Space != "xmlns" && (a.Space != "" || a.Key != "xmlns") || declared[a.FullKey()] {
				continue
			}
			declared[a.FullKey()] = true
			if scope != el {
				detached.CreateAttr(a.FullKey(), a.Value)
			}
		}
	}
	return detached
}

// removeKeyInfo removes the key from a signature. The signature doesn't cover it.
func removeKeyInfo(el *etree.Element) {
	for _, sig := range children(el, nsSignature, "Signature") {
		for _, info := range children(sig, nsSignature, "KeyInfo") {
			sig.RemoveChild(info)
		}
	}
}

// usableCertificates returns the certificates of the provider that are valid now.
func (s Service) usableCertificates() ([]*x509.Certificate, error) {
	now := s.now()
	var usable []*x509.Certificate
	var last time.Time
	for _, c := range s.Provider.Certificates {
		if c.NotAfter.After(last) {
			last = c.NotAfter
		}
		if !now.Before(c.NotBefore) && !now.After(c.NotAfter) && checkKey(c) == nil {
			usable = append(usable, c)
		}
	}

	switch {
	case len(s.Provider.Certificates) == 0:
		return nil, refuse(CodeCertificate, "The metadata of the identity provider has no signing certificate.")
	case len(usable) == 0:
		return nil, refuse(CodeCertificate, "No signing certificate of the identity provider is valid now. The last one is valid until %s. "+
			"Renew the certificate in your identity provider and update the metadata of this connection.", last.UTC().Format(time.RFC3339))
	}
	return usable, nil
}

func checkKey(c *x509.Certificate) error {
	key, ok := c.PublicKey.(*rsa.PublicKey)
	if !ok {
		return refuse(CodeCertificate, "A signing certificate of the identity provider has no RSA key. "+
			"Use an RSA key of at least %d bits.", minRSABits)
	}
	if key.N.BitLen() < minRSABits {
		return refuse(CodeCertificate, "A signing certificate of the identity provider has an RSA key of %d bits. Use at least %d bits.",
			key.N.BitLen(), minRSABits)
	}
	return nil
}

// sign returns a copy of an element with a signature after its issuer, where the schema expects it.
func (s Service) sign(el *etree.Element) (*etree.Element, error) {
	pair, err := s.signingKey()
	if err != nil {
		return nil, err
	}
	signer, err := dsig.NewSigningContext(pair.Key, [][]byte{pair.Certificate.Raw})
	if err != nil {
		return nil, err
	}
	signer.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")

	sig, err := signer.ConstructSignature(el, true)
	if err != nil {
		return nil, err
	}
	signed := el.Copy()
	signed.InsertChildAt(1, sig)
	return signed, nil
}
