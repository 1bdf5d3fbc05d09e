package dealership

import "slipway/internal/platform/events"

// Events are the events of dealerships and locations.
var Events = []events.Kind{
	{Type: "dealership.created", Doc: "The dealership was created.", Object: Dealership{}},
	{Type: "dealership.updated", Doc: "The dealership's settings changed.", Object: Dealership{}},
	{Type: "location.created", Doc: "A location was added.", Object: Location{}},
	{Type: "location.updated", Doc: "A location changed.", Object: Location{}},
	{Type: "location.deleted", Doc: "A location was deleted.", Object: Location{}},
}
