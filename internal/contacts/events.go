package contacts

import (
	"slipway/internal/consent"
	"slipway/internal/platform/events"
)

// Events are what can happen to a contact.
var Events = []events.Kind{
	{Type: "contact.created", Doc: "A contact was added.", Object: Contact{}},
	{Type: "contact.updated", Doc: "A contact changed.", Object: Contact{}},
	{Type: "contact.merged", Doc: "A contact took over a duplicate, or was taken over.", Object: Contact{}},
	{Type: "contact.consent_captured", Doc: "A contact without a lead agreed to be written to.", Object: consent.Consent{}},
	{Type: "contact.consent_revoked", Doc: "A contact without a lead no longer agrees to be written to.", Object: consent.Consent{}},
	{Type: "contact.erased", Doc: "The personal data of a contact was erased.", Object: Contact{}},
}
