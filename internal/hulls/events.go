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
	{Type: "hull.photos_added", Doc: "A hull got a photo.", Object: Hull{}},
	{Type: "hull.syndicated", Doc: "A channel lists a hull.", Object: HullSyndication{}},
	{Type: "hull.syndication_queued", Doc: "A hull waits to be listed by a channel, or to be taken off it.", Object: HullSyndication{}},
	{Type: "hull.syndication_rejected", Doc: "A channel refused a hull, and says why.", Object: HullSyndication{}},
	{Type: "hull.syndication_removed", Doc: "A channel no longer lists a hull.", Object: HullSyndication{}},
	{Type: "hull_photo.updated", Doc: "The caption or place of a photo changed.", Object: HullPhoto{}},
	{Type: "hull_photo.deleted", Doc: "A photo was deleted.", Object: HullPhoto{}},
	{Type: "channel.created", Doc: "A channel was added.", Object: Channel{}},
	{Type: "channel.deleted", Doc: "A channel was removed.", Object: Channel{}},
	{Type: "import.created", Doc: "A file was taken to be imported.", Object: HullImport{}},
	{Type: "import.completed", Doc: "An import is done.", Object: HullImport{}},
	{Type: "import.failed", Doc: "An import was given up, and changed nothing more.", Object: HullImport{}},
}
