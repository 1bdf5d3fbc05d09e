package access

import "slipway/internal/platform/events"

// Events are what can happen to credentials.
var Events = []events.Kind{
	{Type: "api_key.created", Doc: "An API key was issued.", Object: APIKey{}},
	{Type: "api_key.rotated", Doc: "An API key was rotated.", Object: APIKey{}},
	{Type: "api_key.revoked", Doc: "An API key was revoked.", Object: APIKey{}},
}
