package activities

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of activities. An activity can be on any object, so its
// events require the scopes of all of them.
var Events = events.Scoped(auth.Require(auth.HullsRead, auth.LeadsRead, auth.DealsRead), []events.Kind{
	{Type: "activity.created", Doc: "An activity was created.", Object: Activity{}, Since: "next"},
	{Type: "activity.updated", Doc: "An activity changed, or its task was done.", Object: Activity{}, Since: "next"},
	{Type: "activity.deleted", Doc: "An activity was deleted. The event has no text.", Object: Activity{}, Since: "next"},
})
