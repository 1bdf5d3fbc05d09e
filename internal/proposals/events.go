package proposals

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of proposals. A proposal can be about any object, so its events
// require the scopes of all of them. They don't have its content.
var Events = events.Scoped(auth.Require(auth.HullsRead, auth.LeadsRead, auth.DealsRead), []events.Kind{
	{Type: "proposal.created", Doc: "An operation was proposed.", Object: ProposalState{}, Since: "next"},
	{Type: "proposal.approved", Doc: "A proposal was approved, and its operation succeeded.", Object: ProposalState{}, Since: "next"},
	{Type: "proposal.declined", Doc: "A proposal was declined or withdrawn.", Object: ProposalState{}, Since: "next"},
	{Type: "proposal.failed", Doc: "A proposal was approved, but its operation failed.", Object: ProposalState{}, Since: "next"},
	{Type: "proposal.expired", Doc: "A proposal expired before anyone decided.", Object: ProposalState{}, Since: "next"},
})
