package dealership

import (
	"slices"

	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of dealerships and locations. Reading them requires the same scopes as the endpoints that return these objects.
var Events = slices.Concat(
	events.Scoped(auth.Require(auth.Admin), []events.Kind{
		{Type: "dealership.created", Doc: "The dealership was created.", Object: Dealership{}},
		{Type: "dealership.updated", Doc: "The dealership's settings changed.", Object: Dealership{}},
	}),
	events.Scoped(auth.Either(auth.HullsRead, auth.Admin), []events.Kind{
		{Type: "location.created", Doc: "A location was added.", Object: Location{}},
		{Type: "location.updated", Doc: "A location changed.", Object: Location{}},
		{Type: "location.deleted", Doc: "A location was deleted.", Object: Location{}},
	}),
)
