package templates

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of templates.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "message_template.created", Doc: "A message template was created.", Object: MessageTemplate{}, Since: "next"},
	{Type: "message_template.updated", Doc: "A message template changed.", Object: MessageTemplate{}, Since: "next"},
	{Type: "message_template.deleted", Doc: "A message template was deleted.", Object: MessageTemplate{}, Since: "next"},
})
