package contacts

import (
	"slipway/internal/consent"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of contacts.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "contact.created", Doc: "A contact was created.", Object: Contact{}},
	{Type: "contact.updated", Doc: "A contact changed.", Object: Contact{}},
	{Type: "contact.merged", Doc: "A duplicate was merged into a contact.", Object: Contact{}},
	{Type: "contact.consent_revoked", Doc: "A consent of a contact without a lead was revoked.", Object: consent.Consent{}},
	{Type: "contact.consent_captured", Doc: "A consent of a contact without a lead was recorded, for example by an import.", Object: consent.Consent{}, Since: "next"},
	{Type: "contact.erased", Doc: "The personal data of a contact was erased.", Object: Contact{}},
})
