package hulls

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of hulls.
var Events = events.Scoped(auth.Require(auth.HullsRead), []events.Kind{
	{Type: "hull.created", Doc: "A hull was added to inventory.", Object: Hull{}},
	{Type: "hull.updated", Doc: "Descriptive fields or the location of a hull changed.", Object: Hull{}},
	{Type: "hull.status_changed", Doc: "The status of a hull changed.", Object: Hull{}},
	{Type: "hull.price_changed", Doc: "The asking price of a hull changed.", Object: Hull{}},
	{Type: "hull.sold", Doc: "A hull was sold.", Object: Hull{}},
	{Type: "hull.archived", Doc: "A hull was archived.", Object: Hull{}},
	{Type: "hull.specs_replaced", Doc: "The specification sheet of a hull was replaced.", Object: HullSpecs{}},
})
