package dealership

import (
	"fmt"
	"time"

	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/signature"
)

// The providers that send received messages, which are also the IDs of their
// secrets.
const (
	Twilio = "twilio"
	Email  = "email"
)

// defaultNewSenders is how many new senders in an hour create leads, unless the
// dealership sets another number. A busy boat show has fewer.
const defaultNewSenders = 60

// Inbound is where providers send received messages. The secrets are stored
// elsewhere, encrypted, and never returned.
type Inbound struct {
	_ struct{} `doc:"Where providers send received messages, and whether their secrets are set." privacy:"plain"`

	TwilioURL            string     `json:"twilio_url" doc:"URL for Twilio, for incoming messages and for the status of sent messages." example:"https://boats.example.com/hooks/twilio/AYd1bW15"`
	TwilioAuthTokenSetAt *time.Time `json:"twilio_auth_token_set_at" doc:"When the auth token of the dealership's own Twilio account was set. Null if it has none. Then Twilio must sign with the auth token of the installation."`
	EmailURL             string     `json:"email_url" doc:"URL for received email, which is signed as defined by Standard Webhooks." example:"https://boats.example.com/hooks/email/AYd1bW15"`
	EmailSecretSetAt     *time.Time `json:"email_secret_set_at" doc:"When the signing secret for email was set. Null if there is none. Then received email is rejected."`
	NewSendersPerHour    int64      `json:"new_senders_per_hour" doc:"How many new senders in an hour create leads. Messages of the others go to the quarantine. Defaults to 60."`
	Marketplaces         []string   `json:"marketplaces" nullable:"false" doc:"Email addresses and domains that are never a customer. Slipway reads the customer from what they forward." example:"leads@marketplace.example"`
}

// InboundPatch changes the secrets that providers sign with.
type InboundPatch struct {
	TwilioAuthToken patch.Null[string] `json:"twilio_auth_token,omitzero" privacy:"secret" minLength:"16" maxLength:"200" doc:"Auth token of the dealership's own Twilio account. It is stored encrypted and never returned. Null removes it."`
	EmailSecret     patch.Null[string] `json:"email_secret,omitzero" privacy:"secret" maxLength:"200" doc:"Signing secret for received email: whsec_ and 24 to 64 random bytes in base64. It is stored encrypted and never returned. Null removes it."`

	Marketplaces      patch.Value[[]string] `json:"marketplaces,omitzero" required:"false" maxItems:"50" doc:"Email addresses and domains that are never a customer, such as marketplaces and your own website. Replaces the list."`
	NewSendersPerHour patch.Value[int64]    `json:"new_senders_per_hour,omitzero" required:"false" minimum:"1" maximum:"10000" doc:"How many new senders in an hour create leads. Messages of the others go to the quarantine."`
}

// aSender matches an email address, or the domain of one.
var aSender = lazy.Regexp(`^(?i)([a-z0-9._%+'-]{1,64}@)?([a-z0-9-]{1,63}\.)+[a-z]{2,63}$`)

func (p InboundPatch) check(bad *fault.Fields) {
	if p.EmailSecret.V != nil && !signature.IsSecret(*p.EmailSecret.V) {
		bad.Add("settings.inbound.email_secret", "pattern", "must be whsec_ and 24 to 64 bytes in base64")
	}
	for i, entry := range p.Marketplaces.V {
		if !aSender().MatchString(entry) {
			bad.Add(fmt.Sprintf("settings.inbound.marketplaces[%d]", i), "pattern", "must be an email address or a domain")
		}
	}
}

// secrets returns the secrets to change, by provider. An absent one is not changed,
// and a null one is removed.
func (p InboundPatch) secrets() map[string]patch.Null[string] {
	changed := map[string]patch.Null[string]{}
	for id, secret := range map[string]patch.Null[string]{Twilio: p.TwilioAuthToken, Email: p.EmailSecret} {
		if secret.Set {
			changed[id] = secret
		}
	}
	return changed
}

// setAt records when a secret was set or removed.
func (i *Inbound) setAt(id string, at *time.Time) {
	if id == Twilio {
		i.TwilioAuthTokenSetAt = at
	} else {
		i.EmailSecretSetAt = at
	}
}
