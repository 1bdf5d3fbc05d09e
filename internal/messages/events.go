package messages

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of messages. They belong to the lead and contain the
// message.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "lead.message_queued", Doc: "A message was queued or scheduled.", Object: LeadMessage{}},
	{Type: "lead.message_blocked", Doc: "A message was blocked by the send check.", Object: LeadMessage{}},
	{Type: "lead.message_sent", Doc: "A message was sent.", Object: LeadMessage{}},
	{Type: "lead.message_delivered", Doc: "A message was delivered.", Object: LeadMessage{}},
	{Type: "lead.message_failed", Doc: "A message could not be sent.", Object: LeadMessage{}},
	{Type: "lead.message_unknown", Doc: "It is not known whether a message was sent, and a user must decide.", Object: LeadMessage{}, Since: "next"},
	{Type: "lead.message_received", Doc: "A message from a lead was received.", Object: LeadMessage{}},
	{Type: "quarantine.started", Doc: "Too many new senders wrote in an hour, and their messages go to the quarantine.", Object: Quarantine{}, Since: "next"},
})
