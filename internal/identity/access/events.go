package access

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of API keys.
var Events = events.Scoped(auth.Require(auth.Admin), []events.Kind{
	{Type: "api_key.created", Doc: "An API key was created.", Object: APIKey{}},
	{Type: "api_key.rotated", Doc: "An API key was rotated.", Object: APIKey{}},
	{Type: "api_key.revoked", Doc: "An API key was revoked.", Object: APIKey{}},
})
