package access

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"slipway/internal/identity/people"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/fault"
)

// relyingParty returns this installation as a WebAuthn relying party. Its ID is the
// host of the sign-in pages.
func relyingParty(authURL, baseURL string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(cmp.Or(authURL, baseURL))
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, err
	}
	origins := []string{u.Scheme + "://" + u.Host, base.Scheme + "://" + base.Host}
	return webauthn.New(&webauthn.Config{RPID: u.Hostname(), RPDisplayName: "Slipway", RPOrigins: slices.Compact(origins)})
}

func (a *API) relyingParty() (*webauthn.WebAuthn, error) {
	return relyingParty(a.AuthURL, site.Of(a.DB).URL)
}

// webauthnUser adapts a user to the library.
type webauthnUser struct {
	people.User
	credentials []webauthn.Credential
}

func (w webauthnUser) WebAuthnID() []byte                         { return []byte(w.ID) }
func (w webauthnUser) WebAuthnName() string                       { return w.Email }
func (w webauthnUser) WebAuthnDisplayName() string                { return w.Name }
func (w webauthnUser) WebAuthnCredentials() []webauthn.Credential { return w.credentials }

// ceremony is the state between a challenge and the response to it.
type ceremony struct {
	Session webauthn.SessionData `json:"session"`
}

// beginRegistration returns the options for a new key.
func beginRegistration(rp *webauthn.WebAuthn, u people.User) (options map[string]any, c ceremony, err error) {
	creation, session, err := rp.BeginRegistration(webauthnUser{User: u})
	if err != nil {
		return nil, c, err
	}
	options, err = asObject(creation)
	return options, ceremony{*session}, err
}

// finishRegistration checks the response and returns the new key.
func finishRegistration(rp *webauthn.WebAuthn, u people.User, c ceremony, response map[string]any) (*webauthn.Credential, error) {
	text, err := json.Marshal(response)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(text)
	if err != nil {
		return nil, errBadAssertion(err)
	}

	credential, err := rp.CreateCredential(webauthnUser{User: u}, c.Session, parsed)
	if err != nil {
		return nil, errBadAssertion(err)
	}
	return credential, nil
}

// beginAssertion returns the options for a signature with an existing key.
func beginAssertion(rp *webauthn.WebAuthn, u people.User, credential webauthn.Credential) (options map[string]any, c ceremony, err error) {
	assertion, session, err := rp.BeginLogin(webauthnUser{u, []webauthn.Credential{credential}})
	if err != nil {
		return nil, c, err
	}
	options, err = asObject(assertion)
	return options, ceremony{*session}, err
}

// finishAssertion checks the signature and returns the key with its new counter.
func finishAssertion(
	rp *webauthn.WebAuthn, u people.User, credential webauthn.Credential, c ceremony, response map[string]any,
) (*webauthn.Credential, error) {
	text, err := json.Marshal(response)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(text)
	if err != nil {
		return nil, errBadAssertion(err)
	}

	signed, err := rp.ValidateLogin(webauthnUser{u, []webauthn.Credential{credential}}, c.Session, parsed)
	if err != nil {
		return nil, errBadAssertion(err)
	}
	if signed.Authenticator.CloneWarning {
		return nil, errBadAssertion(nil)
	}
	return signed, nil
}

func errBadAssertion(err error) error {
	return fault.New(fault.KindUnprocessable, "The response of the authenticator is not valid.").
		Detail("assertion", "mismatch", "doesn't match the challenge").WithCause(err)
}

// asObject converts the options of the library to JSON for the API.
func asObject(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, json.Unmarshal(text, &object)
}
