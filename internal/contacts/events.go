package contacts

import (
	"slipway/internal/consent"
	"slipway/internal/events"
)

// Events are what can happen to a contact.
var Events = []events.Kind{
	{Type: "contact.created", Doc: "A contact was created.", Object: Contact{}},
	{Type: "contact.updated", Doc: "A contact changed, or turned out to be another.", Object: Contact{}},
	{Type: "contact.merged", Doc: "A duplicate was merged into this contact.", Object: Contact{}},
	{Type: "contact.erased", Doc: "A contact's personal data was erased. Erase it, too.", Object: Contact{}},
	{Type: "contact.consent_captured", Doc: "A consent was logged that belongs to no lead.", Object: consent.Consent{}},
	{Type: "contact.consent_revoked", Doc: "A consent that belongs to no lead was taken back.", Object: consent.Consent{}},
}
