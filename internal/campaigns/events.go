package campaigns

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of campaigns. Their messages have the events of messages.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "campaign.created", Doc: "A campaign was created.", Object: Campaign{}, Since: "next"},
	{Type: "campaign.updated", Doc: "A draft of a campaign changed, or it was scheduled.", Object: Campaign{}, Since: "next"},
	{Type: "campaign.deleted", Doc: "A draft of a campaign was deleted.", Object: Campaign{}, Since: "next"},
	{Type: "campaign.started", Doc: "A campaign started to send.", Object: Campaign{}, Since: "next"},
	{Type: "campaign.stopped", Doc: "A campaign was stopped.", Object: Campaign{}, Since: "next"},
	{Type: "campaign.completed", Doc: "Each recipient of a campaign has a result.", Object: Campaign{}, Since: "next"},
	{Type: "lead_segment.created", Doc: "A segment was created.", Object: LeadSegment{}, Since: "next"},
	{Type: "lead_segment.updated", Doc: "A segment changed.", Object: LeadSegment{}, Since: "next"},
	{Type: "lead_segment.deleted", Doc: "A segment was deleted.", Object: LeadSegment{}, Since: "next"},
})
