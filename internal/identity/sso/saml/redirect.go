package saml

import (
	"bytes"
	"compress/flate"
	"crypto"
	"crypto/rsa"
	"io"
	"net/url"
	"strings"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

var redirectHashes = map[string]crypto.Hash{
	dsig.RSASHA256SignatureMethod: crypto.SHA256,
	dsig.RSASHA384SignatureMethod: crypto.SHA384,
	dsig.RSASHA512SignatureMethod: crypto.SHA512,
}

// redirectQuery is a query of the redirect binding, with the values as received
// and as decoded. The signature covers the values as received: different
// programs escape them differently.
type redirectQuery struct {
	raw, values map[string]string
}

func parseQuery(rawQuery string) (redirectQuery, error) {
	q := redirectQuery{map[string]string{}, map[string]string{}}
	if len(rawQuery) > 2*maxXML {
		return q, refuse(CodeTooLarge, "The query is larger than 2 MiB.")
	}
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature", "SAMLEncoding":
		default:
			continue
		}
		decoded, err := url.QueryUnescape(value)
		if err != nil {
			return q, refuseCause(err, CodeMalformed, "The query parameter %s is not valid.", name)
		}
		if _, ok := q.raw[name]; ok {
			return q, refuse(CodeMalformed, "The query has the parameter %s twice.", name)
		}
		q.raw[name], q.values[name] = value, decoded
	}
	return q, nil
}

// readRedirect returns the message in a query, after it verified the signature of the query.
func (s Service) readRedirect(rawQuery string) (root *etree.Element, relayState string, err error) {
	q, err := parseQuery(rawQuery)
	if err != nil {
		return nil, "", err
	}
	_, isRequest := q.raw["SAMLRequest"]
	_, isResponse := q.raw["SAMLResponse"]
	if isRequest == isResponse {
		return nil, "", refuse(CodeMalformed, "The query must have one SAMLRequest or SAMLResponse.")
	}
	if encoding := q.values["SAMLEncoding"]; encoding != "" && encoding != "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE" {
		return nil, "", refuse(CodeNotSupported, "The message has the unknown encoding %s.", shown(encoding))
	}
	parameter := "SAMLRequest"
	if isResponse {
		parameter = "SAMLResponse"
	}

	// The signature comes first, so only the provider can make us decompress and parse.
	if err := s.verifyQuery(q, parameter); err != nil {
		return nil, "", err
	}
	raw, err := inflate(q.values[parameter])
	if err != nil {
		return nil, "", err
	}
	root, err = parseLogout(raw, isResponse)
	return root, q.values["RelayState"], err
}

// verifyQuery checks the signature of a query. This is not an XML signature, so
// goxmldsig isn't involved.
func (s Service) verifyQuery(q redirectQuery, parameter string) error {
	if q.values["Signature"] == "" || q.values["SigAlg"] == "" {
		return refuse(CodeUnsigned, "The logout message is not signed. In your identity provider, turn on signing of logout messages.")
	}
	hash, ok := redirectHashes[q.values["SigAlg"]]
	if !ok {
		return refuse(CodeAlgorithm, "The logout message is signed with %s, which is not accepted. "+
			"In your identity provider, set the signature algorithm to RSA-SHA256.", shown(q.values["SigAlg"]))
	}
	signature, err := decodeBase64(q.values["Signature"])
	if err != nil {
		return err
	}
	certificates, err := s.usableCertificates()
	if err != nil {
		return err
	}

	signed := parameter + "=" + q.raw[parameter]
	if relayState, ok := q.raw["RelayState"]; ok {
		signed += "&RelayState=" + relayState
	}
	signed += "&SigAlg=" + q.raw["SigAlg"]
	h := hash.New()
	io.WriteString(h, signed) //nolint:errcheck // never fails
	digest := h.Sum(nil)
	for _, certificate := range certificates {
		if key, ok := certificate.PublicKey.(*rsa.PublicKey); ok && rsa.VerifyPKCS1v15(key, hash, digest, signature) == nil {
			return nil
		}
	}
	return refuse(CodeSignature, "The signature of the logout message doesn't match any certificate in the metadata "+
		"of the identity provider. If the provider has a new signing certificate, update the metadata of this connection.")
}

// inflate decodes a message and stops at the limit, however well it is compressed.
func inflate(value string) ([]byte, error) {
	compressed, err := decodeBase64(value)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), maxXML+1))
	if err != nil {
		return nil, refuseCause(err, CodeMalformed, "The message is not compressed with DEFLATE.")
	}
	if len(raw) > maxXML {
		return nil, refuse(CodeTooLarge, "The message is larger than 1 MiB.")
	}
	return raw, nil
}
