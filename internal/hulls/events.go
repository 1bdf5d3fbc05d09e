package hulls

import "slipway/internal/platform/events"

// Events are what can happen to a hull, its photos and its listings.
var Events = []events.Kind{
	{Type: "hull.created", Doc: "A hull was added to inventory.", Object: Hull{}},
	{Type: "hull.updated", Doc: "Descriptive fields or the location of a hull changed.", Object: Hull{}},
	{Type: "hull.status_changed", Doc: "A hull moved to another status.", Object: Hull{}},
	{Type: "hull.price_changed", Doc: "The asking price of a hull changed.", Object: Hull{}},
	{Type: "hull.sold", Doc: "A hull was sold.", Object: Hull{}},
	{Type: "hull.archived", Doc: "A hull was taken out of the working inventory.", Object: Hull{}},
	{Type: "hull.specs_replaced", Doc: "The specification sheet of a hull was replaced.", Object: HullSpecs{}},
}
