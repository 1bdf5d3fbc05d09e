package channels

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"slipway/internal/platform/seal"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/signature"
)

// channelSecrets are what listings are sent with.
type channelSecrets struct {
	Signing    []signature.Secret `json:"signing,omitempty"`
	Credential string             `json:"credential,omitempty"` // that the partner gave to the dealer
}

// place identifies the row that the encrypted secrets belong to.
func (c Channel) place() string { return fmt.Sprintf("channels/%d/%s", c.Env, c.ID) }

// openSecrets decrypts the secrets of the row. A channel from before they existed has
// none.
func (c Channel) openSecrets(box *seal.Box) (s channelSecrets, err error) {
	if len(c.Secrets) == 0 {
		return s, nil
	}
	text, err := box.Open(c.Secrets, c.place())
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(text, &s)
	return s, err
}

// sealSecrets encrypts the secrets into the row.
func (c *Channel) sealSecrets(box *seal.Box, s channelSecrets) error {
	text, err := json.Marshal(s)
	c.Secrets = box.Seal(text, c.place())
	return err
}

// apply changes the secrets together with the channel. It returns a new signing
// secret if the channel starts to send listings.
func (s *channelSecrets) apply(before Channel, c *Channel, credential patch.Null[string], now time.Time) (created *string, err error) {
	switch {
	case credential.V != nil && c.PushURL == nil:
		var bad fault.Fields
		bad.Add("credential", "exclusive", "is only allowed with push_url")
		return nil, bad.Err()
	case credential.V != nil:
		s.Credential, c.CredentialSetAt = *credential.V, &now
	case credential.Set, origin(before.PushURL) != origin(c.PushURL): // no one can have it sent to their own server
		s.Credential, c.CredentialSetAt = "", nil
	}

	if c.PushURL == nil || len(s.Signing) > 0 {
		return nil, nil
	}
	s.Signing = []signature.Secret{signature.NewSecret()}
	return new(s.Signing[0].Text()), nil
}

// origin returns the scheme, the host and the port of a URL.
func origin(raw *string) string {
	u, err := url.Parse(null.Text(raw))
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// headers sign a request as defined by Standard Webhooks, and have the credential.
func (s channelSecrets) headers(c Channel, id string, now time.Time, body []byte) map[string]string {
	all := map[string]string{"Webhook-Id": id, "Webhook-Timestamp": strconv.FormatInt(now.Unix(), 10)}
	if len(s.Signing) > 0 {
		all["Webhook-Signature"] = signature.SignAll(s.Signing, id, now, body)
	}
	switch {
	case s.Credential == "":
	case c.CredentialHeader == nil:
		all["Authorization"] = "Bearer " + s.Credential
	default:
		all[*c.CredentialHeader] = s.Credential
	}
	return all
}
