package leads

import (
	"slipway/internal/consent"
	"slipway/internal/events"
)

// Events are what can happen to a lead and to the messages with whoever it is.
var Events = []events.Kind{
	{Type: "lead.created", Doc: "A lead came in.", Object: Lead{}},
	{Type: "lead.updated", Doc: "A lead changed.", Object: Lead{}},
	{Type: "lead.qualified", Doc: "A lead became qualified, by hand or by its score.", Object: Lead{}},
	{Type: "lead.assigned", Doc: "A lead got an owner.", Object: Lead{}},
	{Type: "lead.converted", Doc: "A lead became a deal.", Object: Lead{}},
	{Type: "lead.lost", Doc: "A lead was closed as lost.", Object: Lead{}},
	{Type: "lead.stalled", Doc: "Nobody has touched a lead for as long as the dealership's settings say.", Object: Lead{}},
	{Type: "lead.signal_recorded", Doc: "A signal of intent was recorded.", Object: LeadSignal{}},
	{Type: "lead.consent_captured", Doc: "A consent was logged.", Object: consent.Consent{}},
	{Type: "lead.consent_revoked", Doc: "A consent was taken back.", Object: consent.Consent{}},
	{Type: "lead.message_queued", Doc: "A message passed the gate and waits to be sent.", Object: LeadMessage{}},
	{Type: "lead.message_sent", Doc: "A message was handed to its provider.", Object: LeadMessage{}},
	{Type: "lead.message_delivered", Doc: "The provider says that a message arrived.", Object: LeadMessage{}},
	{Type: "lead.message_failed", Doc: "A message could not be sent, or came too late.", Object: LeadMessage{}},
	{Type: "lead.message_received", Doc: "A message came in.", Object: LeadMessage{}},
}
