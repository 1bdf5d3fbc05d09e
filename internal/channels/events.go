package channels

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of channels and listings.
var Events = events.Scoped(auth.Require(auth.HullsRead), []events.Kind{
	{Type: "hull.syndicated", Doc: "A channel lists a hull.", Object: HullSyndication{}},
	{Type: "hull.syndication_queued", Doc: "A hull is waiting to be listed on a channel or removed from it.", Object: HullSyndication{}},
	{Type: "hull.syndication_rejected", Doc: "A channel rejected a hull.", Object: HullSyndication{}},
	{Type: "hull.syndication_removed", Doc: "A channel no longer lists a hull.", Object: HullSyndication{}},
	{Type: "channel.created", Doc: "A channel was added.", Object: Channel{}},
	{Type: "channel.updated", Doc: "A channel was changed.", Object: Channel{}, Since: "next"},
	{Type: "channel.feed_url_created", Doc: "The feed URL of a channel was created or replaced.", Object: Channel{}, Since: "next"},
	{Type: "channel.feed_url_revoked", Doc: "The feed URL of a channel was revoked.", Object: Channel{}, Since: "next"},
	{Type: "channel.secret_rotated", Doc: "The signing secret of a channel was created or rotated.", Object: Channel{}, Since: "next"},
	{Type: "channel.deleted", Doc: "A channel was removed.", Object: Channel{}},
})
