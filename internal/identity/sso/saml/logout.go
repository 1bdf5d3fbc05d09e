package saml

import (
	"net/http"
	"strings"
	"time"

	"github.com/beevik/etree"
	saml2 "github.com/russellhaering/gosaml2"
)

// Logout is a logout request of the provider, or its response to ours.
type Logout struct {
	ID             string // accept it once
	InResponseTo   string // of a response
	NameID         string // of a request
	NameIDFormat   string
	SessionIndexes []string // of a request. None means all sessions of the user
	RelayState     string
	IsResponse     bool
	Status         string    // of a response, such as "Success" or "Responder, PartialLogout"
	ValidUntil     time.Time // until when the message could be replayed
}

// maxLogoutAge is how long a logout message is accepted if it doesn't say so.
const maxLogoutAge = 5 * time.Minute

// maxSessionIndexes limits the sessions that one request can end.
const maxSessionIndexes = 100

// ParseLogout reads a logout message of the provider from the query of a GET or
// the form of a POST. The message must be signed in both bindings. Errors are faults.
func (s Service) ParseLogout(r *http.Request) (Logout, error) {
	var root *etree.Element
	var relayState string
	var err error
	switch r.Method {
	case http.MethodGet:
		root, relayState, err = s.readRedirect(r.URL.RawQuery)
	case http.MethodPost:
		root, relayState, err = s.readPost(r)
	default:
		err = refuse(CodeMalformed, "Logout messages are sent with GET or POST.")
	}
	if err != nil {
		return Logout{}, err
	}

	logout := Logout{ID: attribute(root, "ID"), RelayState: relayState, IsResponse: is(root, nsProtocol, "LogoutResponse")}
	if err := s.checkLogout(root, &logout); err != nil {
		return Logout{}, err
	}
	if logout.IsResponse {
		logout.InResponseTo = attribute(root, "InResponseTo")
		codes, _, err := readStatus(root)
		if err != nil {
			return Logout{}, err
		}
		for i, code := range codes {
			codes[i] = shown(strings.TrimPrefix(code, statusPrefix))
		}
		logout.Status = strings.Join(codes, ", ")
		return logout, nil
	}
	return logout, readLogoutRequest(root, &logout)
}

// readPost returns the signed message in a form.
func (s Service) readPost(r *http.Request) (root *etree.Element, relayState string, err error) {
	form := r.PostForm
	if form == nil {
		r.Body = http.MaxBytesReader(nil, r.Body, 2*maxXML)
		if err := r.ParseForm(); err != nil {
			return nil, "", refuseCause(err, CodeMalformed, "The form of the logout message can't be read, or it is larger than 2 MiB.")
		}
		form = r.PostForm
	}
	requests, responses := form["SAMLRequest"], form["SAMLResponse"]
	if len(requests)+len(responses) != 1 || len(form["RelayState"]) > 1 {
		return nil, "", refuse(CodeMalformed, "The form must have one SAMLRequest or SAMLResponse and at most one RelayState.")
	}
	raw, err := decodeBase64(append(requests, responses...)[0])
	if err != nil {
		return nil, "", err
	}

	root, err = parseLogout(raw, len(responses) == 1)
	if err != nil {
		return nil, "", err
	}
	root, err = s.verify(root)
	return root, form.Get("RelayState"), err
}

// parseLogout reads a message that isn't verified yet.
func parseLogout(raw []byte, response bool) (*etree.Element, error) {
	root, err := parse(raw)
	if err != nil {
		return nil, err
	}
	tag := "LogoutRequest"
	if response {
		tag = "LogoutResponse"
	}
	if !is(root, nsProtocol, tag) {
		return nil, refuse(CodeStructure, "The message is not a SAML 2.0 %s.", tag)
	}
	return root, checkStructure(root)
}

// checkLogout checks what requests and responses have in common.
func (s Service) checkLogout(root *etree.Element, logout *Logout) error {
	if version := attribute(root, "Version"); version != "2.0" {
		return refuse(CodeStructure, "The logout message has the SAML version %s. It must be 2.0.", shown(version))
	}
	if logout.ID == "" {
		return refuse(CodeStructure, "The logout message has no ID.")
	}
	if len(logout.RelayState) > maxIncomingRelayState {
		return refuse(CodeTooLarge, "The RelayState has %d bytes. At most %d are accepted.", len(logout.RelayState), maxIncomingRelayState)
	}
	if destination := attribute(root, "Destination"); destination != s.SLOURL {
		return refuse(CodeDestination, "The logout message was sent to %s. In your identity provider, set the single logout URL to %s.",
			shown(destination), s.SLOURL)
	}
	issuer, err := required(root, nsAssertion, "Issuer")
	if err != nil {
		return err
	}
	if err := s.checkIssuer(issuer); err != nil {
		return err
	}
	return s.checkAge(root, logout)
}

func (s Service) checkAge(root *etree.Element, logout *Logout) error {
	issued, err := readTime(root, "IssueInstant")
	if err != nil {
		return err
	}
	end, err := readTime(root, "NotOnOrAfter")
	if err != nil {
		return err
	}
	if issued.IsZero() {
		return refuse(CodeStructure, "The logout message has no IssueInstant.")
	}
	if latest := issued.Add(maxLogoutAge); end.IsZero() || latest.Before(end) {
		end = latest
	}

	now := s.now()
	if now.Add(Skew).Before(issued) {
		return refuse(CodeNotYetValid, "The logout message is from %s, but it is %s here. Check the clock of the identity provider.",
			issued.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if !now.Add(-Skew).Before(end) {
		return refuse(CodeExpired, "The logout message expired at %s, and it is %s here. Check the clock of the identity provider.",
			end.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	logout.ValidUntil = end.Add(Skew)
	return nil
}

func readLogoutRequest(root *etree.Element, logout *Logout) (err error) {
	if logout.NameID, logout.NameIDFormat, err = readNameID(root); err != nil {
		return err
	}
	for _, el := range children(root, nsProtocol, "SessionIndex") {
		index, err := text(el)
		if err != nil {
			return err
		}
		if index == "" || len(logout.SessionIndexes) == maxSessionIndexes {
			return refuse(CodeStructure, "The logout request has an empty SessionIndex or more than %d.", maxSessionIndexes)
		}
		logout.SessionIndexes = append(logout.SessionIndexes, index)
	}
	return nil
}

// Logout asks the provider to end a session, and the sessions at other services that belong to it.
func (s Service) Logout(id, nameID, nameIDFormat, sessionIndex, relayState string) (Request, error) {
	destination, post := s.Provider.SLORedirectURL, false
	if destination == "" {
		destination, post = s.Provider.SLOPostURL, true
	}
	el, err := s.message("LogoutRequest", id, destination)
	if err != nil {
		return Request{}, err
	}
	el.CreateAttr("NotOnOrAfter", s.now().Add(maxLogoutAge).UTC().Format(time.RFC3339))

	name := el.CreateElement("saml:NameID")
	if nameIDFormat != "" {
		name.CreateAttr("Format", nameIDFormat)
	}
	name.SetText(nameID)
	if sessionIndex != "" {
		el.CreateElement("samlp:SessionIndex").SetText(sessionIndex)
	}
	return s.send(el, "SAMLRequest", relayState, destination, post)
}

// LogoutResponse tells the provider that the sessions of its request have ended.
func (s Service) LogoutResponse(inResponseTo, relayState string) (Request, error) {
	destination, post := s.Provider.SLOResponseRedirectURL, false
	if destination == "" {
		destination, post = s.Provider.SLOResponsePostURL, true
	}
	el, err := s.message("LogoutResponse", newID(), destination)
	if err != nil {
		return Request{}, err
	}
	el.CreateAttr("InResponseTo", inResponseTo)
	el.CreateElement("samlp:Status").CreateElement("samlp:StatusCode").CreateAttr("Value", saml2.StatusCodeSuccess)

	// The provider's RelayState goes back as it was, even if it is longer than ours can be.
	return s.sendUnlimited(el, "SAMLResponse", relayState, destination, post)
}
