package access

import (
	"encoding/json"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"slipway/internal/people"
	"slipway/internal/vocab/fault"
)

// relyingParty is this installation as authenticators know it: by its host.
func relyingParty(baseURL string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, err
	}
	return webauthn.New(&webauthn.Config{RPID: u.Hostname(), RPDisplayName: "Slipway", RPOrigins: []string{u.Scheme + "://" + u.Host}})
}

// keyHolder is a user as the library knows one.
type keyHolder struct {
	people.User
	credentials []webauthn.Credential
}

func (k keyHolder) WebAuthnID() []byte                         { return []byte(k.ID) }
func (k keyHolder) WebAuthnName() string                       { return k.Email }
func (k keyHolder) WebAuthnDisplayName() string                { return k.Name }
func (k keyHolder) WebAuthnCredentials() []webauthn.Credential { return k.credentials }

// ceremony is what must be remembered between challenge and answer.
type ceremony struct {
	Session webauthn.SessionData `json:"session"`
}

// beginCreation asks an authenticator for a new key.
func beginCreation(rp *webauthn.WebAuthn, u people.User) (options map[string]any, c ceremony, err error) {
	creation, session, err := rp.BeginRegistration(keyHolder{User: u})
	if err != nil {
		return nil, c, err
	}
	options, err = asObject(creation)
	return options, ceremony{*session}, err
}

// finishCreation takes the new key. A bad answer is a fault.
func finishCreation(rp *webauthn.WebAuthn, u people.User, c ceremony, answer map[string]any) (*webauthn.Credential, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(text)
	if err != nil {
		return nil, badAssertion(err)
	}
	credential, err := rp.CreateCredential(keyHolder{User: u}, c.Session, parsed)
	if err != nil {
		return nil, badAssertion(err)
	}
	return credential, nil
}

// beginAssertion asks for a signature with a known key.
func beginAssertion(rp *webauthn.WebAuthn, u people.User, credential webauthn.Credential) (options map[string]any, c ceremony, err error) {
	assertion, session, err := rp.BeginLogin(keyHolder{u, []webauthn.Credential{credential}})
	if err != nil {
		return nil, c, err
	}
	options, err = asObject(assertion)
	return options, ceremony{*session}, err
}

// finishAssertion checks the signature and returns the key with its new count.
func finishAssertion(rp *webauthn.WebAuthn, u people.User, credential webauthn.Credential, c ceremony, answer map[string]any) (*webauthn.Credential, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(text)
	if err != nil {
		return nil, badAssertion(err)
	}
	signed, err := rp.ValidateLogin(keyHolder{u, []webauthn.Credential{credential}}, c.Session, parsed)
	if err != nil {
		return nil, badAssertion(err)
	}
	if signed.Authenticator.CloneWarning {
		return nil, badAssertion(nil)
	}
	return signed, nil
}

func badAssertion(err error) error {
	return fault.New(fault.KindUnprocessable, "The authenticator's answer is not valid.").Detail("assertion", "mismatch", "does not answer the challenge").WithCause(err)
}

// asObject is the library's options as the API shows them.
func asObject(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, json.Unmarshal(text, &object)
}
