package sso

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of SSO connections.
var Events = events.Scoped(auth.Require(auth.Admin), []events.Kind{
	{Type: "sso_connection.created", Doc: "An SSO connection was added.", Object: Connection{}, Since: "next"},
	{Type: "sso_connection.updated", Doc: "An SSO connection changed.", Object: Connection{}, Since: "next"},
	{Type: "sso_connection.deleted", Doc: "An SSO connection was removed.", Object: Connection{}, Since: "next"},
})
