package saml

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Codes of faults. They are stable, for the audit log and for tests.
const (
	CodeMalformed       = "malformed"        // not the XML or the encoding that SAML requires
	CodeTooLarge        = "too_large"        // a limit on size, depth or number of elements
	CodeForbiddenXML    = "forbidden_xml"    // a DTD, an entity, a comment or a processing instruction
	CodeStructure       = "structure"        // well-formed, but not the one shape that is accepted
	CodeStatus          = "status"           // the provider reports an error
	CodeUnsigned        = "unsigned"         // no signature where one is required
	CodeSignature       = "signature"        // a signature that can't be verified
	CodeAlgorithm       = "algorithm"        // an algorithm that is too weak or not supported
	CodeCertificate     = "certificate"      // no usable certificate of the provider
	CodeDecryption      = "decryption"       // an assertion that can't be decrypted
	CodeIssuer          = "issuer"           // sent by another provider
	CodeDestination     = "destination"      // sent to another URL
	CodeRecipient       = "recipient"        // the subject is confirmed for another URL
	CodeAudience        = "audience"         // made for another service
	CodeExpired         = "expired"          // no longer valid
	CodeNotYetValid     = "not_yet_valid"    // valid later
	CodeUnsolicited     = "unsolicited"      // IdP-initiated, which the connection doesn't allow
	CodeInResponseTo    = "in_response_to"   // the answer to another request
	CodeNameID          = "name_id"          // no NameID that identifies a user
	CodeMetadata        = "metadata"         // metadata that doesn't describe a usable provider
	CodeNotSupported    = "not_supported"    // the provider has no endpoint for this
	CodeInvalidArgument = "invalid_argument" // wrong use of this package
)

// Fault is a message or metadata that was refused. Message tells an administrator
// what is wrong and what to change. It can contain values from the message, so
// show it only to administrators.
type Fault struct {
	Code    string
	Message string
	cause   error
}

func (f *Fault) Error() string {
	if f.cause != nil {
		return fmt.Sprintf("saml: %s: %s (%v)", f.Code, f.Message, f.cause)
	}
	return fmt.Sprintf("saml: %s: %s", f.Code, f.Message)
}

func (f *Fault) Unwrap() error { return f.cause }

// CodeOf returns the code of a fault, or "" for other errors.
func CodeOf(err error) string {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Code
	}
	return ""
}

func refuse(code, format string, args ...any) error {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

func refuseCause(cause error, code, format string, args ...any) error {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...), cause: cause}
}

const shownLength = 200

// shown makes a value of a message fit for a log line and a page.
func shown(value string) string {
	value = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, value)

	if runes := []rune(value); len(runes) > shownLength {
		value = string(runes[:shownLength]) + "..."
	}
	if value == "" {
		return "(empty)"
	}
	return value
}
