package leads

import (
	"slipway/internal/consent"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of leads. The events of signals and consents belong to
// the lead and contain the signal or the consent.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "lead.created", Doc: "A lead was created.", Object: Lead{}},
	{Type: "lead.updated", Doc: "A lead changed.", Object: Lead{}},
	{Type: "lead.qualified", Doc: "A lead was qualified, manually or by its score.", Object: Lead{}},
	{Type: "lead.assigned", Doc: "A lead was assigned.", Object: Lead{}},
	{Type: "lead.converted", Doc: "A lead was converted to a deal.", Object: Lead{}},
	{Type: "lead.lost", Doc: "A lead was closed as lost.", Object: Lead{}},
	{Type: "lead.stalled", Doc: "A lead had no activity for the dealership's stalled_after_hours.", Object: Lead{}},
	{Type: "lead.signal_recorded", Doc: "A signal was recorded for a lead.", Object: LeadSignal{}},
	{Type: "lead.consent_captured", Doc: "A consent was recorded for a lead.", Object: consent.Consent{}},
	{Type: "lead.consent_revoked", Doc: "A consent of a lead was revoked.", Object: consent.Consent{}},
})
