package saml

import (
	"net/url"
	"strings"
	"time"

	"github.com/beevik/etree"
	saml2 "github.com/russellhaering/gosaml2"
)

// Assertion is what the provider states about a user. Everything in it is signed,
// except RelayState.
type Assertion struct {
	ID           string // accept it once
	NameID       string
	NameIDFormat string
	SessionIndex string
	InResponseTo string    // empty if the login is IdP-initiated
	RelayState   string    // not signed: treat it like any other input
	SessionUntil time.Time // zero if the provider sets no end
	ValidUntil   time.Time // until when the assertion could be replayed
	Attributes   map[string][]string
}

// maxIncomingRelayState allows for providers that send a URL in IdP-initiated logins.
const maxIncomingRelayState = 2048

// Response checks a response from a form post and returns its assertion. It calls
// expect with the ID of the request that the response answers. Return an error if
// this browser didn't send the request. Remember the ID of the assertion until
// ValidUntil and refuse it the second time. Errors are faults.
func (s Service) Response(form url.Values, expect func(inResponseTo string) error) (Assertion, error) {
	if len(form["SAMLResponse"]) != 1 || len(form["RelayState"]) > 1 {
		return Assertion{}, refuse(CodeMalformed, "The form must have one SAMLResponse and at most one RelayState.")
	}
	relayState := form.Get("RelayState")
	if len(relayState) > maxIncomingRelayState {
		return Assertion{}, refuse(CodeTooLarge, "The RelayState has %d bytes. At most %d are accepted.",
			len(relayState), maxIncomingRelayState)
	}
	raw, err := decodeBase64(form.Get("SAMLResponse"))
	if err != nil {
		return Assertion{}, err
	}
	response, err := parse(raw)
	if err != nil {
		return Assertion{}, err
	}

	response, err = s.checkResponse(response)
	if err != nil {
		return Assertion{}, err
	}
	signed, err := s.signedAssertion(response)
	if err != nil {
		return Assertion{}, err
	}
	assertion, err := s.readAssertion(signed)
	if err != nil {
		return Assertion{}, err
	}
	if err := crossCheck(s, signed, assertion); err != nil {
		return Assertion{}, err
	}
	if err := s.checkInResponseTo(response, assertion.InResponseTo, expect); err != nil {
		return Assertion{}, err
	}
	assertion.RelayState = relayState
	return assertion, nil
}

// checkResponse checks the envelope. If it is signed, it returns the signed element.
// If not, the envelope can only cause a refusal.
func (s Service) checkResponse(response *etree.Element) (*etree.Element, error) {
	if !is(response, nsProtocol, "Response") {
		return nil, refuse(CodeStructure, "The message is not a SAML 2.0 response.")
	}
	if err := checkStructure(response); err != nil {
		return nil, err
	}

	signed := len(children(response, nsSignature, "Signature")) > 0
	if signed {
		verified, err := s.verify(response)
		if err != nil {
			return nil, err
		}
		response = verified
	}
	if version := attribute(response, "Version"); version != "2.0" {
		return nil, refuse(CodeStructure, "The response has the SAML version %s. It must be 2.0.", shown(version))
	}
	if destination := attribute(response, "Destination"); (signed || destination != "") && destination != s.ACSURL {
		return nil, refuse(CodeDestination, "The response was sent to %s. In your identity provider, set the ACS URL to %s.",
			shown(destination), s.ACSURL)
	}
	issuer, err := optional(response, nsAssertion, "Issuer")
	if err != nil {
		return nil, err
	}
	if issuer != nil {
		if err := s.checkIssuer(issuer); err != nil {
			return nil, err
		}
	}
	return response, checkStatus(response)
}

func (s Service) checkIssuer(el *etree.Element) error {
	issuer, err := text(el)
	if err != nil {
		return err
	}
	if strings.TrimSpace(issuer) != s.Provider.EntityID {
		return refuse(CodeIssuer, "The issuer is %s, but the metadata of this connection is for %s. "+
			"Enter the metadata of the identity provider that sends the messages.", shown(issuer), shown(s.Provider.EntityID))
	}
	return nil
}

const statusPrefix = "urn:oasis:names:tc:SAML:2.0:status:"

// checkStatus reports an error of the provider with its own message.
func checkStatus(response *etree.Element) error {
	codes, message, err := readStatus(response)
	if err != nil {
		return err
	}
	if codes[0] == saml2.StatusCodeSuccess {
		return nil
	}
	for i, code := range codes {
		codes[i] = shown(strings.TrimPrefix(code, statusPrefix))
	}
	detail := "."
	if message != "" {
		detail = ": " + shown(message)
	}
	return refuse(CodeStatus, "The identity provider reports an error (%s)%s "+
		"Look for the details in the log of the identity provider.", strings.Join(codes, ", "), detail)
}

// readStatus returns the status code, a second code if there is one, and the message.
func readStatus(response *etree.Element) (codes []string, message string, err error) {
	status, err := required(response, nsProtocol, "Status")
	if err != nil {
		return nil, "", err
	}
	code, err := required(status, nsProtocol, "StatusCode")
	if err != nil {
		return nil, "", err
	}
	codes = []string{attribute(code, "Value")}
	inner, err := optional(code, nsProtocol, "StatusCode")
	if err != nil {
		return nil, "", err
	}
	if inner != nil {
		codes = append(codes, attribute(inner, "Value"))
	}

	el, err := optional(status, nsProtocol, "StatusMessage")
	if err != nil || el == nil {
		return codes, "", err
	}
	message, err = text(el)
	return codes, message, err
}

// signedAssertion decrypts the only assertion if necessary, and returns what is signed of it.
func (s Service) signedAssertion(response *etree.Element) (*etree.Element, error) {
	plain, encrypted := children(response, nsAssertion, "Assertion"), children(response, nsAssertion, "EncryptedAssertion")
	if len(plain)+len(encrypted) != 1 {
		return nil, refuse(CodeStructure, "The response has %d assertions. It must have one.", len(plain)+len(encrypted))
	}
	if len(plain) == 1 {
		return s.verify(plain[0])
	}

	assertion, err := s.decrypt(encrypted[0])
	if err != nil {
		return nil, err
	}
	if err := checkStructure(assertion); err != nil {
		return nil, err
	}
	return s.verify(assertion)
}

// checkInResponseTo compares the signed InResponseTo with that of the envelope and with the request.
func (s Service) checkInResponseTo(response *etree.Element, inResponseTo string, expect func(string) error) error {
	if envelope := attribute(response, "InResponseTo"); envelope != "" && envelope != inResponseTo {
		return refuse(CodeInResponseTo, "The response answers the request %s, but its assertion answers %s.",
			shown(envelope), shown(inResponseTo))
	}
	if inResponseTo == "" {
		if !s.AllowIDPInitiated {
			return refuse(CodeUnsolicited, "The login started at the identity provider, which this connection doesn't allow. "+
				"Start at the sign-in page, or allow IdP-initiated logins for this connection.")
		}
		return nil
	}
	if err := expect(inResponseTo); err != nil {
		return refuseCause(err, CodeInResponseTo, "The response answers a login that this browser didn't start, or that has expired. "+
			"Start the login again in the same browser.")
	}
	return nil
}
