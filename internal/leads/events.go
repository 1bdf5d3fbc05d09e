package leads

import (
	"slipway/internal/consent"
	"slipway/internal/platform/events"
)

// Events are what can happen to a lead. Those of its signals, consents and
// messages are the lead's, too, and show the signal, consent or message.
var Events = []events.Kind{
	{Type: "lead.created", Doc: "A lead came in.", Object: Lead{}},
	{Type: "lead.updated", Doc: "A lead changed.", Object: Lead{}},
	{Type: "lead.qualified", Doc: "A lead is qualified, by hand or by its score.", Object: Lead{}},
	{Type: "lead.assigned", Doc: "A lead was given to somebody.", Object: Lead{}},
	{Type: "lead.converted", Doc: "A lead became a deal.", Object: Lead{}},
	{Type: "lead.lost", Doc: "A lead was closed as lost.", Object: Lead{}},
	{Type: "lead.stalled", Doc: "Nobody touched a lead for too long.", Object: Lead{}},
	{Type: "lead.signal_recorded", Doc: "A lead showed interest.", Object: LeadSignal{}},
	{Type: "lead.consent_captured", Doc: "A lead agreed to be written to.", Object: consent.Consent{}},
	{Type: "lead.consent_revoked", Doc: "A lead no longer agrees to be written to.", Object: consent.Consent{}},
	{Type: "lead.message_queued", Doc: "A message waits to be sent.", Object: LeadMessage{}},
	{Type: "lead.message_blocked", Doc: "A message was kept back by the gate.", Object: LeadMessage{}},
	{Type: "lead.message_sent", Doc: "A message was sent.", Object: LeadMessage{}},
	{Type: "lead.message_delivered", Doc: "A message arrived.", Object: LeadMessage{}},
	{Type: "lead.message_failed", Doc: "A message could not be sent.", Object: LeadMessage{}},
	{Type: "lead.message_received", Doc: "A lead wrote.", Object: LeadMessage{}},
}
