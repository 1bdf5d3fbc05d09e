package plans

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of plans.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "follow_up_plan.created", Doc: "A follow-up plan was created.", Object: FollowUpPlan{}, Since: "next"},
	{Type: "follow_up_plan.updated", Doc: "A follow-up plan changed.", Object: FollowUpPlan{}, Since: "next"},
	{Type: "follow_up_plan.deleted", Doc: "A follow-up plan was deleted.", Object: FollowUpPlan{}, Since: "next"},
	{Type: "lead_plan.started", Doc: "A follow-up plan started on a lead.", Object: LeadPlan{}, Since: "next"},
	{Type: "lead_plan.step_done", Doc: "A step of a follow-up plan ran.", Object: LeadPlan{}, Since: "next"},
	{Type: "lead_plan.finished", Doc: "The last step of a follow-up plan ran.", Object: LeadPlan{}, Since: "next"},
	{Type: "lead_plan.stopped", Doc: "A follow-up plan was stopped: the customer wrote, the lead was closed, or someone stopped it.", Object: LeadPlan{}, Since: "next"},
})
