// Package saml is a SAML 2.0 service provider: it builds and checks the messages
// of single sign-on and single logout. It has no database and no server.
//
// goxmldsig verifies the signatures in XML. This package decides what else must be
// true, because the libraries accept more than is safe:
//
//   - goxmldsig accepts SHA-1, several references and references to the whole
//     document, and takes the key from the message if it is a trusted one.
//   - gosaml2 accepts unsigned assertions in signed responses, several assertions,
//     a missing audience, and any InResponseTo. It has no clock skew, decrypts with
//     one key only, and doesn't check signatures of the redirect binding.
//
// So a message is read in this order: limits and forbidden XML (xml.go), the one
// accepted structure, signature and algorithms (signature.go), and then only the
// element that goxmldsig returns, which contains nothing that isn't signed.
// gosaml2 reads the result a second time. Its reading must agree with ours.
package saml
