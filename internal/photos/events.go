package photos

import (
	"slipway/internal/hulls"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of photos.
var Events = events.Scoped(auth.Require(auth.HullsRead), []events.Kind{
	{Type: "hull.photos_added", Doc: "A photo was added to a hull.", Object: hulls.Hull{}},
	{Type: "hull_photo.updated", Doc: "The caption or position of a photo changed.", Object: HullPhoto{}},
	{Type: "hull_photo.deleted", Doc: "A photo was deleted.", Object: HullPhoto{}},
})
